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
address=10.77.0.1
failed=0

# pair NAME SERVER-COMMAND CLIENT-COMMAND [TEXT]: both end well, and TEXT is in
# what they say. The client tries again while nobody listens yet.
pair() {
	local name=$1 server client=1 text=${4-}
	# shellcheck disable=SC2086 # words of a command
	timeout 60 $2 >/tmp/cm.server 2>&1 &
	server=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.3
		# shellcheck disable=SC2086
		if timeout 60 $3 >/tmp/cm.client 2>&1; then
			client=0
			break
		fi
		kill -0 $server 2>/dev/null || break
		grep -qiE "connect|reject|refused" /tmp/cm.client || break
	done
	if [ $client = 0 ] && wait $server &&
		! grep -qiE 'error|fail|invalid data' /tmp/cm.client \
			/tmp/cm.server &&
		{ [ -z "$text" ] || grep -q "$text" /tmp/cm.client; }; then
		echo "ok cm-$name"
	else
		kill $server 2>/dev/null
		wait $server 2>/dev/null
		echo "FAIL cm-$name: $(tail -n 1 /tmp/cm.client)" \
			"$(tail -n 1 /tmp/cm.server)"
		failed=1
	fi
}

if ! gid=$(first_gid); then
	echo "FAIL cm-gid: no RoCE v2 GID of an IPv4 address"
	exit 1
fi

pair rping "rping -s -a $address -p 7301 -C 100 -V" \
	"rping -c -a $address -p 7301 -C 100 -V -v" 'ping data: rdma-ping-99'
pair rping-large "rping -s -a $address -p 7302 -C 20 -V -S 60000" \
	"rping -c -a $address -p 7302 -C 20 -V -S 60000"
pair rdma-server "rdma_server -p 7303" "rdma_client -s $address -p 7303" \
	'end 0'
pair ucmatose "ucmatose -b $address -p 7304" "ucmatose -s $address -p 7304" \
	'return status 0'
pair ucmatose-many "ucmatose -b $address -p 7305 -c 10 -C 50 -S 4000" \
	"ucmatose -s $address -p 7305 -c 10 -C 50 -S 4000" 'return status 0'
pair udaddy "udaddy -b $address" "udaddy -s $address" 'return status 0'
pair udaddy-many "udaddy -b $address -c 10 -C 50" \
	"udaddy -s $address -c 10 -C 50" 'return status 0'
pair ud-pingpong "ibv_ud_pingpong -p 17307 -g $gid" \
	"ibv_ud_pingpong -p 17307 -g $gid 127.0.0.1" 'iters in'
pair ud-pingpong-events "ibv_ud_pingpong -p 17308 -g $gid -e -n 200" \
	"ibv_ud_pingpong -p 17308 -g $gid -e -n 200 127.0.0.1" 'iters in'
pair srq-pingpong "ibv_srq_pingpong -p 17309 -g $gid" \
	"ibv_srq_pingpong -p 17309 -g $gid 127.0.0.1" 'iters in'
pair srq-pingpong-qps "ibv_srq_pingpong -p 17310 -g $gid -q 4 -n 400 -e" \
	"ibv_srq_pingpong -p 17310 -g $gid -q 4 -n 400 -e 127.0.0.1" 'iters in'
exit $failed
