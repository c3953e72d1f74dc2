// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Building the CQEs of QPs; cqe.h tells the rules. */
#include <string.h>

#include "dp_qp.h"

uint64_t cqe_timestamp(void)
{
	return loop_now_ns() / 32 * 5;
}

static void begin(uint8_t *cqe, const struct qp *qp, enum cqe_opcode opcode,
		  uint16_t counter)
{
	memset(cqe, 0, CQE_SIZE);
	bits_set(cqe, CQE_UIDX, qp->user_index);
	bits_set(cqe, CQE_QPN, qp->obj.id);
	bits_set(cqe, CQE_WQE_COUNTER, counter);
	bits_set(cqe, CQE_OPCODE, opcode);
}

unsigned int cqe_room(const struct cq *cq, unsigned int wanted)
{
	unsigned int room = CQE_DATA_SMALL;

	if (!cq)
		return 0;
	/* A QP that wants 64 bytes may find small CQEs after a resize. */
	if (cq->cqe_size > CQE_SIZE)
		room = CQE_DATA_MAX;
	return wanted < room ? wanted : room;
}

/*
 * Put the payload into the CQE.  Up to 32 bytes go into cqe itself and NULL is
 * returned.  A larger payload is returned: it is the first half of a 128-byte
 * CQE.
 */
static const uint8_t *put_data(uint8_t *cqe, const struct cqe_data *data)
{
	if (!data || !data->len)
		return NULL;
	if (data->len > CQE_DATA_SMALL) {
		bits_set(cqe, CQE_FORMAT, CQE_FORMAT_DATA64);
		return data->bytes;
	}
	bits_set(cqe, CQE_FORMAT, CQE_FORMAT_DATA32);
	memcpy(cqe, data->bytes, CQE_DATA_SMALL);
	return NULL;
}

void cqe_send_done(struct hca *hca, struct qp *qp, uint8_t wqe_opcode,
		   uint16_t counter, uint32_t byte_cnt, bool event,
		   const struct cqe_data *data)
{
	uint8_t cqe[CQE_SIZE];

	if (!qp->scq)
		return;
	begin(cqe, qp, CQE_REQ, counter);
	bits_set(cqe, CQE_WQE_OPCODE, wqe_opcode);
	bits_set(cqe, CQE_BYTE_CNT, byte_cnt);
	be64_put(cqe + CQE_TIMESTAMP, cqe_timestamp());
	hca->owner->write_cqe(hca, qp->scq, cqe, put_data(cqe, data), event);
}

void cqe_recv_done(struct hca *hca, struct qp *qp, const struct cqe_recv *recv)
{
	uint8_t cqe[CQE_SIZE];

	if (!qp->rcq)
		return;
	begin(cqe, qp, recv->opcode, recv->counter);
	if (recv->grh) {
		bits_set(cqe, CQE_GRH, 1);
		bits_set(cqe, CQE_L3_TYPE, recv->l3_type);
	}
	bits_set(cqe, CQE_RQPN, recv->remote_qpn);
	bits_set(cqe, CQE_IMM, recv->imm);
	bits_set(cqe, CQE_BYTE_CNT, recv->byte_cnt);
	bits_set(cqe, CQE_SE, recv->solicited);
	be64_put(cqe + CQE_TIMESTAMP, cqe_timestamp());
	hca->owner->write_cqe(hca, qp->rcq, cqe, put_data(cqe, recv->data),
			      recv->solicited);
}

/* Count an error, and keep it for who asks later. */
static void note_error(struct hca *hca, const struct qp *qp,
		       const struct failure *failure)
{
	const unsigned int known =
		sizeof(hca->stats.errors) / sizeof(hca->stats.errors[0]);

	if (failure->syndrome < known)
		hca->stats.errors[failure->syndrome]++;
	if (failure->syndrome == SYN_WR_FLUSH)
		return;
	qp->dp->failure = *failure;
	qp->dp->failure.time = loop_now_ns();
}

static void error(uint8_t *cqe, enum cqe_syndrome syndrome, uint8_t vendor)
{
	bits_set(cqe, CQE_ERR_SYNDROME, syndrome);
	bits_set(cqe, CQE_ERR_VENDOR, vendor);
}

void cqe_send_error(struct hca *hca, struct qp *qp, uint8_t wqe_opcode,
		    uint16_t counter, enum cqe_syndrome syndrome,
		    uint8_t vendor)
{
	uint8_t cqe[CQE_SIZE];

	note_error(hca, qp,
		   &(struct failure){ .wqe = counter,
				      .syndrome = syndrome,
				      .vendor = vendor,
				      .send = true });
	if (!qp->scq)
		return;
	begin(cqe, qp, CQE_REQ_ERR, counter);
	bits_set(cqe, CQE_WQE_OPCODE, wqe_opcode);
	error(cqe, syndrome, vendor);
	hca->owner->write_cqe(hca, qp->scq, cqe, NULL, true);
}

void cqe_recv_error(struct hca *hca, struct qp *qp, uint16_t counter,
		    enum cqe_syndrome syndrome, uint8_t vendor)
{
	uint8_t cqe[CQE_SIZE];

	note_error(hca, qp,
		   &(struct failure){ .wqe = counter,
				      .syndrome = syndrome,
				      .vendor = vendor });
	if (!qp->rcq)
		return;
	begin(cqe, qp, CQE_RESP_ERR, counter);
	error(cqe, syndrome, vendor);
	hca->owner->write_cqe(hca, qp->rcq, cqe, NULL, true);
}
