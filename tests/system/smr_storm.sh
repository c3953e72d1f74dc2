#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=alice smp=2
#
# Proves that processes that create, attach and release shared memory regions
# never get a handle that another one has, or memory of another handle, and
# leave nothing behind, though some are killed at any moment.
set -u
processes=${1:-12} rounds=${2:-60}
failed=0

# left: prints the segments and names that are there
left() {
	ipcs -m | grep -E '^0x'
	find /dev/shm -name 'mlx5x_smr.*'
}

for seed in 1 2; do
	name=smr-storm-$processes-$seed
	out=$("${MLX5X_BUILD:?}/tests/system/smr_storm" \
		"$processes" "$rounds" $seed) || failed=1
	echo "$out"
	if [ $failed = 1 ]; then
		echo "FAIL $name: $(tail -n 1 <<<"$out")"
		exit 1
	fi
	# The next process of the user removes what the killed ones left.
	"$MLX5X_BUILD/tests/system/smr_storm" 1 1 0 >/dev/null
	if [ -z "$(left)" ]; then
		echo "ok $name"
	else
		echo "FAIL $name: left: $(left | tr '\n' ' ')"
		failed=1
	fi
done
exit $failed
