// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of memory keys.
 *
 * A key is the index of the mkey and a variant byte that its owner chooses.
 * The translation list comes with the command, or later by UMR when the key
 * was created free.  Memory for a list is allocated only when there is a list,
 * so a driver may create thousands of free keys of large capacity.
 *
 * A PA key reaches all guest memory, so only the kernel may create one.  Page
 * addresses from a user would be unchecked, so a user creates MTT keys on a
 * UMEM only, whose list the kernel has made.
 */
#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "umem.h"

#define NO_KEY 0x100u /* the key that ends scatter lists; never created */

static void mkey_free(struct obj *obj)
{
	struct mkey *mkey = (struct mkey *)obj;

	mkey_drop_list(mkey);
	mem_free(mkey);
}

/* How many octwords the range of an MTT or KSM key takes; 0 when too many. */
static uint64_t octwords_needed(const uint8_t *mkc)
{
	unsigned int log_page = bits_get(mkc, MKC_LOG_PAGE);
	uint64_t page = (uint64_t)1 << log_page;
	uint64_t start = be64_get(mkc + MKC_START_AT) & (page - 1);
	uint64_t len = be64_get(mkc + MKC_LEN_AT), pages;

	if (len > UINT64_MAX - start - page)
		return 0;
	pages = (start + len + page - 1) >> log_page;
	if (mkc_mode(mkc) == MKEY_KSM)
		return pages;
	return (pages + MKEY_MTTS - 1) / MKEY_MTTS;
}

static enum cmd_status check_list(struct cmd *cmd, const uint8_t *mkc)
{
	uint32_t actual = bits_get(cmd->in, MKEY_ACTUAL);
	uint32_t octwords = bits_get(mkc, MKC_OCTWORDS);

	if (octwords > MKEY_MAX_OCTWORDS)
		return refuse(cmd, CMD_LIM_ERR, OBJ_MKEY, SYND_SIZE,
			      "the translation is too large");
	if (mkc_mode(mkc) >= MKEY_KLM &&
	    octwords > (uint64_t)1 << caps_value("log_max_klm_list_size"))
		return refuse(cmd, CMD_LIM_ERR, OBJ_MKEY, SYND_SIZE,
			      "more keys in a list than log_max_klm_list_size");
	if (actual > octwords)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_SIZE,
			      "the list is longer than the translation");
	if (actual > (cmd->in_len - CMD_PAS_AT) / MKEY_OCTWORD)
		return refuse(cmd, CMD_BAD_INP_LEN, OBJ_MKEY, SYND_LIST,
			      "the list is longer than the command");
	return CMD_OK;
}

static enum cmd_status check_range(struct cmd *cmd, const uint8_t *mkc)
{
	unsigned int mode = mkc_mode(mkc);
	unsigned int log_page = bits_get(mkc, MKC_LOG_PAGE);
	uint64_t needed;

	/* For a free key, UMR sets these fields later. */
	if (bits_get(mkc, MKC_FREE) || (mode != MKEY_MTT && mode != MKEY_KSM))
		return CMD_OK;
	if (log_page > MKEY_MAX_LOG_PAGE ||
	    (mode == MKEY_MTT && log_page < MKEY_MIN_LOG_PAGE))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_SIZE,
			      "log_page_size is out of range");
	if (bits_get(mkc, MKC_LENGTH64))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_SIZE,
			      "a list cannot cover all addresses");
	needed = octwords_needed(mkc);
	if (be64_get(mkc + MKC_LEN_AT) &&
	    (!needed || needed > bits_get(mkc, MKC_OCTWORDS)))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_SIZE,
			      "the translation does not cover the range");
	return CMD_OK;
}

/* A key on a UMEM takes size, pages and page offset from the UMEM. */
static enum cmd_status check_on_umem(struct cmd *cmd, const uint8_t *mkc)
{
	if (mkc_mode(mkc) != MKEY_MTT)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_TYPE,
			      "a key on a UMEM must be a list of pages");
	if (bits_get(mkc, MKC_FREE) || bits_get(mkc, MKC_UMR_EN) ||
	    bits_get(mkc, MKC_LENGTH64))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_FIELD,
			      "a key on a UMEM must be live and not for UMR");
	return CMD_OK;
}

static enum cmd_status check_mkey(struct cmd *cmd, const uint8_t *mkc)
{
	bool on_umem = bits_get(cmd->in, MKEY_UMEM_VALID);
	unsigned int mode = mkc_mode(mkc);
	enum cmd_status status;

	if (mode > MKEY_KSM)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_TYPE,
			      "unknown access mode");
	if (!uid_is_kernel(cmd->uid) &&
	    (mode == MKEY_PA || (mode == MKEY_MTT && !on_umem)))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_UID,
			      "a user may not give physical addresses");
	if (bits_get(mkc, MKC_BSF_EN) || bits_get(mkc, MKC_BSF_OCTWORDS))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_MKEY, SYND_UNSUPPORTED,
			      "signatures are not supported");
	if (on_umem)
		return check_on_umem(cmd, mkc);
	status = check_list(cmd, mkc);
	if (status)
		return status;
	return check_range(cmd, mkc);
}

