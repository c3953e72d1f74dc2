// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of flow steering: tables, groups of entries with one mask, entries.
 *
 * The commands keep and check the structure: an entry lies in its group, a
 * group lies in its table, and a destination exists and cannot be destroyed.
 * steer.c finds the entry for a frame.  There are only the receive tables of the
 * NIC, and they match the outer headers of layers 2 to 4.
 *
 * An entry is not an object with a number of its own.  The table finds it by
 * its index.  The entry holds references to its group and its destinations.
 */
#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"

#define MISS_DEFAULT  0u
#define MISS_TABLE    1u
#define FTE_SET	      0u
#define DEST_SIZE     8u
#define ACTIONS_KNOWN (FLOW_ACTION_ALLOW | FLOW_ACTION_DROP | FLOW_ACTION_FWD)

static void group_free(struct obj *obj)
{
	mem_free(obj);
}

static void table_free(struct obj *obj)
{
	struct flow_table *table = (struct flow_table *)obj;
	struct fte *fte, *next;

	for (fte = table->first; fte; fte = next) {
		next = fte->next;
		mem_free(fte);
	}
	mem_free(table->entry);
	mem_free(table->chains);
	mem_free(table);
}

static enum cmd_status check_type(struct cmd *cmd)
{
	if (bits_get(cmd->in, CMD_OTHER_FUNC) ||
	    bits_get(cmd->in, CMD_FUNCTION))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "there is only vport 0");
	if (bits_get(cmd->in, FT_TYPE) != FT_TYPE_NIC_RX)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
			      SYND_UNSUPPORTED,
			      "a type of flow table that is not reported");
	return CMD_OK;
}

/* Find the table that the command names. */
static enum cmd_status get_table(struct hca *hca, struct cmd *cmd,
				 struct flow_table **table)
{
	enum cmd_status status = check_type(cmd);
	struct obj *obj;

	if (!status)
		status = cmd_change(hca, cmd, OBJ_FLOW_TABLE,
				    bits_get(cmd->in, FT_ID), &obj);
	if (!status)
		*table = (struct flow_table *)obj;
	return status;
}

static enum cmd_status get_miss(struct hca *hca, struct cmd *cmd,
				struct obj **miss)
{
	const uint8_t *ctx = cmd->in + FT_CTX_AT;

	*miss = NULL;
	switch (bits_get(ctx, FTC_MISS_ACTION)) {
	case MISS_DEFAULT:
		return CMD_OK;
	case MISS_TABLE:
		return cmd_use(hca, cmd, OBJ_FLOW_TABLE,
			       bits_get(ctx, FTC_MISS_ID), miss);
	default:
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_TYPE,
			      "unknown action on a miss");
	}
}

static enum cmd_status create_flow_table(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *ctx = cmd->in + FT_CTX_AT;
	enum cmd_status status = check_type(cmd);
	struct flow_table *table;
	struct obj *miss;

	if (status)
		return status;
	if (bits_get(ctx, FTC_UNSUPPORTED))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
			      SYND_UNSUPPORTED,
			      "a table feature that is not reported");
	if (bits_get(ctx, FTC_LEVEL) > MAX_FT_LEVEL ||
	    bits_get(ctx, FTC_LOG_SIZE) > LOG_MAX_FT_SZ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_SIZE,
			      "the level or the size is out of range");
	status = get_miss(hca, cmd, &miss);
	if (status)
		return status;
	table = mem_alloc(&hca->mem, sizeof(*table));
	if (!table)
		return refuse(cmd, CMD_LIM_ERR, OBJ_FLOW_TABLE, SYND_MEMORY,
			      "out of memory");
	obj_init(&table->obj, OBJ_FLOW_TABLE, cmd->uid, table_free);
	table->level = bits_get(ctx, FTC_LEVEL);
	table->log_size = bits_get(ctx, FTC_LOG_SIZE);
	status = cmd_create(hca, cmd, &table->obj);
	if (status)
		return status;
	table->miss = miss;
	if (miss)
		miss->refs++;
	if (!hca->flow_root || table->level < hca->flow_root->level)
		hca->flow_root = table;
	return CMD_OK;
}

