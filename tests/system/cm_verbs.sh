#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Proves that every function of rdma/rdma_verbs.h does what it promises.
exec "${MLX5X_BUILD:?}/tests/system/cm_verbs" 10.77.0.1
