#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=stock tier=long timeout=400 cap=umr_modify_entity_size_disabled=1
#
# The tests of pyverbs-memory.sh on a device where UMR cannot change the size of
# pages, so that the kernel registers memory by commands instead.
set -u
# shellcheck source=tests/system/pyverbs-lib.sh
. "$(dirname "$0")/pyverbs-lib.sh"
pyverbs test_mr test_mlx5_mkey test_mlx5_raw_wqe test_shared_pd
