// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What tests of frames share; see frames.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "frames.h"

struct lan_port peer;
uint8_t peer_frame[MAX_FRAMES][1600];
size_t peer_len[MAX_FRAMES];
unsigned int peer_num;
const uint8_t peer_mac[6] = { 2, 0x99, 0, 0, 0, 1 };
uint32_t frames_key, frames_td;
uint64_t frames_data;

static void peer_receive(void *arg, const uint8_t *frame, size_t len, bool own)
{
	(void)arg;
	if (own)
		return;
	assert_true(peer_num < MAX_FRAMES);
	assert_true(len >= 60 && len <= sizeof(peer_frame[0]));
	memcpy(peer_frame[peer_num], frame, len);
	peer_len[peer_num++] = len;
}

const uint8_t *own_mac(void)
{
	return guest->hca->lan.addrs[0].mac;
}

int frames_setup(void **state)
{
	drv_setup(state);
	memset(&peer, 0, sizeof(peer));
	peer.receive = peer_receive;
	peer.up = true;
	peer.promisc = true;
	peer.max_frame = 1600;
	peer_num = 0;
	lan_set_addrs(&peer, peer_mac, NULL, 0);
	assert_int_equal(lan_join(guest->lan, &peer), 0);
	msg_mkey(&drv, &msg, MKEY_PA);
	bits_set(msg.in + CMD_CTX_AT, MKC_LENGTH64, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	frames_key = bits_get(msg.out, CMD_NUMBER) << 8;
	frames_data = guest_alloc(guest, DATA_MAX * 2);
	frames_td = cmd_alloc(guest, 0x816, 0);
	return 0;
}

int frames_teardown(void **state)
{
	lan_leave(&peer);
	return drv_teardown(state);
}

void data_seg(uint8_t *seg, uint32_t len, uint32_t lkey, uint64_t addr)
{
	be32_put(seg, len);
	be32_put(seg + 4, lkey);
	be64_put(seg + 8, addr);
}

uint8_t *put_frame(unsigned int ip, uint8_t proto, size_t payload)
{
	uint8_t *f = guest_ptr(guest, frames_data, 256 + payload), *l4;
	size_t l4_len = (proto == IP_TCP ? 20 : 8) + payload, i;

	memset(f, 0, 256);
	memcpy(f, peer_mac, 6);
	memcpy(f + 6, own_mac(), 6);
	be16_put(f + 12, ip == 4 ? 0x0800 : 0x86dd);
	if (ip == 4) {
		f[14] = 0x45;
		be16_put(f + 16, (uint16_t)(20 + l4_len));
		be16_put(f + 18, 0xfffe);
		f[22] = 64;
		f[23] = proto;
		be32_put(f + 26, 0x0a090001);
		be32_put(f + 30, 0x0a090002);
	} else {
		f[14] = 0x60;
		be16_put(f + 18, (uint16_t)l4_len);
		f[20] = proto;
		f[21] = 64;
		f[22] = 0xfd;
		f[37] = 1;
		f[38] = 0xfd;
		f[53] = 2;
	}
	l4 = f + (ip == 4 ? 34 : 54);
	be16_put(l4, 4000);
	be16_put(l4 + 2, 5000);
	if (proto == IP_TCP) {
		be32_put(l4 + 4, 0xfffffff0);
		l4[12] = 0x50;
		l4[13] = 0x80 | 0x10 | 0x08 | 0x01; /* CWR ACK PSH FIN */
	} else {
		be16_put(l4 + 4, (uint16_t)l4_len);
	}
	for (i = 0; i < payload; i++)
		l4[l4_len - payload + i] = (uint8_t)(i * 7);
	return f;
}

uint32_t rfc_sum(uint32_t sum, const uint8_t *p, size_t len)
{
	for (; len > 1; len -= 2, p += 2)
		sum += (uint32_t)(p[0] << 8 | p[1]);
	if (len)
		sum += (uint32_t)p[0] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void expect_cqe(uint8_t opcode, uint16_t counter, uint8_t syndrome)
{
	const uint8_t *cqe = drv_cqe(guest, &drv.cq);

	assert_non_null(cqe);
	assert_int_equal(cqe[0x3f] >> 4, opcode);
	assert_int_equal(be16_get(cqe + 0x3c), counter);
	if (syndrome)
		assert_int_equal(cqe[0x37], syndrome);
	drv_cq_update(guest, &drv.cq);
}