static void find_lower(struct obj *obj, void *arg)
{
	struct flow_table *table = (struct flow_table *)obj, **lowest = arg;

	if (!*lowest || table->level < (*lowest)->level)
		*lowest = table;
}

static enum cmd_status modify_flow_table(struct hca *hca, struct cmd *cmd)
{
	struct flow_table *table;
	enum cmd_status status = get_table(hca, cmd, &table);
	struct obj *miss;

	if (status)
		return status;
	if (bits_get(cmd->in, MODIFY_FT_FIELDS) != MODIFY_FT_MISS)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_FIELD,
			      "only the miss action can be modified");
	status = get_miss(hca, cmd, &miss);
	if (status)
		return status;
	if (miss == &table->obj)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_MISMATCH,
			      "a table cannot go on to itself after a miss");
	if (miss)
		miss->refs++;
	if (table->miss)
		table->miss->refs--;
	table->miss = miss;
	return CMD_OK;
}

static enum cmd_status destroy_flow_table(struct hca *hca, struct cmd *cmd)
{
	struct flow_table *table;
	enum cmd_status status = get_table(hca, cmd, &table);
	struct obj *obj;

	if (status)
		return status;
	status = cmd_check_destroy(hca, cmd, OBJ_FLOW_TABLE,
				   bits_get(cmd->in, FT_ID), &obj);
	if (status)
		return status;
	if (table->miss)
		table->miss->refs--;
	obj_del(obj_table(hca, OBJ_FLOW_TABLE), obj);
	if (table == hca->flow_root) {
		hca->flow_root = NULL;
		obj_for_each(obj_table(hca, OBJ_FLOW_TABLE), find_lower,
			     &hca->flow_root);
	}
	return CMD_OK;
}

/*
 * Does a mask select what steer_key() does not fill in?  Such entries would
 * silently match nothing.
 */
static bool has_more(const uint8_t *param)
{
	size_t i;

	if (bits_get(param, KEY_NOT_FILLED))
		return true;
	for (i = FLOW_KEY_SIZE; i < FG_MASK_SIZE; i++)
		if (param[i])
			return true;
	return false;
}

/* A group without criteria matches every frame. */
static enum cmd_status read_mask(struct cmd *cmd, struct flow_key *mask)
{
	uint32_t criteria = bits_get(cmd->in, FG_CRITERIA);
	const uint8_t *in = cmd->in + FG_MASK_AT;

	memset(mask, 0, sizeof(*mask));
	if (criteria & ~FG_OUTER || (criteria && has_more(in)))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
			      SYND_UNSUPPORTED,
			      "a field of frames that cannot be matched");
	if (criteria)
		memcpy(mask, in, sizeof(*mask));
	return CMD_OK;
}

static enum cmd_status create_flow_group(struct hca *hca, struct cmd *cmd)
{
	uint32_t start = bits_get(cmd->in, FG_START);
	uint32_t end = bits_get(cmd->in, FG_END);
	struct flow_table *table;
	enum cmd_status status = get_table(hca, cmd, &table);
	struct flow_group *group;
	struct flow_key mask;

	if (!status)
		status = read_mask(cmd, &mask);
	if (status)
		return status;
	if (table->num_groups == STEER_MAX_GROUPS)
		return refuse(cmd, CMD_LIM_ERR, OBJ_FLOW_GROUP, SYND_SIZE,
			      "the table has no room for another group");
	if (bits_get(cmd->in, FG_TYPE))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
			      SYND_UNSUPPORTED,
			      "a type of flow group that is not reported");
	if (start > end || end >> table->log_size)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_SIZE,
			      "the group is outside its table");
	group = mem_alloc(&hca->mem, sizeof(*group));
	if (!group)
		return refuse(cmd, CMD_LIM_ERR, OBJ_FLOW_GROUP, SYND_MEMORY,
			      "out of memory");
	obj_init(&group->obj, OBJ_FLOW_GROUP, cmd->uid, group_free);
	group->table = table;
	group->start = start;
	group->end = end;
	group->mask = mask;
	obj_use(&group->obj, &table->obj);
	status = cmd_create(hca, cmd, &group->obj);
	if (!status)
		steer_link_group(group);
	return status;
}

