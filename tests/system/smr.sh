#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=root
#
# Proves what shared memory regions promise, between processes of ordinary
# users: they are attached to by handle, either side's keys move data by RDMA,
# permissions hold, the memory lives as long as anybody uses it, in whatever
# order processes die, and nothing is left behind.
# The functions of scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"

names=/dev/shm/mlx5x_smr

segments() {
	ipcs -m | grep -c '^0x' || true
}

# 64 MiB and a page are written by the other process, and moved by RDMA with
# both keys by a third process that knows nothing of sharing.
share_and_move() {
	local size=$((64 * 1024 * 1024 + 4096)) a b
	start A alice
	start B alice
	start C alice
	a=$(want ok A mr m create p "$size" lw,rr,rw,ur,uw)
	[ $(($(field number "$a"))) -le $((0xffff)) ]
	equal "$(field length "$a")" "$size"
	b=$(want ok B mr m attach p "$(field number "$a")" lw,rr,rw)
	equal "$(field length "$b")" "$size"
	ok A mr m fill 0 1M 5
	ok B mr m check 0 1M 5
	ok B mr m fill 64M 4096 6
	ok A mr m check 64M 4096 6

	ok C mr c reg p 1M lw
	ok C mr c fill 0 65536 7
	join_qps C qb B qc
	ok C qp qb write c+0 65536 "$(field addr "$b")" "$(field rkey "$b")"
	ok A mr m check 0 65536 7

	join_qps C qa A qc
	ok A mr m fill 0 65536 8
	ok C qp qa read c+0 65536 "$(field addr "$a")" "$(field rkey "$a")"
	ok C mr c check 0 65536 8
	drop C
	drop B
	drop A
}

address_hint() {
	local a b free=0x600000000000
	start A alice
	start B alice
	a=$(want ok A mr m create p 1M lw,ur,uw)
	b=$(want ok B mr m attach p "$(field number "$a")" lw "$free")
	equal "$(field addr "$b")" "$free"
	# The address is taken now, so that another one is chosen.
	b=$(want ok B mr n attach p "$(field number "$a")" lw "$free")
	[ "$(field addr "$b")" != "$free" ]
	ok B mr n fill 0 1M 3
	ok A mr m check 0 1M 3
	drop B
	drop A
}

handles_differ() {
	local all="" i reply
	start A alice
	start B alice
	start C bob
	for i in 1 2 3 4 5; do
		for p in A B C; do
			reply=$(want ok "$p" mr "m$i" create p 4096 lw,ur,uw)
			all="$all $(field number "$reply")"
		done
	done
	equal "$(echo "$all" | tr ' ' '\n' | sort -u | grep -c .)" 15
	drop C
	drop B
	drop A
}

read_only_grant() {
	local h
	start A alice
	start B alice
	h=$(field number "$(want ok A mr m create p 1M lw,ur)")
	refuses EACCES B mr m attach p "$h" lw
	refuses EACCES B mr m attach p "$h" lw,rw
	ok A mr m fill 0 1M 4
	ok B mr m attach p "$h" rr
	ok B mr m check 0 1M 4
	refuses EACCES B mr m protect rw
	drop B
	drop A
}

# C is another user, in alice's group; bob is not.
group_and_others() {
	local h
	start A alice
	start B bob
	start C 2001:alice
	h=$(field number "$(want ok A mr u create p 4096 lw,ur,uw)")
	refuses EACCES B mr m attach p "$h" none
	refuses EACCES C mr m attach p "$h" none
	h=$(field number "$(want ok A mr gr create p 4096 lw,ur,uw,gr)")
	ok C mr gr attach p "$h" none
	refuses EACCES C mr m attach p "$h" lw
	refuses EACCES B mr m attach p "$h" none
	h=$(field number "$(want ok A mr gw create p 4096 lw,ur,uw,gr,gw)")
	ok C mr gw attach p "$h" lw
	refuses EACCES B mr m attach p "$h" none
	h=$(field number "$(want ok A mr or create p 4096 lw,ur,uw,or)")
	ok B mr or attach p "$h" none
	refuses EACCES B mr m attach p "$h" lw
	h=$(field number "$(want ok A mr ow create p 4096 lw,ur,uw,or,ow)")
	ok B mr ow attach p "$h" lw,rw
	ok B mr ow fill 0 4096 9
	ok A mr ow check 0 4096 9
	drop C
	drop B
	drop A
}

# As between rootless containers: alice is root in the namespace of B, bob in
# that of C.
user_namespaces() {
	local h
	if ! setpriv --reuid alice --regid alice --init-groups \
		unshare --user --map-root-user true; then
		echo "not tried: the kernel makes no user namespaces" >&2
		return
	fi
	start A alice
	start B ns:alice
	start C ns:bob
	h=$(field number "$(want ok A mr m create p 1M lw,ur,uw)")
	ok B mr m attach p "$h" lw,rw
	ok B mr m fill 0 1M 5
	ok A mr m check 0 1M 5
	refuses EACCES C mr m attach p "$h" none
	h=$(field number "$(want ok B mr n create p 1M lw,ur,uw,or)")
	ok A mr n attach p "$h" lw
	ok A mr n fill 0 1M 6
	ok C mr n attach p "$h" none
	ok C mr n check 0 1M 6
	refuses EACCES C mr o attach p "$h" lw
	ok B mr n dereg
	refuses ENOENT C mr o attach p "$h" none
	drop C
	drop B
	drop A
}

