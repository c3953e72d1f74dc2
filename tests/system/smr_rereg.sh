#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root
#
# Proves what becomes of a shared memory region when it is registered again.
# With other rights it stays shared. With another translation it becomes
# private; those who have attached keep the memory, and nobody else gets it. A
# process that may only read cannot give itself more.
# The functions of scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"

# writes QP TEXT MR-LINE: C writes 4096 bytes there; the answer must begin with
# the text
writes() {
	want "$2" C qp "$1" write c+0 4096 "$(field addr "$3")" \
		"$(field rkey "$3")" >/dev/null
}

access_keeps_shared() {
	local a h
	start A alice
	start B alice
	start C alice
	ok C mr c reg p 4096 lw
	ok C mr c fill 0 4096 3
	a=$(want ok A mr m create p 1M lw,rr,rw,ur,uw)
	h=$(field number "$a")
	join_qps C q1 A q1
	writes q1 ok "$a"
	a=$(want ok A mr m rights rr)
	if [ "$(field number "$a")" != "$h" ]; then
		echo "the handle changed to $(field number "$a")" >&2
		exit 1
	fi
	ok B mr m attach p "$h" lw,rr,rw
	ok B mr m check 0 4096 3
	join_qps C q2 A q2
	writes q2 'err wc' "$a"
	a=$(want ok A mr m rights lw,rw)
	join_qps C q3 A q3
	writes q3 ok "$a"
	drop B
	drop C
	ok A mr m dereg
	drop A
}

translation_makes_private() {
	local a b h
	start A alice
	start B alice
	start C alice
	ok C mr c reg p 4096 lw
	h=$(field number "$(want ok A mr m create p 1M lw,rr,rw,ur,uw)")
	b=$(want ok B mr m attach p "$h" lw,rr,rw)
	ok A mr m fill 0 1M 4
	a=$(want ok A mr m move 64K)
	refuses ENOENT C mr x attach p "$h" lw
	# B's memory and registration are what they were
	ok B mr m check 0 1M 4
	ok C mr c fill 0 4096 5
	join_qps C qb B qb
	writes qb ok "$b"
	ok B mr m check 0 4096 5
	# and A's is its own
	join_qps C qa A qa
	writes qa ok "$a"
	ok A mr m check 0 4096 5
	ok C mr c fill 0 4096 6
	writes qa ok "$a"
	ok B mr m check 0 4096 5
	ok A mr m dereg
	ok B mr m check 0 4096 5
	ok B mr m dereg
	drop C
	drop B
	drop A
}

reader_stays_reader() {
	local h
	start A alice
	start B alice
	h=$(field number "$(want ok A mr m create p 1M lw,ur)")
	ok B mr m attach p "$h" rr
	refuses EACCES B mr m rights lw,rw
	ok B mr m rights none
	ok A mr m fill 0 4096 4
	ok B mr m check 0 4096 4
	ok B mr m move 8K
	ok B mr m rights none
	ok B mr m dereg
	drop B
	drop A
}

nothing_left() {
	if [ "$(ipcs -m | grep -c '^0x')" != 0 ] ||
		ls /dev/shm/mlx5x_smr.* >/dev/null 2>&1; then
		echo "a segment or a name is left" >&2
		exit 1
	fi
}

scenarios access_keeps_shared translation_makes_private reader_stays_reader \
	nothing_left
