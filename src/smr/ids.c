// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A number other than the overflow number is one's own.  The overflow number is
 * one's own only where all numbers are those of the first namespace.  Elsewhere
 * one's own and the kernel's stand-in look alike.
 */
#include <stdio.h>
#include <unistd.h>

#include "ids.h"

#define OVERFLOW_ID 65534u
#define ALL_NUMBERS 4294967295u

static unsigned int overflow_id(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned int id = OVERFLOW_ID;

	if (!f)
		return id;
	if (fscanf(f, "%u", &id) != 1)
		id = OVERFLOW_ID;
	fclose(f);
	return id;
}

/* Are all numbers here those of the first namespace? */
static bool is_identity(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned int from, to, num;
	bool all;

	if (!f)
		return false;
	all = fscanf(f, "%u %u %u", &from, &to, &num) == 3 && !from && !to &&
	      num == ALL_NUMBERS;
	fclose(f);
	return all;
}

bool smr_ids_certain(void)
{
	return (geteuid() != overflow_id("/proc/sys/kernel/overflowuid") ||
		is_identity("/proc/self/uid_map")) &&
	       (getegid() != overflow_id("/proc/sys/kernel/overflowgid") ||
		is_identity("/proc/self/gid_map"));
}
