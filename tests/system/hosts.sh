# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A program on each of two hosts, and the proof that their data crossed; source
# this file after peers.sh and hca-objects.sh. Both hosts call cross with the same
# arguments, one after the other in the same order.

HOSTS_SHARE=/mnt/lab/share

# told FILE: prints a file that the other host writes, as soon as it is there
told() {
	wait_for test -e "$HOSTS_SHARE/$1" && cat "$HOSTS_SHARE/$1"
}

# tell FILE TEXT: tells the other host
tell() {
	echo "$2" >"$HOSTS_SHARE/.$1"
	mv "$HOSTS_SHARE/.$1" "$HOSTS_SHARE/$1"
}

# serve NAME PORT COMMAND: the server's part. It says when the server listens, and
# how it ended: the status, and the last line of what it printed.
serve() {
	local server rc=0
	# shellcheck disable=SC2086 # words of a command
	timeout "$PEERS_LIMIT" $3 >/tmp/peers.server 2>&1 &
	server=$!
	wait_for listens "$server" "$2"
	tell "$1.listens" yes
	wait "$server" || rc=$?
	tell "$1.ended" "$rc $(tail -n 1 /tmp/peers.server)"
	told "$1.judged" >/dev/null
}

# counters: sets OWN_READ, OWN_WRITTEN, PEER_READ and PEER_WRITTEN to the bytes
# that the HCA of this host, and that of the other, has read from and written to
# its guest's memory
counters() {
	local stats
	stats=$(hca_ask stats) || return 1
	OWN_READ=$(counter read_bytes "$LAB_HOST")
	OWN_WRITTEN=$(counter write_bytes "$LAB_HOST")
	PEER_READ=$(counter read_bytes $((3 - LAB_HOST)))
	PEER_WRITTEN=$(counter write_bytes $((3 - LAB_HOST)))
}

# counter NAME HOST: of the text in stats
counter() {
	awk -v name="hca$(($2 - 1)).dma.$1" '$1 == name { print $2 }' \
		<<<"$stats"
}

# crossed WAY BYTES: have so many bytes crossed since the call of counters? Way
# "there": this host's HCA has read them and the other's has written them. Neither
# has done both, as it would with data that stays in one host. Way "both": each
# HCA has read and written them.
crossed() {
	local read=$OWN_READ written=$OWN_WRITTEN
	local peer_read=$PEER_READ peer_written=$PEER_WRITTEN
	counters || return 1
	read=$((OWN_READ - read)) written=$((OWN_WRITTEN - written))
	peer_read=$((PEER_READ - peer_read))
	peer_written=$((PEER_WRITTEN - peer_written))
	if [ "$read" -ge "$2" ] && [ "$peer_written" -ge "$2" ]; then
		if [ "$1" = there ] && [ "$written" -lt "$2" ] &&
			[ "$peer_read" -lt "$2" ]; then
			return 0
		fi
		if [ "$1" = both ] && [ "$written" -ge "$2" ] &&
			[ "$peer_read" -ge "$2" ]; then
			return 0
		fi
	fi
	echo "$2 bytes did not cross ($1): this HCA read $read and wrote" \
		"$written, the other $peer_read and $peer_written" \
		>>/tmp/peers.client
	return 1
}

# call NAME WAY BYTES COMMAND: the client's part; prints the result
call() {
	local rc=0 ended
	: >/tmp/peers.client
	: >/tmp/peers.server
	counters || rc=1
	told "$1.listens" >/dev/null || rc=1
	# shellcheck disable=SC2086
	timeout "$PEERS_LIMIT" $4 >/tmp/peers.client 2>&1 || rc=1
	ended=$(told "$1.ended") || rc=1
	echo "server: status $ended" >/tmp/peers.server
	if [ "${ended%% *}" != 0 ] ||
		grep -qiE 'invalid data|fail|error' /tmp/peers.client; then
		rc=1
	fi
	if [ $rc = 0 ]; then
		crossed "$2" "$3" || rc=1
	fi
	tell "$1.judged" $rc
	judge "$1" $rc
}

# cross NAME WAY BYTES PORT SERVER CLIENT [TO...]: to these hosts; to each one if
# none is named. The words HERE and THERE in the commands become the numbers of
# this host and of the other.
cross() {
	local server rc=0 command servers=("${@:7}")
	if [ ${#servers[@]} = 0 ]; then
		servers=(2 1)
	fi
	for server in "${servers[@]}"; do
		command=$6
		if [ "$LAB_HOST" = "$server" ]; then
			command=$5
		fi
		command=${command//THERE/$((3 - LAB_HOST))}
		command=${command//HERE/$LAB_HOST}
		if [ "$LAB_HOST" = "$server" ]; then
			serve "$1-to-host$server" "$4" "$command"
		else
			call "$1-to-host$server" "$2" "$3" "$command" || rc=1
		fi
	done
	return $rc
}
