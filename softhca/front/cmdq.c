// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Command queue: fetch, gather, execute, scatter, complete.
 *
 * The entry carries the first 16 bytes of input and output.  The rest lies in
 * chains of mailboxes, 512 bytes each.  The lengths in the entry tell how many
 * mailboxes are visited, so a chain that loops is harmless.  The output chain
 * is checked before the command runs.  So a command is executed only if its
 * answer can be delivered.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "cmdq.h"
#include "front_state.h"
#include "objects.h"

/* Entry. */
#define ENTRY_TYPE   0x00
#define ENTRY_INLEN  0x04
#define ENTRY_INPTR  0x08
#define ENTRY_IN     0x10
#define ENTRY_OUT    0x20
#define ENTRY_OUTPTR 0x30
#define ENTRY_OUTLEN 0x38
#define ENTRY_TOKEN  0x3c
#define ENTRY_STATUS 0x3f
#define INLINE_SIZE  16u
#define TYPE_PCI     7
#define OWNER_HW     1u

/* Mailbox. */
#define BOX_DATA  512u
#define BOX_NEXT  0x230
#define BOX_NUM	  0x238
#define BOX_TOKEN 0x23d
#define BOX_SIZE  576u
#define BOX_ALIGN 512u

/* A command that takes longer, with its mailboxes, is logged. */
#define SLOW_NS 100000000ull

/* What a command costs, in the loop's units of work. */
#define CMD_COST       64u
#define BYTES_PER_UNIT 64u

/* A buffer above this size is not kept between commands. */
#define KEEP_SIZE (1u << 20)
#define MIN_SIZE  4096u

/* Delivery status. */
enum delivery {
	DELIVERY_OK = 0x00,
	DELIVERY_BAD_TOKEN = 0x02,
	DELIVERY_BAD_BLOCK = 0x03,
	DELIVERY_BAD_OUT_PTR = 0x04,
	DELIVERY_BAD_IN_PTR = 0x05,
	DELIVERY_FW_ERR = 0x06,
	DELIVERY_BAD_IN_LEN = 0x07,
	DELIVERY_BAD_OUT_LEN = 0x08,
	DELIVERY_BAD_TYPE = 0x10,
};

static bool buf_reserve(struct hca *hca, struct cmdq_buf *buf, size_t size)
{
	uint8_t *data;

	if (size <= buf->size)
		return true;
	size = (size + MIN_SIZE - 1) & ~(size_t)(MIN_SIZE - 1);
	data = mem_resize(&hca->mem, buf->data, size);
	if (!data)
		return false;
	buf->data = data;
	buf->size = size;
	return true;
}

static void buf_free(struct cmdq_buf *buf)
{
	mem_free(buf->data);
	buf->data = NULL;
	buf->size = 0;
}

/*
 * A part is always kept, so that a guest that has used up its memory can still
 * destroy something.
 */
static void buf_trim(struct hca *hca, struct cmdq_buf *buf)
{
	uint8_t *data;

	if (buf->size <= KEEP_SIZE)
		return;
	data = mem_resize(&hca->mem, buf->data, MIN_SIZE);
	if (!data)
		return;
	buf->data = data;
	buf->size = MIN_SIZE;
}

void cmdq_reset(struct hca *hca)
{
	struct cmdq *cmdq = &hca->front->cmdq;

	loop_work_cancel(hca->loop, &cmdq->work);
	cmdq->pending = 0;
	cmdq->valid = false;
	cmdq->addr = 0;
	buf_free(&cmdq->in);
	buf_free(&cmdq->out);
	buf_free(&cmdq->chain);
}

