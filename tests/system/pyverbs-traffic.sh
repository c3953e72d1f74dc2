#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=stock tier=long timeout=600
#
# Proves softhca by rdma-core's own tests over stock libmlx5: work requests of
# every kind, atomics, SRQs, CQs and their resizing, the connection manager.
set -u
# shellcheck source=tests/system/pyverbs-lib.sh
. "$(dirname "$0")/pyverbs-lib.sh"
pyverbs test_qpex test_atomic test_srq test_rdmacm test_cq test_cqex
