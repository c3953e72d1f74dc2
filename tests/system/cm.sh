#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice timeout=400
#
# Proves that connections are made and ended through the connection manager,
# and that datagrams and SRQs work, in loopback on one HCA, by the programs of
# the distribution: rping with 100 verified rounds, rdma_server and
# rdma_client, ucmatose, udaddy, ibv_ud_pingpong, ibv_srq_pingpong.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
address=10.77.0.1
failed=0

# pair NAME PORT SERVER-COMMAND CLIENT-COMMAND [TEXT]: both end well, and TEXT
# is in what the client says.
pair() {
	local rc=0
	talk "$2" "$3" "$4" || rc=1
	if grep -qiE 'error|fail|invalid data' /tmp/peers.client \
		/tmp/peers.server || ! grep -q -e "${5-}" /tmp/peers.client
	then
		rc=1
	fi
	judge "cm-$1" $rc || failed=1
}

if ! gid=$(first_gid); then
	echo "FAIL cm-gid: no RoCE v2 GID of an IPv4 address"
	exit 1
fi

pair rping 7301 "rping -s -a $address -p 7301 -C 100 -V" \
	"rping -c -a $address -p 7301 -C 100 -V -v" 'ping data: rdma-ping-99'
pair rping-large 7302 "rping -s -a $address -p 7302 -C 20 -V -S 60000" \
	"rping -c -a $address -p 7302 -C 20 -V -S 60000"
pair rdma-server 7303 'rdma_server -p 7303' \
	"rdma_client -s $address -p 7303" 'end 0'
pair ucmatose 7304 "ucmatose -b $address -p 7304" \
	"ucmatose -s $address -p 7304" 'return status 0'
pair ucmatose-many 7305 "ucmatose -b $address -p 7305 -c 10 -C 50 -S 4000" \
	"ucmatose -s $address -p 7305 -c 10 -C 50 -S 4000" 'return status 0'
pair udaddy 7174 "udaddy -b $address" "udaddy -s $address" 'return status 0'
pair udaddy-many 7174 "udaddy -b $address -c 10 -C 50" \
	"udaddy -s $address -c 10 -C 50" 'return status 0'

# verbs NAME PORT PROGRAM OPTIONS...: those that meet over TCP
verbs() {
	local run="$3 -p $2 -g $gid ${*:4}"
	pair "$1" "$2" "$run" "$run 127.0.0.1" 'iters in'
}
verbs ud-pingpong 17307 ibv_ud_pingpong
verbs ud-pingpong-events 17308 ibv_ud_pingpong -e -n 200
verbs srq-pingpong 17309 ibv_srq_pingpong
verbs srq-pingpong-qps 17310 ibv_srq_pingpong -q 4 -n 400 -e
exit $failed
