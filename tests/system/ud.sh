#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Runs the program for datagrams and the distribution's ibv_ud_pingpong.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/both.sh
. "$here/both.sh"
"${MLX5X_BUILD:?}/tests/system/ud" || failed=1

gid=$(first_gid)
for options in "" "-e" "-s 1 -n 200" "-s 1024 -n 200" "-r 1 -n 200" \
	"-r 300 -n 500"; do
	# Several words:
	# shellcheck disable=SC2086
	both "ud-pingpong${options// /}" ibv_ud_pingpong -g "$gid" $options
done
exit "$failed"
