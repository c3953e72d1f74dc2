// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of the NIC vport and of the RoCE address table.
 *
 * There is one port with one vport.  The vport keeps the settings of the
 * Ethernet driver (MTU, address lists, promiscuity) and returns them on a
 * query.  The lists and the promiscuity decide which frames the LAN brings.  The
 * RoCE addresses are the HCA's GIDs; the wire finds the HCA by them.
 */
#include <string.h>

#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "objects_state.h"

#define STATE_UP   1u
#define STATE_DOWN 0u
#define P_KEY_FULL 0xffffu
#define MIN_MTU	   68u

#define FIELDS_KNOWN                                                \
	(VPORT_FIELD_MTU | VPORT_FIELD_PROMISC | VPORT_FIELD_LIST | \
	 VPORT_FIELD_ROCE)

static enum cmd_status check_vport(struct cmd *cmd)
{
	if (bits_get(cmd->in, CMD_OTHER_FUNC) ||
	    bits_get(cmd->in, CMD_FUNCTION))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "there is only vport 0");
	return CMD_OK;
}

static enum cmd_status query_vport_state(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = check_vport(cmd);
	uint32_t state = hca->objects->vport.admin_up ? STATE_UP : STATE_DOWN;

	if (status)
		return status;
	if (cmd->op_mod)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
				  "there is no e-switch");
	bits_set(cmd->out, VPORT_STATE_ADMIN, state);
	bits_set(cmd->out, VPORT_STATE, state);
	return CMD_OK;
}

static void put_count(uint8_t *out, size_t at, const struct lan_count *count)
{
	be64_put(out + at, count->frames);
	be64_put(out + at + 8, count->bytes);
}

static enum cmd_status query_vport_counter(struct hca *hca, struct cmd *cmd)
{
	const struct lan_stats *s = &hca->lan.stats;
	enum cmd_status status = check_vport(cmd);

	if (status)
		return status;
	if (bits_get(cmd->in, VPORT_COUNTER_CLEAR))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "counters cannot be cleared");
	put_count(cmd->out, 0x70, &s->rx[LAN_BROADCAST]);
	put_count(cmd->out, 0x80, &s->tx[LAN_BROADCAST]);
	put_count(cmd->out, 0x90, &s->rx[LAN_UNICAST]);
	put_count(cmd->out, 0xa0, &s->tx[LAN_UNICAST]);
	put_count(cmd->out, 0xb0, &s->rx[LAN_MULTICAST]);
	put_count(cmd->out, 0xc0, &s->tx[LAN_MULTICAST]);
	return CMD_OK;
}

static void put_list(const struct vport *vport, uint32_t type, uint8_t *nvc,
		     size_t room)
{
	uint32_t i, num;

	switch (type) {
	case NVC_LIST_UC:
	case NVC_LIST_MC:
		num = type == NVC_LIST_UC ? vport->num_uc : vport->num_mc;
		if (num > room / NVC_MAC_SIZE)
			num = room / NVC_MAC_SIZE;
		for (i = 0; i < num; i++)
			memcpy(nvc + NVC_LIST_AT + i * NVC_MAC_SIZE + 2,
			       type == NVC_LIST_UC ? vport->uc[i]
						   : vport->mc[i],
			       6);
		break;
	default:
		num = vport->num_vlan;
		if (num > room / NVC_VLAN_SIZE)
			num = room / NVC_VLAN_SIZE;
		for (i = 0; i < num; i++)
			bits_set(nvc + NVC_LIST_AT + i * NVC_VLAN_SIZE,
				 NVC_VLAN, vport->vlan[i]);
	}
	bits_set(nvc, NVC_LIST_SIZE, num);
}

static enum cmd_status query_nic_vport_context(struct hca *hca, struct cmd *cmd)
{
	const struct vport *vport = &hca->objects->vport;
	uint32_t type = bits_get(cmd->in, VPORT_LIST_TYPE);
	uint8_t *nvc = cmd->out + VPORT_QUERY_CTX_AT;
	enum cmd_status status = check_vport(cmd);

