#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=alice tier=long timeout=1800 mem=2G
#
# Proves the same as smr_storm.sh, with 64 processes and 200 rounds each.
exec bash "$(dirname "$0")/smr_storm.sh" 64 200