static enum cmd_status get_group(struct hca *hca, struct cmd *cmd,
				 const struct flow_table *table, uint32_t id,
				 struct flow_group **group)
{
	enum cmd_status status;
	struct obj *obj;

	status = cmd_use(hca, cmd, OBJ_FLOW_GROUP, id, &obj);
	if (status)
		return status;
	*group = (struct flow_group *)obj;
	if ((*group)->table != table)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_MISMATCH,
			      "the group is of another table");
	return CMD_OK;
}

static enum cmd_status destroy_flow_group(struct hca *hca, struct cmd *cmd)
{
	uint32_t id = bits_get(cmd->in, FG_ID);
	struct flow_table *table;
	enum cmd_status status = get_table(hca, cmd, &table);
	struct flow_group *group;
	struct obj *obj;

	if (!status)
		status = get_group(hca, cmd, table, id, &group);
	if (!status)
		status = cmd_check_destroy(hca, cmd, OBJ_FLOW_GROUP, id, &obj);
	if (status)
		return status;
	steer_unlink_group(group);
	obj_del(obj_table(hca, OBJ_FLOW_GROUP), obj);
	return CMD_OK;
}

static enum cmd_status find_dests(struct hca *hca, struct cmd *cmd,
				  struct fte *fte)
{
	const uint8_t *dest = cmd->in + FTE_CTX_AT + FLOW_DEST_AT;
	enum cmd_status status = CMD_OK;
	uint32_t i;

	for (i = 0; i < fte->num_dests && !status; i++, dest += DEST_SIZE) {
		uint32_t id = bits_get(dest, DEST_ID);

		switch (bits_get(dest, DEST_TYPE)) {
		case DEST_TYPE_TABLE:
			status = cmd_use(hca, cmd, OBJ_FLOW_TABLE, id,
					 &fte->dest[i]);
			break;
		case DEST_TYPE_TIR:
			status = cmd_use(hca, cmd, OBJ_TIR, id, &fte->dest[i]);
			break;
		default:
			status = refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
					SYND_TYPE,
					"a destination that is not reported");
		}
	}
	return status;
}

static enum cmd_status check_flow(struct cmd *cmd)
{
	const uint8_t *flow = cmd->in + FTE_CTX_AT;
	uint32_t num = bits_get(flow, FLOW_NUM_DEST);
	size_t room = cmd->in_len - FTE_CTX_AT - FLOW_DEST_AT;

	if (cmd->op_mod != FTE_SET)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
			      SYND_UNSUPPORTED, "entries cannot be modified");
	if (bits_get(flow, FLOW_ACTION) & ~ACTIONS_KNOWN ||
	    bits_get(flow, FLOW_NUM_COUNTER) || bits_get(flow, FLOW_EXTENDED))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
			      SYND_UNSUPPORTED,
			      "an action that is not reported");
	if (num > 1u << LOG_MAX_FLOW_DEST)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_SIZE,
			      "too many destinations");
	if (num > room / DEST_SIZE)
		return refuse(
			cmd, CMD_BAD_INP_LEN, OBJ_FLOW_TABLE, SYND_LIST,
			"the list of destinations passes the command's end");
	return CMD_OK;
}

static void fte_link(struct flow_table *table, struct fte *fte)
{
	uint32_t i;

	for (i = 0; i < fte->num_dests; i++)
		fte->dest[i]->refs++;
	fte->group->obj.refs++;
	fte->next = table->first;
	if (fte->next)
		fte->next->prev = fte;
	table->first = fte;
	table->entry[fte->index] = fte;
	steer_link(table, fte);
}

static void fte_unlink(struct flow_table *table, struct fte *fte)
{
	uint32_t i;

	for (i = 0; i < fte->num_dests; i++)
		fte->dest[i]->refs--;
	fte->group->obj.refs--;
	steer_unlink(table, fte);
	if (fte->next)
		fte->next->prev = fte->prev;
	if (fte->prev)
		fte->prev->next = fte->next;
	else
		table->first = fte->next;
	table->entry[fte->index] = NULL;
}

