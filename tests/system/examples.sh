#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=alice
#
# Proves that the examples do what they say.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/gid.sh
. "$here/gid.sh"
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
bin=${MLX5X_BUILD:?}/examples
sock=$(mktemp -u /tmp/share.XXXXXX)
gid=$(first_gid)
failed=0

# result NAME RC LOG
result() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		echo "FAIL $1: $(tail -n 1 "$3")"
		failed=1
	fi
}

share() {
	local owner rc=0
	"$bin/share_export" "$sock" 3 >/tmp/share.out 2>&1 &
	owner=$!
	wait_for test -S "$sock" || true
	for _ in 1 2 3; do
		"$bin/share_import" "$sock" "$gid" || rc=1
	done
	wait "$owner" || rc=1
	if [ "$(grep -c 'importer . was here' /tmp/share.out)" != 3 ]; then
		rc=1
	fi
	result example-share $rc /tmp/share.out
}

# The client writes to the server's board by RDMA. A third process sees it, but
# not when the server has gone.
connection() {
	local address=10.77.0.1 port=7481 server board rc=0 out=/tmp/cm.out
	mkfifo /tmp/cm.in
	limited "$bin/cm_server" $address $port </tmp/cm.in >$out 2>&1 &
	server=$!
	exec 3>/tmp/cm.in
	wait_for grep -q listening $out || rc=1
	limited "$bin/cm_client" $address $port 'the client was here' \
		>/tmp/cm.client 2>&1 || rc=1
	cat /tmp/cm.client >>$out
	grep -q 'server: write something' $out || rc=1
	grep -q 'server: seen: the client was here' $out || rc=1
	grep -q 'client wrote: the client was here' $out || rc=1
	board=$(sed -n 's/^board //p' $out)
	"$bin/smr_attach" "$board" >>$out 2>&1 || rc=1
	grep -q 'board: the client was here' $out || rc=1
	exec 3>&-
	wait $server || rc=1
	result example-cm $rc $out
	rc=0
	if "$bin/smr_attach" "$board" >>$out 2>&1; then
		rc=1
	fi
	result example-cm-board-gone $rc $out
}

# One READ takes three pieces by one key.
pieces() {
	local rc=0 out=/tmp/mkey.out
	limited "$bin/mkey_list" "$gid" >$out 2>&1 || rc=1
	grep -qx 'read: three pieces, one key, one READ' $out || rc=1
	result example-mkey $rc $out
}

# Wrong arguments: status 2, and no file is touched.
wrong_arguments() {
	local file long arguments rc wrong=0
	file=$(mktemp /tmp/share.XXXXXX)
	echo precious >"$file"
	long=/tmp/$(printf '%0120d' 0)
	for arguments in "" "$sock 0" "$sock x" "$sock -1" "$sock 257" \
		"$sock 1 1" "$sock 4294967297" "$long"; do
		rc=0
		# shellcheck disable=SC2086 # words
		limited "$bin/share_export" $arguments >/dev/null 2>&1 ||
			rc=$?
		[ $rc = 2 ] || wrong="share_export $arguments: status $rc"
	done
	for arguments in "" "$sock x" "$sock -1" "$sock 256" "$sock 1 1" \
		"$long"; do
		rc=0
		# shellcheck disable=SC2086
		limited "$bin/share_import" $arguments >/dev/null 2>&1 ||
			rc=$?
		[ $rc = 2 ] || wrong="share_import $arguments: status $rc"
	done
	for arguments in x -1 256 "1 1"; do
		rc=0
		# shellcheck disable=SC2086
		limited "$bin/mkey_list" $arguments >/dev/null 2>&1 ||
			rc=$?
		[ $rc = 2 ] || wrong="mkey_list $arguments: status $rc"
	done
	rc=0
	limited "$bin/share_export" "$file" >/dev/null 2>&1 || rc=$?
	if [ $rc != 1 ] || [ "$(cat "$file")" != precious ]; then
		wrong="share_export of a file: status $rc"
	fi
	if limited "$bin/share_import" "$file" >/dev/null 2>&1; then
		wrong="share_import of a file"
	fi
	rm -f "$file"
	if [ "$wrong" = 0 ]; then
		echo "ok example-arguments"
	else
		echo "FAIL example-arguments: $wrong"
		failed=1
	fi
}

# An importer that dies leaves neither a waiting owner nor a socket.
importer_dies() {
	local owner rc=0
	limited "$bin/share_export" "$sock" >/tmp/share.out 2>&1 &
	owner=$!
	wait_for test -S "$sock" || true
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])' "$sock"
	wait "$owner" || rc=$?
	if [ $rc = 1 ] && [ ! -e "$sock" ]; then
		rc=0
	fi
	result example-importer-dies $rc /tmp/share.out
}

share
wrong_arguments
importer_dies
connection
pieces
exit $failed
