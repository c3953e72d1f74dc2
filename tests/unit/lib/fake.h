/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device that exists only in the test: contexts, PDs, and the registration
 * calls of libibverbs, which a test program overrides by defining them.
 *
 * An MR of the fake is like a real one.  Its pages must be mapped with the
 * access that is asked for, else it is EFAULT.  It is deregistered by the
 * handle that it shows, so a caller that leaves a wrong handle in it gets
 * ENOENT.
 */
#ifndef TEST_LIB_FAKE_H
#define TEST_LIB_FAKE_H

#include <stdbool.h>
#include <infiniband/verbs.h>

#include "exp_ops.h"

/* A context of some other provider, and a PD on it. */
extern struct verbs_context fake_verbs;
#define fake_context fake_verbs.context
extern struct ibv_pd fake_pd;

/* A context that the tests register as ours, and a PD on it. */
extern struct verbs_context own_verbs;
#define own_context own_verbs.context
extern struct ibv_pd own_pd;
extern const struct verbs_exp_ops own_ops;

/* What the next registration or deregistration answers, once. */
extern int fake_reg_errno;
extern int fake_dereg_errno;
/* What the next re-registration returns, once, with fake_rereg_errno.  With
 * IBV_REREG_MR_ERR_DO_FORK_OLD the MR changes all the same.
 */
extern int fake_rereg_result;
extern int fake_rereg_errno;
/* How often the standard verb was called, and with what flags the last time. */
extern int fake_rereg_calls;
extern int fake_rereg_flags;
/* Pin for writing always, as kernels before 6.2 do. */
extern bool fake_old_kernel;
/* The device has on-demand paging. */
extern bool fake_odp;
/* The next MR has the address of the one deregistered last (one thread). */
extern bool fake_reuse;

/* The access flags of this thread's last registration. */
extern _Thread_local unsigned int fake_last_access;

/* MRs that are registered now. */
int fake_mr_count(void);

#endif