void cmdq_set_address(struct hca *hca, uint64_t addr)
{
	hca->front->cmdq.addr = addr;
	hca->front->cmdq.valid = true;
	limit_info(hca->name, "command queue at 0x%" PRIx64, addr);
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Number of mailboxes for a message of len bytes. */
static size_t num_boxes(size_t len)
{
	return len > INLINE_SIZE ? (len - INLINE_SIZE + BOX_DATA - 1) / BOX_DATA
				 : 0;
}

/*
 * Read and check the mailbox at addr, which must be number index of its chain.
 * bad_ptr is the result for an address that cannot be used.
 */
static enum delivery read_box(struct hca *hca, uint64_t addr, uint32_t index,
			      uint8_t token, enum delivery bad_ptr,
			      uint8_t box[BOX_SIZE])
{
	if (!addr || addr % BOX_ALIGN ||
	    dma_read(hca->dma, addr, box, BOX_SIZE))
		return bad_ptr;
	if (be32_get(box + BOX_NUM) != index)
		return DELIVERY_BAD_BLOCK;
	if (box[BOX_TOKEN] != token)
		return DELIVERY_BAD_TOKEN;
	return DELIVERY_OK;
}

static enum delivery gather_input(struct hca *hca, const uint8_t *entry,
				  size_t len)
{
	struct cmdq_buf *in = &hca->front->cmdq.in;
	uint64_t addr = be64_get(entry + ENTRY_INPTR);
	uint8_t box[BOX_SIZE];
	enum delivery err;
	size_t i, n, done;

	/* There is always room for the inline part, which is copied whole. */
	if (!buf_reserve(hca, in, len < INLINE_SIZE ? INLINE_SIZE : len))
		return DELIVERY_FW_ERR;
	memcpy(in->data, entry + ENTRY_IN, INLINE_SIZE);
	done = INLINE_SIZE;
	for (i = 0; i < num_boxes(len); i++) {
		err = read_box(hca, addr, (uint32_t)i, entry[ENTRY_TOKEN],
			       DELIVERY_BAD_IN_PTR, box);
		if (err)
			return err;
		n = min_size(len - done, BOX_DATA);
		memcpy(in->data + done, box, n);
		done += n;
		addr = be64_get(box + BOX_NEXT);
	}
	return DELIVERY_OK;
}

/* Collect the addresses of the output mailboxes in cmdq->chain. */
static enum delivery walk_output(struct hca *hca, const uint8_t *entry,
				 size_t len)
{
	struct cmdq *cmdq = &hca->front->cmdq;
	uint64_t addr = be64_get(entry + ENTRY_OUTPTR);
	size_t i, n = num_boxes(len);
	uint8_t box[BOX_SIZE];
	enum delivery err;

	if (!buf_reserve(hca, &cmdq->chain, n * sizeof(addr)) ||
	    !buf_reserve(hca, &cmdq->out,
			 len < INLINE_SIZE ? INLINE_SIZE : len))
		return DELIVERY_FW_ERR;
	for (i = 0; i < n; i++) {
		err = read_box(hca, addr, (uint32_t)i, entry[ENTRY_TOKEN],
			       DELIVERY_BAD_OUT_PTR, box);
		if (err)
			return err;
		if (!dma_ptr(hca->dma, addr, BOX_DATA, DMA_WRITE, NULL))
			return DELIVERY_BAD_OUT_PTR;
		memcpy(cmdq->chain.data + i * sizeof(addr), &addr,
		       sizeof(addr));
		addr = be64_get(box + BOX_NEXT);
	}
	return DELIVERY_OK;
}

static void scatter_output(struct hca *hca, uint64_t entry_addr, size_t len)
{
	struct cmdq *cmdq = &hca->front->cmdq;
	const uint8_t *out = cmdq->out.data;
	size_t i, done = INLINE_SIZE;
	uint64_t addr;
	int err;

	err = dma_write(hca->dma, entry_addr + ENTRY_OUT, out, INLINE_SIZE);
	for (i = 0; !err && i < num_boxes(len); i++) {
		memcpy(&addr, cmdq->chain.data + i * sizeof(addr),
		       sizeof(addr));
		err = dma_write(hca->dma, addr, out + done,
				min_size(len - done, BOX_DATA));
		done += BOX_DATA;
	}
	/* walk_output() has checked this memory, so it must be there. */
	if (err)
		log_error("%s: cannot write the output of a command",
			  hca->name);
}

/* *lost is set when the command gets no answer. */
static enum delivery run(struct hca *hca, uint64_t entry_addr,
			 const uint8_t *entry, bool *lost)
{
	struct cmdq *cmdq = &hca->front->cmdq;
	uint32_t in_len = be32_get(entry + ENTRY_INLEN);
	uint32_t out_len = be32_get(entry + ENTRY_OUTLEN);
	enum delivery err;
	struct cmd cmd;

	if (entry[ENTRY_TYPE] != TYPE_PCI)
		return DELIVERY_BAD_TYPE;
	if (in_len < 8 || in_len > CMDQ_MAX_IN)
		return DELIVERY_BAD_IN_LEN;
	if (out_len < 8 || out_len > CMDQ_MAX_OUT)
		return DELIVERY_BAD_OUT_LEN;
	err = gather_input(hca, entry, in_len);
	if (!err)
		err = walk_output(hca, entry, out_len);
	if (err)
		return err;

	memset(&cmd, 0, sizeof(cmd));
	loop_spend(hca->loop, CMD_COST + (in_len + out_len) / BYTES_PER_UNIT);
	cmd.in = cmdq->in.data;
	cmd.in_len = in_len;
	cmd.out = cmdq->out.data;
	cmd.out_len = out_len;
	memset(cmd.out, 0, out_len < INLINE_SIZE ? INLINE_SIZE : out_len);
	cmd_execute(hca, &cmd);
	*lost = cmd.lost;
	if (*lost)
		return DELIVERY_OK;
	scatter_output(hca, entry_addr, out_len);
	return DELIVERY_OK;
}

static void serve_slot(struct hca *hca, unsigned int slot)
{
	struct cmdq *cmdq = &hca->front->cmdq;
	uint64_t addr = cmdq->addr + ((uint64_t)slot << CMDQ_LOG_STRIDE);
	bool had_eq = eq_has_cmd(hca), lost = false;
	uint8_t entry[CMDQ_ENTRY], *status;
	enum delivery delivery;
	uint64_t start, took;

	if (dma_read(hca->dma, addr, entry, sizeof(entry)) ||
	    !dma_ptr(hca->dma, addr, sizeof(entry), DMA_WRITE, NULL)) {
		limit_warn(hca->name, "command entry %u is not in guest memory",
			   slot);
		return;
	}
	if (!(entry[ENTRY_STATUS] & OWNER_HW)) {
		limit_warn(hca->name,
			   "doorbell for command entry %u, which the driver "
			   "owns",
			   slot);
		return;
	}
	start = loop_now_ns();
	delivery = run(hca, addr, entry, &lost);
	took = loop_now_ns() - start;
	if (took > SLOW_NS)
		limit_warn(hca->name, "command 0x%03x took %" PRIu64 " ms",
			   be16_get(entry + ENTRY_IN), took / 1000000);
	if (delivery)
		limit_warn(hca->name,
			   "command entry %u opcode 0x%03x: delivery "
			   "status 0x%02x",
			   slot, be16_get(entry + ENTRY_IN), delivery);
	buf_trim(hca, &cmdq->in);
	buf_trim(hca, &cmdq->out);
	buf_trim(hca, &cmdq->chain);

	status = dma_ptr(hca->dma, addr + ENTRY_STATUS, 1, DMA_WRITE, NULL);
	if (lost || !status)
		return;
	/* The driver may poll this byte, so the output must be visible first. */
	__atomic_store_n(status, (uint8_t)(delivery << 1), __ATOMIC_RELEASE);
	if (had_eq && eq_has_cmd(hca))
		eq_post_cmd(hca, (uint32_t)1 << slot);
}

/* A command that resets the device has cleared what was pending. */
static void serve_next(void *arg)
{
	struct hca *hca = arg;
	struct cmdq *cmdq = &hca->front->cmdq;
	unsigned int slot = cmdq->slot;

	while (!(cmdq->pending >> slot & 1))
		slot = (slot + 1) % (1u << CMDQ_LOG_SIZE);
	cmdq->pending &= ~((uint32_t)1 << slot);
	cmdq->slot = (slot + 1) % (1u << CMDQ_LOG_SIZE);
	serve_slot(hca, slot);
	if (cmdq->pending)
		loop_work_queue(hca->loop, &cmdq->work);
}

void cmdq_init(struct hca *hca)
{
	struct cmdq *cmdq = &hca->front->cmdq;

	cmdq->work.fn = serve_next;
	cmdq->work.arg = hca;
	cmdq->work.lane = &hca->lane;
}

void cmdq_doorbell(struct hca *hca, uint32_t slots)
{
	struct cmdq *cmdq = &hca->front->cmdq;

	if (!cmdq->valid) {
		limit_warn(hca->name,
			   "command doorbell before the queue's address");
		return;
	}
	cmdq->pending |= slots;
	if (cmdq->pending)
		loop_work_queue(hca->loop, &cmdq->work);
}
