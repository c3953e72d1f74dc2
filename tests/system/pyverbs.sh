#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# pyverbs.sh MODULE...: runs modules of rdma-core's own tests, which the
# distribution packs one by one. Since pyverbs is linked to libmlx5, ours is
# preloaded.
set -eu
here=$(dirname "$0")
mkdir -p /tmp/pyverbs
cp -r /usr/share/doc/rdma-core/tests /tmp/pyverbs/
gunzip -f /tmp/pyverbs/tests/*.gz
if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
	unset IBV_DRIVERS
	export LD_PRELOAD=${MLX5X_BUILD:?}/providers/mlx5x/libmlx5x-preload.so
fi
exec python3 -W ignore "$here/rdma_core_tests.py" /tmp/pyverbs mlx5_0 "$@"
