/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What cm_server and cm_client have in common: their messages, which both must
 * read alike, and their checks.
 */
#ifndef EXAMPLES_CM_H
#define EXAMPLES_CM_H

#include <err.h>
#include <stdint.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

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

static inline struct ibv_mr *must(struct ibv_mr *mr)
{
	if (!mr)
		err(1, "registration");
	return mr;
}

/* Wait for a completion: next is rdma_get_send_comp or rdma_get_recv_comp. */
static inline void await(int (*next)(struct rdma_cm_id *id, struct ibv_wc *wc),
			 struct rdma_cm_id *id)
{
	struct ibv_wc wc;

	if (next(id, &wc) != 1)
		err(1, "completion");
	if (wc.status)
		errx(1, "completion: %s", ibv_wc_status_str(wc.status));
}

#endif
