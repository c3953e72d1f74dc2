# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two programs that talk to each other; source this file.

# After so many seconds a program counts as hung; see tests/lab/vm.sh.
PEERS_LIMIT=$((60 * ${LAB_LOAD:-3}))

# limited COMMAND...: runs it, no longer than the limit
limited() {
	timeout "$PEERS_LIMIT" "$@"
}

# wait_for COMMAND...: until it succeeds
wait_for() {
	local end=$((SECONDS + PEERS_LIMIT))
	until "$@"; do
		if [ "$SECONDS" -ge "$end" ]; then
			return 1
		fi
		sleep 0.1
	done
}

# listens PID PORT: the server listens at the port, by TCP or by the connection
# manager; or it has ended, so that there is nothing to wait for
listens() {
	if ! kill -0 "$1" 2>/dev/null; then
		return 0
	fi
	awk -v port="$(printf ':%04X' "$2")" '
		$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 }
		END { exit !found }' /proc/net/tcp /proc/net/tcp6 ||
		rdma resource show cm_id |
		grep -qE "state LISTEN .*src-addr [^ ]*:$2( |\$)"
}

# talk PORT SERVER CLIENT: runs two commands, each given as one string of words.
# The client starts when the server listens. Succeeds if both do; what they say
# is in /tmp/peers.server and /tmp/peers.client.
talk() {
	local server rc=0
	# shellcheck disable=SC2086 # words of a command
	timeout "$PEERS_LIMIT" $2 >/tmp/peers.server 2>&1 &
	server=$!
	: >/tmp/peers.client
	# shellcheck disable=SC2086
	if ! wait_for listens "$server" "$1" ||
		! timeout "$PEERS_LIMIT" $3 >/tmp/peers.client 2>&1; then
		rc=1
		kill "$server" 2>/dev/null
	fi
	wait "$server" || rc=1
	return "$rc"
}

# judge NAME RC: prints the result, for a failure with what the two said last;
# returns RC
judge() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		echo "FAIL $1: $(tail -n 1 /tmp/peers.client)" \
			"$(tail -n 1 /tmp/peers.server)"
	fi
	return "$2"
}
