// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/shm.h>
#include <unistd.h>

#include "key.h"

#define KEY_BASE  UINT32_C(0x4d000000)
#define KEY_COUNT 64
#define USER_BITS 18

static key_t key_of(unsigned int i)
{
	uint32_t user = geteuid() * UINT32_C(0x9e3779b1) >> (32 - USER_BITS);

	return KEY_BASE + user * KEY_COUNT + i % KEY_COUNT;
}

static bool is_left_behind(int shmid)
{
	struct shmid_ds ds;

	if (shmctl(shmid, IPC_STAT, &ds) || ds.shm_nattch)
		return false;
	if (ds.shm_perm.cuid != geteuid())
		return false;
	/* 0: a process of a PID namespace that we cannot see. */
	return ds.shm_cpid > 0 && kill(ds.shm_cpid, 0) && errno == ESRCH;
}

void smr_key_reap(void)
{
	unsigned int i;
	int shmid;

	for (i = 0; i < KEY_COUNT; i++) {
		shmid = shmget(key_of(i), 0, 0);
		if (shmid >= 0 && is_left_behind(shmid))
			shmctl(shmid, IPC_RMID, NULL);
	}
}

int smr_key_create(size_t length, int flags)
{
	/* Processes that create at the same time try different keys first. */
	unsigned int i, start = getpid();
	int shmid;

	flags |= IPC_CREAT | 0600;
	for (i = 0; i < KEY_COUNT; i++) {
		shmid = shmget(key_of(start + i), length, flags | IPC_EXCL);
		if (shmid >= 0 || errno != EEXIST)
			return shmid;
	}
	return shmget(IPC_PRIVATE, length, flags);
}