# Mode bits do not bind root, as with any file.
root_passes() {
	local h
	start A alice
	start R root
	h=$(field number "$(want ok A mr m create p 4096 lw,ur,uw)")
	ok R mr m attach p "$h" lw
	drop R
	drop A
}

owner_goes_first() {
	local a b h before
	before=$(segments)
	start A alice
	start B alice
	start C alice
	a=$(want ok A mr m create p 1M lw,rr,rw,ur,uw)
	h=$(field number "$a")
	b=$(want ok B mr m attach p "$h" lw,rr,rw)
	ok A mr m fill 0 1M 2
	ok A mr m dereg
	refuses ENOENT C mr m attach p "$h" lw
	ok B mr m check 0 1M 2
	ok C mr c reg p 4096 lw
	join_qps C q B q
	ok C qp q read c+0 4096 "$(field addr "$b")" "$(field rkey "$b")"
	ok C mr c check 0 4096 2
	ok B mr m dereg
	equal "$(segments)" "$before"
	drop C
	drop B
	drop A
}

owner_is_killed() {
	local h before
	before=$(segments)
	start A alice
	start B alice
	start C alice
	h=$(field number "$(want ok A mr m create p 1M lw,ur,uw)")
	ok B mr m attach p "$h" lw
	ok A mr m fill 0 1M 2
	drop A KILL
	refuses ENOENT C mr m attach p "$h" lw
	ok B mr m check 0 1M 2
	drop B
	equal "$(segments)" "$before"
	# The next process of the user clears the name away.
	ok C mr n create p 4096 lw,ur,uw
	ok C mr n dereg
	drop C
	equal "$(ls "$names".* 2>/dev/null)" ""
}

attacher_is_killed() {
	local h
	start A alice
	start B alice
	h=$(field number "$(want ok A mr m create p 1M lw,ur,uw)")
	ok B mr m attach p "$h" lw
	ok B mr m fill 0 1M 2
	drop B KILL
	ok A mr m check 0 1M 2
	start B alice
	ok B mr m attach p "$h" lw
	ok B mr m check 0 1M 2
	drop B
	drop A
}

owner_forks() {
	local h child
	start A alice
	start B alice
	h=$(field number "$(want ok A mr m create p 1M lw,ur,uw)")
	child=$(field pid "$(want ok A fork)")
	ok A mr m dereg
	refuses ENOENT B mr m attach p "$h" lw
	kill "$child"
	drop B
	drop A
}

mapping_only() {
	local a b
	start A alice
	start B alice
	a=$(want ok A mr m create p 1M lw,ur,uw)
	b=$(want ok B mr m attach p "$(field number "$a")" lw,nordma)
	equal "$(field number "$b")" "0"
	equal "$(field lkey "$b")" "0"
	equal "$(field rkey "$b")" "0"
	ok B mr m fill 0 1M 2
	ok A mr m check 0 1M 2
	ok B mr m dereg
	drop B
	drop A
}

# An attachment cannot be attached to. Only memory that the library allocates
# can be shared.
refusals() {
	local a b
	start A alice
	start B alice
	a=$(want ok A mr m create p 1M lw,ur,uw)
	b=$(want ok B mr m attach p "$(field number "$a")" lw,ur,uw)
	refuses '' A mr n attach p "$(field number "$b")" lw
	refuses EINVAL A mr n reg p 4096 lw,ur
	refuses ENOENT A mr n attach p 0xfffe lw
	refuses ENOENT A mr n attach p 0 lw
	refuses EINVAL A mr n create p 0 lw,ur
	drop B
	drop A
}

forged_names() {
	local h
	start A alice
	start B bob
	h=$(field number "$(want ok A mr m create p 4096 lw,ur,uw,or,ow)")
	# A copy of the record, under a number of bob's, is not his memory.
	setpriv --reuid bob --regid bob --init-groups sh -c \
		"umask 022; cat $names.$(printf %X "$h") >$names.9999" || true
	refuses '' A mr n attach p 0x9999 lw
	rm -f "$names".9999
	ln -s "$names.$(printf %X "$h")" "$names".9998
	refuses '' A mr n attach p 0x9998 lw
	rm -f "$names".9998
	echo short >"$names".9997
	refuses '' A mr n attach p 0x9997 lw
	rm -f "$names".9997
	drop B
	drop A
}

window_bind_alone() {
	local h
	start A alice
	start B alice
	h=$(field number "$(want ok A mr m create p 4096 lw,ur,uw)")
	ok B mr m attach p "$h" mw
	ok B mr m fill 0 4096 2
	ok A mr m check 0 4096 2
	drop B
	drop A
}

nothing_left() {
	equal "$(segments)" "0"
	equal "$(ls "$names".* 2>/dev/null)" ""
}

scenarios share_and_move address_hint handles_differ read_only_grant \
	group_and_others user_namespaces root_passes owner_goes_first owner_is_killed \
	attacher_is_killed owner_forks mapping_only refusals forged_names \
	window_bind_alone nothing_left
