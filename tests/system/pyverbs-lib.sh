# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# pyverbs MODULE...: runs modules of rdma-core's own tests, which the
# distribution packs one by one.

pyverbs() {
	local here
	here=$(dirname "$0")
	mkdir -p /tmp/pyverbs
	cp -r /usr/share/doc/rdma-core/tests /tmp/pyverbs/
	gunzip -f /tmp/pyverbs/tests/*.gz
	python3 -W ignore "$here/rdma_core_tests.py" /tmp/pyverbs mlx5_0 "$@"
}