/* Make the pages of a ring the key's translation, in whole octwords. */
static bool take_pages(struct mkey *mkey, struct ring *ring)
{
	uint32_t octwords = (ring->num_pages + MKEY_MTTS - 1) / MKEY_MTTS, i;
	size_t room = (size_t)octwords * MKEY_MTTS;
	bool ok = sparse_make(&mkey->mtt, mkey->mem, room) &&
		  sparse_reserve(&mkey->mtt, mkey->mem, 0, ring->num_pages);

	for (i = 0; ok && i < ring->num_pages; i++)
		sparse_set(&mkey->mtt, i, ring->pages[i]);
	ring_free(ring);
	mkey->octwords = octwords;
	return ok;
}

static enum cmd_status map_umem(struct hca *hca, struct cmd *cmd,
				struct mkey *mkey)
{
	const struct umem_spec spec = {
		.id = bits_get(cmd->in, MKEY_UMEM_ID),
		.off = be64_get(cmd->in + MKEY_UMEM_OFF_AT),
		.len = mkey->len,
		.writes = mkey->lw || mkey->rw || mkey->atomic,
	};
	enum cmd_status status;
	struct obj *umem;
	struct ring ring;

	status = umem_ring(hca, cmd, &spec, &ring, &umem);
	if (status)
		return status;
	mkey->on_umem = true;
	mkey->umem_off = ring.offset;
	mkey->log_page = ring.log_page;
	if (!take_pages(mkey, &ring))
		return refuse(cmd, CMD_LIM_ERR, OBJ_MKEY, SYND_MEMORY,
			      "out of memory");
	obj_use(&mkey->obj, umem);
	return CMD_OK;
}

static enum cmd_status fill_mkey(struct hca *hca, struct cmd *cmd,
				 struct mkey *mkey)
{
	if (bits_get(cmd->in, MKEY_UMEM_VALID))
		return map_umem(hca, cmd, mkey);
	if (mkey_put_list(mkey, 0, cmd->in + CMD_PAS_AT,
			  bits_get(cmd->in, MKEY_ACTUAL)))
		return CMD_OK;
	return refuse(cmd, CMD_LIM_ERR, OBJ_MKEY, SYND_MEMORY, "out of memory");
}

static enum cmd_status create_mkey(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *mkc = cmd->in + CMD_CTX_AT;
	enum cmd_status status;
	struct mkey *mkey;
	struct obj *pd;

	status = check_mkey(cmd, mkc);
	if (!status)
		status = cmd_use(hca, cmd, OBJ_PD, bits_get(mkc, MKC_PD), &pd);
	if (status)
		return status;
	mkey = mem_alloc(&hca->mem, sizeof(*mkey));
	if (!mkey)
		return refuse(cmd, CMD_LIM_ERR, OBJ_MKEY, SYND_MEMORY,
			      "out of memory");
	obj_init(&mkey->obj, OBJ_MKEY, cmd->uid, mkey_free);
	mkey->mem = &hca->mem;
	mkey_read(mkey, mkc);
	status = fill_mkey(hca, cmd, mkey);
	if (status) {
		mkey_free(&mkey->obj);
		return status;
	}
	obj_use(&mkey->obj, pd);
	return cmd_create(hca, cmd, &mkey->obj);
}

static enum cmd_status destroy_mkey(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_MKEY);
}

static enum cmd_status query_mkey(struct hca *hca, struct cmd *cmd)
{
	uint8_t *mkc = cmd->out + CMD_CTX_AT;
	enum cmd_status status;
	struct obj *obj;

	status = cmd_query(hca, cmd, OBJ_MKEY, bits_get(cmd->in, CMD_NUMBER),
			   &obj);
	if (status)
		return status;
	mkey_write((const struct mkey *)obj, mkc);
	return CMD_OK;
}

/* No key reaches all memory, so the reserved lkey is the key of no object. */
static enum cmd_status query_special(struct hca *hca, struct cmd *cmd)
{
	(void)hca;
	bits_set(cmd->out, SPECIAL_FILL_KEY, XLAT_NULL_KEY);
	bits_set(cmd->out, SPECIAL_RESD_LKEY, NO_KEY);
	bits_set(cmd->out, SPECIAL_NULL_KEY, XLAT_NULL_KEY);
	return CMD_OK;
}

const struct cmd_def cmds_mkey[] = {
	{ 0x200, "CREATE_MKEY", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_mkey },
	{ 0x201, "QUERY_MKEY", CMD_ANYONE, CMD_IN_MIN, QUERY_MKEY_OUT,
	  query_mkey },
	{ 0x202, "DESTROY_MKEY", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_mkey },
	{ 0x203, "QUERY_SPECIAL_CONTEXTS", CMD_ANYONE, CMD_OUT_MIN,
	  QUERY_SPECIAL_OUT, query_special },
	{ .name = NULL },
};
