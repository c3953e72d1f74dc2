// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the command handlers share.  handlers.h tells the rules of ownership,
 * which are checked here.
 */
#include <errno.h>
#include <stdlib.h>

#include "handlers.h"
#include "hw_cmd.h"

#define PAGE_SHIFT_MIN 12u
#define PAGE_SHIFT_MAX 43u
#define PAGE_SHARE     64u /* a page offset counts 64ths of a page */

struct kind_text {
	const char *none, *uid, *busy, *full;
};

#define KIND_TEXT(name)                                               \
	{ "no such " name, name " of another uid", name " is in use", \
	  "every " name " number is in use" }

static const struct kind_text kind_texts[OBJ_KINDS] = {
	[OBJ_EQ] = KIND_TEXT("EQ"),
	[OBJ_CQ] = KIND_TEXT("CQ"),
	[OBJ_QP] = KIND_TEXT("QP"),
	[OBJ_MKEY] = KIND_TEXT("mkey"),
	[OBJ_PD] = KIND_TEXT("PD"),
	[OBJ_UAR] = KIND_TEXT("UAR"),
	[OBJ_SRQ] = KIND_TEXT("SRQ"),
	[OBJ_XRCD] = KIND_TEXT("XRC domain"),
	[OBJ_TD] = KIND_TEXT("transport domain"),
	[OBJ_UCTX] = KIND_TEXT("user context"),
	[OBJ_COUNTER] = KIND_TEXT("counter set"),
	[OBJ_ETH_RQ] = KIND_TEXT("RQ"),
	[OBJ_ETH_SQ] = KIND_TEXT("SQ"),
	[OBJ_TIR] = KIND_TEXT("TIR"),
	[OBJ_TIS] = KIND_TEXT("TIS"),
	[OBJ_RQT] = KIND_TEXT("RQT"),
	[OBJ_FLOW_TABLE] = KIND_TEXT("flow table"),
	[OBJ_FLOW_GROUP] = KIND_TEXT("flow group"),
	[OBJ_UMEM] = KIND_TEXT("UMEM"),
};

bool uid_exists(struct hca *hca, uint16_t uid)
{
	return uid == UID_KERNEL || uid == UID_SHARED ||
	       obj_find(hca, OBJ_UCTX, uid);
}

enum cmd_status refuse(struct cmd *cmd, enum cmd_status status,
		       enum obj_kind kind, enum synd synd, const char *why)
{
	return cmd_refuse(cmd, status, SYNDROME(kind, synd), why);
}

static enum cmd_status lookup(struct hca *hca, struct cmd *cmd,
			      enum obj_kind kind, uint32_t id, bool change,
			      struct obj **obj)
{
	struct obj *found = obj_find(hca, kind, id);

	if (!found)
		return refuse(cmd, CMD_BAD_RES, kind, SYND_NONE,
			      kind_texts[kind].none);
	if (change ? !uid_may_change(cmd->uid, found->uid)
		   : !uid_may_use(cmd->uid, found->uid))
		return refuse(cmd, CMD_BAD_RES, kind, SYND_UID,
			      kind_texts[kind].uid);
	*obj = found;
	return CMD_OK;
}

enum cmd_status cmd_use(struct hca *hca, struct cmd *cmd, enum obj_kind kind,
			uint32_t id, struct obj **obj)
{
	return lookup(hca, cmd, kind, id, false, obj);
}

enum cmd_status cmd_change(struct hca *hca, struct cmd *cmd, enum obj_kind kind,
			   uint32_t id, struct obj **obj)
{
	return lookup(hca, cmd, kind, id, true, obj);
}

static enum cmd_status refuse_number(struct hca *hca, struct cmd *cmd,
				     enum obj_kind kind, int err)
{
	switch (err) {
	case ENOSPC:
		return refuse(cmd, CMD_LIM_ERR, kind, SYND_FULL,
			      kind_texts[kind].full);
	case ENOMEM:
		return refuse(cmd, CMD_LIM_ERR, kind, SYND_MEMORY,
			      "out of memory");
	default:
		log_error("%s: a new object uses more than %d others",
			  hca->name, OBJ_MAX_USES);
		return refuse(cmd, CMD_INT_ERR, kind, SYND_INTERNAL,
			      "the object uses too many others");
	}
}

enum cmd_status cmd_create(struct hca *hca, struct cmd *cmd, struct obj *obj)
{
	enum obj_kind kind = obj->kind;
	enum cmd_status status;
	int err;

	obj->uid = cmd->uid;
	if (!uid_exists(hca, cmd->uid)) {
		status = refuse(cmd, CMD_BAD_PARAM, OBJ_UCTX, SYND_UID,
				"the uid names no user context");
		goto err_free;
	}
	obj_use(obj, obj_find(hca, OBJ_UCTX, cmd->uid));
	err = obj_add(obj_table(hca, kind), obj);
	if (err) {
		status = refuse_number(hca, cmd, kind, err);
		goto err_free;
	}
	bits_set(cmd->out, CMD_NUMBER, obj->id);
	return CMD_OK;

err_free:
	obj_unuse_all(obj);
	obj->free(obj);
	return status;
}

enum cmd_status cmd_check_destroy(struct hca *hca, struct cmd *cmd,
				  enum obj_kind kind, uint32_t id,
				  struct obj **obj)
{
	enum cmd_status status = cmd_change(hca, cmd, kind, id, obj);

	if (status)
		return status;
	if ((*obj)->refs)
		return refuse(cmd, CMD_RES_BUSY, kind, SYND_BUSY,
			      kind_texts[kind].busy);
	return CMD_OK;
}

enum cmd_status cmd_destroy(struct hca *hca, struct cmd *cmd,
			    enum obj_kind kind)
{
	uint32_t id = bits_get(cmd->in, CMD_NUMBER);
	enum cmd_status status;
	struct obj *obj;

	status = cmd_check_destroy(hca, cmd, kind, id, &obj);
	if (status)
		return status;
	obj_del(obj_table(hca, kind), obj);
	return CMD_OK;
}

enum cmd_status cmd_ring(struct hca *hca, struct cmd *cmd, enum obj_kind kind,
			 const struct ring_spec *spec, struct ring *ring)
{
	unsigned int log_page = spec->log_page + PAGE_SHIFT_MIN;
	size_t room = cmd->in_len > spec->pas ? cmd->in_len - spec->pas : 0;
	uint64_t page, offset, num, i;

	if (log_page > PAGE_SHIFT_MAX)
		return refuse(cmd, CMD_BAD_PARAM, kind, SYND_SIZE,
			      "the page size is too large");
	page = (uint64_t)1 << log_page;
	offset = page / PAGE_SHARE * spec->page_offset;
	if (offset >= page)
		return refuse(cmd, CMD_BAD_PARAM, kind, SYND_ADDRESS,
			      "the page offset is outside the page");
	num = (offset + spec->bytes + page - 1) >> log_page;
	if (num > room / sizeof(uint64_t))
		return refuse(cmd, CMD_BAD_INP_LEN, kind, SYND_LIST,
			      "the page list is longer than the command");
	ring->pages = mem_array(&hca->mem, num, sizeof(*ring->pages));
	if (!ring->pages)
		return refuse(cmd, CMD_LIM_ERR, kind, SYND_MEMORY,
			      "out of memory");
	for (i = 0; i < num; i++)
		ring->pages[i] = be64_get(cmd->in + spec->pas + i * 8) &
				 ~(page - 1);
	ring->num_pages = (uint32_t)num;
	ring->log_page = (uint8_t)log_page;
	ring->offset = offset;
	ring->size = spec->bytes;
	return CMD_OK;
}
