#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=2 provider=both user=alice
#
# Proves that a shared memory region can be attached to on another device than
# its creator's. There is one memory, and either device moves it by RDMA.
# Handles differ between devices and processes.
# The functions of scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"

# A and C are of the first device, B and D of the second.
both() {
	local a b
	start A '' mlx5_0
	start B '' mlx5_1
	start C '' mlx5_0
	start D '' mlx5_1
	a=$(want ok A mr m create p 1M lw,rr,rw,ur,uw)
	b=$(want ok B mr m attach p "$(field number "$a")" lw,rr,rw)
	ok C mr c reg p 64K lw
	ok D mr d reg p 64K lw
	ok C mr c fill 0 64K 3
	join_qps C qc A qa
	ok C qp qc write c+0 65536 "$(field addr "$a")" "$(field rkey "$a")"
	ok B mr m check 0 64K 3
	# out again by the other device
	join_qps D qd B qb
	ok D qp qd read d+0 65536 "$(field addr "$b")" "$(field rkey "$b")"
	ok D mr d check 0 64K 3
	ok A mr m dereg
	refuses ENOENT D mr m attach p "$(field number "$a")" lw
	ok D mr d fill 0 64K 4
	ok D qp qd write d+0 65536 "$(field addr "$b")" "$(field rkey "$b")"
	ok B mr m check 0 64K 4
	for p in A B C D; do
		drop "$p"
	done
}

# The devices' own handles are small and the same on both; these must differ.
handles() {
	local all='' i p reply
	start A '' mlx5_0
	start B '' mlx5_1
	for i in {1..8}; do
		for p in A B; do
			reply=$(want ok "$p" mr "m$i" create p 4K lw,ur,uw)
			all+="$(field number "$reply") "
		done
	done
	if [ "$(echo "$all" | tr ' ' '\n' | sort -u | grep -c .)" != 16 ]; then
		echo "a handle was given twice: $all" >&2
		exit 1
	fi
	drop A
	drop B
}

scenarios both handles
