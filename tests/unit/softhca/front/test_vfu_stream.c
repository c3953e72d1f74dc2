// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the vfio-user server's stream: a session gives the same answers
 * however its bytes are cut; descriptors stay with their message; messages of
 * impossible size are answered and skipped; random bytes do no harm; posted
 * writes get no answer and keep their order; a client that does not read costs
 * bounded memory, holds up nobody else, and gets all its answers later; clients
 * take turns; a client that vanishes at any byte leaves nothing behind.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vfio.h>

#include <cmocka.h>

#include "front_state.h"
#include "guest.h"
#include "vfu_client.h"

#define MSIX	VFIO_PCI_MSIX_IRQ_INDEX
#define SET_FDS (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)
#define CONF	7u

/* A real HCA's front behind the socket. */
static struct guest g;
static struct vfu_client c;
static char path[64];
static unsigned int fds_before, changes;

static void changed(void *arg)
{
	assert_ptr_equal(arg, &g);
	changes++;
}

static int setup(void **state)
{
	(void)state;
	fds_before = count_fds();
	changes = 0;
	guest_init(&g);
	dma_map_clear(g.hca->dma);
	snprintf(path, sizeof(path), "/tmp/test-vfu-stream-%d", (int)getpid());
	assert_int_equal(front_listen(g.hca, path, changed, &g), 0);
	client_connect(&c, g.loop, path);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	client_close(&c);
	guest_fini(&g);
	assert_int_equal(count_fds(), fds_before);
	return 0;
}

static unsigned int num_vectors_set(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < HCA_NUM_VECTORS; i++)
		n += g.hca->front->irqs.fd[i] >= 0;
	return n;
}

/* ---- a session as one string of bytes ---- */

struct session {
	uint8_t bytes[4096];
	size_t len;
	/* Where messages with descriptors begin, and how many they have. */
	size_t fd_at[4];
	unsigned int fd_num[4], num_fds;
	unsigned int answers;
};

static void add(struct session *s, uint16_t command, uint32_t flags,
		const void *body, size_t len, unsigned int num_fds)
{
	if (num_fds) {
		s->fd_at[s->num_fds] = s->len;
		s->fd_num[s->num_fds++] = num_fds;
	}
	s->len += client_make(&c, s->bytes + s->len, command, flags, body, len);
	if (!(flags & VFU_NO_REPLY))
		s->answers++;
}

static void add_write(struct session *s, uint32_t flags, uint64_t off,
		      uint8_t value)
{
	uint8_t body[sizeof(struct vfu_region_access) + 1];
	struct vfu_region_access acc = { off, CONF, 1 };

	memcpy(body, &acc, sizeof(acc));
	body[sizeof(acc)] = value;
	add(s, VFU_REGION_WRITE, flags, body, sizeof(body), 0);
}

static void make_session(struct session *s)
{
	struct vfu_dma_map map = {
		.argsz = 32, .flags = 3, .iova = 0x100000, .size = 4096
	};
	struct vfu_irq_set set = { .argsz = 20,
				   .flags = SET_FDS,
				   .index = MSIX,
				   .start = 2,
				   .count = 3 };
	struct vfu_region_access acc = { 0x0c, CONF, 1 };

	memset(s, 0, sizeof(*s));
	add(s, VFU_VERSION, 0, "\0\0\0\0{}", 7, 0);
	add(s, VFU_DMA_MAP, 0, &map, sizeof(map), 1);
	add(s, VFU_DEVICE_SET_IRQS, 0, &set, sizeof(set), 3);
	add_write(s, VFU_NO_REPLY, 0x0c, 0x11);
	add(s, VFU_REGION_READ, 0, &acc, sizeof(acc), 0);
	add_write(s, 0, 0x0c, 0x22);
	add(s, 99, VFU_NO_REPLY, NULL, 0, 0); /* an error nobody asks for */
	add(s, 99, 0, NULL, 0, 0);
	add(s, VFU_REGION_READ, 0, &acc, sizeof(acc), 0);
}

static void check_answers(const struct session *s)
{
	static const struct {
		int err;
		size_t len;
		int last; /* last byte of the body, -1: any */
	} want[] = {
		{ 0, 0, -1 },	 { 0, 0, -1 },	{ 0, 0, -1 },
		{ 0, 17, 0x11 }, { 0, 16, -1 }, { ENOTSUP, 0, -1 },
		{ 0, 17, 0x22 },
	};
	struct vfu_answer answer;
	unsigned int i;

	assert_int_equal(s->answers, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < s->answers; i++) {
		client_recv(&c, &answer);
		assert_int_equal(answer.hdr.error, want[i].err);
		if (want[i].len)
			assert_int_equal(answer.len, want[i].len);
		if (want[i].last >= 0)
			assert_int_equal(answer.body[answer.len - 1],
					 want[i].last);
	}
	assert_int_equal(num_vectors_set(), 3);
	assert_true(g.hca->front->irqs.fd[2] >= 0);
	assert_true(g.hca->front->irqs.fd[4] >= 0);
	assert_non_null(dma_ptr(g.hca->dma, 0x100000, 4096, DMA_WRITE, NULL));
}

