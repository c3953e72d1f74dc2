#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice smp=2
#
# Proves that perftest runs over the provider in loopback. Since it is linked to
# libmlx5, mlx5x-run gives it ours.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
failed=0
with=''
if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
	with=mlx5x-run
fi

# perftest PROGRAM NAME OPTIONS...
perftest() {
	local name=$2 port=$((20000 + RANDOM % 10000)) rc=0 run
	run="$with $1 -p $port -F ${*:3}"
	talk $port "$run" "$run 127.0.0.1" || rc=1
	grep -q '^ *[0-9]* *[0-9]* ' /tmp/peers.client || rc=1
	judge "perftest-$name" $rc || failed=1
}

perftest ib_write_bw write-bw -n 500
perftest ib_write_bw write-bw-all-sizes -a -n 50
perftest ib_write_bw write-bw-old-post --use_old_post_send -n 200
perftest ib_read_bw read-bw -n 500
perftest ib_send_lat send-lat -n 200
perftest ib_send_bw send-bw -n 500
perftest ib_send_bw send-bw-events -e -n 200
perftest ib_write_lat write-lat -n 200
perftest ib_atomic_bw atomic-fetch-add -A FETCH_AND_ADD -n 200
perftest ib_atomic_lat atomic-cmp-swp -A CMP_AND_SWAP -n 200
perftest ib_send_bw ud-send-bw -c UD -n 500
perftest ib_send_lat ud-send-lat -c UD -n 200
perftest ib_send_bw srq-send-bw --use-srq -q 4 -n 200
exit $failed
