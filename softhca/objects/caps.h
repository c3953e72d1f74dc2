/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Capabilities: see caps.c. */
#ifndef SOFTHCA_CAPS_H
#define SOFTHCA_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd.h"

enum cap_type {
	CAP_GENERAL = 0,
	CAP_ETH = 1,
	CAP_ATOMIC = 3,
	CAP_ROCE = 4,
	CAP_FLOW_TABLE = 7,
};

/*
 * Fill buf (size bytes) with the capabilities of that type: what holds now
 * (current), or what could be set.  All zero for an unknown type.
 */
void caps_get(const struct hca *hca, unsigned int type, bool current,
	      uint8_t *buf, size_t size);
/*
 * Report another value, by the kernel's name of the field: "NAME=NUMBER".  For
 * all HCAs of the process, before there is one.  0, ENOENT for an unknown
 * name, ERANGE when the number does not fit the field, or EINVAL.
 */
int caps_override(const char *text);
/* What is reported under that name, which exists. */
uint32_t caps_value(const char *name);

/*
 * Make the settable fields what buf says.  CMD_OK, or a refusal when buf asks
 * for what cannot be, and then nothing has changed.
 */
enum cmd_status caps_set(struct hca *hca, struct cmd *cmd, unsigned int type,
			 const uint8_t *buf, size_t size);

#endif