/*
 * Send it in pieces that end at multiples of step and wherever descriptors
 * must start a piece; turns > 0: the server runs after each piece.
 */
static void send_session(const struct session *s, size_t step, bool turns)
{
	size_t pos = 0, end, i;
	unsigned int next = 0, num;
	int fds[3];

	fds[0] = memfd_create("ram", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fds[0], 4096), 0);
	fds[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fds[2] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	while (pos < s->len) {
		num = 0;
		end = (pos / step + 1) * step;
		if (end > s->len)
			end = s->len;
		if (next < s->num_fds && s->fd_at[next] == pos)
			num = s->fd_num[next++];
		for (i = next; i < s->num_fds; i++)
			if (s->fd_at[i] > pos && s->fd_at[i] < end)
				end = s->fd_at[i];
		/*
		 * Who sends descriptors sends their message alone, as the
		 * kernel cannot tell which of several they are for.
		 */
		if (num) {
			struct vfu_header hdr;
			size_t size;

			memcpy(&hdr, s->bytes + pos, sizeof(hdr));
			size = hdr.size;
			if (end > pos + size)
				end = pos + size;
		}
		client_send_raw(&c, s->bytes + pos, end - pos, fds, num);
		pos = end;
		if (turns)
			loop_turn(g.loop, 0);
	}
	for (i = 0; i < 3; i++)
		close(fds[i]);
}

static void test_any_cut(void **state)
{
	static const size_t steps[] = { 1,  2,	3,  4,	5,  7,	 8,   13,  15,
					16, 17, 31, 33, 48, 100, 257, 4096 };
	struct session s;
	unsigned int i, turns;

	(void)state;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		for (turns = 0; turns < 2; turns++) {
			make_session(&s);
			send_session(&s, steps[i], turns);
			check_answers(&s);
			client_expect_silence(&c);
			client_close(&c);
			assert_false(front_connected(g.hca));
			client_connect(&c, g.loop, path);
		}
	}
}

/* The client vanishes after each byte of the session. */
static void test_vanish_anywhere(void **state)
{
	struct session s;
	size_t len, whole;
	unsigned int fds;

	(void)state;
	client_close(&c);
	fds = count_fds();
	make_session(&s);
	whole = s.len;
	for (len = 0; len <= whole; len++) {
		client_connect(&c, g.loop, path);
		make_session(&s);
		s.len = len;
		send_session(&s, 4096, len % 2);
		client_close(&c);
		assert_int_equal(count_fds(), fds);
		assert_false(front_connected(g.hca));
		assert_int_equal(num_vectors_set(), 0);
		assert_null(dma_ptr(g.hca->dma, 0x100000, 1, DMA_READ, NULL));
	}
	/* And the next one finds a device as new. */
	client_connect(&c, g.loop, path);
	make_session(&s);
	send_session(&s, 4096, true);
	check_answers(&s);
}

/* ---- messages of wrong size and type ---- */

static void send_header(uint16_t command, uint32_t size, uint32_t flags)
{
	struct vfu_header hdr = {
		.id = ++c.id,
		.command = command,
		.size = size,
		.flags = flags,
	};

	client_send_raw(&c, &hdr, sizeof(hdr), NULL, 0);
}

static void expect_error(int err)
{
	struct vfu_answer answer;

	client_recv(&c, &answer);
	assert_int_equal(answer.hdr.id, c.id);
	assert_int_equal(answer.hdr.error, err);
}

static void test_sizes(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 15, VFU_MAX_DATA + 33,
					  1u << 20 };
	static uint8_t junk[4096];
	uint32_t i, left, n;
	uint8_t b;

	(void)state;
	client_hello(&c);
	memset(junk, 0xff, sizeof(junk));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		send_header(VFU_REGION_WRITE, sizes[i], 0);
		expect_error(EINVAL);
		left = sizes[i] > 16 ? sizes[i] - 16 : 0;
		for (; left; left -= n) {
			n = left < sizeof(junk) ? left : sizeof(junk);
			client_send_raw(&c, junk, n, NULL, 0);
			loop_turn(g.loop, 0);
		}
		client_expect_silence(&c);
		assert_int_equal(client_read(&c, CONF, 0, &b, 1), 0);
		assert_int_equal(b, 0xb3);
	}
}

