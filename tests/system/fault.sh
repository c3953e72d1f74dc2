#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 smp=2
# lab-allow-log: mlx5_cmd_out_err.*CREATE_(CQ|QP)
# lab-allow-log: Create QP type 2 failed
#
# Orders faults of softhca and looks at what ibv_rc_pingpong makes of them: CQs and
# QPs that cannot be created end it with its own message, and the next run works;
# packets that are lost or come twice leave the data intact; a QP that fails ends
# it with a completion error. Nothing hangs.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
failed=0

if ! gid=$(first_gid); then
	echo "FAIL fault-gid: no RoCE v2 GID of an IPv4 address"
	exit 1
fi

# order WORD...: softhca takes the order without a word
order() {
	local answer
	answer=$(hca_ask fault "$@")
	if [ -n "$answer" ]; then
		echo "FAIL fault-order: fault $*: $answer"
		failed=1
	fi
}

# pingpong OPTIONS...: two of them talk
pingpong() {
	local port=$((20000 + RANDOM % 10000)) rc=0
	local run="ibv_rc_pingpong -p $port -g $gid -c $*"
	talk $port "$run" "$run 127.0.0.1" || rc=1
	if grep -qi 'invalid data' /tmp/peers.server /tmp/peers.client; then
		rc=1
	fi
	return $rc
}

# refused COMMAND MESSAGE: a server whose command fails ends with the message
refused() {
	local out
	order command "$1" status 0x08 syndrome 0x123456
	out=$(timeout $((30 * LAB_LOAD)) ibv_rc_pingpong -g "$gid" 2>&1)
	case $? in
	0) echo "FAIL fault-$1: it ends well: $out" && failed=1 ;;
	124) echo "FAIL fault-$1: it hangs: $out" && failed=1 ;;
	*)
		if grep -qi "$2" <<<"$out"; then
			echo "ok fault-$1"
		else
			echo "FAIL fault-$1: $out" && failed=1
		fi
		;;
	esac
	pingpong -n 10
	judge "fault-$1-then-works" $? || failed=1
}

# lossy NAME ORDER...: a talk with this order has its data intact
lossy() {
	local name=$1 counter=$2 before rc=0
	shift 2
	before=$(hca_stat "faults.$counter")
	order packet all "$@"
	pingpong -n 500 -s 5000 || rc=1
	if [ "$(hca_stat "faults.$counter")" -le "$before" ]; then
		rc=1
	fi
	judge "fault-$name" $rc || failed=1
	order none
}

# failing: a QP fails in the middle of a talk
failing() {
	local port=$((20000 + RANDOM % 10000)) qpn='' i server client status
	local limit=$((60 * LAB_LOAD))
	local -a run=(timeout "$limit" stdbuf -oL ibv_rc_pingpong -p "$port" -g "$gid"
		-n 100000000)
	"${run[@]}" >/tmp/fault.server 2>&1 &
	server=$!
	sleep 1
	"${run[@]}" 127.0.0.1 >/tmp/fault.client 2>&1 &
	client=$!
	for ((i = 0; i < 100 * LAB_LOAD && ${#qpn} == 0; i++)); do
		sleep 0.1
		qpn=$(sed -nE 's/.*local address:.*QPN (0x[0-9a-f]+).*/\1/p' \
			/tmp/fault.client)
	done
	sleep 1
	order qp "$qpn"
	wait "$client"
	status=$?
	# The other one may be waiting for a message, and would wait for ever.
	kill "$server"
	wait "$server" 2>/dev/null
	if [ "$status" != 0 ] && [ "$status" != 124 ] &&
		grep -q 'Failed status' /tmp/fault.client; then
		echo "ok fault-qp"
	else
		echo "FAIL fault-qp: status $status: $(tail -n 3 /tmp/fault.client)"
		failed=1
	fi
}

# The kernel makes a CQ and a QP of its own when the first region is registered.
pingpong -n 10
judge fault-before $? || failed=1
refused CREATE_CQ "Couldn't create CQ"
refused CREATE_QP "Couldn't create QP"
lossy lost dropped drop every 40 times 15
lossy doubled doubled twice every 3 times 0
failing
exit $failed
