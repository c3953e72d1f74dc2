// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lets a client that connects by librdmacm write to a board.  The board is a
 * shared MR: any local process can attach to it by its handle, see smr_attach.
 *
 *	cm_server ADDRESS PORT
 *
 * Prints the handle, then what the client wrote, and keeps the board until
 * its standard input ends.
 *
 *	client		cm_client
 *	<- SEND		the places of the greeting and the board
 *	-> READ		the greeting
 *	-> WRITE	the board
 *	-> SEND		done, and the place of the answer
 *	<- WRITE	the answer
 *	<- SEND		empty: the answer is there
 */
#include <stdio.h>
#include <unistd.h>
#include <infiniband/verbs_exp.h>

#include "cm.h"

static char greeting[TEXT_SIZE] = "write something";
static char answer[TEXT_SIZE];
static struct offer offer;
static struct done done;

static struct rdma_cm_id *listen_at(const char *address, const char *port)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE,
				       .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .cap = { 2, 2, 1, 1, 0 },
					 .sq_sig_all = 1 };
	struct rdma_addrinfo *info;
	struct rdma_cm_id *listener;

	if (rdma_getaddrinfo(address, port, &hints, &info))
		err(1, "%s:%s", address, port);
	if (rdma_create_ep(&listener, info, NULL, &attr))
		err(1, "rdma_create_ep");
	rdma_freeaddrinfo(info);
	if (rdma_listen(listener, 1))
		err(1, "rdma_listen");
	return listener;
}

/* The library allocates the board: only its own memory can be a shared MR. */
static struct ibv_mr *create_board(struct ibv_pd *pd)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = pd,
		.length = 4096,
		.exp_access = IBV_EXP_ACCESS_ALLOCATE_MR |
			      IBV_EXP_ACCESS_LOCAL_WRITE |
			      IBV_EXP_ACCESS_REMOTE_WRITE |
			      IBV_EXP_ACCESS_SHARED_MR_USER_READ,
	};

	return must(ibv_exp_reg_mr(&in));
}

/* Returns when the client has written and has its answer. */
static void serve(struct rdma_cm_id *id, const struct ibv_mr *board)
{
	struct ibv_mr *greeting_mr, *answer_mr, *offer_mr, *done_mr;
	struct rdma_conn_param param = { .responder_resources = 1 };

	greeting_mr = must(rdma_reg_read(id, greeting, sizeof(greeting)));
	answer_mr = must(rdma_reg_msgs(id, answer, sizeof(answer)));
	offer_mr = must(rdma_reg_msgs(id, &offer, sizeof(offer)));
	done_mr = must(rdma_reg_msgs(id, &done, sizeof(done)));
	offer.greeting =
		(struct window){ (uintptr_t)greeting, greeting_mr->rkey };
	offer.board = (struct window){ (uintptr_t)board->addr, board->rkey };

	/* Before the client can send. */
	if (rdma_post_recv(id, NULL, &done, sizeof(done), done_mr))
		err(1, "rdma_post_recv");
	if (rdma_accept(id, &param))
		err(1, "rdma_accept");
	if (rdma_post_send(id, NULL, &offer, sizeof(offer), offer_mr, 0))
		err(1, "rdma_post_send");
	await(rdma_get_send_comp, id);

	await(rdma_get_recv_comp, id);
	snprintf(answer, sizeof(answer), "seen: %.32s",
		 (const char *)board->addr);
	if (rdma_post_write(id, NULL, answer, sizeof(answer), answer_mr, 0,
			    done.answer.addr, done.answer.rkey) ||
	    rdma_post_sendv(id, NULL, NULL, 0, 0))
		err(1, "answer");
	await(rdma_get_send_comp, id);
	await(rdma_get_send_comp, id);
	if (rdma_dereg_mr(greeting_mr) || rdma_dereg_mr(answer_mr) ||
	    rdma_dereg_mr(offer_mr) || rdma_dereg_mr(done_mr))
		err(1, "rdma_dereg_mr");
}

int main(int argc, char **argv)
{
	struct rdma_cm_id *listener, *id;
	struct ibv_mr *board;
	char byte;

	if (argc != 3)
		errx(2, "usage: cm_server ADDRESS PORT");
	setvbuf(stdout, NULL, _IOLBF, 0);
	listener = listen_at(argv[1], argv[2]);
	puts("listening");
	if (rdma_get_request(listener, &id))
		err(1, "rdma_get_request");
	board = create_board(id->pd);
	printf("board %#x\n", board->handle);
	serve(id, board);
	printf("client wrote: %.*s\n", TEXT_SIZE, (char *)board->addr);
	rdma_disconnect(id);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	/* The MR is in the PD of the id, so it goes first. */
	if (rdma_dereg_mr(board))
		err(1, "rdma_dereg_mr");
	rdma_destroy_ep(id);
	rdma_destroy_ep(listener);
	return 0;
}
