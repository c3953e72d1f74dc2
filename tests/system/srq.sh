#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Runs the program for shared receive queues.
exec "${MLX5X_BUILD:?}/tests/system/srq"
