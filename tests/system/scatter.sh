#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Proves that payloads come within CQEs (scatter to CQE) if that is on and not
# if it is off, in CQEs of 64 bytes and of 128. Each provider has its own
# variables and defaults.
set -uo pipefail
failed=0

# run NAME RECEIVE ANSWER [CASE]
run() {
	local name=$1
	shift
	"${MLX5X_BUILD:?}/tests/system/scatter" "$@" |
		sed "s/scatter-/scatter-$name-/" || failed=1
}

if [ "${MLX5X_TEST_PROVIDER:-}" = stock ]; then
	run default 32 32
	MLX5_CQE_SIZE=128 run 128 64 0 receive
	MLX5_CQE_SIZE=128 run 128 64 0 srq
	# libmlx5 before version 65 copies READs and atomics from the wrong
	# place in a large CQE.
	echo "skip scatter-128-read: stock libmlx5 takes the wrong bytes"
	MLX5_CQE_SIZE=128 run 128 64 0 read-some
	"${MLX5X_BUILD:?}/tests/system/scatter_dv" || failed=1
else
	run default 0 0
	MLX5_SCATTER_TO_CQE=1 run on 32 32
	MLX5_SCATTER_TO_CQE=1 MLX5_CQE_SIZE=128 run on-128 64 64
fi
MLX5_SCATTER_TO_CQE=0 run off 0 0
MLX5_SCATTER_TO_CQE=0 MLX5_CQE_SIZE=128 run off-128 0 0
exit $failed
