#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=stock user=alice
#
# Runs the program of DEVX, which is linked to libmlx5.
exec "${MLX5X_BUILD:?}/tests/system/devx"
