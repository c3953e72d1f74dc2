# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What a guest needs that is one of two hosts: names, the way to the other one,
# and places to meet. LAB_HOST is the number of this host, and empty in a guest
# that is alone. /mnt/lab/share is a folder that both hosts see.

HOSTS_SHARE=/mnt/lab/share

# Each HCA of each host has names for its IPv4 and its IPv6 address. HCA 0 also
# has that of the host.
hosts_names() {
	local host i
	printf '%s\n' '127.0.0.1 localhost' '::1 localhost'
	for host in 1 2; do
		for ((i = 0; i < LAB_HCAS || i == 0; i++)); do
			echo "$(address_ipv4 $i $host) host$host-hca$i" \
				"$([ $i != 0 ] || echo "host$host")"
			echo "$(address_ipv6 $i $host) host$host-hca$i-v6" \
				"$([ $i != 0 ] || echo "host$host-v6")"
		done
	done
}

hosts_lan_netdev() {
	local dev
	for dev in /sys/class/net/*; do
		if [ "$(readlink "$dev/device/driver" | xargs -r basename)" = \
			virtio_net ]; then
			basename "$dev"
			return
		fi
	done
	return 1
}

# The LAN is a plain network beside the HCAs: a virtio NIC in each host. TCP to
# the other host's addresses goes through it. There programs such as perftest and
# ibv_rc_pingpong exchange the numbers of their QPs, and softhca's counters are
# those of RDMA alone. The connection manager asks for routes of no protocol, and
# so finds the HCA's.
hosts_lan() {
	local dev address
	dev=$(hosts_lan_netdev) || return 1
	address=$(address_ipv4 0 "$LAB_HOST")
	ip link set "$dev" up || return 1
	if [ "$LAB_HCAS" = 0 ]; then
		ip addr add "$address/16" dev "$dev"
		return
	fi
	ip rule add ipproto tcp to 10.77.0.0/16 table 77 &&
		ip route add 10.77.0.0/16 dev "$dev" src "$address" table 77
}

# hosts_setup: before the HCAs come up
hosts_setup() {
	if [ -z "$LAB_HOST" ]; then
		return
	fi
	export LAB_HOST LAB_PEER=host$((3 - LAB_HOST))
	hosts_names >/run/lab/hosts
	busybox mount --bind /run/lab/hosts /etc/hosts &&
		modprobe virtio_net
}

# hosts_meet NAME: waits until the other host is here, too. There is no limit,
# since the lab ends both hosts when one of them takes too long.
hosts_meet() {
	if [ -z "$LAB_HOST" ]; then
		return
	fi
	: >"$HOSTS_SHARE/$1.$LAB_HOST"
	until [ -e "$HOSTS_SHARE/$1.$((3 - LAB_HOST))" ]; do
		sleep 0.05
	done
}

# Does a program of this host listen, by TCP or by the connection manager?
hosts_listens() {
	awk '$4 == "0A" { found = 1 } END { exit !found }' \
		/proc/net/tcp /proc/net/tcp6 ||
		rdma resource show cm_id 2>/dev/null | grep -q 'state LISTEN'
}

# hosts_order: with a command for each host, the second begins when the first
# listens, has ended, or has run for ten seconds. Host 1 runs this beside its
# command, host 2 before its own.
hosts_order() {
	local i file=$HOSTS_SHARE/listens
	for ((i = 0; i < 100 * LAB_LOAD; i++)); do
		if [ "$LAB_HOST" = 1 ] && hosts_listens; then
			: >"$file"
		fi
		if [ -e "$file" ]; then
			return
		fi
		sleep 0.1
	done
}
