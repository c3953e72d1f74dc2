// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The state of the port and its vport: defaults, and link up and down. */
#include <string.h>

#include "eq.h"
#include "hw_cmd.h"
#include "objects_state.h"

void vport_reset(struct hca *hca)
{
	struct vport *vport = &hca->objects->vport;

	memset(vport, 0, sizeof(*vport));
	vport->admin_up = true;
	vport->port_mtu = HCA_DEFAULT_MTU;
	vport->mtu = HCA_DEFAULT_MTU;
	vport->node_guid = hca->objects->id.guid;
	memcpy(vport->node_desc, "softhca", sizeof("softhca"));
	vport_to_lan(hca);
}

void vport_to_lan(struct hca *hca)
{
	const struct vport *vport = &hca->objects->vport;
	struct lan_port *lan = &hca->lan;
	unsigned int i;

	lan->up = vport->admin_up;
	lan->max_frame = vport->port_mtu - ETHER_FCS;
	lan->promisc = vport->promisc & (PROMISC_ALL | PROMISC_UC);
	lan->all_multicast = vport->promisc & (PROMISC_ALL | PROMISC_MC);
	lan_set_addrs(lan, hca->objects->id.mac, vport->uc, vport->num_uc);
	lan_set_multicast(lan, vport->mc, vport->num_mc);
	for (i = 0; lan->lan && i < vport->num_uc; i++)
		if (!ether_is_multicast(vport->uc[i]) &&
		    !lan_owns(lan, vport->uc[i]))
			limit_warn(
				hca->name,
				"MAC %02x:%02x:%02x:%02x:%02x:%02x belongs "
				"to another HCA: no frame goes from or to it",
				vport->uc[i][0], vport->uc[i][1],
				vport->uc[i][2], vport->uc[i][3],
				vport->uc[i][4], vport->uc[i][5]);
}

void port_set_admin(struct hca *hca, bool up)
{
	struct vport *vport = &hca->objects->vport;

	if (vport->admin_up == up)
		return;
	vport->admin_up = up;
	vport_to_lan(hca);
	event_port(hca, up ? EQE_PORT_ACTIVE : EQE_PORT_DOWN);
}
