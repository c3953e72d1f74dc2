# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Scenes of export and import, for scripts that source puppet.sh with
# PUPPET=sharer. Process P owns context A with a PD and an MR of 1 MiB, and
# exports both to the descriptor of its context S; process Q imports them into
# its context C. Process R has a context of its own and is the far end.

# equal A B
equal() {
	if [ "$1" != "$2" ]; then
		echo "line ${BASH_LINENO[0]}: '$1' is not '$2'" >&2
		exit 1
	fi
}

# scenario NAME: the function of that name, in a process of its own, so that
# any command that fails ends it
scenario() {
	local out
	if out=$(bash "$0" run "$1" 2>&1); then
		echo "ok ${0##*/}-$1"
	else
		echo "FAIL ${0##*/}-$1: $(echo "$out" | tail -n 1)"
		# shellcheck disable=SC2034 # of the script that sources this
		failed=1
	fi
}

# shellcheck disable=SC2120 # no user: root
# P with A; H_PD, H_MR are A's handles, MR_* what the MR is.
owner() {
	local mr
	puppet P "${1:-}"
	want ok P ctx A open >/dev/null
	want ok P pd p alloc A >/dev/null
	mr=$(want ok P mr m reg p 1M)
	H_PD=$(field handle "$(want ok P pd p handle)")
	H_MR=$(field handle "$mr")
	MR_ADDR=$(field addr "$mr")
	MR_LKEY=$(field lkey "$mr")
	MR_RKEY=$(field rkey "$mr")
}

# P exports to S; F is what it sends.
export_all() {
	want ok P ctx S open >/dev/null
	H_PD=$(field handle "$(want ok P exportto S A pd "$H_PD")")
	H_MR=$(field handle "$(want ok P exportto S A mr "$H_MR")")
	want ok P fd F of S >/dev/null
}

# send FROM F TO: TO gets it as F
pass() {
	want ok "$3" fd F listen "sharer.$$.$3" >/dev/null
	want ok "$1" fd "$2" send "sharer.$$.$3" >/dev/null
	want ok "$3" fd F receive >/dev/null
}

# import_all Q: into C; keys and length must be those of the original
import_all() {
	local mr
	want ok "$1" pd p import C F "$H_PD" >/dev/null
	mr=$(want ok "$1" mr m import C F "$H_MR")
	equal "$(field lkey "$mr")" "$MR_LKEY"
	equal "$(field rkey "$mr")" "$MR_RKEY"
	equal "$(field length "$mr")" 1048576
	equal "$(field pd "$mr")" 1
}

# consumer NAME [USER]: a process with C that has F from P
consumer() {
	puppet "$1" "${2:-}"
	want ok "$1" ctx C open >/dev/null
	pass P F "$1"
}

# R, and R_ADDR, R_LKEY, R_RKEY of its MR
# shellcheck disable=SC2120 # no user: root
far_end() {
	local mr
	puppet R "${1:-}"
	want ok R ctx C open >/dev/null
	want ok R pd p alloc C >/dev/null
	mr=$(want ok R mr m reg p 1M)
	R_ADDR=$(field addr "$mr")
	R_LKEY=$(field lkey "$mr")
	R_RKEY=$(field rkey "$mr")
}

# join A PD CQ B PD CQ: QPs called q, connected; CQs are there or are made
join_pair() {
	local a=$1 b=$4 sa sb
	want ok "$a" qp q create "$2" "$3" >/dev/null
	want ok "$b" qp q create "$5" "$6" >/dev/null
	sa=$(want ok "$a" qp q show)
	sb=$(want ok "$b" qp q show)
	want ok "$a" qp q connect "$(field qpn "$sb")" "$(field gid "$sb")" \
		>/dev/null
	want ok "$b" qp q connect "$(field qpn "$sa")" "$(field gid "$sa")" \
		>/dev/null
}

# With the imported lkey Q writes out of P's memory and reads into it; with
# the imported rkey R writes into it over Q's QP.
traffic() {
	local q=$1
	want ok P mr m fill 0 65536 11 >/dev/null
	want ok "$q" qp q write "$MR_ADDR" 65536 "$MR_LKEY" "$R_ADDR" \
		"$R_RKEY" >/dev/null
	want ok R mr m check 0 65536 11 >/dev/null
	want ok R mr m fill 0 65536 12 >/dev/null
	want ok "$q" qp q read "$MR_ADDR" 65536 "$MR_LKEY" "$R_ADDR" \
		"$R_RKEY" >/dev/null
	want ok P mr m check 0 65536 12 >/dev/null
	want ok R mr m fill 0 65536 13 >/dev/null
	want ok R qp q write "$R_ADDR" 65536 "$R_LKEY" "$MR_ADDR" \
		"$MR_RKEY" >/dev/null
	want ok P mr m check 0 65536 13 >/dev/null
}

# connect_q Q: CQ and QP in the imported PD, to R
connect_q() {
	want ok "$1" cq c create C >/dev/null
	want ok R cq c create C >/dev/null
	join_pair "$1" p c R p c
}

# destroy NAME: what import_all and connect_q made
leave() {
	want ok "$1" qp q destroy >/dev/null
	want ok "$1" cq c destroy >/dev/null
	want ok "$1" mr m dereg >/dev/null
	want ok "$1" pd p dealloc >/dev/null
}

# objects: what the kernel holds for processes, without the driver's own
objects() {
	rdma resource show pd | grep -c 'pid' || true
	rdma resource show mr | grep -c 'pid' || true
	rdma resource show cq | grep -c 'pid' || true
	rdma resource show qp | grep -c 'pid' || true
}
