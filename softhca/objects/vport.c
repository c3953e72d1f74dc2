// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The state of the port and its vport: defaults, and link up and down. */
#include <string.h>

#include "eq.h"
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
}

void port_set_admin(struct hca *hca, bool up)
{
	struct vport *vport = &hca->objects->vport;

	if (vport->admin_up == up)
		return;
	vport->admin_up = up;
	event_port(hca, up ? EQE_PORT_ACTIVE : EQE_PORT_DOWN);
}
