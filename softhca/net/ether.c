// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Where the headers of a frame are, and checksums. */
#include "base.h"
#include "ether.h"

#define MAX_TAGS	2u
#define MAX_EXTENSIONS	8u
#define IPV4_HEADER	20u
#define IPV6_HEADER	40u
#define TCP_HEADER	20u
#define UDP_HEADER	8u
#define IPV4_SUM_AT	10u
#define TCP_SUM_AT	16u
#define UDP_SUM_AT	6u
#define IPV6_HOP_BY_HOP 0u
#define IPV6_ROUTING	43u
#define IPV6_FRAGMENT	44u
#define IPV6_OPTIONS	60u

bool ether_is_broadcast(const uint8_t *mac)
{
	static const uint8_t all[ETHER_MAC] = { 0xff, 0xff, 0xff,
						0xff, 0xff, 0xff };

	return !memcmp(mac, all, sizeof(all));
}

static void find_l4(size_t at, size_t len, struct ether_info *info)
{
	size_t header = info->proto == IP_TCP	? TCP_HEADER
			: info->proto == IP_UDP ? UDP_HEADER
						: 0;

	if (header && !info->frag && header <= len - at)
		info->l4 = at;
}

static void parse_ipv4(const uint8_t *frame, size_t len,
		       struct ether_info *info)
{
	const uint8_t *ip = frame + info->l3;
	size_t room = len - info->l3, header, total;

	if (room < IPV4_HEADER || ip[0] >> 4 != 4)
		return;
	header = (size_t)(ip[0] & 0xf) * 4;
	total = be16_get(ip + 2);
	if (header < IPV4_HEADER || header > room)
		return;
	info->ip = 4;
	info->l3_len = header;
	info->proto = ip[9];
	info->frag = be16_get(ip + 6) & 0x3fff;
	info->cut = total > room || total < header;
	info->ip_end = info->cut ? len : info->l3 + total;
	find_l4(info->l3 + header, info->ip_end, info);
}

static void parse_ipv6(const uint8_t *frame, size_t len,
		       struct ether_info *info)
{
	const uint8_t *ip = frame + info->l3;
	size_t room = len - info->l3, at, total, size;
	unsigned int i;

	if (room < IPV6_HEADER || ip[0] >> 4 != 6)
		return;
	total = (size_t)be16_get(ip + 4) + IPV6_HEADER;
	info->ip = 6;
	info->l3_len = IPV6_HEADER;
	info->proto = ip[6];
	info->cut = total > room;
	info->ip_end = info->cut ? len : info->l3 + total;
	at = info->l3 + IPV6_HEADER;
	for (i = 0; i < MAX_EXTENSIONS; i++) {
		if (info->proto != IPV6_HOP_BY_HOP &&
		    info->proto != IPV6_ROUTING &&
		    info->proto != IPV6_OPTIONS && info->proto != IPV6_FRAGMENT)
			break;
		if (info->ip_end - at < 8)
			return;
		size = 8;
		if (info->proto == IPV6_FRAGMENT)
			info->frag = true;
		else
			size += (size_t)frame[at + 1] * 8;
		info->proto = frame[at];
		if (size > info->ip_end - at)
			return;
		at += size;
	}
	find_l4(at, info->ip_end, info);
}

bool ether_parse(const uint8_t *frame, size_t len, struct ether_info *info)
{
	size_t at = 2 * ETHER_MAC;
	unsigned int tags;

	memset(info, 0, sizeof(*info));
	if (len < ETHER_HEADER)
		return false;
	info->type = be16_get(frame + at);
	for (tags = 0; tags < MAX_TAGS; tags++) {
		if ((info->type != ETHERTYPE_VLAN &&
		     info->type != ETHERTYPE_SVLAN) ||
		    len - at < 2 + ETHER_VLAN)
			break;
		if (!tags) {
			info->vlan_type = info->type;
			info->vlan = be16_get(frame + at + 2);
		}
		at += ETHER_VLAN;
		info->type = be16_get(frame + at);
	}
	info->l3 = at + 2;
	info->ip_end = len;
	if (info->type == ETHERTYPE_IPV4)
		parse_ipv4(frame, len, info);
	else if (info->type == ETHERTYPE_IPV6)
		parse_ipv6(frame, len, info);
	return true;
}

static uint64_t add(uint64_t sum, const uint8_t *bytes, size_t len)
{
	uint32_t word;
	uint16_t half = 0;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum += word;
		bytes += sizeof(word);
	}
	if (len >= sizeof(half)) {
		memcpy(&half, bytes, sizeof(half));
		sum += half;
		bytes += sizeof(half);
		len -= sizeof(half);
	}
	if (len) {
		half = 0;
		memcpy(&half, bytes, 1);
		sum += half;
	}
	return sum;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

uint16_t ether_sum(const uint8_t *bytes, size_t len)
{
	return fold(add(0, bytes, len));
}

/* With the addresses, the protocol and the length that the sum covers as well. */
static uint16_t sum_l4(const uint8_t *frame, const struct ether_info *info)
{
	size_t len = info->ip_end - info->l4;
	const uint8_t *ip = frame + info->l3;
	uint8_t rest[8] = { 0 };
	uint64_t sum;

	sum = info->ip == 4 ? add(0, ip + 12, 8) : add(0, ip + 8, 32);
	be32_put(rest, (uint32_t)len);
	be32_put(rest + 4, info->proto);
	sum = add(sum, rest, sizeof(rest));
	return fold(add(sum, frame + info->l4, len));
}

bool ether_l3_ok(const uint8_t *frame, const struct ether_info *info)
{
	if (info->cut)
		return false;
	return info->ip == 6 ||
	       ether_sum(frame + info->l3, info->l3_len) == 0xffff;
}

static size_t sum_at(const struct ether_info *info)
{
	return info->l4 + (info->proto == IP_TCP ? TCP_SUM_AT : UDP_SUM_AT);
}

bool ether_l4_ok(const uint8_t *frame, const struct ether_info *info)
{
	if (info->cut)
		return false;
	if (info->proto == IP_UDP && !be16_get(frame + sum_at(info)))
		return info->ip == 4; /* sent without a checksum */
	return sum_l4(frame, info) == 0xffff;
}

static void set(uint8_t *at, uint16_t value)
{
	memcpy(at, &value, sizeof(value));
}

void ether_set_l3(uint8_t *frame, const struct ether_info *info)
{
	uint8_t *at = frame + info->l3 + IPV4_SUM_AT;

	if (info->ip != 4)
		return;
	set(at, 0);
	set(at, (uint16_t)~ether_sum(frame + info->l3, info->l3_len));
}

void ether_set_l4(uint8_t *frame, const struct ether_info *info)
{
	uint8_t *at = frame + sum_at(info);
	uint16_t sum;

	if (!info->l4)
		return;
	set(at, 0);
	sum = (uint16_t)~sum_l4(frame, info);
	/* Zero would say that there is no checksum. */
	set(at, sum || info->proto != IP_UDP ? sum : 0xffff);
}
