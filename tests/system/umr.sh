#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=alice
#
# Runs the programs for indirect keys.
set -u
rc=0
for program in umr_wr; do
	"${MLX5X_BUILD:?}/tests/system/$program" || rc=1
done
exit $rc
