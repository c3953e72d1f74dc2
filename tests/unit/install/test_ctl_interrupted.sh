#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# test_ctl_interrupted.sh TEMPLATE: proves of mlx5x-ctl that enable and disable
# complete or undo what was interrupted, at whatever point: each part of it
# alone, a kill after each change, a file not written to its end, a full disk,
# what dpkg-divert leaves half done; and that there is a provider all the time.
# Cases and checks are called by name:
# shellcheck disable=SC2317
set -u
# shellcheck source=tests/unit/install/ctl.sh
. "$(dirname "$0")/ctl.sh"

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
		real=$(command -v "$program")
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
	[ "$status" = 137 ]
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
			check ends ctl 0 "$next"
			[ "$next" = disable ] || check on says 'mlx5x'
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
		killed_everywhere root_with_dpkg "$command"
		case=killed-config
		killed_everywhere root_without_dpkg "$command"
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
			head -c "$size" "$work/own" >"$root$own"
			ctl 0 status
			check half says '^half done'
			check ends ctl 0 "$command"
			ctl 0 disable
			check exactly unchanged
		done
	done
	case=partly-full
	root_without_dpkg
	picture >"$work/before"
	mkdir -p "$work/full"
	cat >"$work/full/sed" <<-END
	#!/bin/sh
	if [ "\$1" = -E ]; then
		echo driver
		exit 4
	fi
	exec $(command -v sed) "\$@"
	END
	chmod +x "$work/full/sed"
	PATH=$work/full:$PATH ctl 1 enable
	check exactly unchanged
}

for case in interrupted diverted killed partly; do
	"case_$case"
done
exit $failed