	if (status)
		return status;
	if (type > NVC_LIST_VLAN)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
				  "no such address list");
	bits_set(nvc, NVC_ROCE_EN, vport->roce_en);
	bits_set(nvc, NVC_MTU, vport->mtu);
	be64_put(nvc + NVC_SYSTEM_GUID_AT, hca->objects->id.guid);
	be64_put(nvc + NVC_PORT_GUID_AT, hca->objects->id.guid);
	be64_put(nvc + NVC_NODE_GUID_AT, vport->node_guid);
	bits_set(nvc, NVC_PROMISC, vport->promisc);
	bits_set(nvc, NVC_LIST_TYPE, type);
	memcpy(nvc + NVC_ADDRESS_AT + 2, hca->objects->id.mac,
	       sizeof(hca->objects->id.mac));
	put_list(vport, type, nvc, cmd->out_len - VPORT_QUERY_OUT);
	return CMD_OK;
}

static enum cmd_status set_list(struct vport *vport, struct cmd *cmd,
				const uint8_t *nvc)
{
	size_t room = cmd->in_len - VPORT_MODIFY_MIN;
	uint32_t type = bits_get(nvc, NVC_LIST_TYPE);
	uint32_t num = bits_get(nvc, NVC_LIST_SIZE), i;
	static const uint32_t limit[] = { VPORT_MAX_UC, VPORT_MAX_MC,
					  VPORT_MAX_VLAN };
	const uint8_t *list = nvc + NVC_LIST_AT;

	if (type > NVC_LIST_VLAN)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
				  "no such address list");
	if (num > limit[type])
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_SIZE,
				  "the address list is too long");
	if (num > room / (type == NVC_LIST_VLAN ? NVC_VLAN_SIZE : NVC_MAC_SIZE))
		return cmd_refuse(cmd, CMD_BAD_INP_LEN, SYND_LIST,
				  "the list is longer than the command");
	switch (type) {
	case NVC_LIST_UC:
		for (i = 0; i < num; i++)
			memcpy(vport->uc[i], list + i * NVC_MAC_SIZE + 2, 6);
		vport->num_uc = (uint16_t)num;
		break;
	case NVC_LIST_MC:
		for (i = 0; i < num; i++)
			memcpy(vport->mc[i], list + i * NVC_MAC_SIZE + 2, 6);
		vport->num_mc = (uint16_t)num;
		break;
	default:
		for (i = 0; i < num; i++)
			vport->vlan[i] = (uint16_t)bits_get(
				list + i * NVC_VLAN_SIZE, NVC_VLAN);
		vport->num_vlan = (uint16_t)num;
	}
	return CMD_OK;
}

static enum cmd_status modify_nic_vport_context(struct hca *hca,
						struct cmd *cmd)
{
	const uint8_t *nvc = cmd->in + VPORT_MODIFY_CTX_AT;
	uint32_t fields = bits_get(cmd->in, VPORT_FIELDS);
	uint32_t mtu = bits_get(nvc, NVC_MTU);
	struct vport *vport = &hca->objects->vport;
	enum cmd_status status = check_vport(cmd);

	if (status)
		return status;
	if (fields & ~FIELDS_KNOWN)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "a vport field that cannot be set");
	if (fields & VPORT_FIELD_MTU && (mtu < MIN_MTU || mtu > HCA_MAX_MTU))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_SIZE,
				  "the MTU is out of range");
	if (fields & VPORT_FIELD_LIST) {
		status = set_list(vport, cmd, nvc);
		if (status)
			return status;
	}
	if (fields & VPORT_FIELD_MTU)
		vport->mtu = (uint16_t)mtu;
	if (fields & VPORT_FIELD_PROMISC)
		vport->promisc = (uint8_t)bits_get(nvc, NVC_PROMISC);
	if (fields & VPORT_FIELD_ROCE)
		vport->roce_en = bits_get(nvc, NVC_ROCE_EN);
	vport_to_lan(hca);
	return CMD_OK;
}

/* As RoCE demands, the table has one P_Key, the default one. */
static enum cmd_status query_hca_vport_pkey(struct hca *hca, struct cmd *cmd)
{
	uint32_t index = bits_get(cmd->in, PKEY_INDEX);
	enum cmd_status status = check_vport(cmd);

	(void)hca;
	if (status)
		return status;
	if (index && index != PKEY_ALL)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_SIZE,
				  "there is only P_Key index 0");
	be32_put(cmd->out + PKEY_LIST_AT, P_KEY_FULL);
	return CMD_OK;
}

