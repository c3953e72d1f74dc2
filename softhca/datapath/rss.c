// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive side scaling: a hash of a frame's addresses and ports chooses one of
 * the queues of a TIR.
 *
 * For a symmetric hash the smaller address, and the smaller port, counts as the
 * source.  So both directions of a connection have the same hash.
 */
#include "device.h"
#include "steer.h"

#define MAX_INPUT (16u + 16u + 2u + 2u)

/* Append a pair of fields, of which the TIR may have selected one only. */
static size_t put_pair(const struct tir *tir, uint8_t *out, const uint8_t *src,
		       const uint8_t *dst, size_t size, uint32_t src_bit,
		       uint32_t dst_bit)
{
	bool both = (tir->fields & src_bit) && (tir->fields & dst_bit);
	const uint8_t *swap = src;
	size_t len = 0;

	if (tir->symmetric && both && memcmp(src, dst, size) > 0) {
		src = dst;
		dst = swap;
	}
	if (tir->fields & src_bit) {
		memcpy(out, src, size);
		len = size;
	}
	if (tir->fields & dst_bit) {
		memcpy(out + len, dst, size);
		len += size;
	}
	return len;
}

static uint32_t toeplitz(const uint8_t *key, const uint8_t *in, size_t len)
{
	uint32_t window = be32_get(key), result = 0;
	size_t i;
	int bit;

	for (i = 0; i < len; i++) {
		for (bit = 7; bit >= 0; bit--) {
			if (in[i] >> bit & 1)
				result ^= window;
			window = window << 1 | (key[i + 4] >> bit & 1);
		}
	}
	return result;
}

static uint32_t xor8(const uint8_t *in, size_t len)
{
	uint8_t x = 0;

	while (len--)
		x ^= in[len];
	return (uint8_t)~x;
}

struct rss_hash steer_hash(const struct tir *tir, const uint8_t *frame,
			   const struct ether_info *info)
{
	const uint8_t *ip = frame + info->l3, *l4 = frame + info->l4;
	struct rss_hash hash = { 0 };
	uint8_t in[MAX_INPUT];
	size_t len = 0, l3_len;

	if (tir->function == RSS_NONE || !info->ip)
		return hash;
	if (info->ip == 4)
		len = put_pair(tir, in, ip + 12, ip + 16, 4, RSS_SRC_IP,
			       RSS_DST_IP);
	else
		len = put_pair(tir, in, ip + 8, ip + 24, 16, RSS_SRC_IP,
			       RSS_DST_IP);
	hash.l3 = len;
	l3_len = len;
	if (info->l4)
		len += put_pair(tir, in + len, l4, l4 + 2, 2, RSS_SRC_PORT,
				RSS_DST_PORT);
	hash.l4 = len != l3_len;
	if (len)
		hash.value = tir->function == RSS_TOEPLITZ
				     ? toeplitz(tir->key, in, len)
				     : xor8(in, len);
	return hash;
}

struct eth_wq *steer_queue(const struct tir *tir, uint32_t hash)
{
	const struct rqt *rqt = tir->rqt;

	if (tir->rq)
		return tir->rq;
	if (!rqt || !rqt->num)
		return NULL;
	return (struct eth_wq *)rqt->rq[hash % rqt->num];
}
