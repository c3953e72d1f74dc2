// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet send queues.  No frame is sent.
 *
 * Each WQE completes as if its frame had gone out; the frame itself is not
 * read.  The driver asks for a completion on the last WQE of each doorbell, and
 * finds that WQE by the completion's wqe_counter.
 *
 * A malformed WQE stops the queue with an error completion.  The driver waits
 * for such a completion before it recovers the queue.
 */
#include "device.h"
#include "eth.h"
#include "eth_wq.h"
#include "hw_wqe.h"
#include "owner.h"

#define DS_PER_WQEBB (WQE_BB / WQE_DS)
#define OP_LSO	     0x0eu

static void complete(struct hca *hca, struct eth_wq *sq, uint32_t opcode,
		     uint16_t counter, bool error)
{
	uint8_t cqe[CQE_SIZE] = { 0 };

	bits_set(cqe, CQE_UIDX, sq->user_index);
	bits_set(cqe, CQE_WQE_OPCODE, opcode);
	bits_set(cqe, CQE_QPN, sq->obj.id);
	bits_set(cqe, CQE_WQE_COUNTER, counter);
	bits_set(cqe, CQE_OPCODE, error ? CQE_REQ_ERR : CQE_REQ);
	if (error)
		bits_set(cqe, CQE_ERR_SYNDROME, SYN_LOCAL_QP_OP);
	hca->owner->write_cqe(hca, sq->cq, cqe, NULL, false);
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
		stop(hca, sq, WQE_NOP);
		return;
	}
	pi = (uint16_t)be32_get(word);
	left = pi - sq->ci;
	if (left > mask + 1) {
		stop(hca, sq, WQE_NOP);
		return;
	}
	while (left && sq->state == WQC_STATE_RDY) {
		uint64_t off = (uint64_t)(sq->ci & mask) * WQE_BB;
		uint16_t counter = sq->ci, blocks;

		if (ring_read(hca->dma, &sq->ring, off, ctrl, sizeof(ctrl))) {
			stop(hca, sq, WQE_NOP);
			return;
		}
		opcode = bits_get(ctrl, CTRL_OPCODE);
		ds = bits_get(ctrl, CTRL_DS);
		blocks = (uint16_t)((ds + DS_PER_WQEBB - 1) / DS_PER_WQEBB);
		if (!blocks || blocks > left ||
		    bits_get(ctrl, CTRL_QPN) != sq->obj.id ||
		    (opcode != WQE_NOP && opcode != WQE_SEND &&
		     opcode != OP_LSO)) {
			stop(hca, sq, opcode);
			return;
		}
		hca->stats.wqes_send[opcode]++;
		sq->ci += blocks;
		left -= blocks;
		if (bits_get(ctrl, CTRL_CE) != CTRL_CE_ON_ERROR)
			complete(hca, sq, opcode, counter, false);
	}
}
