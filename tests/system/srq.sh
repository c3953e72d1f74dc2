#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Runs the program for shared receive queues and the distribution's
# ibv_srq_pingpong.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/both.sh
. "$here/both.sh"
"${MLX5X_BUILD:?}/tests/system/srq" || failed=1

gid=$(first_gid)
for options in "-n 200" "-q 3 -n 300" "-e -n 200" "-s 1 -r 10 -q 5 -n 300"; do
	# Several words:
	# shellcheck disable=SC2086
	both "srq-pingpong${options// /}" ibv_srq_pingpong -g "$gid" $options
done
exit "$failed"
