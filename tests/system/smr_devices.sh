#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=2 provider=both user=alice
#
# Proves that a shared memory region can be attached to on another device than
# its creator's: one memory, moved by either device's RDMA, and handles that
# differ over devices and processes.
# Scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
export PUPPET=${MLX5X_BUILD:?}/tests/system/puppet
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"

# start PROCESS DEVICE
start() {
	puppet "$1"
	want ok "$1" open "$2" >/dev/null
}

# A and C are of the first device, B and D of the second.
both() {
	local a b
	start A mlx5_0
	start B mlx5_1
	start C mlx5_0
	start D mlx5_1
	a=$(want ok A mr m create 1M lw,rr,rw,ur,uw)
	b=$(want ok B mr m attach "$(field handle "$a")" lw,rr,rw)
	want ok C mr c reg 64K lw >/dev/null
	want ok D mr d reg 64K lw >/dev/null
	want ok C mr c fill 0 64K 3 >/dev/null
	join_qps C qc A qa
	want ok C qp qc write c 0 65536 "$(field addr "$a")" \
		"$(field rkey "$a")" >/dev/null
	want ok C qp qc poll >/dev/null
	want ok B mr m check 0 64K 3 >/dev/null
	# out again by the other device
	join_qps D qd B qb
	want ok D qp qd read d 0 65536 "$(field addr "$b")" \
		"$(field rkey "$b")" >/dev/null
	want ok D qp qd poll >/dev/null
	want ok D mr d check 0 64K 3 >/dev/null
	want ok A mr m dereg >/dev/null
	want 'err ENOENT' D mr m attach "$(field handle "$a")" lw >/dev/null
	want ok D mr d fill 0 64K 4 >/dev/null
	want ok D qp qd write d 0 65536 "$(field addr "$b")" \
		"$(field rkey "$b")" >/dev/null
	want ok D qp qd poll >/dev/null
	want ok B mr m check 0 64K 4 >/dev/null
	for p in A B C D; do
		drop "$p"
	done
}

# With the devices' own handles, which are small and the same on both.
handles() {
	local all='' i p reply
	start A mlx5_0
	start B mlx5_1
	for i in {1..8}; do
		for p in A B; do
			reply=$(want ok "$p" mr "m$i" create 4K lw,ur,uw)
			all+="$(field handle "$reply") "
		done
	done
	if [ "$(echo "$all" | tr ' ' '\n' | sort -u | grep -c .)" != 16 ]; then
		echo "a handle was given twice: $all" >&2
		exit 1
	fi
	drop A
	drop B
}

if [ "${1:-}" = run ]; then
	"$2"
	exit
fi

failed=0
for s in both handles; do
	if out=$(bash "$0" run "$s" 2>&1); then
		echo "ok smr-devices-$s"
	else
		echo "FAIL smr-devices-$s: $(echo "$out" | tail -n 1)"
		failed=1
	fi
done
exit $failed
