#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x
#
# Runs the programs for indirect keys by the experimental verbs, as root, who
# may pin 5 GiB.  Small data may come within CQEs, but not to QPs with keys.
set -u
rc=0
for program in umr_maps umr_rules umr_life; do
	"${MLX5X_BUILD:?}/tests/system/$program" || rc=1
done
MLX5_SCATTER_TO_CQE=1 "$MLX5X_BUILD/tests/system/umr_life" umr-life-small ||
	rc=1
exit $rc
