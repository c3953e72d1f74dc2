# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Source this file.

# The index of the first RoCE v2 GID that holds an IPv4 address, on port 1 of
# the first device; status 1 when there is none.
first_gid() {
	local port f
	port=$(echo /sys/class/infiniband/*/ports/1)
	port=${port%% *}
	for f in "$port"/gid_attrs/types/*; do
		# The file of an unused entry cannot be read.
		if ! grep -q v2 "$f" 2>/dev/null; then
			continue
		fi
		case $(cat "$port/gids/${f##*/}") in
		0000:0000:0000:0000:0000:ffff:*)
			echo "${f##*/}"
			return 0
			;;
		esac
	done
	return 1
}
