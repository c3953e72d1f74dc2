# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Source this file. Functions that run programs on an installed system, in the
# guest, and find out which provider serves them: mlx5x logs a line when it opens
# a device, stock does not.

GUEST_LOG=/tmp/verbs.log

# served NAME mlx5x|stock COMMAND...: that provider serves COMMAND
served() {
	local name=$1 want=$2 who=stock
	shift 2
	rm -f $GUEST_LOG
	if ! VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$GUEST_LOG "$@" >/tmp/out 2>&1
	then
		echo "FAIL $name: $(tail -n 1 /tmp/out)"
		return
	fi
	if grep -qE 'mlx5x: .* serves ' $GUEST_LOG 2>/dev/null; then
		who=mlx5x
	fi
	if [ $who = "$want" ]; then
		echo "ok $name: served by $who"
	else
		echo "FAIL $name: served by $who, not by $want"
	fi
}

# pair PROGRAM OPTION...: runs PROGRAM as server and as client
pair() {
	local port=$((20000 + RANDOM % 10000)) server try
	"$@" -p $port >/tmp/server 2>&1 &
	server=$!
	for ((try = 0; try < 10 * LAB_LOAD; try++)); do
		sleep 0.5
		if "$@" -p $port 127.0.0.1 >/tmp/client 2>&1; then
			wait $server
			return
		fi
		grep -q "Couldn't connect" /tmp/client || break
	done
	kill $server
	cat /tmp/server /tmp/client
	return 1
}

# says NAME REGEX: the output of "mlx5x-ctl status" has a line that matches
says() {
	/usr/sbin/mlx5x-ctl status >/tmp/status 2>&1
	if grep -qE "$2" /tmp/status; then
		echo "ok $1"
	else
		echo "FAIL $1: $(grep -E -m 1 'plain programs' /tmp/status)"
	fi
}
