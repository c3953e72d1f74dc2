/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The message of share_export to share_import; a descriptor comes with it. */
#ifndef EXAMPLES_SHARE_H
#define EXAMPLES_SHARE_H

#include <stdint.h>

struct offer {
	uint32_t pd_handle, mr_handle;
	uint64_t addr;
	uint32_t number; /* of the importer */
};

#endif
