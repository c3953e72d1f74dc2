#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root timeout=900 smp=2
#
# Runs the programs that abuse export and import and that kill importers, at
# every third entry to or return from a system call. They must leave nothing in
# the device and no files.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"
bin=${MLX5X_BUILD:?}/tests/system
failed=0
# The driver makes a QP of its own with the first MR.
"$bin/share_abuse" types >/dev/null
start=$(hca_objects)
files=$(ls /dev/shm /tmp)
"$bin/share_abuse" || failed=1
"$bin/share_kill" 3 2>/dev/null || failed=1
now=$(hca_objects)
if [ "$now" != "$start" ]; then
	echo "FAIL share_abuse-objects: $(diff <(echo "$start") \
		<(echo "$now") | tr '\n' ' ')"
	failed=1
elif [ "$(ls /dev/shm /tmp)" != "$files" ]; then
	echo "FAIL share_abuse-files: $(diff <(echo "$files") \
		<(ls /dev/shm /tmp) | tr '\n' ' ')"
	failed=1
else
	echo "ok share_abuse-nothing-left"
fi
exit $failed
