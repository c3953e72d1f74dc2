/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the other parts of verbs_exp.h build on: where experimental enumerators
 * and flags start, so that they do not meet the standard ones, and the types
 * that several parts use.
 */
#ifndef INFINIBAND_VERBS_EXP_BASE_H
#define INFINIBAND_VERBS_EXP_BASE_H

#include <errno.h>
#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Values that the vendor had in the enumerations of verbs.h.  Programs name
 * them, and no device here has or reports any of them.  Creation of a QP of
 * such a type fails with EOPNOTSUPP.
 */
#define IBV_QPT_XRC	      ((enum ibv_qp_type)5)
#define IBV_QPT_RAW_ETH	      IBV_QPT_RAW_PACKET
#define IBV_EXP_QP_TYPE_START ((enum ibv_qp_type)32)
#define IBV_EXP_QPT_DC_INI    IBV_EXP_QP_TYPE_START

/* Numbers, since C++ has no values beyond the range of an enumeration. */
#define IBV_EXP_EVENT_DCT_KEY_VIOLATION 32
#define IBV_EXP_EVENT_DCT_ACCESS_ERR	33
#define IBV_EXP_EVENT_DCT_REQ_ERR	34
#define IBV_EXP_NODE_TYPE_START		32
#define IBV_EXP_NODE_MIC		IBV_EXP_NODE_TYPE_START
#define IBV_EXP_TRANSPORT_TYPE_START	32
#define IBV_EXP_TRANSPORT_SCIF		IBV_EXP_TRANSPORT_TYPE_START

/* ibv_rereg_mr() refuses it. */
#define IBV_REREG_MR_KEEP_VALID (1 << 3)

/* For a function: return with errno EINVAL if val is beyond the mask. */
#define IBV_EXP_RET_ON_INVALID_COMP_MASK(val, valid_mask, ret) \
	do {                                                   \
		if ((val) > (valid_mask)) {                    \
			errno = EINVAL;                        \
			return ret;                            \
		}                                              \
	} while (0)
#define IBV_EXP_RET_NULL_ON_INVALID_COMP_MASK(val, valid_mask) \
	IBV_EXP_RET_ON_INVALID_COMP_MASK(val, valid_mask, NULL)
#define IBV_EXP_RET_EINVAL_ON_INVALID_COMP_MASK(val, valid_mask) \
	IBV_EXP_RET_ON_INVALID_COMP_MASK(val, valid_mask, EINVAL)
#define IBV_EXP_RET_ZERO_ON_INVALID_COMP_MASK(val, valid_mask) \
	IBV_EXP_RET_ON_INVALID_COMP_MASK(val, valid_mask, 0)

enum ibv_exp_start_values {
	IBV_EXP_START_ENUM = 0x40,
	IBV_EXP_START_FLAG_LOC = 0x20,
	IBV_EXP_START_FLAG = 1ULL << IBV_EXP_START_FLAG_LOC
};

enum ibv_exp_atomic_cap {
	IBV_EXP_ATOMIC_NONE = IBV_ATOMIC_NONE,
	IBV_EXP_ATOMIC_HCA = IBV_ATOMIC_HCA,
	IBV_EXP_ATOMIC_GLOB = IBV_ATOMIC_GLOB,
	IBV_EXP_ATOMIC_HCA_REPLY_BE = IBV_EXP_START_ENUM
};

/* Bits for types of QPs, in capabilities that depend on the type. */
enum ibv_exp_supported_qp_types {
	IBV_EXP_QPT_RC = 1 << 0,
	IBV_EXP_QPT_UC = 1 << 1,
	IBV_EXP_QPT_UD = 1 << 2,
	IBV_EXP_QPT_XRC_INIT = 1 << 3,
	IBV_EXP_QPT_XRC_TGT = 1 << 4,
	IBV_EXP_QPT_RAW_PACKET = 1 << 5,
	IBV_EXP_QPT_RESERVED = 1 << 6
};

enum ibv_exp_mp_rq_shifts {
	IBV_EXP_MP_RQ_NO_SHIFT = 0,
	IBV_EXP_MP_RQ_2BYTES_SHIFT = 1 << 0
};

/* For the vendor's peer-to-peer interface, which is not served. */
struct ibv_exp_peer_direct_attr;

/* Objects of one pattern of use, which have locks and doorbells in common. */
struct ibv_exp_res_domain {
	struct ibv_context *context;
};

enum ibv_exp_thread_model {
	IBV_EXP_THREAD_SAFE,
	IBV_EXP_THREAD_UNSAFE,
	IBV_EXP_THREAD_SINGLE
};

enum ibv_exp_msg_model {
	IBV_EXP_MSG_DEFAULT,
	IBV_EXP_MSG_LOW_LATENCY,
	IBV_EXP_MSG_HIGH_BW,
	IBV_EXP_MSG_FORCE_LOW_LATENCY
};

enum ibv_exp_res_domain_init_attr_comp_mask {
	IBV_EXP_RES_DOMAIN_THREAD_MODEL = 1 << 0,
	IBV_EXP_RES_DOMAIN_MSG_MODEL = 1 << 1,
	IBV_EXP_RES_DOMAIN_RESERVED = 1 << 2
};

struct ibv_exp_res_domain_init_attr {
	uint32_t comp_mask;
	enum ibv_exp_thread_model thread_model;
	enum ibv_exp_msg_model msg_model;
};

enum ibv_exp_destroy_res_domain_comp_mask {
	IBV_EXP_DESTROY_RES_DOMAIN_RESERVED = 1 << 0
};

struct ibv_exp_destroy_res_domain_attr {
	uint32_t comp_mask;
};

/* Not served: NULL with errno ENOSYS; EINVAL for comp_mask. */
struct ibv_exp_res_domain *ibv_exp_create_res_domain(
	struct ibv_context *context, struct ibv_exp_res_domain_init_attr *attr);

/* Not served: ENOSYS.  attr may be NULL; EINVAL for its comp_mask. */
int ibv_exp_destroy_res_domain(struct ibv_context *context,
			       struct ibv_exp_res_domain *res_dom,
			       struct ibv_exp_destroy_res_domain_attr *attr);

/* Longest value of ibv_exp_setenv, with its terminating 0. */
#define VERBS_MAX_ENV_VAL 4096

/*
 * Set an environment variable for a device.  No context has an environment of
 * its own, so this is setenv(3) for the process: 0, or -1 with errno.  No other
 * thread may read the environment meanwhile.  The variables of memory
 * allocation (mlx5x(7)) take effect with the next call that allocates.
 */
int ibv_exp_setenv(struct ibv_context *context, const char *name,
		   const char *value, int overwrite);

/*
 * Give a context an environment of its own.  Not served: -1 with errno ENOSYS.
 * Programs then use the environment of the process.
 */
int ibv_exp_use_priv_env(struct ibv_context *context);

#ifdef __cplusplus
}
#endif

#endif
