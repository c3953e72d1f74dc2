#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Proves that the project can be configured where neither cmocka nor librdmacm
# is installed, and then builds every example that does not use librdmacm; and
# that it is an error to ask for tests without cmocka.
#
# check-examples.sh SOURCE GENERATOR
set -eu
source=$1
generator=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# What pkg-config finds, without the two.
mkdir "$tmp/pc"
pkg-config --variable pc_path pkg-config | tr : '\n' | while read -r dir; do
	for pc in "$dir"/*.pc; do
		case $pc in
		*/cmocka.pc | */librdmacm.pc) ;;
		*) [ ! -e "$pc" ] || ln -sf "$pc" "$tmp/pc/" ;;
		esac
	done
done
export PKG_CONFIG_LIBDIR="$tmp/pc"
if pkg-config --exists cmocka || pkg-config --exists librdmacm; then
	echo "they are still found"
	exit 1
fi

# configure FOLDER OPTION...
configure() {
	folder=$1
	shift
	cmake -G "$generator" -S "$source" -B "$folder" -DMLX5X_PROVIDER=OFF \
		-DMLX5X_SOFTHCA=OFF -DCMAKE_BUILD_TYPE=Debug "$@" >"$tmp/log" 2>&1
}

if ! configure "$tmp/build" ||
	! cmake --build "$tmp/build" >>"$tmp/log" 2>&1; then
	cat "$tmp/log"
	exit 1
fi
grep -L 'rdma/rdma_\|"cm\.h"' "$source"/examples/*.c |
	sed 's|.*/||; s|\.c$||' | sort >"$tmp/expected"
[ "$(wc -l <"$tmp/expected")" -ge 4 ]
find "$tmp/build/examples" -maxdepth 1 -type f -perm -u+x -printf '%f\n' |
	sort >"$tmp/built"
diff "$tmp/expected" "$tmp/built"
ldd "$tmp/build/examples"/* 2>/dev/null | grep 'cmocka\|rdmacm' && exit 1

if configure "$tmp/tests" -DMLX5X_TESTS=ON || ! grep -q cmocka "$tmp/log"; then
	echo "tests without cmocka are no error"
	cat "$tmp/log"
	exit 1
fi
