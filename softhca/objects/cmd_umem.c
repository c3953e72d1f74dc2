// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UMEM: a piece of a user's memory, as a page list that the kernel has made.
 * Users put queues and keys on it.
 *
 * Where the kernel's commands give page addresses, a user's command names a
 * UMEM and an offset in it.  An object on a UMEM copies its part of the page
 * list.  The UMEM cannot be destroyed before the object.  If the user may only
 * read a UMEM, no object can be put on it that the device writes to.
 */
#include <string.h>

#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "umem.h"

#define PAGE_SHIFT_MIN 12u
#define PAGE_SHIFT_MAX 43u
#define MTT_WRITE      2u

struct umem {
	struct obj obj;
	struct ring ring; /* begins at the UMEM's page offset */
	bool writable;
};

static void umem_free(struct obj *obj)
{
	struct umem *umem = (struct umem *)obj;

	ring_free(&umem->ring);
	mem_free(umem);
}

static enum cmd_status check_umem(struct cmd *cmd)
{
	uint64_t num = be64_get(cmd->in + UMEM_NUM_MTT_AT);
	unsigned int log_page = bits_get(cmd->in, UMEM_LOG_PAGE);

	if (log_page + PAGE_SHIFT_MIN > PAGE_SHIFT_MAX)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UMEM, SYND_SIZE,
			      "page size is too large");
	if (!num || num > (cmd->in_len - UMEM_LIST_AT) / sizeof(uint64_t))
		return refuse(cmd, CMD_BAD_INP_LEN, OBJ_UMEM, SYND_LIST,
			      "page list is empty or longer than the command");
	if (num > (UINT64_MAX / 2) >> (log_page + PAGE_SHIFT_MIN))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UMEM, SYND_SIZE,
			      "the UMEM is larger than any memory");
	if ((uint64_t)bits_get(cmd->in, UMEM_PAGE_OFFSET) >>
	    (log_page + PAGE_SHIFT_MIN))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UMEM, SYND_ADDRESS,
			      "page offset is outside the page");
	if (bits_get(cmd->in, UMEM_ATS))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UMEM, SYND_UNSUPPORTED,
			      "ATS is not reported");
	return CMD_OK;
}

static bool read_pages(struct hca *hca, struct umem *umem,
		       const struct cmd *cmd)
{
	struct ring *ring = &umem->ring;
	uint64_t page, i;

	ring->num_pages = (uint32_t)be64_get(cmd->in + UMEM_NUM_MTT_AT);
	ring->log_page =
		(uint8_t)(bits_get(cmd->in, UMEM_LOG_PAGE) + PAGE_SHIFT_MIN);
	ring->offset = bits_get(cmd->in, UMEM_PAGE_OFFSET);
	page = (uint64_t)1 << ring->log_page;
	ring->size =
		((uint64_t)ring->num_pages << ring->log_page) - ring->offset;
	ring->pages =
		mem_array(&hca->mem, ring->num_pages, sizeof(*ring->pages));
	if (!ring->pages)
		return false;
	umem->writable = true;
	for (i = 0; i < ring->num_pages; i++) {
		uint64_t mtt = be64_get(cmd->in + UMEM_LIST_AT + i * 8);

		ring->pages[i] = mtt & ~(page - 1);
		umem->writable &= !!(mtt & MTT_WRITE);
	}
	return true;
}

static enum cmd_status create_umem(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = check_umem(cmd);
	struct umem *umem;

	if (status)
		return status;
	umem = mem_alloc(&hca->mem, sizeof(*umem));
	if (!umem || !read_pages(hca, umem, cmd)) {
		mem_free(umem);
		return refuse(cmd, CMD_LIM_ERR, OBJ_UMEM, SYND_MEMORY,
			      "out of memory");
	}
	obj_init(&umem->obj, OBJ_UMEM, cmd->uid, umem_free);
	return cmd_create(hca, cmd, &umem->obj);
}

static enum cmd_status destroy_umem(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_UMEM);
}

/* Find a UMEM.  It must contain [off, off + len) and allow the access. */
static enum cmd_status find(struct hca *hca, struct cmd *cmd,
			    const struct umem_spec *spec, struct umem **umem)
{
	enum cmd_status status;
	struct obj *obj;

	/* A user may use its own UMEMs, but none of another user or uid 0. */
	status = cmd_use(hca, cmd, OBJ_UMEM, spec->id, &obj);
	if (status)
		return status;
	*umem = (struct umem *)obj;
	if (spec->len > (*umem)->ring.size ||
	    spec->off > (*umem)->ring.size - spec->len)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UMEM, SYND_ADDRESS,
			      "the range passes the end of the UMEM");
	if (spec->writes && !(*umem)->writable)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UMEM, SYND_FIELD,
			      "the device may not write to the UMEM");
	return CMD_OK;
}

enum cmd_status umem_ring(struct hca *hca, struct cmd *cmd,
			  const struct umem_spec *spec, struct ring *ring,
			  struct obj **obj)
{
	enum cmd_status status;
	struct umem *umem;
	uint64_t pos, first, num;

	status = find(hca, cmd, spec, &umem);
	if (status)
		return status;
	pos = umem->ring.offset + spec->off;
	first = pos >> umem->ring.log_page;
	ring->log_page = umem->ring.log_page;
	ring->offset = pos - (first << ring->log_page);
	ring->size = spec->len;
	num = (ring->offset + spec->len + ((uint64_t)1 << ring->log_page) -
	       1) >>
	      ring->log_page;
	ring->num_pages = (uint32_t)num;
	ring->pages = mem_array(&hca->mem, num, sizeof(*ring->pages));
	if (!ring->pages)
		return refuse(cmd, CMD_LIM_ERR, OBJ_UMEM, SYND_MEMORY,
			      "out of memory");
	memcpy(ring->pages, umem->ring.pages + first,
	       num * sizeof(*ring->pages));
	*obj = &umem->obj;
	return CMD_OK;
}

enum cmd_status umem_record(struct hca *hca, struct cmd *cmd, uint32_t id,
			    uint64_t *dbr, struct obj **obj)
{
	const struct umem_spec spec = {
		.id = id,
		.off = *dbr,
		.len = DBR_SIZE,
		.writes = false,
	};
	enum cmd_status status;
	struct umem *umem;

	status = find(hca, cmd, &spec, &umem);
	if (status)
		return status;
	if ((umem->ring.offset + *dbr) % DBR_SIZE)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UMEM, SYND_ADDRESS,
			      "the doorbell record is not aligned");
	*dbr = ring_gpa(&umem->ring, *dbr);
	*obj = &umem->obj;
	return CMD_OK;
}

const struct cmd_def cmds_umem[] = {
	{ 0xa08, "CREATE_UMEM", CMD_ANYONE, UMEM_LIST_AT, CMD_OUT_NUMBER,
	  create_umem },
	{ 0xa0a, "DESTROY_UMEM", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_umem },
	{ .name = NULL },
};
