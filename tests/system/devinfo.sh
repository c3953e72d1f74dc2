#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=2 provider=mlx5x user=alice
#
# Proves that ibv_devices lists each HCA, that ibv_devinfo opens it, and that
# "ibv_devinfo -v" prints the same under ours as under stock libmlx5, line for
# line, except for the differences that are explained below.
set -u
failed=0

check() {
	local name=$1 why=$2
	if [ -z "$why" ]; then
		echo "ok devinfo-$name"
	else
		echo "FAIL devinfo-$name: $why"
		failed=1
	fi
}

# There are no such differences at present.
explained='^$'

n=$(ibv_devices | grep -c mlx5_)
check list "$([ "$n" = 2 ] || echo "$n devices, not 2")"

ours=$(ibv_devinfo -v 2>&1) || check open "ibv_devinfo failed: $ours"
stock=$(env -u IBV_DRIVERS ibv_devinfo -v 2>&1)
difference=$(diff <(echo "$stock") <(echo "$ours") | grep '^[<>]' |
	grep -v -E "$explained" | head -n 3 | tr '\n' ' ')
check same-as-stock "$difference"

active=$(echo "$ours" | grep -c "state:.*PORT_ACTIVE")
check active "$([ "$active" = 2 ] || echo "$active ports active, not 2")"
exit $failed
