#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# test_ctl.sh TEMPLATE: proves of mlx5x-ctl, in roots made for the test and
# with the real dpkg, that it tells who serves and why; that enable makes that
# certain in whatever order the configuration is stored; that an upgrade of the
# stock provider changes nothing, one of mlx5x to another private ABI neither;
# that disable leaves what was before; that installations in several places do
# not undo each other; and that what cannot be done is refused.
# Cases and checks are called by name:
# shellcheck disable=SC2317
set -u
# shellcheck source=tests/unit/install/ctl.sh
. "$(dirname "$0")/ctl.sh"

# What both kinds of system have in common.
round_trip() {
	picture >"$work/before"
	check status ctl 0 status
	check off says '^off: '
	check stock says '^  plain programs +stock: /etc/.* names [^ ]*mlx5,'
	check stock-linked says '^  linked to .* stock: .*mlx5x-run'
	check status-changes-nothing unchanged
	check enable ctl 0 enable
	check enable-says says '^plain programs: +mlx5x: '
	check enabled ctl 0 status
	check on says '^on: '
	check ours says '^  plain programs +mlx5x: .*no file the stock'
	check still-linked says '^  linked to .* stock: '
	cp "$root$own" "$work/own"
	check enable-again ctl 0 enable
	check same-file cmp -s "$root$own" "$work/own"
	check disable ctl 0 disable
	check disable-says says '^plain programs: +stock: '
	check exactly unchanged
	check disable-again ctl 0 disable
	check exactly-again unchanged
}

case_dpkg() {
	new_dpkg_root
	make_ctl "$libdir"
	round_trip
	ctl 0 enable
	check link test "$(readlink "$root$stock")" = libmlx5x-rdmav34.so
	check upgrade dpkg_root --install "$work/ibverbs-providers-56.1.1.deb"
	check upgrade-kept test "$(readlink "$root$stock")" = \
		libmlx5x-rdmav34.so
	check upgraded test "$(readlink "$root$parked")" = \
		../libmlx5.so.1.25.56.1.1
	ctl 0 status
	check upgrade-on says '^on: '
	check upgrade-serves says 'plain programs +mlx5x: '
	check disable-after ctl 0 disable
	check new-stock test "$(readlink "$root$stock")" = \
		../libmlx5.so.1.25.56.1.1
	check no-diversion test ! -s "$root/var/lib/dpkg/diversions"
	ctl 0 enable
	check purge-stock dpkg_root --purge ibverbs-providers
	ctl 0 status
	check without-stock says 'plain programs +mlx5x: '
	check install-again dpkg_root --install "$work/ibverbs-providers-56.1.deb"
	ctl 0 status
	check again-serves says 'plain programs +mlx5x: .*no file the stock'
	ctl 0 disable
	dpkg_root --purge ibverbs-providers
	rm -f "$root$ours"
	check nothing-left test -z "$(find "$root" -name '*mlx5*')"
}

# Ours elsewhere than libibverbs looks, as installed from source.
case_prefix() {
	new_dpkg_root
	make_ctl /opt/mlx5x/lib
	round_trip
	ctl 0 enable
	check absolute-link test "$(readlink "$root$stock")" = "$ours"
	check absolute-name grep -qx \
		'driver /opt/mlx5x/lib/libibverbs/libmlx5x' "$root$own"
}

case_config() {
	new_root
	system "$root" 56.1
	echo " driver	$plugins/libmlx5 " >"$root/etc/libibverbs.d/x"
	printf 'driver mlx5' >"$root/etc/libibverbs.d/unended"
	echo "driver mlx5 and more" >"$root/etc/libibverbs.d/more"
	echo "driver mlx5" >"$root/etc/libibverbs.d/.hidden"
	make_ctl "$libdir"
	round_trip
	ctl 0 enable
	check marked grep -qx '# mlx5x-ctl: driver mlx5' \
		"$root/etc/libibverbs.d/mlx5.driver"
	echo "driver mlx5" >"$root/etc/libibverbs.d/later"
	check later ctl 0 status
	check half says '^half done'
	check by-chance says 'plain programs +(mlx5x|stock), by chance: '
	ctl 0 enable
	ctl 0 status
	check completed says '^on: '
}

# Configuration that leads to the stock plugin by another name than dpkg's.
case_alias() {
	new_dpkg_root
	make_ctl "$libdir"
	cp -P "$root$stock" "$root$plugins/libmine-rdmav34.so"
	echo "driver mine" >"$root/etc/libibverbs.d/mine"
	picture >"$work/before"
	check enable ctl 0 enable
	check certain says '^plain programs: +mlx5x: .*no file the stock'
	ctl 0 status
	check on says '^on: '
	check disable ctl 0 disable
	check exactly unchanged
}

# A new version of mlx5x and of libibverbs, with another private ABI.
case_abi() {
	new_dpkg_root
	make_ctl "$libdir"
	ctl 0 enable
	dpkg_root --install "$work/libibverbs1-65.0.deb" \
		"$work/ibverbs-providers-65.0.deb"
	check told ctl 1 status
	check told-who says 'plain programs +stock: '
	rm "$root$ours"
	make_ctl "$libdir" 65 65.0
	ctl 0 status
	check half says '^half done'
	check enable ctl 0 enable
	ctl 0 status
	check on says '^on: '
	check serves says 'plain programs +mlx5x: .*no file the stock'
	check old-link test ! -L "$root$stock"
	check one-diversion test \
		"$(grep -c / "$root/var/lib/dpkg/diversions")" = 2
	ctl 0 disable
	check no-diversion test ! -s "$root/var/lib/dpkg/diversions"
	check stock test "$(readlink "$root$plugins/libmlx5-rdmav65.so")" = \
		../libmlx5.so.1.25.65.0
}

