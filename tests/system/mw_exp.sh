#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both
#
# Runs the programs for memory windows by the experimental verbs, as root, who
# may pin 5 GiB.
set -u
rc=0
for program in mw_by_exp mw_rules; do
	"${MLX5X_BUILD:?}/tests/system/$program" || rc=1
done
exit $rc
