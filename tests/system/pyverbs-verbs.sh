#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x timeout=400
#
# Proves the provider by rdma-core's own tests: MRs and their re-registration,
# memory windows, atomics, SRQs, work requests of every kind, AHs, the
# connection manager; pyverbs is linked to libmlx5, so the provider is
# preloaded.
set -u
# shellcheck source=tests/system/pyverbs-lib.sh
. "$(dirname "$0")/pyverbs-lib.sh"
unset IBV_DRIVERS
export LD_PRELOAD=${MLX5X_BUILD:?}/providers/mlx5x/libmlx5x-preload.so
pyverbs test_mr test_srq test_atomic test_qpex test_addr test_rdmacm
