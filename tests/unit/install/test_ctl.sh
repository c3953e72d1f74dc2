#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# test_ctl.sh TEMPLATE: proves of mlx5x-ctl, in roots made for the test and
# with the real dpkg, that it tells who serves and why; that enable makes that
# certain in whatever order the configuration is stored; that an upgrade of the
# stock provider changes nothing, one of mlx5x to another private ABI neither;
# that disable leaves what was before; that both complete or undo what was
# interrupted at whatever point; that installations in several places do not
# undo each other; and that what cannot be done is refused.
# Cases and checks are called by name:
# shellcheck disable=SC2317
set -u
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

# Whatever was interrupted, either command ends in its own state.
case_interrupted() {
	local part command
	for part in file diversion link; do
		for command in enable disable; do
			case=interrupted-$part-$command
			new_dpkg_root
			make_ctl "$libdir"
			picture >"$work/before"
			ctl 0 enable
			case $part in
			file) rm "$root$own" ;;
			link) rm "$root$stock" ;;
			diversion)
				rm "$root$stock"
				dpkg-divert --root "$root" --local --rename \
					--divert "$parked" --remove "$stock" \
					>/dev/null
				;;
			esac
			ctl 0 status
			check half says '^half done'
			check ends ctl 0 "$command"
			if [ "$command" = enable ]; then
				ctl 0 status
				check on says '^on: '
				ctl 0 disable
			fi
			check exactly unchanged
		done
	done
}

# What dpkg-divert leaves if it is interrupted, or if somebody uses it by hand.
case_diverted() {
	local how command
	for how in unrenamed removed; do
		for command in enable disable; do
			case=diverted-$how-$command
			new_dpkg_root
			make_ctl "$libdir"
			picture >"$work/before"
			ctl 0 enable
			case $how in
			unrenamed)
				rm "$root$stock"
				mv "$root$parked" "$root$stock"
				;;
			removed)
				dpkg-divert --root "$root" --local --no-rename \
					--remove "$stock" >/dev/null
				;;
			esac
			ctl 0 status
			check half says '^half done'
			check ends ctl 0 "$command"
			ctl 0 disable
			check exactly unchanged
		done
	done
}

# Programs that change something, of which the Nth call kills mlx5x-ctl when it
# has done its work.
make_killers() {
	local program
	mkdir -p "$work/killers"
	for program in cp dpkg-divert ln mkdir mv rm; do
		cat >"$work/killers/$program" <<-END
		#!/bin/bash
		real=$(command -v $program)
		if [ $program = dpkg-divert ] && [[ \$* != *--rename* ]]; then
			exec \$real "\$@"
		fi
		calls=\$((\$(cat "\$KILL_DIR/calls") + 1))
		echo \$calls >"\$KILL_DIR/calls"
		if [ \$calls = "\$KILL_AT" ]; then
			\$real "\$@"
			kill -KILL "\$(cat "\$KILL_DIR/pid")"
			exit 1
		fi
		exec \$real "\$@"
		END
		chmod +x "$work/killers/$program"
	done
}

# killed AT COMMAND: false when it came to its end
killed() {
	local status=0
	echo 0 >"$work/calls"
	# shellcheck disable=SC2016 # expanded by the inner shell
	env PATH="$work/killers:$PATH" KILL_DIR="$work" \
		KILL_AT="$1" sh -c 'echo $$ >"$KILL_DIR/pid"; exec "$@"' _ \
		"$work/mlx5x-ctl" --root "$root" "$2" >"$work/out" 2>&1 ||
		status=$?
	[ $status = 137 ]
}

# killed_everywhere MAKE-ROOT COMMAND
killed_everywhere() {
	local next at name=$case
	for next in enable disable; do
		for at in {1..9}; do
			case=$name-$2-$at-$next
			rm -rf "${work:?}/$name-"*
			"$1"
			picture >"$work/before"
			[ "$2" = enable ] || ctl 0 enable
			killed "$at" "$2" || break
			ctl 0 status
			check provider says 'plain programs +(mlx5x|stock)'
			check ends ctl 0 $next
			[ $next = disable ] || check on says 'mlx5x'
			ctl 0 disable
			check exactly unchanged
		done
		check points test "$at" -gt 2
	done 2>/dev/null
}

root_with_dpkg() {
	new_dpkg_root
	make_ctl "$libdir"
}

root_without_dpkg() {
	new_root
	system "$root" 56.1
	echo "driver mlx5" >"$root/etc/libibverbs.d/more"
	make_ctl "$libdir"
}

case_killed() {
	local command
	make_killers
	for command in enable disable; do
		case=killed-dpkg
		killed_everywhere root_with_dpkg $command
		case=killed-config
		killed_everywhere root_without_dpkg $command
	done
}

# The file of our own, not written to its end; and files that cannot be.
case_partly() {
	local size command
	for size in 0 1 40 70; do
		for command in enable disable; do
			case=partly-$size-$command
			new_dpkg_root
			make_ctl "$libdir"
			picture >"$work/before"
			ctl 0 enable
			cp "$root$own" "$work/own"
			ctl 0 disable
			head -c $size "$work/own" >"$root$own"
			ctl 0 status
			check half says '^half done'
			check ends ctl 0 $command
			ctl 0 disable
			check exactly unchanged
		done
	done
	case=partly-full
	root_without_dpkg
	picture >"$work/before"
	mkdir -p "$work/full"
	printf '#!/bin/sh\nif [ "$1" = -E ]; then echo driver; exit 4; fi\nexec %s "$@"\n' \
		"$(command -v sed)" >"$work/full/sed"
	chmod +x "$work/full/sed"
	PATH=$work/full:$PATH ctl 1 enable
	check exactly unchanged
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
	check version-says says 'for rdma-core 56.1, .*44.0 of another'
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

if ! command -v dpkg-deb >/dev/null; then
	echo "no dpkg"
	exit 77
fi
case=build
package libibverbs1 56.1
package ibverbs-providers 56.1
package ibverbs-providers 56.1.1
package libibverbs1 65.0
package ibverbs-providers 65.0
for case in dpkg prefix config interrupted diverted killed partly alias abi \
	two umask chance refused devices usage; do
	"case_$case"
done
exit $failed
