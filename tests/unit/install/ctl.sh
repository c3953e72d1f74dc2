# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Source this file with the template of mlx5x-ctl as $1: roots of stand-ins for
# mlx5x-ctl to act on.
# shellcheck disable=SC2034,SC2317 # used, called where it is sourced
template=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
libdir=/usr/lib/test
plugins=$libdir/libibverbs
stock=$plugins/libmlx5-rdmav34.so
parked=$plugins/libmlx5-stock-rdmav34.so
own=/etc/libibverbs.d/mlx5x.driver

check() {
	local name=$1
	shift
	if "$@"; then
		echo "ok $case-$name"
	else
		echo "FAIL $case-$name: $*"
		sed 's/^/    /' "$work/out"
		failed=1
	fi
}

# make_ctl LIBDIR [ABI VERSION]: the program as installed in LIBDIR
make_ctl() {
	sed -e "s,@PROJECT_VERSION@,0.1.0,; s,@INSTALL_LIBDIR@,$1," \
		-e "s,@RDMA_CORE_PACKAGE_VERSION@,${3:-56.1},;" \
		-e "s,@MLX5X_PLUGIN_SUFFIX@,-rdmav${2:-34}," \
		-e "s,@MLX5X_SYSTEM_LIBDIR@,$libdir," \
		-e "s,@MLX5X_CONFIG_DIR@,/etc/libibverbs.d," \
		"$template" >"$work/mlx5x-ctl"
	chmod +x "$work/mlx5x-ctl"
	ours=$1/libibverbs/libmlx5x-rdmav${2:-34}.so
	mkdir -p "$root$1/libibverbs"
	echo ours >"$root$ours"
}

# ctl STATUS ARGUMENT...
ctl() {
	local want=$1 got=0
	shift
	env -u IBV_DRIVERS -u RDMAV_DRIVERS "$work/mlx5x-ctl" --root "$root" \
		"$@" >"$work/out" 2>&1 || got=$?
	[ "$got" = "$want" ]
}

says() {
	grep -qE "$1" "$work/out"
}

silent() {
	[ ! -s "$work/out" ]
}

# The whole root: names, kinds, links, contents; not what dpkg logs.
picture() {
	(cd "$root" && find . -path './var/lib/dpkg/*-old' -prune -o \
		-name lock\* -prune -o -printf '%p %y %l %m\n' | sort &&
		find etc usr -type f -exec sha256sum {} + | sort)
}

unchanged() {
	picture >"$work/now"
	diff "$work/before" "$work/now" >"$work/out"
}

# system FOLDER VERSION: the files of an rdma-core, with the private ABI of then
system() {
	mkdir -p "$1$plugins" "$1/etc/libibverbs.d"
	echo "stock of $2" >"$1$libdir/libmlx5.so.1.25.$2"
	ln -s "libmlx5.so.1.25.$2" "$1$libdir/libmlx5.so.1"
	ln -s "../libmlx5.so.1.25.$2" "$1$plugins/libmlx5-rdmav$(abi "$2").so"
	echo "driver mlx5" >"$1/etc/libibverbs.d/mlx5.driver"
	echo "driver rxe" >"$1/etc/libibverbs.d/rxe.driver"
}

# abi VERSION: its number
abi() {
	case $1 in
	65*) echo 65 ;;
	*) echo 34 ;;
	esac
}

# library FOLDER VERSION: the files of libibverbs
library() {
	mkdir -p "$1$plugins" "$1/etc/libibverbs.d"
	echo "IBVERBS_PRIVATE_$(abi "$2")" >"$1$libdir/libibverbs.so.1.14.$2"
	ln -s "libibverbs.so.1.14.$2" "$1$libdir/libibverbs.so.1"
}

new_root() {
	root=$work/$case
	library "$root" 56.1
}

dpkg_root() {
	dpkg --root "$root" --force-not-root --force-script-chrootless \
		--log /dev/null "$@" >"$work/out" 2>&1
}

# package NAME VERSION: builds a stand-in
package() {
	local dir=$work/$1-$2
	mkdir -p "$dir/DEBIAN"
	if [ "$1" = libibverbs1 ]; then
		library "$dir" "$2"
	else
		system "$dir" "$2"
		printf '/etc/libibverbs.d/%s.driver\n' mlx5 rxe \
			>"$dir/DEBIAN/conffiles"
	fi
	cat >"$dir/DEBIAN/control" <<-END
	Package: $1
	Version: $2
	Architecture: all
	Maintainer: Test <test@localhost>
	Description: stand-in
	END
	dpkg-deb --build "$dir" "$work/$1-$2.deb" >/dev/null
}

# Installed once, and copied for each case.
new_dpkg_root() {
	root=$work/installed
	if [ ! -e "$root" ]; then
		mkdir -p "$root"/var/lib/dpkg/{info,updates}
		: >"$root/var/lib/dpkg/status"
		: >"$root/var/lib/dpkg/diversions"
		dpkg_root --install "$work/libibverbs1-56.1.deb" \
			"$work/ibverbs-providers-56.1.deb"
	fi
	cp -a "$root" "$work/$case"
	root=$work/$case
}

# device NAME KERNEL-DRIVER NUMBER
device() {
	local pci=$root/sys/devices/0000:0$3:00.0
	mkdir -p "$root/sys/class/infiniband/$1" "$pci" \
		"$root/sys/bus/pci/drivers/$2" \
		"$root/sys/class/infiniband_verbs/uverbs$3"
	ln -s "../../../devices/${pci##*/}" \
		"$root/sys/class/infiniband/$1/device"
	ln -s "../../bus/pci/drivers/$2" "$pci/driver"
	echo "$1" >"$root/sys/class/infiniband_verbs/uverbs$3/ibdev"
}

if ! command -v dpkg-deb >/dev/null; then
	echo "no dpkg"
	exit 77
fi
case=build
for version in 56.1 65.0; do
	package libibverbs1 $version
	package ibverbs-providers $version
done
package ibverbs-providers 56.1.1
