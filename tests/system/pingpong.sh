#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice smp=2
#
# Proves that the distribution's ibv_rc_pingpong runs over the provider and
# finds its data intact (-c), in each way that it can send and wait.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
failed=0

# pingpong NAME OPTIONS...: server and client have the same options
pingpong() {
	local name=$1 port=$((20000 + RANDOM % 10000)) rc=0 run
	shift
	run="ibv_rc_pingpong -p $port -g $gid -c $*"
	talk $port "$run" "$run 127.0.0.1" || rc=1
	if grep -qi 'invalid data' /tmp/peers.server /tmp/peers.client; then
		rc=1
	fi
	judge "pingpong-$name" $rc || failed=1
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
