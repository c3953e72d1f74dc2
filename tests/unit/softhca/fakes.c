// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Stand-ins for the parts that a test does not link: weak, so that the real
 * ones win where they are linked.  They do nothing; a test that wants to see
 * the calls defines its own.
 */
#include <stdlib.h>

#include "hca.h"
#include "wire.h"

#define WEAK __attribute__((weak))

/* ---- command tables ---- */

#define EMPTY_TABLE(name) \
	WEAK const struct cmd_def name[] = { { 0, NULL, 0, 0, NULL } }

EMPTY_TABLE(cmds_device);
EMPTY_TABLE(cmds_vport);
EMPTY_TABLE(cmds_eq);
EMPTY_TABLE(cmds_res);
EMPTY_TABLE(cmds_mkey);
EMPTY_TABLE(cmds_umem);
EMPTY_TABLE(cmds_cq);
EMPTY_TABLE(cmds_qp);
EMPTY_TABLE(cmds_srq);
EMPTY_TABLE(cmds_eth);
EMPTY_TABLE(cmds_flow);

/* ---- objects ---- */

WEAK int objects_init(struct hca *hca)
{
	(void)hca;
	return 0;
}

WEAK void objects_reset(struct hca *hca)
{
	hca->cmd_eqn = 0;
}

WEAK void objects_fini(struct hca *hca)
{
	(void)hca;
}

WEAK void obj_for_each(struct obj_table *table,
		       void (*fn)(struct obj *obj, void *arg), void *arg)
{
	(void)table, (void)fn, (void)arg;
}

WEAK void eq_doorbell(struct hca *hca, uint32_t uar, uint32_t eqn, uint32_t ci,
		      bool arm)
{
	(void)hca, (void)uar, (void)eqn, (void)ci, (void)arm;
}

WEAK void cq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0,
		      uint32_t cqn)
{
	(void)hca, (void)uar, (void)word0, (void)cqn;
}

WEAK void sq_doorbell(struct hca *hca, uint32_t uar, uint32_t number)
{
	(void)hca, (void)uar, (void)number;
}

WEAK void eq_post_cmd(struct hca *hca, uint32_t slots)
{
	(void)hca, (void)slots;
}

WEAK void event_qp(struct hca *hca, enum eqe_type type, uint32_t qpn)
{
	(void)hca, (void)type, (void)qpn;
}

WEAK void event_srq(struct hca *hca, enum eqe_type type, uint32_t srqn)
{
	(void)hca, (void)type, (void)srqn;
}

WEAK void cq_post(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
		  const uint8_t *first, bool solicited)
{
	(void)hca, (void)cq, (void)cqe, (void)first, (void)solicited;
}

WEAK void eth_sq_doorbell(struct hca *hca, struct eth_wq *sq)
{
	(void)hca, (void)sq;
}

/* ---- data path ---- */

WEAK int dp_init(struct hca *hca)
{
	(void)hca;
	return 0;
}

WEAK void dp_fini(struct hca *hca)
{
	(void)hca;
}

WEAK void dp_qp_created(struct hca *hca, struct qp *qp)
{
	(void)hca, (void)qp;
}

WEAK void dp_qp_modified(struct hca *hca, struct qp *qp, unsigned int old_state)
{
	(void)hca, (void)qp, (void)old_state;
}

WEAK void dp_qp_destroyed(struct hca *hca, struct qp *qp)
{
	(void)hca, (void)qp;
}

WEAK void dp_qp_doorbell(struct hca *hca, struct qp *qp)
{
	(void)hca, (void)qp;
}

WEAK void dp_qp_error(struct hca *hca, struct qp *qp)
{
	(void)hca, (void)qp;
}

/* ---- wire ---- */

WEAK struct wire *wire_create(struct loop *loop)
{
	(void)loop;
	return malloc(1);
}

WEAK void wire_destroy(struct wire *wire)
{
	free(wire);
}

WEAK int wire_join(struct wire *wire, struct hca *hca)
{
	(void)wire, (void)hca;
	return 0;
}

WEAK void wire_leave(struct wire *wire, struct hca *hca)
{
	(void)wire, (void)hca;
}
