#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Proves that the distribution's ibv_rc_pingpong runs over the provider and
# finds its data intact (-c), in the ways that it knows to send and to wait.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
failed=0

# pingpong NAME OPTIONS...: server and client with the same options.
pingpong() {
	local name=$1 port=$((20000 + RANDOM % 10000)) server client=1
	shift
	timeout 60 ibv_rc_pingpong -p $port -g "$gid" -c "$@" \
		>/tmp/pp.server 2>&1 &
	server=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		if timeout 60 ibv_rc_pingpong -p $port -g "$gid" -c "$@" \
			127.0.0.1 >/tmp/pp.client 2>&1; then
			client=0
			break
		fi
		grep -q "Couldn't connect" /tmp/pp.client || break
		sleep 0.2
	done
	if [ $client = 0 ] && wait $server && ! grep -q -i 'invalid data' \
		/tmp/pp.server /tmp/pp.client; then
		echo "ok pingpong-$name"
	else
		kill $server 2>/dev/null
		wait $server 2>/dev/null
		echo "FAIL pingpong-$name: $(tail -n 1 /tmp/pp.client)" \
			"$(tail -n 1 /tmp/pp.server)"
		failed=1
	fi
}

if ! gid=$(first_gid); then
	echo "FAIL pingpong-gid: no RoCE v2 GID of an IPv4 address"
	exit 1
fi

pingpong plain
pingpong events -e -n 200
pingpong new-send -N
pingpong new-send-events -N -e -n 200
for size in 1 2 63 64 65 1024 1025 4095 4096 4097 16384 65536; do
	pingpong size-$size -s $size -n 100
done
pingpong depth-1 -r 1 -n 100
pingpong depth-2 -r 2 -n 300
pingpong depth-1000 -r 1000 -n 1000
for mtu in 256 512 1024; do
	pingpong mtu-$mtu -m $mtu -s 5000 -n 100
done
exit $failed