static void test_oversized_with_fds(void **state)
{
	static uint8_t big[100000];
	struct vfu_header hdr = { .id = 1,
				  .command = VFU_DMA_MAP,
				  .size = sizeof(big) };
	int fd = memfd_create("x", MFD_CLOEXEC), fds[2] = { fd, fd };
	unsigned int before;

	(void)state;
	client_hello(&c);
	before = count_fds();
	memcpy(big, &hdr, sizeof(hdr));
	/* With the header, and in the middle of what is skipped. */
	client_send_raw(&c, big, 1000, fds, 2);
	loop_turn(g.loop, 10);
	client_send_raw(&c, big + 1000, 9000, fds, 1);
	loop_turn(g.loop, 10);
	client_send_raw(&c, big + 10000, sizeof(big) - 10000, fds, 2);
	c.id = 1;
	expect_error(EINVAL);
	client_expect_silence(&c);
	assert_int_equal(count_fds(), before);
	close(fd);
}

static void test_types(void **state)
{
	struct vfu_device_info info = { .argsz = 16 };
	int fd = memfd_create("x", MFD_CLOEXEC);
	unsigned int before, type;

	(void)state;
	client_hello(&c);
	before = count_fds();
	/* A reply to nothing is ignored, descriptors and all. */
	client_send(&c, VFU_REGION_READ, VFU_TYPE_REPLY, NULL, 0, &fd, 1);
	client_expect_silence(&c);
	for (type = 2; type < 16; type++) {
		client_send(&c, VFU_DEVICE_GET_INFO, type, &info, sizeof(info),
			    NULL, 0);
		expect_error(EINVAL);
	}
	client_send(&c, VFU_DEVICE_GET_INFO, 2 | VFU_NO_REPLY, &info,
		    sizeof(info), NULL, 0);
	client_expect_silence(&c);
	assert_int_equal(client_call(&c, VFU_DEVICE_GET_INFO, &info,
				     sizeof(info), NULL, 0, NULL),
			 0);
	assert_int_equal(count_fds(), before);
	close(fd);
}

static void test_too_many_fds(void **state)
{
	struct vfu_irq_set set = {
		.argsz = 20, .flags = SET_FDS, .index = MSIX, .count = 64
	};
	uint8_t msg[64];
	int fds[253];
	unsigned int i, before;
	size_t len;

	(void)state;
	client_hello(&c);
	fds[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (i = 1; i < 253; i++)
		fds[i] = fds[0];
	before = count_fds();
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 0, 17, fds, 17),
			 EINVAL);
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 0, 64, fds, 64),
			 EINVAL);
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 0, 64, fds, 253),
			 EINVAL);
	/* Some with every byte of the message. */
	len = client_make(&c, msg, VFU_DEVICE_SET_IRQS, 0, &set, sizeof(set));
	for (i = 0; i < len; i++) {
		client_send_raw(&c, msg + i, 1, fds, 11);
		loop_turn(g.loop, 0);
	}
	expect_error(EINVAL);
	assert_int_equal(count_fds(), before);
	assert_int_equal(num_vectors_set(), 0);
	/* The next message is not suspected. */
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 0, 16, fds, 16), 0);
	assert_int_equal(num_vectors_set(), 16);
	close(fds[0]);
}

static void test_random_bytes(void **state)
{
	uint8_t junk[512];
	unsigned int round, i;
	int fd = memfd_create("x", MFD_CLOEXEC);
	uint8_t b;

	(void)state;
	srand(20240229);
	for (round = 0; round < 300; round++) {
		if (round % 3)
			client_hello(&c);
		for (i = 0; i < sizeof(junk); i++)
			junk[i] = (uint8_t)rand();
		/* Mostly headers that look right, so as to get further. */
		for (i = 0; round % 2 && i + 64 <= sizeof(junk); i += 64) {
			memset(junk + i + 1, 0, 15);
			junk[i + 2] = (uint8_t)(rand() % 20);
			junk[i + 4] = 64;
		}
		client_send_raw(&c, junk, sizeof(junk), &fd, 1);
		for (i = 0; i < 5; i++)
			loop_turn(g.loop, 0);
		client_close(&c);
		client_connect(&c, g.loop, path);
	}
	client_hello(&c);
	assert_int_equal(client_read(&c, CONF, 0, &b, 1), 0);
	assert_int_equal(b, 0xb3);
	close(fd);
}

/* ---- output ---- */

