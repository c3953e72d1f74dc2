#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The demonstration, inside the guest: shows which driver, library and
# provider are in use, runs an unchanged program over the provider, then
# shares memory between processes.  Ends with a summary; exit status 1 when
# any step failed.
# The functions of steps are called by name:
# shellcheck disable=SC2317
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"

SIZE_MB=64
steps=0
failed=0

say() {
	printf '      %s\n' "$*"
}

# tick TEXT: says what has just been proved
tick() {
	printf '      \342\234\224 %s\n' "$*"
}

now() {
	date +%s%N
}

# step TEXT FUNCTION: runs it in a shell of its own, which ends at the first
# command that fails, and shows its outcome and time
step() {
	local text=$1 begin ms
	steps=$((steps + 1))
	printf '\n  [%d] %s\n' $steps "$text"
	begin=$(now)
	if bash "$0" run "$2"; then
		ms=$((($(now) - begin) / 1000000))
		printf '      \342\234\224 done in %d.%01d s\n' \
			$((ms / 1000)) $((ms % 1000 / 100))
	else
		printf '      \342\234\230 FAILED\n'
		failed=$((failed + 1))
	fi
}

show_platform() {
	local device pci info
	device=$(ibv_devices | awk '/mlx5_/ { print $1; exit }')
	[ -n "$device" ]
	pci=$(basename "$(readlink -f "/sys/class/infiniband/$device/device")")
	info=$(VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=/tmp/demo.log \
		ibv_devinfo -d "$device")
	say "device:    $device at PCI $pci, $(
		cat "/sys/bus/pci/devices/$pci/vendor"):$(
		cat "/sys/bus/pci/devices/$pci/device") (a ConnectX-5, in software: softhca)"
	say "kernel:    $(uname -r), its own mlx5_core and mlx5_ib, unmodified"
	say "library:   libibverbs $(dpkg-query -W -f '${Version}' libibverbs1), as the distribution ships it"
	say "provider:  $(grep -o 'mlx5x: .* serves .*' /tmp/demo.log | tail -n 1)"
	say "port:      $(echo "$info" | awk '/state:/ { print $2; exit }')"
	grep -q 'mlx5x: .* serves ' /tmp/demo.log
	echo "$info" | grep -q PORT_ACTIVE
}

run_pingpong() {
	local gid
	gid=$(first_gid)
	say "\$ ibv_rc_pingpong -g $gid -c      (server)"
	say "\$ ibv_rc_pingpong -g $gid -c localhost   (client)"
	talk 18515 "ibv_rc_pingpong -g $gid -c" \
		"ibv_rc_pingpong -g $gid -c localhost"
	say "$(grep 'bytes in' /tmp/peers.client)"
	say "$(grep 'iters in' /tmp/peers.client)"
	say "-c: every byte that arrived was compared with what was sent"
	! grep -qi 'invalid data' /tmp/peers.client /tmp/peers.server
}

# by_rdma read|write QP MR LENGTH ADDR KEY: done by C; prints the microseconds
by_rdma() {
	local begin
	begin=$(now)
	ok C qp "$2" "$1" "$3+0" "$4" "$5" "$6"
	echo $((($(now) - begin) / 1000))
}

create_and_attach() {
	local a b h us

	a=$(want ok A mr m create p "${SIZE_MB}M" lw,rr,rw,ur,uw,or)
	h=$(field number "$a")
	tick "A (user alice) makes a shared MR of $SIZE_MB MiB: handle $h;" \
		"her processes may write to it, other users only read"
	b=$(want ok B mr m attach p "$h" lw,rr,rw)
	tick "B (alice, started separately) attaches by that number:" \
		"rkey $(field rkey "$b") of its own, the same memory"

	ok C mr c reg p 1M lw
	ok C mr c fill 0 1M 1
	join_qps C to-b B to-c
	us=$(by_rdma write to-b c 1M "$(field addr "$b")" "$(field rkey "$b")")
	ok A mr m check 0 1M 1
	tick "C (a peer over RC) writes 1 MiB by RDMA with B's key, in $us us;" \
		"A reads those bytes in its own memory"

	ok A mr m fill 1M 63M 2
	join_qps C to-a A to-c
	ok C mr d reg p 64M lw
	us=$(by_rdma read to-a d 64M "$(field addr "$a")" "$(field rkey "$a")")
	ok C mr d check 1M 63M 2
	tick "C reads all $SIZE_MB MiB from A by RDMA, in $us us;" \
		"every byte is right"
	owner_handle=$h
	attached=$b
}

refuse_others() {
	refuses EACCES D mr m attach p "$owner_handle" lw
	tick "D (user bob) asks to write: refused (EACCES)"
	ok D mr r attach p "$owner_handle" none
	ok D mr r check 1M 1M 2
	tick "D asks only to read: granted, and it sees A's bytes"
}

owner_leaves() {
	ok A mr m dereg
	refuses ENOENT C mr x attach p "$owner_handle" lw
	tick "A deregisters; a new attach is refused (ENOENT)"
	ok B mr m check 0 1M 1
	ok C mr c fill 0 1M 3
	by_rdma write to-b c 1M "$(field addr "$attached")" \
		"$(field rkey "$attached")" >/dev/null
	ok B mr m check 0 1M 3
	tick "B goes on: its data is there, and C still writes to it by RDMA"
}

share_memory() {
	local p
	start A alice
	start B alice
	start C alice
	start D bob
	create_and_attach
	refuse_others
	owner_leaves
	for p in A B C D; do
		drop "$p"
	done
	if ipcs -m | grep -q '^0x'; then
		say "a segment is left behind"
		exit 1
	fi
	tick "all four processes have ended; no memory is left behind"
}

if [ "${1:-}" = run ]; then
	set -e
	"$2"
	exit
fi

echo
echo "mlx5x: verbs over a software ConnectX, under the stock kernel driver"
step "What is in use" show_platform
step "An unchanged program: ibv_rc_pingpong over our provider" run_pingpong
step "One memory, many processes: a shared memory region" share_memory
echo
if [ $failed = 0 ]; then
	printf '  \342\234\224 %d of %d steps done\n' $steps $steps
else
	printf '  \342\234\230 %d of %d steps FAILED\n' $failed $steps
fi
exit $((failed != 0))