# Installed by packages and under a prefix: each leaves the other's choice.
case_two() {
	local first
	new_dpkg_root
	make_ctl "$libdir"
	first=$ours
	picture >"$work/without"
	make_ctl /opt/mlx5x/lib
	ctl 0 enable
	picture >"$work/before"
	make_ctl "$libdir"
	ctl 0 status
	check told says '^on by another installation of mlx5x, /opt/mlx5x/lib/'
	check leaves ctl 0 disable
	check leaves-exactly unchanged
	check takes ctl 0 enable
	ctl 0 status
	check on says '^on: '
	check link test "$(readlink "$root$stock")" = "${first##*/}"
	make_ctl /opt/mlx5x/lib
	ctl 0 enable
	rm -r "$root/opt"
	make_ctl "$libdir"
	ctl 0 status
	check gone says '^half done'
	ctl 0 disable
	cp "$work/without" "$work/before"
	check exactly unchanged
}

case_umask() {
	new_dpkg_root
	make_ctl "$libdir"
	(umask 077 && ctl 0 enable)
	check readable test "$(stat -c %a "$root$own")" = 644
}

# Both named, as a user may well do: the order of the folder decides.
case_chance() {
	local first
	new_root
	system "$root" 56.1
	make_ctl "$libdir"
	echo "driver mlx5x" >"$root/etc/libibverbs.d/mine"
	# libibverbs takes the last one of the folder first.
	# shellcheck disable=SC2010
	first=$(ls -f "$root/etc/libibverbs.d" | grep -E '^(mine|mlx5.driver)$' |
		tail -n 1)
	case $first in
	mine) first=mlx5x ;;
	*) first=stock ;;
	esac
	ctl 0 status
	check told says "plain programs +$first, by chance: "
	rm "$root"/etc/libibverbs.d/{mine,mlx5.driver}
	ctl 0 status
	check none says 'plain programs +none: '
}

case_refused() {
	new_dpkg_root
	make_ctl "$libdir"
	picture >"$work/before"
	rm "$root$ours"
	check no-plugin ctl 1 enable
	check no-plugin-says says 'the plugin .* is not there'
	check no-plugin-status ctl 1 status
	check no-plugin-fault says '^fault: the plugin .* is not there'
	echo ours >"$root$ours"
	check no-plugin-exactly unchanged
	ln -sf libibverbs.so.1.14.44.0 "$root$libdir/libibverbs.so.1"
	echo IBVERBS_PRIVATE_34 >"$root$libdir/libibverbs.so.1.14.44.0"
	check version ctl 1 enable
	check version-says says 'for rdma-core 56.1, .*but .*44.0 is of another version'
	echo IBVERBS_PRIVATE_33 >"$root$libdir/libibverbs.so.1.14.44.0"
	check abi ctl 1 enable
	check abi-says says 'has no IBVERBS_PRIVATE_34'
	ln -s ../libmlx5.so.1 "$root$plugins/libmlx5-rdmav33.so"
	check abi-status ctl 1 status
	check abi-stock says 'plain programs +stock: '
	rm "$root$plugins/libmlx5-rdmav33.so"
	rm "$root$libdir/libibverbs.so.1.14.44.0"
	ln -sf libibverbs.so.1.14.56.1 "$root$libdir/libibverbs.so.1"
	echo "driver efa" >"$root$own"
	picture >"$work/before"
	check foreign-file ctl 1 enable
	check foreign-file-says says 'not by mlx5x-ctl'
	check foreign-file-exactly unchanged
	rm "$root$own"
	dpkg-divert --root "$root" --local --rename --divert "$stock.other" \
		--add "$stock" >/dev/null
	picture >"$work/before"
	check diverted ctl 1 enable
	check diverted-exactly unchanged
	case=refused-blank
	new_dpkg_root
	make_ctl "/opt/my mlx5x/lib"
	check enable ctl 1 enable
	check enable-says says 'takes no plugin with a blank in its path'
}

case_devices() {
	new_dpkg_root
	make_ctl "$libdir"
	check none ctl 0 status
	check none-says says '^no RDMA device here; an mlx5 device would'
	device mlx5_0 mlx5_core 1
	device rxe0 rxe 2
	device mlx5_1 mlx5_core 3
	rm "$root/sys/class/infiniband_verbs/uverbs3/ibdev"
	check some ctl 0 status
	check mlx5 says '^mlx5_0: 0000:01:00.0, kernel driver mlx5_core$'
	check other says '^  no mlx5 device: mlx5x does not serve it$'
	check no-uverbs says 'ib_uverbs is not loaded$'
	check each test "$(grep -c 'plain programs' "$work/out")" = 2
	echo "$plugins/libmlx5x-preload.so" >"$root/etc/ld.so.preload"
	ctl 0 status
	check preload says 'linked to libmlx5.so.1 +mlx5x: /etc/ld.so.preload'
	rm "$root$libdir/libmlx5.so.1"* "$root/etc/ld.so.preload"
	ctl 0 status
	check no-libmlx5 says 'linked to libmlx5.so.1 +none: '
}

case_usage() {
	new_root
	system "$root" 56.1
	make_ctl "$libdir"
	check help ctl 0 --help
	check help-says says '^usage: '
	check version ctl 0 --version
	check nothing ctl 2
	check unknown ctl 2 explode
	check two ctl 2 status enable
	check quiet ctl 0 --quiet enable
	check quiet-says silent
	check no-folder ctl 2 --root
	check no-root ctl 1 --root "$work/nowhere" status
}

for case in dpkg prefix config alias abi two umask chance refused devices \
	usage; do
	"case_$case"
done
exit $failed
