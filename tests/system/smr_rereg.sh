#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root
#
# Proves what becomes of a shared memory region when it is registered again:
# with other rights it stays shared; with another translation it becomes
# private, those who have attached keep the memory, nobody else gets it; and
# who may only read cannot give himself more.
# Scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
export PUPPET=${MLX5X_BUILD:?}/tests/system/puppet
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"

start() {
	puppet "$1" "$2"
	want ok "$1" open >/dev/null
}

# writes NAME RIGHTS-TEXT MR-LINE: C writes 4096 bytes there; the completion
# must begin with the text.
writes() {
	want ok C qp "$1" write c 0 4096 "$(field addr "$3")" \
		"$(field rkey "$3")" >/dev/null
	want "$2" C qp "$1" poll >/dev/null
}

access_keeps_shared() {
	local a h
	start A alice
	start B alice
	start C alice
	want ok C mr c reg 4096 lw >/dev/null
	want ok C mr c fill 0 4096 3 >/dev/null
	a=$(want ok A mr m create 1M lw,rr,rw,ur,uw)
	h=$(field handle "$a")
	join_qps C q1 A q1
	writes q1 ok "$a"
	a=$(want ok A mr m rereg access rr)
	if [ "$(field handle "$a")" != "$h" ]; then
		echo "the handle changed to $(field handle "$a")" >&2
		exit 1
	fi
	want ok B mr m attach "$h" lw,rr,rw >/dev/null
	want ok B mr m check 0 4096 3 >/dev/null
	join_qps C q2 A q2
	writes q2 err "$a"
	a=$(want ok A mr m rereg access lw,rw)
	join_qps C q3 A q3
	writes q3 ok "$a"
	drop B
	drop C
	want ok A mr m dereg >/dev/null
	drop A
}

translation_makes_private() {
	local a b h
	start A alice
	start B alice
	start C alice
	want ok C mr c reg 4096 lw >/dev/null
	h=$(field handle "$(want ok A mr m create 1M lw,rr,rw,ur,uw)")
	b=$(want ok B mr m attach "$h" lw,rr,rw)
	want ok A mr m fill 0 1M 4 >/dev/null
	a=$(want ok A mr m rereg move 64K)
	want "err ENOENT" C mr x attach "$h" lw >/dev/null
	# B's memory and registration are what they were
	want ok B mr m check 0 1M 4 >/dev/null
	want ok C mr c fill 0 4096 5 >/dev/null
	join_qps C qb B qb
	writes qb ok "$b"
	want ok B mr m check 0 4096 5 >/dev/null
	# and A's is its own
	join_qps C qa A qa
	writes qa ok "$a"
	want ok A mr m check 0 4096 5 >/dev/null
	want ok C mr c fill 0 4096 6 >/dev/null
	writes qa ok "$a"
	want ok B mr m check 0 4096 5 >/dev/null
	want ok A mr m dereg >/dev/null
	want ok B mr m check 0 4096 5 >/dev/null
	want ok B mr m dereg >/dev/null
	drop C
	drop B
	drop A
}

reader_stays_reader() {
	local h
	start A alice
	start B alice
	h=$(field handle "$(want ok A mr m create 1M lw,ur)")
	want ok B mr m attach "$h" rr >/dev/null
	want "err EACCES" B mr m rereg access lw,rw >/dev/null
	want ok B mr m rereg access none >/dev/null
	want ok A mr m fill 0 4096 4 >/dev/null
	want ok B mr m check 0 4096 4 >/dev/null
	want ok B mr m rereg move 8K >/dev/null
	want ok B mr m rereg access none >/dev/null
	want ok B mr m dereg >/dev/null
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

if [ "${1:-}" = run ]; then
	"$2"
	exit
fi

failed=0
for s in access_keeps_shared translation_makes_private reader_stays_reader \
	nothing_left; do
	if out=$(bash "$0" run "$s" 2>&1); then
		echo "ok smr-rereg-$s"
	else
		echo "FAIL smr-rereg-$s: $(echo "$out" | tail -n 1)"
		failed=1
	fi
done
exit $failed
