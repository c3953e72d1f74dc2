#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=root
#
# Proves what shared memory regions promise, between processes of ordinary
# users: attach by handle, data by RDMA with either side's keys, permissions,
# lifetime in any order of death, and that nothing is left behind.
# Scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
export PUPPET=${MLX5X_BUILD:?}/tests/system/puppet
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"

names=/dev/shm/mlx5x_smr

segments() {
	ipcs -m | grep -c '^0x' || true
}

# In a process of its own, so that any command that fails ends it.
scenario() {
	local out
	if out=$(bash "$0" run "$1" 2>&1); then
		echo "ok smr-$1"
	else
		echo "FAIL smr-$1: $(echo "$out" | tail -n 1)"
		failed=1
	fi
}

equal() {
	if [ "$1" != "$2" ]; then
		echo "line ${BASH_LINENO[0]}: '$1' is not '$2'" >&2
		exit 1
	fi
}

# A process of USER with the device open.
start() {
	puppet "$1" "$2"
	want ok "$1" open >/dev/null
}

# 64 MiB and a page: written by the other process, moved by RDMA with both
# keys, by a third process that knows nothing of sharing.
share_and_move() {
	local size=$((64 * 1024 * 1024 + 4096)) a b
	start A alice
	start B alice
	start C alice
	a=$(want ok A mr m create "$size" lw,rr,rw,ur,uw)
	[ $(($(field handle "$a"))) -le $((0xffff)) ]
	equal "$(field length "$a")" "$size"
	b=$(want ok B mr m attach "$(field handle "$a")" lw,rr,rw)
	equal "$(field length "$b")" "$size"
	want ok A mr m fill 0 1M 5 >/dev/null
	want ok B mr m check 0 1M 5 >/dev/null
	want ok B mr m fill 64M 4096 6 >/dev/null
	want ok A mr m check 64M 4096 6 >/dev/null

	want ok C mr c reg 1M lw >/dev/null
	want ok C mr c fill 0 65536 7 >/dev/null
	join_qps C qb B qc
	want ok C qp qb write c 0 65536 "$(field addr "$b")" \
		"$(field rkey "$b")" >/dev/null
	want ok C qp qb poll >/dev/null
	want ok A mr m check 0 65536 7 >/dev/null

	join_qps C qa A qc
	want ok A mr m fill 0 65536 8 >/dev/null
	want ok C qp qa read c 0 65536 "$(field addr "$a")" \
		"$(field rkey "$a")" >/dev/null
	want ok C qp qa poll >/dev/null
	want ok C mr c check 0 65536 8 >/dev/null
	drop C
	drop B
	drop A
}

address_hint() {
	local a b free=0x600000000000
	start A alice
	start B alice
	a=$(want ok A mr m create 1M lw,ur,uw)
	b=$(want ok B mr m attach "$(field handle "$a")" lw "$free")
	equal "$(field addr "$b")" "$free"
	# Taken now: somewhere else, and that works as well.
	b=$(want ok B mr n attach "$(field handle "$a")" lw "$free")
	[ "$(field addr "$b")" != "$free" ]
	want ok B mr n fill 0 1M 3 >/dev/null
	want ok A mr m check 0 1M 3 >/dev/null
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
			reply=$(want ok "$p" mr "m$i" create 4096 lw,ur,uw)
			all="$all $(field handle "$reply")"
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
	h=$(field handle "$(want ok A mr m create 1M lw,ur)")
	want "err EACCES" B mr m attach "$h" lw >/dev/null
	want "err EACCES" B mr m attach "$h" lw,rw >/dev/null
	want ok A mr m fill 0 1M 4 >/dev/null
	want ok B mr m attach "$h" rr >/dev/null
	want ok B mr m check 0 1M 4 >/dev/null
	want "err EACCES" B mr m protect rw >/dev/null
	drop B
	drop A
}

# C is another user, in alice's group; bob is not.
group_and_others() {
	local h
	start A alice
	start B bob
	start C 2001:alice
	h=$(field handle "$(want ok A mr u create 4096 lw,ur,uw)")
	want "err EACCES" B mr m attach "$h" none >/dev/null
	want "err EACCES" C mr m attach "$h" none >/dev/null
	h=$(field handle "$(want ok A mr gr create 4096 lw,ur,uw,gr)")
	want ok C mr gr attach "$h" none >/dev/null
	want "err EACCES" C mr m attach "$h" lw >/dev/null
	want "err EACCES" B mr m attach "$h" none >/dev/null
	h=$(field handle "$(want ok A mr gw create 4096 lw,ur,uw,gr,gw)")
	want ok C mr gw attach "$h" lw >/dev/null
	want "err EACCES" B mr m attach "$h" none >/dev/null
	h=$(field handle "$(want ok A mr or create 4096 lw,ur,uw,or)")
	want ok B mr or attach "$h" none >/dev/null
	want "err EACCES" B mr m attach "$h" lw >/dev/null
	h=$(field handle "$(want ok A mr ow create 4096 lw,ur,uw,or,ow)")
	want ok B mr ow attach "$h" lw,rw >/dev/null
	want ok B mr ow fill 0 4096 9 >/dev/null
	want ok A mr ow check 0 4096 9 >/dev/null
	drop C
	drop B
	drop A
}

# Mode bits do not bind root, as with any file.
root_passes() {
	local h
	start A alice
	start R root
	h=$(field handle "$(want ok A mr m create 4096 lw,ur,uw)")
	want ok R mr m attach "$h" lw >/dev/null
	drop R
	drop A
}

