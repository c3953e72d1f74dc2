/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef MLX5X_ENV_H
#define MLX5X_ENV_H

#include <stdbool.h>
#include <stdint.h>

struct verbs_context;

struct mlx5x_env {
	bool single_threaded;
	bool shut_up_bf;
	bool prefer_bf;
	bool scatter_to_cqe;
	uint32_t cqe_size;
	uint32_t total_uuars;
	uint32_t low_lat_uuars;
};

/* Read all variables; a value that is not valid is logged and not used. */
void mlx5x_env_read(struct verbs_context *vctx, struct mlx5x_env *env);

#endif
