#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the known judges in the guest, with all their options. The stock provider
# runs only the judge that needs no more than shared memory regions.
set -u
judges=$MLX5X_BUILD/judges
# shellcheck source=tests/system/gid.sh
. /mnt/src/tests/system/gid.sh
gid=$(first_gid)
failed=0
limit=$((60 * LAB_LOAD))
port=18600
# libmlx5x.so.1 is not installed; the build has it.
export LD_LIBRARY_PATH=$MLX5X_BUILD/src

# pair NAME SERVER-OPTIONS CLIENT-OPTIONS SERVER-SAYS CLIENT-SAYS: runs the judge
# JUDGE as server and as client. The client tries again until the server listens.
pair() {
	local name="$JUDGE${1:+ $1}" server client=1 try
	local out=/tmp/judge.server said=/tmp/judge.client
	port=$((port + 1))
	# shellcheck disable=SC2086 # words of a command
	timeout $limit "$judges/bin/$JUDGE" -p $port $2 >$out 2>&1 &
	server=$!
	for ((try = 0; try < 50 * LAB_LOAD; try++)); do
		# shellcheck disable=SC2086
		timeout $limit "$judges/bin/$JUDGE" -p $port $3 localhost \
			>$said 2>&1
		client=$?
		if ! grep -q "Couldn't connect" $said ||
			! kill -0 $server 2>/dev/null; then
			break
		fi
		sleep 0.2
	done
	if [ $client != 0 ]; then
		kill $server 2>/dev/null
	fi
	if wait $server && [ $client = 0 ] && grep -q "$4" $out &&
		grep -q "$5" $said; then
		echo "ok $name"
	else
		echo "FAIL $name: client: $(tail -n 1 $said)," \
			"server: $(tail -n 1 $out)"
		failed=1
	fi
}

shared() {
	pair "$1" "$2" "$3" 'server - data match' \
		'shared_mr_client_write has succeeded'
}

judge_shared_mr() {
	local at=0x600000000000
	shared '' '' ''
	shared '-d mlx5_0' '-d mlx5_0' '--ib-dev=mlx5_0'
	shared '-s 1' '-s 1' ''
	shared '-s 8388608' '-s 8388608' ''
	shared '--size=5000' '--size=5000' ''
	shared '-n' '' '-n'
	shared '--no-rdma -s 1048576' '-s 1048576' '--no-rdma'
	shared '-a' "-a $at" ''
	shared '--contig_addr -s 4194304' "--contig_addr=$at -s 4194304" ''
	shared '-a, client -n' "-a $at -s 12288" '-n'
}

# umr OPTIONS: 100 rounds instead of the judge's default of 1000
umr() {
	pair "$1" "-g $gid -n 100 $1" "-g $gid -n 100 $1" 'Mbit/sec' 'Mbit/sec'
}

judge_umr_rc() {
	local options
	for options in '' '-d mlx5_0 -i 1' '-s 1' '-s 65536' '-s 100000 -x 2' \
		'-m 4096' '-m 256' '-r 10' '-n 1000' '-l 0' '-e' '-c' \
		'-t 32' '-x 1' '-x 4' '-u' '-u -x 1' '-u -x 16' '-b' '-b -u' \
		'-b -x 1' '-b -x 4' '-b -h 1 -k 1 -o 1' \
		'-b -h 50 -k 50 -o 80' '-b -h 100 -k 40 -o 50' \
		'-b -u -x 8 -h 7 -k 13 -o 300' '-e -c -u' '-e -b -c' \
		'--size=2048 --mtu=1024 --rx-depth=100 --iters=500 --sl=0' \
		'--events --contiguous-mr --num-mrs=2' \
		'--umr-non-inline-send --inline-recv=0' \
		'--repeated-block --repeated-block-len=20 --repeated-block-count=9'
	do
		umr "$options"
	done
}

while read -r JUDGE; do
	case $MLX5X_TEST_PROVIDER/${JUDGE##*/} in
	*/shared_mr) judge_shared_mr ;;
	mlx5x/umr_rc) judge_umr_rc ;;
	mlx5x/*) echo "skip $JUDGE: builds, how to run it is not known" ;;
	esac
done <"$judges/list"
exit $failed