owner_goes_first() {
	local a b h before
	before=$(segments)
	start A alice
	start B alice
	start C alice
	a=$(want ok A mr m create 1M lw,rr,rw,ur,uw)
	h=$(field handle "$a")
	b=$(want ok B mr m attach "$h" lw,rr,rw)
	want ok A mr m fill 0 1M 2 >/dev/null
	want ok A mr m dereg >/dev/null
	want "err ENOENT" C mr m attach "$h" lw >/dev/null
	want ok B mr m check 0 1M 2 >/dev/null
	want ok C mr c reg 4096 lw >/dev/null
	join_qps C q B q
	want ok C qp q read c 0 4096 "$(field addr "$b")" \
		"$(field rkey "$b")" >/dev/null
	want ok C qp q poll >/dev/null
	want ok C mr c check 0 4096 2 >/dev/null
	want ok B mr m dereg >/dev/null
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
	h=$(field handle "$(want ok A mr m create 1M lw,ur,uw)")
	want ok B mr m attach "$h" lw >/dev/null
	want ok A mr m fill 0 1M 2 >/dev/null
	drop A KILL
	want "err ENOENT" C mr m attach "$h" lw >/dev/null
	want ok B mr m check 0 1M 2 >/dev/null
	drop B
	equal "$(segments)" "$before"
	# The next user of that name clears it away.
	want ok C mr n create 4096 lw,ur,uw >/dev/null
	want ok C mr n dereg >/dev/null
	drop C
	equal "$(ls "$names".* 2>/dev/null)" ""
}

attacher_is_killed() {
	local h
	start A alice
	start B alice
	h=$(field handle "$(want ok A mr m create 1M lw,ur,uw)")
	want ok B mr m attach "$h" lw >/dev/null
	want ok B mr m fill 0 1M 2 >/dev/null
	drop B KILL
	want ok A mr m check 0 1M 2 >/dev/null
	start B alice
	want ok B mr m attach "$h" lw >/dev/null
	want ok B mr m check 0 1M 2 >/dev/null
	drop B
	drop A
}

owner_forks() {
	local h child
	start A alice
	start B alice
	h=$(field handle "$(want ok A mr m create 1M lw,ur,uw)")
	child=$(tell A fork)
	child=${child#ok }
	want ok A mr m dereg >/dev/null
	want "err ENOENT" B mr m attach "$h" lw >/dev/null
	kill "$child"
	drop B
	drop A
}

mapping_only() {
	local a b
	start A alice
	start B alice
	a=$(want ok A mr m create 1M lw,ur,uw)
	b=$(want ok B mr m attach "$(field handle "$a")" lw,nordma)
	equal "$(field handle "$b")" "0"
	equal "$(field lkey "$b")" "0"
	equal "$(field rkey "$b")" "0"
	want ok B mr m fill 0 1M 2 >/dev/null
	want ok A mr m check 0 1M 2 >/dev/null
	want ok B mr m dereg >/dev/null
	drop B
	drop A
}

# What has been attached cannot be attached to, and sharing needs memory that
# the library allocates.
refusals() {
	local a b
	start A alice
	start B alice
	a=$(want ok A mr m create 1M lw,ur,uw)
	b=$(want ok B mr m attach "$(field handle "$a")" lw,ur,uw)
	want err A mr n attach "$(field handle "$b")" lw >/dev/null
	want "err EINVAL" A mr n reg 4096 lw,ur >/dev/null
	want "err ENOENT" A mr n attach 0xfffe lw >/dev/null
	want "err ENOENT" A mr n attach 0 lw >/dev/null
	want "err EINVAL" A mr n create 0 lw,ur >/dev/null
	drop B
	drop A
}

forged_names() {
	local h
	start A alice
	start B bob
	h=$(field handle "$(want ok A mr m create 4096 lw,ur,uw,or,ow)")
	# A copy of the record under a number of bob's: not his memory.
	setpriv --reuid bob --regid bob --init-groups sh -c \
		"umask 022; cat $names.$(printf %X "$h") >$names.9999" || true
	want err A mr n attach 0x9999 lw >/dev/null
	rm -f "$names".9999
	ln -s "$names.$(printf %X "$h")" "$names".9998
	want err A mr n attach 0x9998 lw >/dev/null
	rm -f "$names".9998
	echo short >"$names".9997
	want err A mr n attach 0x9997 lw >/dev/null
	rm -f "$names".9997
	drop B
	drop A
}

window_bind_alone() {
	local h
	start A alice
	start B alice
	h=$(field handle "$(want ok A mr m create 4096 lw,ur,uw)")
	want ok B mr m attach "$h" mw >/dev/null
	want ok B mr m fill 0 4096 2 >/dev/null
	want ok A mr m check 0 4096 2 >/dev/null
	drop B
	drop A
}

nothing_left() {
	equal "$(segments)" "0"
	equal "$(ls "$names".* 2>/dev/null)" ""
}

if [ "${1:-}" = run ]; then
	"$2"
	exit
fi

failed=0
for s in share_and_move address_hint handles_differ read_only_grant \
	group_and_others root_passes owner_goes_first owner_is_killed \
	attacher_is_killed owner_forks mapping_only refusals forged_names \
	window_bind_alone nothing_left; do
	scenario "$s"
done
exit $failed
