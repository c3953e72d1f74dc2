# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Source this file. A failure sets failed=1.
failed=0

# both NAME PROGRAM OPTIONS...: the program as server and, with 127.0.0.1
# behind the same options, as client, on a TCP port of their own (-p); prints
# the result as test NAME.
both() {
	local name=$1 port=$((20000 + RANDOM % 10000))
	shift
	both_apart "$name" "$*" -p $port -- "$* 127.0.0.1" -p $port
}

# both_apart NAME SERVER [OPTIONS...] -- CLIENT [OPTIONS...]: commands that may
# differ; the options are put behind the first word of each.
both_apart() {
	local name=$1 server_line server_options=() client_line pid ok=1
	server_line=$2
	shift 2
	while [ "$1" != -- ]; do
		server_options+=("$1")
		shift
	done
	client_line=$2
	shift 2
	both_run server "$server_line" "${server_options[@]}" &
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.3
		if both_run client "$client_line" "$@"; then
			ok=0
			break
		fi
		# Not yet listening.
		grep -qi "connect\|unreach\|refused\|rejected" \
			/tmp/both.client || break
	done
	if [ $ok = 0 ] && wait $pid; then
		echo "ok $name"
	else
		kill $pid 2>/dev/null
		wait $pid 2>/dev/null
		echo "FAIL $name: $(tail -n 1 /tmp/both.client)" \
			"$(tail -n 1 /tmp/both.server)"
		failed=1
	fi
}

# both_run SIDE LINE OPTIONS...
both_run() {
	local side=$1 words
	read -r -a words <<<"$2"
	shift 2
	timeout 100 "${words[0]}" "$@" "${words[@]:1}" >/tmp/both."$side" 2>&1
}
