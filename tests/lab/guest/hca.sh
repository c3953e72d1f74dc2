# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Brings the guest's HCAs up with the stock kernel drivers. HCA i is mlx5_i then.
# Its netdev is up with the address 10.77.i.1/24, and its RoCE GIDs exist. Of two
# hosts, the second has 10.77.i.2/24, and both have IPv6 addresses, too.

# wait_for SECONDS COMMAND...: until COMMAND succeeds; longer if the host is busy
wait_for() {
	local end=$((EPOCHSECONDS + $1 * LAB_LOAD))
	shift
	until "$@"; do
		if [ $EPOCHSECONDS -gt $end ]; then
			echo "lab: waited in vain for: $*" >&2
			return 1
		fi
		sleep 0.05
	done
}

hca_netdev() {
	local dev
	for dev in /sys/class/infiniband/"$1"/device/net/*; do
		if [ -e "$dev" ]; then
			basename "$dev"
			return
		fi
	done
	return 1
}

hca_has_netdev() {
	hca_netdev "$1" >/dev/null
}

# hca_has_gid DEVICE GID
hca_has_gid() {
	local file gid
	for file in /sys/class/infiniband/"$1"/ports/1/gids/{0,1,2,3,4,5,6,7,8,9}; do
		if read -r gid <"$file" && [ "$gid" = "$2" ]; then
			return 0
		fi
	done 2>/dev/null
	return 1
}

# hca_up I: brings HCA I up, if it is not
hca_up() {
	local dev=mlx5_$1 host=${LAB_HOST:-1} netdev
	wait_for 15 hca_has_netdev "$dev" || return 1
	netdev=$(hca_netdev "$dev")
	if ! hca_has_gid "$dev" "$(address_gid4 "$1" "$host")"; then
		# Nobody would answer a probe for duplicates.
		echo 0 >/proc/sys/net/ipv6/conf/"$netdev"/accept_dad
		ip link set "$netdev" up || return 1
		ip addr replace "$(address_ipv4 "$1" "$host")/24" \
			dev "$netdev" || return 1
	fi
	if [ -n "$LAB_HOST" ]; then
		ip addr replace "$(address_ipv6 "$1" "$host")/112" \
			dev "$netdev" nodad || return 1
		wait_for 30 hca_has_gid "$dev" "$(address_gid6 "$1" "$host")" ||
			return 1
	fi
	wait_for 30 hca_has_gid "$dev" "$(address_gid4 "$1" "$host")"
}

# Brings up all HCAs that are not. A test may have left one down.
hca_ensure() {
	local i
	for ((i = 0; i < LAB_HCAS; i++)); do
		hca_up "$i" || return 1
	done
}

# Starts loading the drivers, which takes longest; hca_setup waits for it.
hca_load() {
	HCA_LOAD=''
	if [ "$LAB_HCAS" != 0 ]; then
		modprobe -a mlx5_core ib_uverbs mlx5_ib rdma_ucm &
		HCA_LOAD=$!
	fi
}

# Prints how far the HCAs came, for the log of a guest that failed.
hca_describe() {
	local path
	echo "lab: HCAs as far as they came:"
	for path in /sys/bus/pci/drivers/mlx5_core/0* \
		/sys/class/infiniband/*/ports/1/{state,gids/[0-3]}; do
		if [ -d "$path" ]; then
			echo "lab: $path: $(ls "$path/net" 2>&1)"
		elif [ -f "$path" ]; then
			echo "lab: $path: $(cat "$path")"
		fi
	done
}

hca_setup() {
	busybox ip link set lo up
	hosts_setup || return 1
	if [ -n "$HCA_LOAD" ]; then
		wait "$HCA_LOAD" || return 1
	fi
	hca_ensure || return 1
	if [ -n "$LAB_HOST" ]; then
		hosts_lan
	fi
}
