/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The floor's own state of an HCA, besides the object tables. */
#ifndef SOFTHCA_OBJECTS_STATE_H
#define SOFTHCA_OBJECTS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "objects.h"
#include "vport.h"

struct objects {
	struct identity id; /* never changes once a client is there */

	/* What commands have set. */
	struct vport vport;
	bool enabled, initialised; /* ENABLE_HCA, INIT_HCA */
	uint16_t issi;		   /* SET_ISSI */
	uint8_t log_max_qp;	   /* SET_HCA_CAP(general) asked for it */
	uint32_t cmd_eqn;	   /* EQ of command completions, 0: none */

	struct objects_stats stats;
	const struct objects_host *host; /* or NULL */
};

#endif
