/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Capabilities; caps.c has the tables. */
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
 * Fill buf (size bytes) with the capabilities of this type: the current values
 * or the largest that can be set.  All is zero for an unknown type.
 */
void caps_get(const struct hca *hca, unsigned int type, bool current,
	      uint8_t *buf, size_t size);
/*
 * Report another value of a capability.  text is "NAME=NUMBER"; NAME is the
 * kernel's name of the field.  This counts for all HCAs of the process and must
 * be called before the first is created.  Returns 0, ENOENT (unknown name),
 * ERANGE (the number does not fit the field) or EINVAL.
 */
int caps_override(const char *text);
/* The value that is reported under this name, which must exist. */
uint32_t caps_value(const char *name);

/*
 * Set the settable fields from buf.  Returns CMD_OK, or a refusal when a value
 * in buf is not allowed; then nothing has changed.
 */
enum cmd_status caps_set(struct hca *hca, struct cmd *cmd, unsigned int type,
			 const uint8_t *buf, size_t size);

#endif
