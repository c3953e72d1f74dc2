#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The cost of attaching to a shared memory region, with plain and with huge
# pages:
#
#	./lab run --mem 4G -- bash /mnt/src/tests/bench/attach_cost.sh [MEBIBYTES [ROUNDS]]
set -eu
size=${1:-1024}
rounds=${2:-5}
bench=${MLX5X_BUILD:?}/tests/bench/attach_cost
pages=$((size / 2 + 1))

echo "plain pages:"
MLX_MR_ALLOC_TYPE=ANON "$bench" "$size" "$rounds"
echo $pages >/proc/sys/vm/nr_hugepages
if [ "$(cat /proc/sys/vm/nr_hugepages)" -lt $pages ]; then
	echo "no memory for $pages huge pages" >&2
	exit 1
fi
echo "huge pages:"
MLX_MR_ALLOC_TYPE=HUGE "$bench" "$size" "$rounds"
echo 0 >/proc/sys/vm/nr_hugepages
