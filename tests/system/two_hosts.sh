#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: vms=2 hcas=1 provider=both user=root
#
# Proves that two hosts reach each other over RoCE, in both directions, by the
# programs of the distribution: with the connection manager over IPv4, IPv6 and
# link-local addresses, and without it. softhca's counters of both HCAs prove
# that the bytes crossed.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"
# shellcheck source=tests/system/hosts.sh
. "$here/hosts.sh"
failed=0
with=''
if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
	with=mlx5x-run
fi

# rping_both NAME PORT SERVER-ADDRESS CLIENT-ADDRESS [TO]: 20 verified rounds; the
# server reads the data and writes them back
rping_both() {
	local run="-p $2 -C 20 -V -S 60000"
	cross "rping$1" both 1200000 "$2" "rping -s -a $3 $run" \
		"rping -c -a $4 $run" "${@:5}" || failed=1
}

# perftest NAME TO PORT PROGRAM OPTIONS...: 200 messages of 64 KiB go to the server
perftest() {
	local to run="$with $4 -F -p $3 -n 200 ${*:5}"
	read -ra to <<<"$2"
	cross "$1" there 13107200 "$3" "$run" "$run hostTHERE" "${to[@]}" ||
		failed=1
}

# pingpong NAME PORT BYTES PROGRAM OPTIONS...: a thousand messages each way
pingpong() {
	local run="$4 -p $2 -g $gid ${*:5}"
	cross "$1" both "$3" "$2" "$run" "$run hostTHERE" || failed=1
}

if ! gid=$(first_gid); then
	echo "FAIL two-hosts-gid: no RoCE v2 GID of an IPv4 address"
	exit 1
fi
netdev=$(ip -br -4 addr show to 10.77.0.0/24 | awk '{ print $1; exit }')

# Each takes seconds, so not every combination goes both ways.
rping_both '' 7301 hostHERE hostTHERE
rping_both -ipv6 7302 hostHERE-v6 hostTHERE-v6
rping_both -link 7303 :: "fe80::aff:fe4d:THERE%$netdev" 2
perftest write-bw '2 1' 7311 ib_write_bw
perftest write-bw-cm 2 7312 ib_write_bw -R
perftest send-bw 1 7313 ib_send_bw
perftest send-bw-cm '2 1' 7314 ib_send_bw -R
pingpong rc-pingpong 7321 4000000 ibv_rc_pingpong -c
pingpong ud-pingpong 7322 1000000 ibv_ud_pingpong
exit $failed
