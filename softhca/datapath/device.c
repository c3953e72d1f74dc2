// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Finding the objects of an HCA by kind and number.  Each of their structures
 * begins with its struct obj, so a pointer to one is a pointer to the other.
 */
#include "cq.h"
#include "device.h"
#include "mkey.h"
#include "qp.h"
#include "srq.h"

/*
 * A send doorbell holds the number of a QP or of an Ethernet SQ and does not
 * tell which, so both take their numbers from one table.
 */
struct obj_table *obj_table(struct hca *hca, enum obj_kind kind)
{
	return &hca->obj[kind == OBJ_ETH_SQ ? OBJ_QP : kind];
}

struct obj *obj_find(struct hca *hca, enum obj_kind kind, uint32_t id)
{
	struct obj *obj = obj_get(obj_table(hca, kind), id);

	return obj && obj->kind == kind ? obj : NULL;
}

struct cq *cq_get(struct hca *hca, uint32_t cqn)
{
	return (struct cq *)obj_find(hca, OBJ_CQ, cqn);
}

struct qp *qp_get(struct hca *hca, uint32_t qpn)
{
	return (struct qp *)obj_find(hca, OBJ_QP, qpn);
}

struct srq *srq_get(struct hca *hca, uint32_t srqn)
{
	return (struct srq *)obj_find(hca, OBJ_SRQ, srqn);
}

struct mkey *mkey_get(struct hca *hca, uint32_t index)
{
	return (struct mkey *)obj_find(hca, OBJ_MKEY, index);
}
