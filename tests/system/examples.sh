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

# Wrong arguments: status 2, and no file is touched.
wrong=0
file=$(mktemp /tmp/share.XXXXXX)
echo precious >"$file"
long=/tmp/$(printf '%0120d' 0)
for arguments in "" "$sock 0" "$sock x" "$sock -1" "$sock 257" "$sock 1 1" \
	"$sock 4294967297" "$long"; do
	rc=0
	# shellcheck disable=SC2086 # words
	timeout 20 "$bin/share_export" $arguments >/dev/null 2>&1 || rc=$?
	[ $rc = 2 ] || wrong="share_export $arguments: status $rc"
done
for arguments in "" "$sock x" "$sock -1" "$sock 256" "$sock 1 1" "$long"; do
	rc=0
	# shellcheck disable=SC2086
	timeout 20 "$bin/share_import" $arguments >/dev/null 2>&1 || rc=$?
	[ $rc = 2 ] || wrong="share_import $arguments: status $rc"
done
rc=0
timeout 20 "$bin/share_export" "$file" >/dev/null 2>&1 || rc=$?
if [ $rc != 1 ] || [ "$(cat "$file")" != precious ]; then
	wrong="share_export of a file: status $rc"
fi
timeout 20 "$bin/share_import" "$file" >/dev/null 2>&1 &&
	wrong="share_import of a file"
rm -f "$file"
if [ "$wrong" = 0 ]; then
	echo "ok example-arguments"
else
	echo "FAIL example-arguments: $wrong"
	exit 1
fi

# An importer that dies leaves neither a waiting owner nor a socket.
timeout 20 "$bin/share_export" "$sock" >/dev/null 2>&1 &
owner=$!
for ((i = 0; i < 100; i++)); do
	if [ -S "$sock" ]; then
		break
	fi
	sleep 0.1
done
python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])' "$sock"
rc=0
wait "$owner" || rc=$?
if [ $rc = 1 ] && [ ! -e "$sock" ]; then
	echo "ok example-importer-dies"
else
	echo "FAIL example-importer-dies: status $rc"
	exit 1
fi

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
