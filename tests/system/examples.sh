#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=alice
#
# Proves that the examples do what they say.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
bin=${MLX5X_BUILD:?}/examples
sock=$(mktemp -u /tmp/share.XXXXXX)
gid=$(first_gid)

"$bin/share_export" "$sock" 3 >/tmp/share.out 2>&1 &
owner=$!
for ((i = 0; i < 100; i++)); do
	if [ -S "$sock" ]; then
		break
	fi
	sleep 0.1
done
rc=0
for i in 1 2 3; do
	"$bin/share_import" "$sock" "$gid" || rc=1
done
wait "$owner" || rc=1
if [ $rc = 0 ] && [ "$(grep -c 'importer . was here' /tmp/share.out)" = 3 ]
then
	echo "ok example-share"
else
	echo "FAIL example-share: $(tail -n 1 /tmp/share.out)"
	exit 1
fi
