#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root tier=long timeout=900 mem=2G smp=2
# lab-allow-log: Create QP type 2 failed
#
# Proves that 64 processes that import one PD and MR leave nothing behind though
# they leave in random order and manner, some by kill -9: the device counts as
# many live objects as at the start.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"
failed=0
# The driver makes a QP of its own with the first MR.
"${MLX5X_BUILD:?}/tests/system/share_storm" 2 0 >/dev/null
start=$(hca_objects)
for seed in 1 2 3; do
	name=share_storm-$seed
	if ! out=$("${MLX5X_BUILD:?}/tests/system/share_storm" 64 $seed 2>&1)
	then
		echo "FAIL $name: $(tail -n 1 <<<"$out")"
		failed=1
		continue
	fi
	now=$(hca_objects)
	if [ "$now" = "$start" ]; then
		echo "ok $name"
	else
		echo "FAIL $name: left: $(diff <(echo "$start") <(echo "$now") |
			tr '\n' ' ')"
		failed=1
	fi
done
exit $failed
