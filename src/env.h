/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The environment variables of libmlx5x.  No other file reads them.
 *
 * The logging variables are read once, at the first message.  Each call that
 * needs one of the others reads it anew, so that ibv_exp_setenv works after a
 * device has been opened; all these calls are slow paths.  A variable that
 * names a file or a folder is ignored in a program that runs with raised
 * privilege.
 *
 *   VERBS_LOG_LEVEL              0 none, 1 error, 2 warning, 3 info, 4 debug
 *   VERBS_LOG_FILE               file that messages are appended to
 *   MLX5X_SHARED_MR_DIR          folder of the names of shared MRs (/dev/shm)
 *   MLX_MR_ALLOC_TYPE            ANON, HUGE, CONTIG, PREFER_HUGE,
 *                                PREFER_CONTIG or ALL (default)
 *   MLX_MR_MAX_LOG2_CONTIG_BSIZE 12 to 23 (default 23)
 *   MLX_MR_MIN_LOG2_CONTIG_BSIZE 12 to 23 (default 12)
 */
#ifndef LIBMLX5X_ENV_H
#define LIBMLX5X_ENV_H

enum alloc_type {
	ALLOC_ALL,
	ALLOC_ANON,
	ALLOC_HUGE,
	ALLOC_CONTIG,
	ALLOC_PREFER_HUGE,
	ALLOC_PREFER_CONTIG,
};

/* Which pages are to back the memory that the library allocates. */
struct alloc_policy {
	enum alloc_type type;
	unsigned int min_shift;
	unsigned int max_shift;
};

/* 0 if unset, else the number that VERBS_LOG_LEVEL starts with. */
long env_log_level(void);

/* NULL if unset. */
const char *env_log_file(void);

/* Never NULL, never empty. */
const char *env_smr_dir(void);

/* A value that is not understood counts as unset. */
struct alloc_policy env_alloc_policy(void);

#endif
