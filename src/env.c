// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdlib.h>
#include <strings.h>

#include "env.h"

#define CONTIG_SHIFT_MIN 12
#define CONTIG_SHIFT_MAX 23

static const struct {
	const char *name;
	enum alloc_type type;
} alloc_types[] = {
	{ "ALL", ALLOC_ALL },
	{ "ANON", ALLOC_ANON },
	{ "HUGE", ALLOC_HUGE },
	{ "CONTIG", ALLOC_CONTIG },
	{ "PREFER_HUGE", ALLOC_PREFER_HUGE },
	{ "PREFER_CONTIG", ALLOC_PREFER_CONTIG },
};

long env_log_level(void)
{
	const char *value = getenv("VERBS_LOG_LEVEL");

	return value ? strtol(value, NULL, 0) : 0;
}

const char *env_log_file(void)
{
	return secure_getenv("VERBS_LOG_FILE");
}

const char *env_smr_dir(void)
{
	const char *value = secure_getenv("MLX5X_SHARED_MR_DIR");

	return value && *value ? value : "/dev/shm";
}

static enum alloc_type alloc_type(void)
{
	const char *value = getenv("MLX_MR_ALLOC_TYPE");
	size_t i;

	if (!value)
		return ALLOC_ALL;
	for (i = 0; i < sizeof(alloc_types) / sizeof(alloc_types[0]); i++)
		if (!strcasecmp(value, alloc_types[i].name))
			return alloc_types[i].type;
	return ALLOC_ALL;
}

static unsigned int contig_shift(const char *name, unsigned int unset)
{
	const char *value = getenv(name);
	char *end;
	long shift;

	if (!value)
		return unset;
	shift = strtol(value, &end, 0);
	if (end == value || *end || shift < CONTIG_SHIFT_MIN ||
	    shift > CONTIG_SHIFT_MAX)
		return unset;
	return shift;
}

struct alloc_policy env_alloc_policy(void)
{
	struct alloc_policy policy;

	policy.type = alloc_type();
	policy.min_shift =
		contig_shift("MLX_MR_MIN_LOG2_CONTIG_BSIZE", CONTIG_SHIFT_MIN);
	policy.max_shift =
		contig_shift("MLX_MR_MAX_LOG2_CONTIG_BSIZE", CONTIG_SHIFT_MAX);
	return policy;
}
