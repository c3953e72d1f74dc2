#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root timeout=600
#
# Counts the commands for keys that the device executes for 100 re-registrations
# of each kind. There must be none if only rights change, and no more with mlx5x
# than with stock for any other combination.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"
rereg=${MLX5X_BUILD:?}/tests/system/rereg
load=${LAB_LOAD:-3}
limit=$((60 * load))

# The kernel fills its cache of keys when it has nothing else to do.
settled() {
	local now before=-1 i
	for ((i = 0; i < 40 * load; i++)); do
		now=$(hca_commands '[A-Z_]*MKEY')
		if [ "$now" = "$before" ]; then
			echo "$now"
			return
		fi
		before=$now
		sleep 0.3
	done
	echo "the number of commands for keys does not settle" >&2
	return 1
}

# commands PROVIDER FLAGS ACCESS: prints how many it took
commands() {
	local before after word out in
	local -a run=("$rereg" count "$2" "$3")
	if [ "$1" = stock ]; then
		run=(env -u IBV_DRIVERS "${run[@]}")
	fi
	coproc COUNT { "${run[@]}"; }
	out=${COUNT[0]} in=${COUNT[1]}
	read -r -t "$limit" word <&"$out" && [ "$word" = ready ] || return 1
	before=$(settled)
	echo >&"$in"
	if ! read -r -t "$limit" word <&"$out" || [ "$word" != "done" ]; then
		echo "flags $2, access $3: $word" >&2
		return 1
	fi
	after=$(hca_commands '[A-Z_]*MKEY')
	echo >&"$in"
	wait "$COUNT_PID"
	echo $((after - before))
}

failed=0
# compare NAME FLAGS ACCESS [MOST]
#
# A kernel of 7.x gives keys of its pools back to the device when they were not
# used for a while, at any time: such commands are counted too. What a change
# takes it takes each time, so another count tells the two apart.
compare() {
	local ours stock most i
	stock=$(commands stock "$2" "$3")
	most=${4:-$stock}
	if [ "$most" -gt "$stock" ]; then
		most=$stock
	fi
	for ((i = 0; i < 3; i++)); do
		ours=$(commands mlx5x "$2" "$3")
		if [ "$ours" -le "$most" ]; then
			break
		fi
	done
	if [ "$ours" -le "$most" ]; then
		echo "ok rereg-commands-$1"
		echo "$1: $ours commands for 100 changes, stock $stock"
	else
		echo "FAIL rereg-commands-$1: $ours commands, stock $stock"
		failed=1
	fi
}

# 1 translation, 2 PD, 4 access; 1 local write, 2 remote write, 4 remote read,
# 8 remote atomic, 1 << 20 relaxed ordering, 1 << 37 ALLOCATE_MR
compare access-read 4 0x4 0
compare access-local-write 4 0x1 0
compare access-remote-write 4 0x3 0
compare access-atomic 4 0xf 0
compare access-relaxed-ordering 4 0x100007 0
compare access-read-relaxed-ordering 4 0x100004 0
compare translation 1 0x0
compare pd 2 0x0
compare translation-pd 3 0x0
compare translation-access 5 0x4
compare all 7 0x4
compare allocate 5 0x2000000007
exit $failed
