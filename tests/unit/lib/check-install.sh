#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Proves that the installed headers and library are complete and are found only
# through pkg-config, and that they serve a new source and an old one that
# includes only verbs.h.
set -eu

source=$1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cmake --install "$build" --prefix "$tmp/usr" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$tmp" -name libmlx5x.pc)")
export PKG_CONFIG_PATH
# The folders of this build are the final ones; this one is for the test.
pc() {
	pkg-config --define-variable=prefix="$tmp/usr" \
		--define-variable=includedir="$tmp/usr/include" \
		--define-variable=libdir="$(dirname "$PKG_CONFIG_PATH")" "$@"
}

diff -r "$source/include/infiniband" "$tmp/usr/include/mlx5x/infiniband"
[ ! -e "$tmp/usr/include/infiniband" ]

cat >"$tmp/new.c" <<'END'
#include <infiniband/verbs.h>
#ifdef INFINIBAND_VERBS_EXP_H
#error experimental verbs without asking
#endif
#include <infiniband/verbs_exp.h>
int main(void) { return !ibv_exp_reg_mr || ibv_exp_reg_mr(0); }
END
cat >"$tmp/old.c" <<'END'
#include <infiniband/verbs.h>
int main(void) { return !ibv_exp_reg_mr || ibv_exp_reg_mr(0); }
END
# shellcheck disable=SC2046
gcc "$tmp/new.c" -Wno-address -Werror $(pc --cflags --libs libmlx5x) \
	-o "$tmp/new"
# shellcheck disable=SC2046
gcc "$tmp/old.c" -Wno-address -Werror $(pc --cflags --libs libmlx5x-exp) \
	-o "$tmp/old"
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export LD_LIBRARY_PATH
"$tmp/new"
"$tmp/old"
for page in "$source"/man/*.3; do
	[ -s "$tmp/usr/share/man/man${page##*.}/${page##*/}" ]
done
