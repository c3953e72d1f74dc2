#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Proves that the distribution's rdma_cm programs run over the provider: RC
# with data verified, UD, several connections at once, events.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/both.sh
. "$here/both.sh"
ip=10.77.0.1

# cm NAME PROGRAM SERVER-OPTIONS CLIENT-OPTIONS
cm() {
	local port=$((20000 + RANDOM % 10000))
	both_apart "cm-$1" "$2 $3" -p $port -- "$2 $4" -p $port
}

cm rping rping "-s -a $ip -C 100 -V" "-c -a $ip -C 100 -V"
cm rping-large rping "-s -a $ip -C 20 -V -S 60000" \
	"-c -a $ip -C 20 -V -S 60000"
both_apart cm-rdma-client rdma_server -p 7777 -- "rdma_client -s $ip" -p 7777
cm ucmatose ucmatose "" "-s $ip"
cm ucmatose-many ucmatose "-c 10 -C 20 -S 3000" "-s $ip -c 10 -C 20 -S 3000"
# Its -p is something else, so that the port is the one it has by itself.
both_apart cm-udaddy udaddy -- "udaddy -s $ip"
both_apart cm-udaddy-many "udaddy -c 5 -C 20 -S 900" -- \
	"udaddy -s $ip -c 5 -C 20 -S 900"
exit "$failed"
