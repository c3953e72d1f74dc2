/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Erasure coding by the device.  Not served.
 */
#ifndef INFINIBAND_VERBS_EXP_EC_H
#define INFINIBAND_VERBS_EXP_EC_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibv_exp_ec_calc_attr_comp_mask {
	IBV_EXP_EC_CALC_ATTR_MAX_INFLIGHT = 1 << 0,
	IBV_EXP_EC_CALC_ATTR_K = 1 << 1,
	IBV_EXP_EC_CALC_ATTR_M = 1 << 2,
	IBV_EXP_EC_CALC_ATTR_W = 1 << 3,
	IBV_EXP_EC_CALC_ATTR_MAX_DATA_SGE = 1 << 4,
	IBV_EXP_EC_CALC_ATTR_MAX_CODE_SGE = 1 << 5,
	IBV_EXP_EC_CALC_ATTR_ENCODE_MAT = 1 << 6,
	IBV_EXP_EC_CALC_ATTR_AFFINITY = 1 << 7,
	IBV_EXP_EC_CALC_ATTR_POLLING = 1 << 8,
	IBV_EXP_EC_CALC_INIT_ATTR_RESERVED = 1 << 9
};

struct ibv_exp_ec_calc_init_attr {
	uint32_t comp_mask;
	uint32_t max_inflight_calcs;
	/* Data blocks, code blocks, and the field GF(2^w). */
	int k;
	int m;
	int w;
	int max_data_sge;
	int max_code_sge;
	uint8_t *encode_matrix;
	int affinity_hint;
	int polling;
};

enum ibv_exp_ec_status {
	IBV_EXP_EC_CALC_SUCCESS,
	IBV_EXP_EC_CALC_FAIL
};

struct ibv_exp_ec_comp {
	void (*done)(struct ibv_exp_ec_comp *comp);
	enum ibv_exp_ec_status status;
};

struct ibv_exp_ec_calc {
	struct ibv_pd *pd;
};

struct ibv_exp_ec_mem {
	struct ibv_sge *data_blocks;
	int num_data_sge;
	struct ibv_sge *code_blocks;
	int num_code_sge;
	int block_size;
};

struct ibv_exp_ec_stripe {
	struct ibv_qp *qp;
	struct ibv_send_wr *wr;
};

/* NULL with errno ENOSYS. */
struct ibv_exp_ec_calc *ibv_exp_alloc_ec_calc(
	struct ibv_pd *pd, struct ibv_exp_ec_calc_init_attr *attr);

/* Sets errno to ENOSYS. */
void ibv_exp_dealloc_ec_calc(struct ibv_exp_ec_calc *calc);

/* ENOSYS, each of these five. */
int ibv_exp_ec_encode_async(struct ibv_exp_ec_calc *calc,
			    struct ibv_exp_ec_mem *ec_mem,
			    struct ibv_exp_ec_comp *ec_comp);
int ibv_exp_ec_encode_sync(struct ibv_exp_ec_calc *calc,
			   struct ibv_exp_ec_mem *ec_mem);
int ibv_exp_ec_decode_async(struct ibv_exp_ec_calc *calc,
			    struct ibv_exp_ec_mem *ec_mem, uint8_t *erasures,
			    uint8_t *decode_matrix,
			    struct ibv_exp_ec_comp *ec_comp);
int ibv_exp_ec_decode_sync(struct ibv_exp_ec_calc *calc,
			   struct ibv_exp_ec_mem *ec_mem, uint8_t *erasures,
			   uint8_t *decode_matrix);
int ibv_exp_ec_poll(struct ibv_exp_ec_calc *calc, int n);

/* -ENOSYS, each of these three. */
int ibv_exp_ec_update_async(struct ibv_exp_ec_calc *calc,
			    struct ibv_exp_ec_mem *ec_mem,
			    uint8_t *data_updates, uint8_t *code_updates,
			    struct ibv_exp_ec_comp *ec_comp);
int ibv_exp_ec_update_sync(struct ibv_exp_ec_calc *calc,
			   struct ibv_exp_ec_mem *ec_mem, uint8_t *data_updates,
			   uint8_t *code_updates);
int ibv_exp_ec_encode_send(struct ibv_exp_ec_calc *calc,
			   struct ibv_exp_ec_mem *ec_mem,
			   struct ibv_exp_ec_stripe *data_stripes,
			   struct ibv_exp_ec_stripe *code_stripes);

#ifdef __cplusplus
}
#endif

#endif
