// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A guest without a VM; see guest.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "bar.h"
#include "front_state.h"
#include "guest.h"

#define BOX_STRIDE 1024u /* as the driver aligns mailboxes */

static void init_ram(struct guest *guest)
{
	guest->fd = memfd_create("guest-ram", MFD_CLOEXEC);
	assert_true(guest->fd >= 0);
	assert_int_equal(ftruncate(guest->fd, GUEST_RAM_SIZE), 0);
	guest->ram = mmap(NULL, GUEST_RAM_SIZE, PROT_READ | PROT_WRITE,
			  MAP_SHARED, guest->fd, 0);
	assert_ptr_not_equal(guest->ram, MAP_FAILED);
	guest->next = GUEST_RAM_BASE;
	assert_int_equal(dma_map_add(guest->hca->dma, GUEST_RAM_BASE,
				     GUEST_RAM_SIZE, guest->fd, 0,
				     DMA_READ | DMA_WRITE),
			 0);
}

void guest_init(struct guest *guest)
{
	memset(guest, 0, sizeof(*guest));
	log_to_stderr(false);
	guest->own_loop = true;
	guest->loop = loop_create();
	assert_non_null(guest->loop);
	guest->wire = wire_create();
	assert_non_null(guest->wire);
	guest->lan = lan_create();
	assert_non_null(guest->lan);
	guest->hca = hca_create(guest->loop, guest->wire, 0);
	assert_non_null(guest->hca);
	assert_int_equal(hca_join_lan(guest->hca, guest->lan), 0);
	init_ram(guest);
}

void guest_init_on(struct guest *guest, struct guest *other, unsigned int index)
{
	memset(guest, 0, sizeof(*guest));
	guest->loop = other->loop;
	guest->wire = other->wire;
	guest->lan = other->lan;
	guest->hca = hca_create(guest->loop, guest->wire, index);
	assert_non_null(guest->hca);
	assert_int_equal(hca_join_lan(guest->hca, guest->lan), 0);
	init_ram(guest);
}

void guest_fini(struct guest *guest)
{
	hca_destroy(guest->hca);
	if (guest->own_loop) {
		wire_destroy(guest->wire);
		lan_destroy(guest->lan);
		loop_destroy(guest->loop);
	}
	munmap(guest->ram, GUEST_RAM_SIZE);
	close(guest->fd);
}

uint64_t guest_alloc(struct guest *guest, size_t len)
{
	uint64_t gpa = guest->next;

	assert_true(len <= GUEST_RAM_BASE + GUEST_RAM_SIZE - gpa);
	guest->next += (len + GUEST_PAGE - 1) & ~(uint64_t)(GUEST_PAGE - 1);
	return gpa;
}

void *guest_ptr(struct guest *guest, uint64_t gpa, size_t len)
{
	assert_true(gpa >= GUEST_RAM_BASE);
	assert_true(gpa - GUEST_RAM_BASE <= GUEST_RAM_SIZE);
	assert_true(len <= GUEST_RAM_SIZE - (gpa - GUEST_RAM_BASE));
	return guest->ram + (gpa - GUEST_RAM_BASE);
}

enum cmd_status guest_cmd(struct guest *guest, const void *in, size_t in_len,
			  void *out, size_t out_len)
{
	struct cmd cmd;

	memset(&cmd, 0, sizeof(cmd));
	memset(out, 0, out_len);
	cmd.in = in;
	cmd.in_len = in_len;
	cmd.out = out;
	cmd.out_len = out_len;
	return cmd_execute(guest->hca, &cmd);
}

uint32_t guest_syndrome(const void *out)
{
	return be32_get((const uint8_t *)out + 4);
}

/* ---- command queue ---- */

void guest_cmdq_init(struct guest *guest)
{
	guest->cmdq = guest_alloc(guest, GUEST_PAGE);
	guest_write32(guest, 0x10, (uint32_t)(guest->cmdq >> 32));
	guest_write32(guest, 0x14, (uint32_t)guest->cmdq);
}

uint64_t guest_cmdq_entry(struct guest *guest, unsigned int slot)
{
	return guest->cmdq + slot * 64;
}

