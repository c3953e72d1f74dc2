# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Addresses of the HCAs' netdevs. The lab and the guests both work them out from
# the numbers of HCA and host, so nobody has to ask for them. A guest that is
# alone is host 1. The MAC address holds the bytes of the IPv4 address.

# address_mac HCA HOST
address_mac() {
	printf '02:00:0a:4d:%02x:%02x\n' "$1" "$2"
}

# address_ipv4 HCA HOST
address_ipv4() {
	echo "10.77.$1.$2"
}

# address_ipv6 HCA HOST
address_ipv6() {
	printf 'fd77::%x:%x\n' "$1" "$2"
}

# address_gid4 HCA HOST, address_gid6 HCA HOST: the GIDs of IPv4 and IPv6
address_gid4() {
	printf '0000:0000:0000:0000:0000:ffff:0a4d:%02x%02x\n' "$1" "$2"
}

address_gid6() {
	printf 'fd77:0000:0000:0000:0000:0000:%04x:%04x\n' "$1" "$2"
}
