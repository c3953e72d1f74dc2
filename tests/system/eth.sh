#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=2 provider=stock timeout=400
# lab-allow-log: S-tagged traffic will be dropped while C-tag vlan stripping
#
# Proves that Ethernet works between two HCAs, by the stock kernel driver: their
# netdevs are in two network namespaces of one machine and have learnt nothing
# about each other. ARP and neighbour discovery, ping by both families, frames of
# 9000 bytes, TCP with and without offloads compared byte for byte, VLAN,
# multicast, broadcast, another MAC address, the link down and up, counters. Then
# the connection manager and RDMA with the neighbours that ARP has found.
# shellcheck disable=SC2317 # try runs most functions by their names
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
failed=0
load=${LAB_LOAD:-3}
left=$(ls /sys/class/infiniband/mlx5_0/device/net)
right=$(ls /sys/class/infiniband/mlx5_1/device/net)

a() {
	ip netns exec eth_a "$@"
}

b() {
	ip netns exec eth_b "$@"
}

# try NAME COMMAND...: the result is the command's; it says why
try() {
	local name=$1
	shift
	if "$@" >/tmp/eth.out 2>&1; then
		echo "ok eth-$name"
	else
		echo "FAIL eth-$name: $(tail -n 3 /tmp/eth.out | tr '\n' ' ')"
		failed=1
	fi
}

# up NAMESPACE NETDEV N: with the addresses 10.9.0.N and fd09::N
up() {
	ip -n "$1" link set lo up
	ip -n "$1" link set "$2" up
	ip -n "$1" addr add "10.9.0.$3/24" dev "$2"
	ip -n "$1" addr add "fd09::$3/64" dev "$2" nodad
}

# both COMMAND...: of ip, with the netdev of each side behind "dev"
both() {
	ip -n eth_a "$@" dev "$left" && ip -n eth_b "$@" dev "$right"
}

pings() {
	a ping -q -c 5 -i 0.2 -W "$((5 * load))" "$@"
}

# features WORD...: as ethtool -K has them, on both sides
features() {
	a ethtool -K "$left" "$@" && b ethtool -K "$right" "$@"
}

# tcp FROM TO ADDRESS MIB: the copy must be equal
tcp() {
	local pid rc=0
	"$2" timeout "$((60 * load))" python3 "$here/eth_peer.py" sink "$3" \
		"$4" &
	pid=$!
	"$1" timeout "$((60 * load))" python3 "$here/eth_peer.py" source "$3" \
		"$4" || rc=1
	wait "$pid" || rc=1
	return "$rc"
}

# datagrams KIND ADDRESS: from left to a member, or to all, on the right
datagrams() {
	local pid rc=0
	b timeout "$((20 * load))" python3 "$here/eth_peer.py" listen "$1" \
		"$2" "$right" &
	pid=$!
	a timeout "$((20 * load))" python3 "$here/eth_peer.py" call "$1" \
		"$2" "$left" || rc=1
	wait "$pid" || rc=1
	return "$rc"
}

vlans() {
	ip -n eth_a link add link "$left" name v7 type vlan id 7 &&
		ip -n eth_b link add link "$right" name v7 type vlan id 7 &&
		ip -n eth_a addr add 10.7.0.1/24 dev v7 &&
		ip -n eth_b addr add 10.7.0.2/24 dev v7 &&
		ip -n eth_a link set v7 up && ip -n eth_b link set v7 up
}

# A VLAN that only one side has reaches nobody.
vlan_apart() {
	ip -n eth_b link set v7 down &&
		! a ping -q -c 2 -W 1 10.7.0.2 && ip -n eth_b link set v7 up
}

new_address() {
	ip -n eth_b link set "$right" address 02:00:00:00:99:01 &&
		ip -n eth_a neigh flush dev "$left" && pings 10.9.0.2 &&
		ip -n eth_a neigh show 10.9.0.2 dev "$left" |
		grep 02:00:00:00:99:01
}

down_up() {
	ip -n eth_b link set "$right" down &&
		! a ping -q -c 2 -W 1 10.9.0.2 &&
		ip -n eth_b link set "$right" up &&
		wait_for a ping -q -c 1 -W 1 10.9.0.2
}