/* A chain of mailboxes for len bytes; 0 when none is needed. */
static uint64_t make_chain(struct guest *guest, const uint8_t *data, size_t len)
{
	size_t i, n = (len + 511) / 512, part;
	uint64_t chain;
	uint8_t *box;

	if (!n)
		return 0;
	chain = guest_alloc(guest, n * BOX_STRIDE);
	for (i = 0; i < n; i++) {
		box = guest_ptr(guest, chain + i * BOX_STRIDE, BOX_STRIDE);
		part = len - i * 512 < 512 ? len - i * 512 : 512;
		if (data)
			memcpy(box, data + i * 512, part);
		else
			memset(box, 0xee, part);
		be64_put(box + 0x230,
			 i + 1 < n ? chain + (i + 1) * BOX_STRIDE : 0);
		be32_put(box + 0x238, (uint32_t)i);
		box[0x23d] = guest->token;
	}
	return chain;
}

void guest_cmdq_prepare(struct guest *guest, unsigned int slot, const void *in,
			size_t in_len, size_t out_len)
{
	uint8_t *entry = guest_ptr(guest, guest_cmdq_entry(guest, slot), 64);

	assert_true(in_len >= 16);
	guest->token++;
	memset(entry, 0, 64);
	entry[0] = 7;
	be32_put(entry + 4, (uint32_t)in_len);
	be64_put(entry + 8,
		 make_chain(guest, (const uint8_t *)in + 16, in_len - 16));
	memcpy(entry + 0x10, in, 16);
	memset(entry + 0x20, 0xee, 16);
	be64_put(entry + 0x30,
		 make_chain(guest, NULL, out_len > 16 ? out_len - 16 : 0));
	be32_put(entry + 0x38, (uint32_t)out_len);
	entry[0x3c] = guest->token;
	entry[0x3f] = 1;
}

void guest_cmdq_ring(struct guest *guest, uint32_t slots)
{
	guest_write32(guest, 0x18, slots);
	while (guest->hca->front->cmdq.pending)
		loop_turn(guest->loop, 0);
}

int guest_cmdq_result(struct guest *guest, unsigned int slot, void *out,
		      size_t out_len)
{
	const uint8_t *entry =
		guest_ptr(guest, guest_cmdq_entry(guest, slot), 64);
	uint64_t chain = be64_get(entry + 0x30);
	uint8_t *to = out;
	size_t i, part;

	assert_int_equal(entry[0x3f] & 1, 0);
	if (entry[0x3f] >> 1)
		return GUEST_DELIVERY + (entry[0x3f] >> 1);
	memcpy(to, entry + 0x20, out_len < 16 ? out_len : 16);
	for (i = 16; i < out_len; i += 512) {
		part = out_len - i < 512 ? out_len - i : 512;
		memcpy(to + i, guest_ptr(guest, chain, 576), part);
		chain = be64_get((uint8_t *)guest_ptr(guest, chain, 576) +
				 0x230);
	}
	return to[0];
}

int guest_cmdq_submit(struct guest *guest, unsigned int slot, const void *in,
		      size_t in_len, void *out, size_t out_len)
{
	uint64_t mark = guest->next;
	int status;

	guest_cmdq_prepare(guest, slot, in, in_len, out_len);
	guest_cmdq_ring(guest, (uint32_t)1 << slot);
	status = guest_cmdq_result(guest, slot, out, out_len);
	guest->next = mark; /* the mailboxes are free again */
	return status;
}

/* ---- registers ---- */

void guest_write32(struct guest *guest, uint64_t off, uint32_t value)
{
	uint8_t buf[4];

	be32_put(buf, value);
	assert_int_equal(bar_write(guest->hca, off, buf, sizeof(buf)), 0);
}

void guest_write64(struct guest *guest, uint64_t off, uint64_t value)
{
	uint8_t buf[8];

	be64_put(buf, value);
	assert_int_equal(bar_write(guest->hca, off, buf, sizeof(buf)), 0);
}

uint32_t guest_read32(struct guest *guest, uint64_t off)
{
	uint8_t buf[4];

	assert_int_equal(bar_read(guest->hca, off, buf, sizeof(buf)), 0);
	return be32_get(buf);
}

/* ---- time ---- */

void guest_run(struct guest *guest)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		loop_turn(guest->loop, 0);
}

void guest_run_until(struct guest *guest, const bool *flag)
{
	uint64_t end = loop_now_ns() + 60000000000ull;

	while (!*flag) {
		assert_true(loop_now_ns() < end);
		loop_turn(guest->loop, 1);
	}
}

unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	unsigned int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			n++;
	closedir(dir);
	return n - 1; /* but for the directory itself */
}
