#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# test_layout.sh BUILD PREFIX LIBDIR: proves that an installation has each file
# in its place and no other; that paths in files are those of the prefix, also
# of one given at the installation, and never those of DESTDIR or of the build;
# and that what is installed in a place of its own runs from there.
# shellcheck disable=SC2317 # checks are called by name
set -u
build=$1
prefix=$2
libdir=$3
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

expected() {
	cat <<-END
	bin/mlx5x-run
	bin/softhca
	bin/softhcactl
	$libdir/libibverbs/libmlx5x-preload.so
	$libdir/libibverbs/libmlx5x-rdmavNN.so
	$libdir/libmlx5x.so
	$libdir/libmlx5x.so.1
	$libdir/libmlx5x.so.1.N
	$libdir/pkgconfig/libmlx5x-exp.pc
	$libdir/pkgconfig/libmlx5x.pc
	sbin/mlx5x-ctl
	share/man/man1/mlx5x-run.1
	share/man/man1/softhca.1
	share/man/man1/softhcactl.1
	share/man/man7/mlx5x.7
	share/man/man8/mlx5x-ctl.8
	END
}

# Headers and pages of functions are many and have a folder of their own.
installed() {
	(cd "$1" && find . ! -type d -printf '%P\n') |
		grep -v -e '^include/mlx5x/.*\.h$' -e '^share/man/man3/.*\.3$' |
		sed -e 's/rdmav[0-9]*/rdmavNN/' -e 's/so\.[0-9]*\.[0-9.]*$/so.1.N/' |
		LC_ALL=C sort
}

same_layout() {
	expected | LC_ALL=C sort | sed 's/so\.[0-9]*\.[0-9.]*$/so.1.N/' \
		>"$work/expected"
	installed "$1" | diff "$work/expected" -
}

no_mention() {
	! grep -rF "$1" "$2"
}

mentions() {
	grep -F "$1" "$2"
}

executable() {
	[ -x "$1" ] && [ "$("$1" --version | cut -d ' ' -f 2)" ]
}

# Preloaded into a program: does it find what it needs?
loads() {
	LD_PRELOAD=$1 /bin/cat /proc/self/maps >"$work/maps" &&
		grep -F "$1" "$work/maps" &&
		grep -F "${1%/libibverbs/*}/libmlx5x.so.1." "$work/maps"
}

DESTDIR=$work/dest
export DESTDIR
check destdir cmake --install "$build"
unset DESTDIR
check destdir-layout same_layout "$work/dest$prefix"
check nothing-else test -z \
	"$(cd "$work/dest" && find . ! -type d ! -path ".$prefix/*")"
check destdir-unnamed no_mention "$work" "$work/dest"
check pc mentions "prefix=$prefix" \
	"$work/dest$prefix/$libdir/pkgconfig/libmlx5x.pc"
check run-path mentions "='$prefix/$libdir'/libibverbs/" \
	"$work/dest$prefix/bin/mlx5x-run"

place=$work/any/place
check place cmake --install "$build" --prefix "$place"
check place-layout same_layout "$place"
check place-ctl mentions "='$place/$libdir'/libibverbs/" "$place/sbin/mlx5x-ctl"
check place-pc mentions "libdir=$place/$libdir" \
	"$place/$libdir/pkgconfig/libmlx5x.pc"
for program in bin/softhca bin/softhcactl sbin/mlx5x-ctl; do
	check "run-$program" executable "$place/$program"
done
check status-without-hardware sh -c \
	"'$place/sbin/mlx5x-ctl' --root / status; [ \$? -le 1 ]"
for binary in "$place/$libdir"/libmlx5x.so.1 "$place/$libdir"/libibverbs/*.so \
	"$place"/bin/softhca; do
	readelf -d "$binary" >"$work/dynamic"
	check "no-build-path-${binary##*/}" no_mention "$build" "$work/dynamic"
done

# Names that the shell, CMake and pkg-config take apart.
DESTDIR="$work/root of/all"
export DESTDIR
check root cmake --install "$build" --prefix /
unset DESTDIR
check root-layout same_layout "$work/root of/all"
check root-pc mentions "libdir=/$libdir" \
	"$work/root of/all/$libdir/pkgconfig/libmlx5x.pc"
odd="$work/an odd; pla'ce \$x & (y)"
check odd cmake --install "$build" --prefix "$odd"
check odd-layout same_layout "$odd"
for program in bin/mlx5x-run sbin/mlx5x-ctl; do
	check "odd-$program" executable "$odd/$program"
done
"$odd/bin/mlx5x-run" /bin/true 2>"$work/err"
check odd-said mentions "$odd/$libdir/libibverbs/libmlx5x-preload.so: a preload" \
	"$work/err"
if [ "$prefix" != /usr ]; then
	for plugin in "$place/$libdir"/libibverbs/*.so; do
		check "loads-${plugin##*/}" loads "$plugin"
	done
	check mlx5x-run sh -c \
		"'$place/bin/mlx5x-run' /bin/cat /proc/self/maps | grep '$place/$libdir/libibverbs/libmlx5x-preload.so'"
fi
exit $failed
