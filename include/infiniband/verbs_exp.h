/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The "experimental verbs" that the vendor's libibverbs had (releases 3.4 to
 * 4.6), for programs that were written to them, on the standard libibverbs.
 *
 * Sources compile unchanged: names, enumerators, the order of members and the
 * types are those of that interface.  Where its releases differ in a value,
 * this header has the one of 4.x.  The names are ordinary functions of
 * libmlx5x.so.1, so programs that were compiled against the vendor's header
 * must be compiled again.
 *
 * Each function has a manual page of its name, which is its contract.  The
 * comments in these headers are summaries.
 *
 * Conventions, unless a function says otherwise:
 *
 * - A function returns a pointer, or NULL with errno set; or it returns 0 or a
 *   positive errno value, and sets errno too.  A few calls have always
 *   returned negative errno values; their comments say so.
 * - comp_mask tells which optional members of a structure hold something.  A
 *   bit that this header does not define gives EINVAL, and so does a NULL
 *   argument that a comment does not allow.
 * - "Not served" means that the library does not implement the call.  It
 *   returns ENOSYS, as on a device whose driver lacked it, and logs which
 *   provider serves the device and how to choose mlx5x.
 *   ibv_exp_query_device() tells what is served.
 * - Several threads may call at once under the rules of the standard verbs: no
 *   thread may use an object that another one destroys.
 *
 * A context of another provider is served as far as the standard verbs reach:
 * registration, shared MRs, QPs, CQs, work requests of the standard kinds,
 * queries.
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
