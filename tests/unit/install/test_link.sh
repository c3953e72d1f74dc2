#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# test_link.sh BUILD LIBDIR: proves that C and C++ programs are built with what
# is installed, through pkg-config alone; that beside libmlx5, in either order
# and with --as-needed, each name comes from the library that owns it; and that
# a program which uses nothing of libmlx5x need not have it.
# shellcheck disable=SC2317 # checks are called by name
# shellcheck disable=SC2046,SC2086 # flags are lists
set -u
build=$1
libdir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

check() {
	name=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		echo "ok $name"
	else
		echo "FAIL $name: $*"
		sed 's/^/    /' "$work/out"
		failed=1
	fi
}

# needs PROGRAM LIBRARY
needs() {
	readelf -d "$1" | grep "(NEEDED).*\[$2"
}

needs_not() {
	! needs "$1" "$2"
}

# of PROGRAM SYMBOL NODE: the symbol is that of the version node
of() {
	nm -D --undefined-only --with-symbol-versions "$1" |
		grep -E " U $2@$3"
}

# What the programs do: with a device there would be one to ask about.
cat >"$work/both.c" <<'END'
#include <errno.h>
#include <stddef.h>
#include <infiniband/verbs.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs_exp.h>

int main(void)
{
	int i, n = 0, stock = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	for (i = 0; list && i < n; i++)
		stock += mlx5dv_is_supported(list[i]);
	if (list)
		ibv_free_device_list(list);
	errno = 0;
	if (ibv_exp_reg_mr(NULL) || errno != EINVAL)
		return 1;
	return stock > n;
}
END
cat >"$work/old.c" <<'END'
#include <infiniband/verbs.h>

int main(void)
{
	struct ibv_exp_reg_mr_in in = { 0 };

	return ibv_exp_reg_mr(&in) != 0;
}
END
cat >"$work/old.cc" <<'END'
#include <infiniband/verbs.h>
#include <cerrno>

int main()
{
	struct ibv_exp_reg_mr_in in = {};
	return ibv_exp_reg_mr(&in) != nullptr || errno == 0;
}
END
cat >"$work/plain.c" <<'END'
#include <infiniband/verbs.h>

int main(void)
{
	return ibv_fork_init() > 1000;
}
END
cp "$work/both.c" "$work/both.cc"

cmake --install "$build" --prefix "$work/usr" >/dev/null || exit 1
PKG_CONFIG_PATH=$work/usr/$libdir/pkgconfig
LD_LIBRARY_PATH=$work/usr/$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
cflags=$(pkg-config --cflags libmlx5x)
libs=$(pkg-config --libs libmlx5x)
warn='-Wall -Wextra -Werror'

# both NAME COMPILER SOURCE LIBRARY...
both() {
	kind=$1
	program=$work/$kind
	check "$kind" "$2" $warn $cflags "$work/$3" -o "$program" $4
	check "$kind-runs" "$program"
	check "$kind-exp" of "$program" ibv_exp_reg_mr 'MLX5X_1\.0$'
	check "$kind-mlx5dv" of "$program" mlx5dv_is_supported 'MLX5_1\.'
	check "$kind-verbs" of "$program" ibv_get_device_list 'IBVERBS_1\.'
	check "$kind-needs" needs "$program" 'libmlx5x\.so\.1\]'
}

for language in c cc; do
	cc=gcc
	[ $language = c ] || cc=g++
	both "ours-first-$language" $cc both.$language "$libs -lmlx5"
	both "stock-first-$language" $cc both.$language "-lmlx5 $libs"
	both "as-needed-$language" $cc both.$language \
		"-Wl,--as-needed $libs -lmlx5"
	both "as-needed-stock-first-$language" $cc both.$language \
		"-Wl,--as-needed -lmlx5 $libs"
	check "old-$language" $cc $warn $(pkg-config --cflags libmlx5x-exp) \
		"$work/old.$language" -o "$work/old-$language" \
		$(pkg-config --libs libmlx5x-exp)
	check "old-$language-runs" "$work/old-$language"
done
check plain gcc $warn $cflags "$work/plain.c" -o "$work/plain" \
	-Wl,--as-needed $libs
check plain-runs "$work/plain"
check plain-without needs_not "$work/plain" libmlx5x
cmake --install "$build" --prefix "$work/my usr" >/dev/null || exit 1
check blank-prefix env PKG_CONFIG_PATH="$work/my usr/$libdir/pkgconfig" sh -c "
	eval \"gcc \$(pkg-config --cflags libmlx5x-exp) '$work/old.c' \
		-o '$work/blank' \$(pkg-config --libs libmlx5x-exp)\""
check now gcc $warn $cflags "$work/both.c" -o "$work/now" -Wl,-z,now \
	-Wl,-z,defs $libs -lmlx5
check now-runs "$work/now"
# Each header by itself, first and twice, and all of them backwards.
for header in "$work/usr"/include/mlx5x/infiniband/*.h; do
	header=infiniband/${header##*/}
	printf '#include <%s>\n#include <%s>\n#include <infiniband/verbs.h>\n' \
		"$header" "$header" >"$work/header.c"
	cp "$work/header.c" "$work/header.cc"
	check "$header-c" gcc $warn $cflags -c \
		"$work/header.c" -o "$work/header.o"
	check "$header-cc" g++ $warn -std=c++11 $cflags -c "$work/header.cc" \
		-o "$work/header.o"
	echo "#include <$header>"
done >"$work/log"
grep -v '^#' "$work/log"
grep '^#' "$work/log" | sort -r >"$work/backwards.c"
check backwards gcc $warn $cflags -c "$work/backwards.c" -o "$work/header.o"
check no-flags sh -c "! gcc -c -o /dev/null '$work/both.c'"
exit $failed