static enum cmd_status check_gid_index(struct cmd *cmd)
{
	if (bits_get(cmd->in, ROCE_INDEX) >= HCA_GID_TABLE)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_SIZE,
				  "the RoCE address index is out of range");
	if (bits_get(cmd->in, ROCE_PORT) > 1)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "there is only port 1");
	return CMD_OK;
}

/*
 * An all-zero address deletes the entry.  The driver may then leave anything in
 * the other fields, so they are not checked.
 */
static enum cmd_status set_roce_address(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *addr = cmd->in + ROCE_ADDR_AT;
	static const uint8_t none[16];
	enum cmd_status status = check_gid_index(cmd);
	unsigned int index = bits_get(cmd->in, ROCE_INDEX);
	bool used = memcmp(addr, none, sizeof(none)) != 0;
	struct roce_addr gid = { 0 };

	if (status)
		return status;
	if (used) {
		memcpy(gid.gid, addr, sizeof(gid.gid));
		memcpy(gid.mac, addr + ROCE_MAC_AT, sizeof(gid.mac));
		gid.version = (uint8_t)bits_get(addr, ROCE_VERSION);
		gid.l3_type = (uint8_t)bits_get(addr, ROCE_L3_TYPE);
		gid.vlan_valid = bits_get(addr, ROCE_VLAN_VALID);
		gid.vlan_id = (uint16_t)bits_get(addr, ROCE_VLAN_ID);
		if ((gid.version != 0 && gid.version != 2) || gid.l3_type > 1)
			return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
					  "unknown RoCE version or L3 type");
	}
	if (port_set_address(&hca->port, index, &gid))
		return cmd_refuse(cmd, CMD_LIM_ERR, SYND_MEMORY,
				  "out of memory");
	/*
	 * As on a real network, the device does not know of the other claim,
	 * so the command succeeds.
	 */
	if (used && !port_owns(&hca->port, index))
		limit_warn(
			hca->name,
			"RoCE address %u, MAC %02x:%02x:%02x:%02x:%02x:%02x, "
			"belongs to another HCA: no packet goes from or to it",
			index, gid.mac[0], gid.mac[1], gid.mac[2], gid.mac[3],
			gid.mac[4], gid.mac[5]);
	return CMD_OK;
}

static enum cmd_status query_roce_address(struct hca *hca, struct cmd *cmd)
{
	uint8_t *addr = cmd->out + ROCE_ADDR_AT;
	enum cmd_status status = check_gid_index(cmd);
	const struct roce_addr *gid;

	if (status)
		return status;
	gid = &hca->gids[bits_get(cmd->in, ROCE_INDEX)];
	memcpy(addr, gid->gid, sizeof(gid->gid));
	memcpy(addr + ROCE_MAC_AT, gid->mac, sizeof(gid->mac));
	bits_set(addr, ROCE_VERSION, gid->version);
	bits_set(addr, ROCE_L3_TYPE, gid->l3_type);
	bits_set(addr, ROCE_VLAN_VALID, gid->vlan_valid);
	bits_set(addr, ROCE_VLAN_ID, gid->vlan_id);
	return CMD_OK;
}

const struct cmd_def cmds_vport[] = {
	{ 0x750, "QUERY_VPORT_STATE", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_WORDS,
	  query_vport_state },
	{ 0x754, "QUERY_NIC_VPORT_CONTEXT", CMD_ANYONE, CMD_IN_MIN,
	  VPORT_QUERY_OUT, query_nic_vport_context },
	{ 0x755, "MODIFY_NIC_VPORT_CONTEXT", CMD_KERNEL, VPORT_MODIFY_MIN,
	  CMD_OUT_MIN, modify_nic_vport_context },
	{ 0x760, "QUERY_ROCE_ADDRESS", CMD_ANYONE, CMD_IN_MIN,
	  ROCE_ADDR_AT + ROCE_ADDR_SIZE, query_roce_address },
	{ 0x761, "SET_ROCE_ADDRESS", CMD_KERNEL, SET_ROCE_IN, CMD_OUT_MIN,
	  set_roce_address },
	{ 0x765, "QUERY_HCA_VPORT_PKEY", CMD_ANYONE, CMD_IN_MIN,
	  PKEY_LIST_AT + 4, query_hca_vport_pkey },
	{ 0x770, "QUERY_VPORT_COUNTER", CMD_ANYONE, VPORT_COUNTER_IN,
	  VPORT_COUNTER_OUT, query_vport_counter },
	{ .name = NULL },
};
