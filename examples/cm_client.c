// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Writes a text to the board of a cm_server.  The exchange is described there.
 *
 *	cm_client ADDRESS PORT TEXT
 */
#include <stdio.h>

#include "cm.h"

static char text[TEXT_SIZE], greeting[TEXT_SIZE], answer[TEXT_SIZE];
static struct offer offer;
static struct done done;

/* An id with its QP, not connected yet. */
static struct rdma_cm_id *resolve(const char *address, const char *port)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .cap = { 1, 2, 1, 1, 0 },
					 .sq_sig_all = 1 };
	struct rdma_addrinfo *info;
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(address, port, &hints, &info))
		err(1, "%s:%s", address, port);
	if (rdma_create_ep(&id, info, NULL, &attr))
		err(1, "rdma_create_ep");
	rdma_freeaddrinfo(info);
	return id;
}

int main(int argc, char **argv)
{
	struct rdma_conn_param param = { .initiator_depth = 1,
					 .retry_count = 7,
					 .rnr_retry_count = 7 };
	struct ibv_mr *text_mr, *greeting_mr, *answer_mr, *offer_mr, *done_mr;
	struct rdma_cm_id *id;

	if (argc != 4)
		errx(2, "usage: cm_client ADDRESS PORT TEXT");
	id = resolve(argv[1], argv[2]);
	text_mr = must(rdma_reg_msgs(id, text, sizeof(text)));
	greeting_mr = must(rdma_reg_msgs(id, greeting, sizeof(greeting)));
	answer_mr = must(rdma_reg_write(id, answer, sizeof(answer)));
	offer_mr = must(rdma_reg_msgs(id, &offer, sizeof(offer)));
	done_mr = must(rdma_reg_msgs(id, &done, sizeof(done)));
	/* For the offer, and for the empty message that ends it. */
	if (rdma_post_recv(id, NULL, &offer, sizeof(offer), offer_mr) ||
	    rdma_post_recvv(id, NULL, NULL, 0))
		err(1, "rdma_post_recv");
	if (rdma_connect(id, &param))
		err(1, "rdma_connect");
	await(rdma_get_recv_comp, id);

	if (rdma_post_read(id, NULL, greeting, sizeof(greeting), greeting_mr, 0,
			   offer.greeting.addr, offer.greeting.rkey))
		err(1, "rdma_post_read");
	await(rdma_get_send_comp, id);
	printf("server: %.*s\n", TEXT_SIZE, greeting);

	snprintf(text, sizeof(text), "%s", argv[3]);
	if (rdma_post_write(id, NULL, text, sizeof(text), text_mr, 0,
			    offer.board.addr, offer.board.rkey))
		err(1, "rdma_post_write");
	await(rdma_get_send_comp, id);

	done.answer = (struct window){ (uintptr_t)answer, answer_mr->rkey };
	if (rdma_post_send(id, NULL, &done, sizeof(done), done_mr, 0))
		err(1, "rdma_post_send");
	await(rdma_get_send_comp, id);
	await(rdma_get_recv_comp, id);
	printf("server: %.*s\n", TEXT_SIZE, answer);

	rdma_disconnect(id);
	if (rdma_dereg_mr(text_mr) || rdma_dereg_mr(greeting_mr) ||
	    rdma_dereg_mr(answer_mr) || rdma_dereg_mr(offer_mr) ||
	    rdma_dereg_mr(done_mr))
		err(1, "rdma_dereg_mr");
	rdma_destroy_ep(id);
	return 0;
}
