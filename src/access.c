// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <infiniband/verbs_exp.h>

#include "access.h"
#include "log.h"

#define OLD_FIRST_SHIFT 12
#define EXP_FIRST_SHIFT (IBV_EXP_START_FLAG_LOC + 5)
#define OLD_FLAGS                                                             \
	(IBV_ACCESS_ALLOCATE_MR | IBV_ACCESS_SHARED_MR_USER_READ |            \
	 IBV_ACCESS_SHARED_MR_USER_WRITE | IBV_ACCESS_SHARED_MR_GROUP_READ |  \
	 IBV_ACCESS_SHARED_MR_GROUP_WRITE | IBV_ACCESS_SHARED_MR_OTHER_READ | \
	 IBV_ACCESS_SHARED_MR_OTHER_WRITE | IBV_ACCESS_NO_RDMA)

#define STANDARD_FLAGS                                                       \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |                 \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND | \
	 IBV_ACCESS_HUGETLB | IBV_ACCESS_FLUSH_GLOBAL |                      \
	 IBV_ACCESS_FLUSH_PERSISTENT | (uint64_t)IBV_ACCESS_OPTIONAL_RANGE)

#define UNSERVED_FLAGS                                           \
	(IBV_EXP_ACCESS_MW_ZERO_BASED | IBV_EXP_ACCESS_RELAXED | \
	 IBV_EXP_ACCESS_PHYSICAL_ADDR | IBV_EXP_ACCESS_TUNNELED_ATOMIC)

#define LIBRARY_FLAGS                                                      \
	(IBV_EXP_ACCESS_ALLOCATE_MR | IBV_EXP_ACCESS_SHARED_MR_USER_READ | \
	 IBV_EXP_ACCESS_SHARED_MR_USER_WRITE |                             \
	 IBV_EXP_ACCESS_SHARED_MR_GROUP_READ |                             \
	 IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE |                            \
	 IBV_EXP_ACCESS_SHARED_MR_OTHER_READ |                             \
	 IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE | IBV_EXP_ACCESS_NO_RDMA |   \
	 IBV_EXP_ACCESS_ON_DEMAND)

static const struct {
	uint64_t flag;
	mode_t mode;
} modes[] = {
	{ IBV_EXP_ACCESS_SHARED_MR_USER_READ, S_IRUSR },
	{ IBV_EXP_ACCESS_SHARED_MR_USER_WRITE, S_IWUSR },
	{ IBV_EXP_ACCESS_SHARED_MR_GROUP_READ, S_IRGRP },
	{ IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE, S_IWGRP },
	{ IBV_EXP_ACCESS_SHARED_MR_OTHER_READ, S_IROTH },
	{ IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE, S_IWOTH },
};

bool access_is_old(uint64_t access)
{
	return access & OLD_FLAGS;
}

/*
 * The old flags stand in the order of the experimental ones, so that a shift
 * converts them.
 */
static uint64_t modernize(uint64_t access)
{
	uint64_t old = access & OLD_FLAGS;

	return (access & ~old) | old >> OLD_FIRST_SHIFT << EXP_FIRST_SHIFT;
}

static int check(const struct ibv_context *context, uint64_t access)
{
	uint64_t unknown = access &
			   ~(STANDARD_FLAGS | LIBRARY_FLAGS | UNSERVED_FLAGS);

	if (unknown) {
		log_err(context,
			"access 0x%" PRIx64 " has unknown flags 0x%" PRIx64,
			access, unknown);
		return EINVAL;
	}
	if ((access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) &&
	    !(access & IBV_ACCESS_LOCAL_WRITE)) {
		log_err(context,
			"access 0x%" PRIx64
			": remote write and atomic access need local write",
			access);
		return EINVAL;
	}
	if (access & UNSERVED_FLAGS) {
		log_err(context,
			"access 0x%" PRIx64
			" has flags that are not served: 0x%" PRIx64,
			access, access & UNSERVED_FLAGS);
		return EOPNOTSUPP;
	}
	return 0;
}

int access_parse(const struct ibv_context *context, uint64_t exp_access,
		 struct mr_access *access)
{
	uint64_t flags = modernize(exp_access);
	size_t i;
	int err;

	err = check(context, flags);
	if (err)
		return err;

	access->verbs = flags & STANDARD_FLAGS;
	if (flags & IBV_EXP_ACCESS_ON_DEMAND)
		access->verbs |= IBV_ACCESS_ON_DEMAND;
	access->mode = 0;
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (flags & modes[i].flag)
			access->mode |= modes[i].mode;
	access->allocate = flags & IBV_EXP_ACCESS_ALLOCATE_MR;
	access->no_rdma = flags & IBV_EXP_ACCESS_NO_RDMA;
	/* Under each of these flags the kernel pins pages for writing. */
	access->writable = flags &
			   (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND);
	return 0;
}
