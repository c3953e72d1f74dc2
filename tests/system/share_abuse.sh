#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root timeout=600
#
# Runs the program that abuses export and import.
exec "${MLX5X_BUILD:?}/tests/system/share_abuse"
