# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Scenes of export and import, for scripts that source puppet.sh. Process P owns
# context A with a PD and an MR of 1 MiB, and exports both to the descriptor of
# its context S; process Q imports them into its context C. Process R has a
# context of its own and is the far end.

# shellcheck disable=SC2120 # no user: root
# owner [USER]: makes P with A; H_PD and H_MR are A's handles, MR_* describe the
# MR
owner() {
	local mr
	puppet P "${1:-}"
	ok P ctx A open
	ok P pd p alloc A
	mr=$(want ok P mr m reg p 1M)
	H_PD=$(field handle "$(want ok P pd p handle)")
	H_MR=$(field handle "$mr")
	MR_ADDR=$(field addr "$mr")
	MR_LKEY=$(field lkey "$mr")
	MR_RKEY=$(field rkey "$mr")
}

# export_all: P exports to S; the descriptor to send is F
export_all() {
	ok P ctx S open
	H_PD=$(field handle "$(want ok P exportto S A pd "$H_PD")")
	H_MR=$(field handle "$(want ok P exportto S A mr "$H_MR")")
	ok P fd F of S
}

# pass FROM FD TO: sends the descriptor; TO has it as F
pass() {
	ok "$3" fd F listen "share.$$.$3"
	ok "$1" fd "$2" send "share.$$.$3"
	ok "$3" fd F receive
}

# import_all Q: imports into C; keys and length must be those of the original
import_all() {
	local mr
	ok "$1" pd p import C F "$H_PD"
	mr=$(want ok "$1" mr m import C F "$H_MR")
	equal "$(field lkey "$mr")" "$MR_LKEY"
	equal "$(field rkey "$mr")" "$MR_RKEY"
	equal "$(field length "$mr")" 1048576
	equal "$(field pd "$mr")" 1
}

# consumer NAME [USER]: a process with C that has F from P
consumer() {
	puppet "$1" "${2:-}"
	ok "$1" ctx C open
	pass P F "$1"
}

# far_end [USER]: makes R; R_ADDR, R_LKEY and R_RKEY are of its MR
# shellcheck disable=SC2120 # no user: root
far_end() {
	local mr
	start R "${1:-}"
	mr=$(want ok R mr m reg p 1M)
	R_ADDR=$(field addr "$mr")
	R_LKEY=$(field lkey "$mr")
	R_RKEY=$(field rkey "$mr")
}

# traffic Q: by the imported lkey Q writes out of P's memory and reads into it;
# by the imported rkey R writes into it over Q's QP
traffic() {
	local q=$1
	ok P mr m fill 0 65536 11
	ok "$q" qp q write "$MR_ADDR/$MR_LKEY" 65536 "$R_ADDR" "$R_RKEY"
	ok R mr m check 0 65536 11
	ok R mr m fill 0 65536 12
	ok "$q" qp q read "$MR_ADDR/$MR_LKEY" 65536 "$R_ADDR" "$R_RKEY"
	ok P mr m check 0 65536 12
	ok R mr m fill 0 65536 13
	ok R qp q write "$R_ADDR/$R_LKEY" 65536 "$MR_ADDR" "$MR_RKEY"
	ok P mr m check 0 65536 13
}

# connect_q Q: makes a CQ and a QP in the imported PD, and connects it to R
connect_q() {
	ok "$1" cq c create C
	join_qps "$1" q R q
}

# leave Q: destroys what import_all and connect_q made
leave() {
	ok "$1" qp q destroy
	ok "$1" cq c destroy
	ok "$1" mr m dereg
	ok "$1" pd p dealloc
}

# objects: counts what the kernel holds for processes, not the driver's own
objects() {
	rdma resource show pd | grep -c 'pid' || true
	rdma resource show mr | grep -c 'pid' || true
	rdma resource show cq | grep -c 'pid' || true
	rdma resource show qp | grep -c 'pid' || true
}

# nothing_left: there are as many objects as before the first scenario
START=${START-$(objects)}
export START
nothing_left() {
	equal "$(objects)" "$START"
}
