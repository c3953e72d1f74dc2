/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The "experimental verbs" that the vendor's libibverbs had (releases 3.4 to
 * 4.6), for programs that were written to them, on the standard libibverbs.
 *
 * Sources compile unchanged: names, enumerators, the order of members and the
 * types are those of that interface.  Where its releases differ in a value,
 * the one of 4.x is here.  Behind the names are ordinary functions of
 * libmlx5x.so.1; programs that were compiled against the vendor's header have
 * to be compiled again.
 *
 * Conventions, unless a function says otherwise:
 *
 * - A pointer is returned, or NULL with errno set; a number is 0 or a positive
 *   errno value, and errno is set too.  The few calls of the vendor's that
 *   answer with a negative errno value say so.
 * - comp_mask tells which optional members of a structure hold something.  A
 *   value with a bit that this header does not define gives EINVAL.
 * - A call that no implementation stands behind gives ENOSYS, as it did on a
 *   device whose driver lacked it, and logs who serves the device and how to
 *   choose mlx5x.  Ask ibv_exp_query_device() what is there.
 * - Calls may be made from several threads at once under the rules of the
 *   standard verbs: not on an object that another thread destroys.
 *
 * A context that another provider has opened is served as far as the standard
 * verbs reach: registration, shared MRs, QPs, CQs, work requests of the
 * standard kinds, queries.
 *
 * This header replaces ibv_dereg_mr() and ibv_reg_mr() by macros; see
 * ibv_exp_dereg_mr() and ibv_exp_reg_mr_compat().
 */
#ifndef INFINIBAND_VERBS_EXP_H
#define INFINIBAND_VERBS_EXP_H

#include <infiniband/verbs.h>

#include <infiniband/verbs_exp_base.h>
#include <infiniband/verbs_exp_device.h>
#include <infiniband/verbs_exp_mr.h>
#include <infiniband/verbs_exp_mkey.h>
#include <infiniband/verbs_exp_qp.h>
#include <infiniband/verbs_exp_cq.h>
#include <infiniband/verbs_exp_wr.h>
#include <infiniband/verbs_exp_srq.h>
#include <infiniband/verbs_exp_wq.h>
#include <infiniband/verbs_exp_dct.h>
#include <infiniband/verbs_exp_flow.h>
#include <infiniband/verbs_exp_intf.h>
#include <infiniband/verbs_exp_ec.h>

#endif