static void test_posted_writes(void **state)
{
	uint8_t b, i;

	(void)state;
	client_hello(&c);
	for (i = 0; i < 250; i++)
		client_post(&c, CONF, 0x0c, &i, 1);
	assert_int_equal(client_read(&c, CONF, 0x0c, &b, 1), 0);
	assert_int_equal(b, 249);
	client_expect_silence(&c);
	/* Bad ones are not answered either. */
	client_post(&c, CONF, 99999, &i, 1);
	client_post(&c, 5, 0, &i, 1);
	client_expect_silence(&c);
	assert_int_equal(client_read(&c, CONF, 0x0c, &b, 1), 0);
}

static void ask_much(struct vfu_client *client, unsigned int n)
{
	struct vfu_region_access acc = { 0, 0, VFU_MAX_DATA };
	unsigned int i;

	for (i = 0; i < n; i++) {
		acc.offset = (uint64_t)i * 4096;
		client_send(client, VFU_REGION_READ, 0, &acc, sizeof(acc), NULL,
			    0);
	}
}

static void test_client_does_not_read(void **state)
{
	struct vfu_answer answer;
	struct vfu_region_access acc;
	struct guest other;
	struct vfu_client good;
	char other_path[80];
	unsigned int i;
	size_t heap;
	uint8_t b;

	(void)state;
	guest_init_on(&other, &g, 1);
	snprintf(other_path, sizeof(other_path), "%s-b", path);
	assert_int_equal(front_listen(other.hca, other_path, NULL, NULL), 0);
	client_connect(&good, g.loop, other_path);
	client_hello(&good);
	client_hello(&c);

	/* 200 answers of 64 KiB, far more than socket and queue hold. */
	heap = mallinfo2().uordblks;
	ask_much(&c, 200);
	for (i = 0; i < 100; i++) {
		loop_turn(g.loop, 0);
		assert_int_equal(client_read(&good, CONF, 0, &b, 1), 0);
	}
	assert_true(mallinfo2().uordblks < heap + (2u << 20));

	for (i = 0; i < 200; i++) {
		client_recv(&c, &answer);
		assert_int_equal(answer.hdr.error, 0);
		assert_int_equal(answer.len, sizeof(acc) + VFU_MAX_DATA);
		memcpy(&acc, answer.body, sizeof(acc));
		assert_int_equal(acc.offset, (uint64_t)i * 4096);
	}
	client_expect_silence(&c);

	/* It goes away while much is waiting for it. */
	ask_much(&c, 200);
	for (i = 0; i < 10; i++)
		loop_turn(g.loop, 0);
	client_close(&c);
	assert_false(front_connected(g.hca));
	assert_int_equal(client_read(&good, CONF, 0, &b, 1), 0);
	client_connect(&c, g.loop, path);
	client_hello(&c);

	client_close(&good);
	guest_fini(&other);
}

/* ---- clients ---- */

static void test_clients_take_turns(void **state)
{
	struct vfu_client second, silent;
	uint8_t b;

	(void)state;
	/* One that goes without a word is not counted. */
	client_connect(&silent, g.loop, path);
	client_close(&silent);
	client_hello(&c);
	assert_int_equal(changes, 1);
	assert_true(front_connected(g.hca));

	client_connect(&second, g.loop, path);
	client_send(&second, VFU_VERSION, 0, "\0\0\0\0", 4, NULL, 0);
	client_expect_silence(&second);
	assert_int_equal(client_read(&c, CONF, 0, &b, 1), 0);
	client_close(&c);
	assert_true(front_connected(g.hca)); /* the second one's turn */
	assert_int_equal(changes, 3);
	assert_int_equal(front_clients(g.hca), 2);
	{
		struct vfu_answer answer;

		client_recv(&second, &answer);
		assert_int_equal(answer.hdr.error, 0);
	}
	assert_int_equal(client_read(&second, CONF, 0, &b, 1), 0);
	client_close(&second);
	assert_false(front_connected(g.hca));
	client_connect(&c, g.loop, path);
}

static void test_half_closed(void **state)
{
	(void)state;
	client_hello(&c);
	assert_int_equal(shutdown(c.fd, SHUT_WR), 0);
	assert_true(client_closed(&c, 1000));
	assert_false(front_connected(g.hca));
}

static void test_silent_client_is_dropped(void **state)
{
	struct vfu_client second;

	(void)state;
	/* Connects, says nothing; the next one gets its turn all the same. */
	loop_turn(g.loop, 0);
	client_connect(&second, g.loop, path);
	assert_true(client_closed(&c, 8000));
	client_hello(&second);
	client_close(&second);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

RUN_TESTS(T(test_any_cut), T(test_vanish_anywhere), T(test_sizes),
	  T(test_oversized_with_fds), T(test_types), T(test_too_many_fds),
	  T(test_random_bytes), T(test_posted_writes),
	  T(test_client_does_not_read), T(test_clients_take_turns),
	  T(test_half_closed), T(test_silent_client_is_dropped))