static enum cmd_status set_fte(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *flow = cmd->in + FTE_CTX_AT;
	uint32_t num = bits_get(flow, FLOW_NUM_DEST);
	uint32_t index = bits_get(cmd->in, FT_FLOW_INDEX);
	struct flow_table *table;
	enum cmd_status status = get_table(hca, cmd, &table);
	struct flow_group *group;
	struct fte *fte;

	if (!status)
		status = check_flow(cmd);
	if (!status)
		status = get_group(hca, cmd, table, bits_get(flow, FLOW_GROUP),
				   &group);
	if (status)
		return status;
	if (index < group->start || index > group->end)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_SIZE,
			      "the entry is outside its group");
	if (!table->entry)
		table->entry = mem_array(&hca->mem,
					 (size_t)1 << table->log_size,
					 sizeof(struct fte *));
	if (!table->chains)
		table->chains = mem_array(&hca->mem,
					  steer_num_chains(table->log_size),
					  sizeof(struct fte *));
	fte = mem_alloc(&hca->mem, sizeof(*fte) + num * sizeof(fte->dest[0]));
	if (!table->entry || !table->chains || !fte) {
		status = refuse(cmd, CMD_LIM_ERR, OBJ_FLOW_TABLE, SYND_MEMORY,
				"out of memory");
		goto err_free;
	}
	if (table->entry[index]) {
		status = refuse(cmd, CMD_BAD_RES_STATE, OBJ_FLOW_TABLE,
				SYND_STATE, "the entry is in use");
		goto err_free;
	}
	fte->index = index;
	fte->num_dests = num;
	fte->group = group;
	fte->tag = bits_get(flow, FLOW_TAG);
	fte->forward = bits_get(flow, FLOW_ACTION) & FLOW_ACTION_FWD;
	memcpy(&fte->value, flow + FLOW_VALUE_AT, sizeof(fte->value));
	steer_mask(&fte->value, &group->mask);
	status = find_dests(hca, cmd, fte);
	if (status)
		goto err_free;
	fte_link(table, fte);
	return CMD_OK;

err_free:
	mem_free(fte);
	return status;
}

static enum cmd_status delete_fte(struct hca *hca, struct cmd *cmd)
{
	uint32_t index = bits_get(cmd->in, FT_FLOW_INDEX);
	struct flow_table *table;
	enum cmd_status status = get_table(hca, cmd, &table);
	struct fte *fte;

	if (status)
		return status;
	fte = table->entry && !(index >> table->log_size) ? table->entry[index]
							  : NULL;
	if (!fte)
		return refuse(cmd, CMD_BAD_RES, OBJ_FLOW_TABLE, SYND_NONE,
			      "no such entry");
	fte_unlink(table, fte);
	mem_free(fte);
	return CMD_OK;
}

const struct cmd_def cmds_flow[] = {
	{ 0x930, "CREATE_FLOW_TABLE", CMD_ANYONE, FT_IN_SIZE, CMD_OUT_NUMBER,
	  create_flow_table },
	{ 0x931, "DESTROY_FLOW_TABLE", CMD_ANYONE, FT_IN_SIZE, CMD_OUT_MIN,
	  destroy_flow_table },
	{ 0x933, "CREATE_FLOW_GROUP", CMD_ANYONE, CREATE_FG_IN, CMD_OUT_NUMBER,
	  create_flow_group },
	{ 0x934, "DESTROY_FLOW_GROUP", CMD_ANYONE, FT_IN_SIZE, CMD_OUT_MIN,
	  destroy_flow_group },
	{ 0x936, "SET_FLOW_TABLE_ENTRY", CMD_ANYONE, SET_FTE_MIN, CMD_OUT_MIN,
	  set_fte },
	{ 0x938, "DELETE_FLOW_TABLE_ENTRY", CMD_ANYONE, FT_IN_SIZE, CMD_OUT_MIN,
	  delete_fte },
	{ 0x93c, "MODIFY_FLOW_TABLE", CMD_ANYONE, FT_IN_SIZE, CMD_OUT_MIN,
	  modify_flow_table },
	{ .name = NULL },
};
