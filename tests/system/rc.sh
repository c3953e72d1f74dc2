#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Runs the RC programs: data, atomics and errors.
set -u
rc=0
for program in rc_data rc_atomic rc_errors; do
	"${MLX5X_BUILD:?}/tests/system/$program" || rc=1
done
exit $rc
