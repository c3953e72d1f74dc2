// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Send doorbells: QPs and Ethernet SQs share one number space. */
#include "datapath.h"
#include "dp_qp.h"
#include "eth.h"

/* A doorbell counts only in the UAR page that the queue was created with. */
void sq_doorbell(struct hca *hca, uint32_t uar, uint32_t number)
{
	struct obj *obj = obj_get(obj_table(hca, OBJ_QP), number);

	if (!obj)
		return;
	if (obj->kind == OBJ_QP) {
		struct qp *qp = (struct qp *)obj;

		if (qp->uar == uar)
			dp_qp_doorbell(hca, qp);
	} else {
		struct eth_wq *sq = (struct eth_wq *)obj;

		if (sq->uar == uar)
			eth_sq_doorbell(sq);
	}
}
