#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=alice cap=log_max_uctx=0
#
# Runs the programs for indirect keys on a device without DEVX, where keys are
# made as memory windows: at most 255 pieces, no equal ones.
set -u
rc=0
dir=${MLX5X_BUILD:?}/tests/system
for program in umr_maps umr_rules umr_life umr_wr; do
	"$dir/$program" || rc=1
done
"$dir/umr_rules" capabilities |
	grep '^# pieces 255, inline [0-9]*, depth 1, equal up to 0$' || rc=1
exit $rc
