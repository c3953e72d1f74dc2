// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The start, reset and end of the objects of an HCA. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cq_cmd.h"
#include "eq.h"
#include "handlers.h"
#include "objects_state.h"

/* The first number of each number space, and the first beyond it. */
static const struct {
	uint32_t first, limit;
} spaces[OBJ_KINDS] = {
	[OBJ_EQ] = { 1, 1u << LOG_MAX_EQ },
	[OBJ_CQ] = { 0x10, 1u << LOG_MAX_CQ },
	/* Drivers take QPs 0 and 1 for the special QPs. */
	[OBJ_QP] = { 0x40, 1u << LOG_MAX_QP },
	/* Key 0x100 ends scatter lists, so index 1 may not be used. */
	[OBJ_MKEY] = { 0x100, 1u << LOG_MAX_MKEY },
	[OBJ_PD] = { 1, 1u << LOG_MAX_PD },
	[OBJ_UAR] = { HCA_FIRST_UAR, HCA_NUM_UARS },
	[OBJ_SRQ] = { 1, 1u << LOG_MAX_SRQ },
	[OBJ_XRCD] = { 1, 1u << LOG_MAX_XRCD },
	[OBJ_TD] = { 1, 1u << LOG_MAX_TD },
	[OBJ_UCTX] = { 1, UID_SHARED },
	[OBJ_COUNTER] = { 1, 0x100 },
	[OBJ_ETH_RQ] = { 1, 1u << LOG_MAX_ETH },
	[OBJ_ETH_SQ] = { 1, 1 }, /* see obj_table */
	[OBJ_TIR] = { 1, 1u << LOG_MAX_ETH },
	[OBJ_TIS] = { 1, 1u << LOG_MAX_ETH },
	[OBJ_RQT] = { 1, 1u << LOG_MAX_ETH },
	[OBJ_FLOW_TABLE] = { 1, 1u << LOG_MAX_FT },
	[OBJ_FLOW_GROUP] = { 1, 1u << LOG_MAX_FT },
	[OBJ_UMEM] = { 1, 1u << LOG_MAX_UMEM },
};

static void set_defaults(struct hca *hca)
{
	port_clear_addresses(&hca->port);
	hca->atomic_host_endian = false;
	hca->umr_fixed_page = caps_value("umr_modify_entity_size_disabled");
	hca->objects->enabled = false;
	hca->objects->initialised = false;
	hca->objects->issi = 0;
	hca->objects->log_max_qp = LOG_MAX_QP;
	hca->obj[OBJ_QP].limit = 1u << LOG_MAX_QP;
	hca->objects->cmd_eqn = 0;
	hca->gsi_qp = NULL;
	hca->flow_root = NULL;
	vport_reset(hca);
}

static bool move_key(struct hca *hca, struct mkey *mkey, uint32_t pd)
{
	struct obj *to = obj_find(hca, OBJ_PD, pd);

	if (!to)
		return false;
	obj_use_instead(&mkey->obj, obj_find(hca, OBJ_PD, mkey->pd), to);
	mkey->pd = pd;
	return true;
}

static const struct dp_owner owner = {
	.write_cqe = cq_post,
	.qp_event = event_qp,
	.srq_event = event_srq,
	.move_key = move_key,
};

int objects_init(struct hca *hca, unsigned int index)
{
	unsigned int kind;

	hca->objects = calloc(1, sizeof(*hca->objects));
	if (!hca->objects)
		return ENOMEM;
	identity_derive(&hca->objects->id, 0, index);
	for (kind = 0; kind < OBJ_KINDS; kind++)
		obj_table_init(&hca->obj[kind], &hca->mem, spaces[kind].first,
			       spaces[kind].limit);
	hca->owner = &owner;
	set_defaults(hca);
	return 0;
}

void objects_identify(struct hca *hca, const struct identity *id)
{
	hca->objects->id = *id;
	vport_reset(hca);
}

void objects_attach(struct hca *hca, const struct objects_host *host)
{
	hca->objects->host = host;
}

const struct objects_stats *objects_stats(const struct hca *hca)
{
	return &hca->objects->stats;
}

static void qp_gone(struct obj *obj, void *arg)
{
	if (obj->kind == OBJ_QP)
		dp_qp_destroyed(arg, (struct qp *)obj);
}

void objects_reset(struct hca *hca)
{
	unsigned int kind;

	/* First the data path drops its QPs, while the objects they use live. */
	obj_for_each(&hca->obj[OBJ_QP], qp_gone, hca);
	for (kind = 0; kind < OBJ_KINDS; kind++)
		obj_table_clear(&hca->obj[kind]);
	set_defaults(hca);
}

void objects_fini(struct hca *hca)
{
	objects_reset(hca);
	free(hca->objects);
	hca->objects = NULL;
}
