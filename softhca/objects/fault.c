// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults on demand; see fault.h.  Orders for one opcode are carried out in the
 * order they came: the first that has not ended counts the command.
 */
#include "cq_cmd.h"
#include "eq.h"
#include "fault.h"
#include "objects_state.h"

bool fault_add_cmd(struct hca *hca, const struct cmd_fault *fault)
{
	struct cmd_faults *faults = &hca->objects->faults;

	if (faults->num == FAULT_MAX_CMDS)
		return false;
	faults->fault[faults->num++] = *fault;
	return true;
}

void fault_clear_cmds(struct hca *hca)
{
	hca->objects->faults.num = 0;
}

uint64_t fault_cmds_done(const struct hca *hca)
{
	return hca->objects->faults.done;
}

static void remove_fault(struct cmd_faults *faults, unsigned int i)
{
	for (faults->num--; i < faults->num; i++)
		faults->fault[i] = faults->fault[i + 1];
}

bool fault_take_cmd(struct hca *hca, uint16_t opcode, struct cmd_fault *fault)
{
	struct cmd_faults *faults = &hca->objects->faults;
	unsigned int i;

	for (i = 0; i < faults->num && faults->fault[i].opcode != opcode; i++)
		;
	if (i == faults->num)
		return false;
	if (faults->fault[i].after) {
		faults->fault[i].after--;
		return false;
	}
	*fault = faults->fault[i];
	faults->done++;
	if (fault->times && !--faults->fault[i].times)
		remove_fault(faults, i);
	return true;
}

bool fault_qp(struct hca *hca, uint32_t qpn)
{
	struct qp *qp = qp_get(hca, qpn);

	if (!qp)
		return false;
	event_qp(hca, EQE_WQ_CATAS, qpn);
	dp_qp_error(hca, qp);
	return true;
}

bool fault_cq(struct hca *hca, uint32_t cqn)
{
	struct cq *cq = cq_get(hca, cqn);

	if (!cq)
		return false;
	if (!cq->failed)
		cq_fail(hca, cq, EQE_CQ_OVERRUN);
	return true;
}

bool fault_srq(struct hca *hca, uint32_t srqn)
{
	if (!obj_find(hca, OBJ_SRQ, srqn))
		return false;
	event_srq(hca, EQE_SRQ_CATAS, srqn);
	return true;
}
