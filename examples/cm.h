/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The messages of cm_server and cm_client; both run on one architecture. */
#ifndef EXAMPLES_CM_H
#define EXAMPLES_CM_H

#include <stdint.h>

#define TEXT_SIZE 64

/* Memory that the other end may access. */
struct window {
	uint64_t addr;
	uint32_t rkey;
};

/* Server to client: where to read from, and where to write to. */
struct offer {
	struct window greeting, board;
};

/* Client to server: the board is written; the answer goes there. */
struct done {
	struct window answer;
};

#endif
