#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Proves that perftest, which is linked to libmlx5, runs over the provider in
# loopback.  It gets ours by mlx5x-run.
set -u
failed=0
run=()
if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
	run=(mlx5x-run)
fi

# perftest PROGRAM NAME OPTIONS...
perftest() {
	local program=$1 name=$2 port=$((20000 + RANDOM % 10000)) server i
	shift 2
	timeout 120 "${run[@]}" "$program" -p $port -F "$@" \
		>/tmp/pt.server 2>&1 &
	server=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.3
		if timeout 120 "${run[@]}" "$program" -p $port -F "$@" \
			127.0.0.1 >/tmp/pt.client 2>&1; then
			i=ran
			break
		fi
		grep -q "Couldn't connect" /tmp/pt.client || break
	done
	if [ "$i" = ran ] && wait $server &&
		grep -q '^ *[0-9]* *[0-9]* ' /tmp/pt.client; then
		echo "ok perftest-$name"
	else
		kill $server 2>/dev/null
		wait $server 2>/dev/null
		echo "FAIL perftest-$name: $(tail -n 1 /tmp/pt.client)" \
			"$(tail -n 1 /tmp/pt.server)"
		failed=1
	fi
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
