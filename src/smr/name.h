/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Names of shared segments: files mlx5x_smr.<HANDLE> of 64 bytes in one
 * folder, usually /dev/shm.
 *
 * The creator holds an exclusive flock on the file for as long as it offers
 * the segment.  The kernel drops the lock when the creator dies, so a name
 * whose lock is free is stale, and any process that meets it removes it if the
 * folder permits.  A file gets its content, its mode and its lock before it is
 * linked into the folder: a name is never seen half made or unlocked.  A name
 * is removed only while its lock is held and its path still leads to the
 * locked file, so nobody removes a successor.
 *
 * Everybody can create files in the folder, so a name is only a hint.  It must
 * be a plain file with one link that only its owner can write, and the segment
 * must belong to the same owner.
 *
 * Processes in different user namespaces give one user different numbers.  So
 * the process that attaches compares two owners that the kernel tells it, that
 * of the file and that of the segment.  No number is compared that another
 * process wrote down.  Users who have no number in a namespace look alike
 * there, and the segment's permission bits alone decide between them.
 */
#ifndef LIBMLX5X_SMR_NAME_H
#define LIBMLX5X_SMR_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mlx5x_smr;

/* What a name says of its segment. */
struct smr_record {
	uint32_t shmid;
	uint64_t mr_length;
	uint64_t segment_length;
	/* The segment was last changed between these, in seconds. */
	int64_t ctime_low;
	int64_t ctime_high;
	/* Of the file, in the namespace of the process that reads it. */
	uint32_t owner;
	bool huge;
};

/*
 * Link a name with this record under a free number; sets name_fd, name and
 * handle of smr.  mode is the file's.  Returns 0 or an errno value.
 */
int smr_name_publish(struct mlx5x_smr *smr, const struct smr_record *record,
		     mode_t mode);

/* Remove the name and drop its lock.  Nothing happens without a name. */
void smr_name_withdraw(struct mlx5x_smr *smr);

/* The same, but frees no memory: for a process that ends. */
void smr_name_drop(struct mlx5x_smr *smr);

/*
 * Read the name of a segment on offer.  Returns 0, ENOENT (no such name, or
 * stale), EACCES, EINVAL (not a name of ours), EMFILE, ENFILE or ENOMEM.
 */
int smr_name_read(uint32_t handle, struct smr_record *record);

/* Remove the stale names of this user. */
void smr_name_reap(void);

#endif
