// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet send queues: a sink.
 *
 * The WQEs are walked and completed as if their frames had gone out; what
 * they would have sent is not looked at.  The driver asks for a completion on
 * the last WQE of each doorbell, and identifies it by wqe_counter.
 *
 * A WQE that makes no sense stops the queue with an error completion, as its
 * driver expects before it recovers the queue.
 */
#include "hca.h"
#include "hw_cmd.h"

#define WQEBB	     64u
#define CTRL_SIZE    16u
#define CTRL_OPCODE  0x00, 7, 0
#define CTRL_QPN     0x04, 31, 8
#define CTRL_DS	     0x04, 5, 0
#define CTRL_CE	     0x08, 3, 2
#define CE_ON_ERROR  0u
#define DS_PER_WQEBB 4u
#define DBR_SQ	     4u
#define OP_NOP	     0x00u
#define OP_SEND	     0x0au
#define OP_LSO	     0x0eu

#define ETH_CQE_UIDX	0x20, 23, 0
#define ETH_CQE_ERROR	0x34, 7, 0
#define ETH_CQE_OPCODE	0x38, 31, 24
#define ETH_CQE_SQN	0x38, 23, 0
#define ETH_CQE_COUNTER 0x3c, 31, 16
#define ETH_CQE_TYPE	0x3c, 7, 4
#define TYPE_REQ	0u
#define TYPE_REQ_ERR	13u
#define ERR_LOCAL_QP_OP 0x02u

static void complete(struct hca *hca, struct eth_wq *sq, uint32_t opcode,
		     uint16_t counter, bool error)
{
	uint8_t cqe[WQEBB] = { 0 };

	bits_set(cqe, ETH_CQE_UIDX, sq->user_index);
	bits_set(cqe, ETH_CQE_OPCODE, opcode);
	bits_set(cqe, ETH_CQE_SQN, sq->obj.id);
	bits_set(cqe, ETH_CQE_COUNTER, counter);
	bits_set(cqe, ETH_CQE_TYPE, error ? TYPE_REQ_ERR : TYPE_REQ);
	if (error)
		bits_set(cqe, ETH_CQE_ERROR, ERR_LOCAL_QP_OP);
	cq_post(hca, sq->cq, cqe, false);
}

static void stop(struct hca *hca, struct eth_wq *sq, uint32_t opcode)
{
	sq->state = WQC_STATE_ERR;
	complete(hca, sq, opcode, sq->ci, true);
}

void eth_sq_doorbell(struct hca *hca, struct eth_wq *sq)
{
	uint32_t mask = (1u << sq->log_size) - 1, opcode, ds;
	uint8_t word[4], ctrl[CTRL_SIZE];
	uint16_t pi, left;

	if (sq->state != WQC_STATE_RDY)
		return;
	if (dma_read(hca->dma, sq->dbr + DBR_SQ, word, sizeof(word))) {
		stop(hca, sq, OP_NOP);
		return;
	}
	pi = (uint16_t)be32_get(word);
	left = pi - sq->ci;
	if (left > mask + 1) {
		stop(hca, sq, OP_NOP);
		return;
	}
	while (left && sq->state == WQC_STATE_RDY) {
		uint64_t off = (uint64_t)(sq->ci & mask) * WQEBB;
		uint16_t counter = sq->ci, blocks;

		if (ring_read(hca, &sq->ring, off, ctrl, sizeof(ctrl))) {
			stop(hca, sq, OP_NOP);
			return;
		}
		opcode = bits_get(ctrl, CTRL_OPCODE);
		ds = bits_get(ctrl, CTRL_DS);
		blocks = (uint16_t)((ds + DS_PER_WQEBB - 1) / DS_PER_WQEBB);
		if (!blocks || blocks > left ||
		    bits_get(ctrl, CTRL_QPN) != sq->obj.id ||
		    (opcode != OP_NOP && opcode != OP_SEND &&
		     opcode != OP_LSO)) {
			stop(hca, sq, opcode);
			return;
		}
		hca->stats.wqes_send[opcode]++;
		sq->ci += blocks;
		left -= blocks;
		if (bits_get(ctrl, CTRL_CE) != CE_ON_ERROR)
			complete(hca, sq, opcode, counter, false);
	}
}
