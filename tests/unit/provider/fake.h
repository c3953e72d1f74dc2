/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A kernel that is not there.
 *
 * fake.c takes the place of cmd.c: each command succeeds with plausible
 * answers, records what it was asked, and can be made to fail.  Allocations
 * (calloc, posix_memalign, mmap) fail on demand too, and every anonymous
 * mapping is followed by a page that cannot be touched.  What is open,
 * allocated, kept from fork and locked is counted, so that a test can see a
 * leak.
 */
#ifndef FAKE_H
#define FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd.h"
#include "ops.h"

enum fake_cmd {
	FAKE_GET_CONTEXT,
	FAKE_ALLOC_UAR,
	FAKE_QUERY_DEVICE,
	FAKE_QUERY_PORT,
	FAKE_DEVX,
	FAKE_ALLOC_PD,
	FAKE_DEALLOC_PD,
	FAKE_REG_MR,
	FAKE_REREG_MR,
	FAKE_DEREG_MR,
	FAKE_ALLOC_MW,
	FAKE_DEALLOC_MW,
	FAKE_CREATE_MKEY,
	FAKE_CREATE_CQ,
	FAKE_DESTROY_CQ,
	FAKE_CREATE_SRQ,
	FAKE_MODIFY_SRQ,
	FAKE_QUERY_SRQ,
	FAKE_DESTROY_SRQ,
	FAKE_CREATE_QP,
	FAKE_MODIFY_QP,
	FAKE_QUERY_QP,
	FAKE_DESTROY_QP,
	FAKE_CREATE_AH,
	FAKE_DESTROY_AH,
	FAKE_QUERY_GID_TYPE,
	FAKE_RESOLVE_DMAC,
	FAKE_REGISTER,
	/* of fake_share.c */
	FAKE_QUERY_CONTEXT,
	FAKE_QUERY_PD,
	FAKE_QUERY_MR,
	FAKE_COUNT,
	FAKE_ALLOC_ASYNC,
	FAKE_ALLOC_CHANNEL,
	FAKE_CLONE_CQ,
	FAKE_DESTROY,
	FAKE_NUM_CMDS,
};

struct fake {
	/* answers */
	struct mlx5_ib_alloc_ucontext_resp ucontext;
	struct mlx5_ib_query_device_resp query_device;
	uint64_t fw_ver;
	struct ibv_port_attr port;
	enum ibv_gid_type_sysfs gid_type;
	uint32_t qpn;
	uint32_t cqn;
	uint32_t uar_page;
	struct mlx5x_query_atomic_cap_out atomic_caps;
	struct mlx5x_query_general_cap_out general_caps;
	unsigned int device_caps;
	uint32_t mkey_index;
	uint8_t mkey_status;
	bool refuse_devx;
	bool uar_refused; /* with ENOSPC */
	bool no_devx;	  /* the device takes queries of capabilities only */

	/* what the commands were asked */
	unsigned int calls[FAKE_NUM_CMDS];
	struct mlx5_ib_alloc_ucontext_req_v2 ucontext_req;
	enum mlx5_ib_uapi_uar_alloc_type uar_type;
	struct mlx5_ib_create_cq cq_req;
	struct ibv_cq_init_attr_ex cq_attr;
	uint32_t cq_uar;
	struct mlx5_ib_create_srq srq_req;
	struct ibv_srq_init_attr srq_attr;
	uint32_t srq_limit;
	struct mlx5_ib_create_qp qp_req;
	struct ibv_qp_init_attr_ex qp_attr;
	int mr_access;
	uint64_t mr_hca_va;
	uint32_t mr_handle; /* of the last rereg or dereg */
	int rereg_flags;
	void *rereg_addr;
	size_t rereg_length;
	struct ibv_pd *rereg_pd;
	uint8_t devx_in[16];
	size_t devx_outlen;
	uint8_t mw_klms;
	enum ibv_mw_type mw_type;
	struct mlx5x_create_mkey_in mkey_in;
	int smr_withdrawn;
	int smr_released;
	/* MRs that lived when the segment was released */
	int smr_released_at;

	/* how many live */
	int live_uars;
	int live_pds;
	int live_mrs;
	int live_mws;
	int live_mkeys;
	int live_cqs;
	int live_qps;
	int live_srqs;
	int live_ahs;
	int live_contexts; /* registered with libmlx5x */
	int live_maps;
	int live_dbrecs; /* doorbell records in use */
	long dontfork;	 /* bytes */

	/* spinlocks */
	atomic_int locks_held;
	atomic_uint locks_taken;

	/* fail the n-th call from now (0: the next) with this errno */
	int fail_after[FAKE_NUM_CMDS];
	int fail_errno[FAKE_NUM_CMDS];
	int alloc_fail_after;		    /* -1: never */
	void (*on_call)(enum fake_cmd cmd); /* at the start of each */
	bool dontfork_fails;
	unsigned int dontfork_after; /* calls that succeed before */
	unsigned int allocs;

	/* lines of verbs_warn, of verbs_err, and the last of the latter */
	unsigned int warnings;
	unsigned int errors;
	char error[512];
};

extern struct fake fake;
extern struct mlx5x_device fake_device;

void fake_reset(void);
void fake_fail(enum fake_cmd cmd, int after, int err);
/* Counts a call.  Returns 0, or the errno that the call has to return. */
int fake_call(enum fake_cmd cmd);

/* A context as ibv_open_device makes it; NULL with errno. */
struct ibv_context *fake_open(void);
/* As ibv_import_device makes it. */
struct ibv_context *fake_import(void);
void fake_close(struct ibv_context *context);
/*
 * Assert that nothing is left of what commands, allocations and mappings made.
 */
void fake_assert_clean(void);

/* The page behind a UAR's page number, as the device would see it. */
uint8_t *fake_uar(struct mlx5x_bf *bf);

/* Two CQs and a QP ready to send, RC unless another type is set. */
struct fake_rc {
	enum ibv_qp_type type;
	struct ibv_srq *srq;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_qp *qp;
	struct ibv_qp_cap cap;
};

void fake_rc_open(struct fake_rc *rc, const struct ibv_qp_cap *cap,
		  int sq_sig_all);
/* The same in an open context, which destroy leaves open. */
void fake_rc_create(struct fake_rc *rc, const struct ibv_qp_cap *cap,
		    int sq_sig_all);
void fake_rc_destroy(struct fake_rc *rc);
void fake_rc_close(struct fake_rc *rc);
void fake_modify(struct ibv_qp *qp, enum ibv_qp_state state);

/* The bytes of a CQE; the index counts from the CQ's creation. */
uint8_t *fake_cqe(struct ibv_cq *cq, uint32_t index);
/*
 * Write the next CQE of the ring as the device would: all bytes but the last
 * from bytes, then opcode, flags and the owner bit of that pass.
 */
void fake_put_cqe(struct ibv_cq *cq, uint32_t index, const uint8_t bytes[64],
		  uint8_t opcode, uint8_t flags);
/* A CQE's bytes for a WQE: queue and counter, all else zero. */
void fake_cqe_of(uint8_t bytes[64], struct ibv_qp *qp, uint16_t counter);
/* Write such a CQE. */
void fake_complete(struct ibv_cq *cq, uint32_t index, struct ibv_qp *qp,
		   uint16_t counter, uint8_t opcode);
void fake_be16(uint8_t *p, uint16_t v);
void fake_be32(uint8_t *p, uint32_t v);

#endif
