#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x
#
# Runs the programs for indirect keys by the experimental verbs, as root, who
# may pin 5 GiB.
set -u
rc=0
for program in umr_data umr_rules; do
	"${MLX5X_BUILD:?}/tests/system/$program" || rc=1
done
exit $rc