# counter SIDE NETDEV NAME
counter() {
	"$1" ethtool -S "$2" | awk -v name="$3:" '$1 == name { print $2 }'
}

# What one side has sent is what the other one has received, by the counters of
# the port; and by those of the queues nothing was lost.
counters() {
	local sent got lost=0 name
	sent=$(counter a "$left" tx_vport_unicast_packets)
	pings 10.9.0.2
	sleep 1
	sent=$(($(counter a "$left" tx_vport_unicast_packets) - sent))
	got=$(counter b "$right" rx_packets_phy)
	echo "sent $sent, $got received in all"
	for name in rx_out_of_buffer rx_oversize_pkts_phy rx_discards_phy; do
		echo "$name $(counter b "$right" "$name")"
		lost=$((lost + $(counter b "$right" "$name")))
	done
	[ "$sent" -ge 5 ] && [ "$sent" -le 8 ] && [ "$got" -gt 1000 ] &&
		[ "$lost" = 0 ] &&
		[ "$(counter b "$right" rx_vport_unicast_packets)" = \
			"$(counter a "$left" tx_vport_unicast_packets)" ] &&
		[ "$(counter b "$right" rx_bytes_phy)" -gt 1000000 ]
}

# rdma_pair SERVER CLIENT: run in the namespaces
rdma_pair() {
	local pid rc=0
	# shellcheck disable=SC2086 # words of a command
	b timeout "$PEERS_LIMIT" $1 &
	pid=$!
	if ! wait_for listens "$pid" 7174; then
		rc=1
	fi
	# shellcheck disable=SC2086
	a timeout "$PEERS_LIMIT" $2 || rc=1
	wait "$pid" || rc=1
	return "$rc"
}

finish() {
	ip -n eth_a link del v7 2>/dev/null
	ip -n eth_b link del v7 2>/dev/null
	ip -n eth_b link set "$right" address "$mac" mtu 1500
	ip -n eth_a link set "$left" mtu 1500
	ip -n eth_a link set "$left" netns 1
	ip -n eth_b link set "$right" netns 1
	ip netns del eth_a
	ip netns del eth_b
}

mac=$(cat "/sys/class/net/$right/address")
ip netns add eth_a
ip netns add eth_b
ip link set "$left" netns eth_a
ip link set "$right" netns eth_b
trap finish EXIT
up eth_a "$left" 1
up eth_b "$right" 2
sleep 1
try arp-and-ping pings 10.9.0.2
try ping6 pings -6 fd09::2
try ping-large pings -s 4000 10.9.0.2
try tcp tcp a b 10.9.0.2 4
try tcp-back tcp b a 10.9.0.1 4
try tcp6 tcp a b fd09::2 2
try multicast datagrams ip4 239.1.2.3
try multicast6 datagrams ip6 ff05::1234
try broadcast datagrams broadcast 10.9.0.255
try vlan-setup vlans
try vlan pings 10.7.0.2
try vlan-apart vlan_apart
try vlan-features-off features rxvlan off txvlan off
try vlan-in-frames pings 10.7.0.2
try vlan-features-on features rxvlan on txvlan on
both link set mtu 9000
sleep 1
try jumbo pings -s 8000 -M "do" 10.9.0.2
try jumbo-tcp tcp a b 10.9.0.2 4
try features-off features rx off tx off tso off gso off gro off
try tcp-plain tcp a b 10.9.0.2 2
try features-on features rx on tx on tso on gso on gro on
both link set mtu 1500
sleep 1
try counters counters
try rping rdma_pair "rping -s -a 10.9.0.2 -p 7174 -C 20 -V" \
	"rping -c -a 10.9.0.2 -p 7174 -C 20 -V"
try new-address new_address
try down-and-up down_up
# The driver sends frames to itself, among other things.
try self-test a ethtool -t "$left"
ip -n eth_b link set "$right" promisc on allmulticast on
try promiscuous pings 10.9.0.2
ip -n eth_b link set "$right" promisc off allmulticast off
exit "$failed"
