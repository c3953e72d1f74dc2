// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Environment variables.
 *
 * All of them are read here, once, when a device is opened; nothing else in
 * the provider calls getenv.  Their names are those that programs and
 * administrators know from mlx5.  The default is in parentheses.
 *
 *  MLX5_SINGLE_THREADED     not 0: the program uses each object from one thread
 *                           at a time; no queue or CQ takes a lock (0).
 *  MLX5_CQE_SIZE            bytes of a CQE, 64 or 128 (64).
 *  MLX5_SHUT_UP_BF          not 0: never write WQEs through the doorbell
 *                           register, ring doorbells only (0).
 *  MLX5_POST_SEND_PREFER_BF 0: write through the doorbell register only WQEs
 *                           that carry inline data (1).
 *  MLX5_TOTAL_UUARS         doorbell registers that QPs may use, 4 to 512,
 *                           rounded up to even (16).
 *  MLX5_NUM_LOW_LAT_UUARS   how many of these serve one QP each, without a
 *                           lock; at least one stays shared (4).
 *  MLX5_SCATTER_TO_CQE      not 0: small received data may come inside the CQE,
 *                           and poll copies it (0).  Only for programs whose
 *                           scatter addresses are addresses of their own
 *                           memory: not with an IOVA of their own choice,
 *                           imported MRs or indirect keys.
 *
 * Other variables of the MLX5_ family are ignored.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/driver.h>
#include "ops.h"

enum {
	MIN_UUARS = 4,
	MAX_UUARS = 512,
	DEFAULT_UUARS = 16,
	DEFAULT_LOW_LAT = 4,
};

static bool read_bool(const char *name, bool unset)
{
	const char *s = getenv(name);

	return s ? strcmp(s, "0") != 0 : unset;
}

static uint32_t read_number(struct verbs_context *vctx, const char *name,
			    uint32_t min, uint32_t max, uint32_t unset)
{
	const char *s = getenv(name);
	unsigned long v;
	char *end;

	if (!s)
		return unset;
	errno = 0;
	v = strtoul(s, &end, 0);
	if (errno || end == s || *end || *s == '-' || v < min || v > max) {
		verbs_warn(vctx, "%s is \"%s\", not in %u to %u: using %u\n",
			   name, s, min, max, unset);
		return unset;
	}
	return v;
}

void mlx5x_env_read(struct verbs_context *vctx, struct mlx5x_env *env)
{
	env->single_threaded = read_bool("MLX5_SINGLE_THREADED", false);
	env->shut_up_bf = read_bool("MLX5_SHUT_UP_BF", false);
	env->prefer_bf = read_bool("MLX5_POST_SEND_PREFER_BF", true);
	env->scatter_to_cqe = read_bool("MLX5_SCATTER_TO_CQE", false);

	env->cqe_size = read_number(vctx, "MLX5_CQE_SIZE", 64, 128, 64);
	if (env->cqe_size != 64 && env->cqe_size != 128) {
		verbs_warn(vctx,
			   "MLX5_CQE_SIZE is %u, not 64 or 128: using 64\n",
			   env->cqe_size);
		env->cqe_size = 64;
	}

	env->total_uuars = read_number(vctx, "MLX5_TOTAL_UUARS", MIN_UUARS,
				       MAX_UUARS, DEFAULT_UUARS);
	env->total_uuars += env->total_uuars & 1;
	env->low_lat_uuars = read_number(
		vctx, "MLX5_NUM_LOW_LAT_UUARS", 0, env->total_uuars - 1,
		DEFAULT_LOW_LAT < env->total_uuars ? DEFAULT_LOW_LAT
						   : env->total_uuars - 1);
}
