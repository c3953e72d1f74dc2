#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=stock timeout=400
#
# Proves that stock libmlx5 and the kernel find softhca's memory keys in order:
# MRs and their re-registration, memory windows, lists of keys by UMR, raw
# WQEs, a shared PD, by rdma-core's own tests.
set -u
# shellcheck source=tests/system/pyverbs-lib.sh
. "$(dirname "$0")/pyverbs-lib.sh"
pyverbs test_mr test_mlx5_mkey test_mlx5_raw_wqe test_shared_pd
