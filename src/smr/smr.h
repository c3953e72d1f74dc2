/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The store of shared MRs: the memory that the library makes for MRs to stand
 * on.  A block is private memory (ALLOCATE_MR), a segment can be attached to,
 * an attachment is a mapping of a segment that another MR created.
 *
 * A segment is System V shared memory.  The kernel gives it an owner and six
 * permission bits, and checks them when somebody attaches.  The creator marks
 * it for removal as soon as it has attached itself, so the kernel frees it with
 * its last attachment.  The kernel gives no small number to attach by, and does
 * not tell whether the creator still offers the segment: the name file adds
 * both (name.h).  The kernel alone decides who gets the memory; a name only
 * tells where it is.
 *
 * Order of a creation: smr_create, registration as an MR with the segment
 * still private to its owner, smr_publish (the permission bits, then the name:
 * whoever can see a name may use it).  Order of a release: MR first, then
 * name, permission bits, mapping.
 *
 * A child of fork does not inherit the memory.  In the child a struct mlx5x_smr
 * is dead: its descriptor is closed, and to release it frees only the structure
 * itself.
 */
#ifndef LIBMLX5X_SMR_SMR_H
#define LIBMLX5X_SMR_SMR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "exp_ops.h"

enum smr_kind {
	SMR_BLOCK,
	SMR_SEGMENT,
	SMR_ATTACHMENT,
};

struct mlx5x_smr {
	enum smr_kind kind;
	/* The mapping, whole pages. */
	void *addr;
	size_t length;
	/* As asked for; for an attachment, rounded up to whole pages. */
	size_t mr_length;
	bool huge;
	bool writable;
	int shmid;
	pid_t pid;
	struct ibv_context *context;
	struct mlx5x_smr *next;
	struct mlx5x_smr **prev_next;

	/* A published segment has a name, and name_fd holds the lock that shows
	 * that it is on offer.  For others they are NULL and -1.
	 */
	int name_fd;
	char *name;
	uint32_t handle;
};

struct smr_create_attr {
	/* SMR_BLOCK or SMR_SEGMENT */
	enum smr_kind kind;
	struct ibv_context *context;
	/* Not NULL: map exactly there and replace what is there. */
	void *addr;
	size_t length;
};

/*
 * Make a block or a segment, mapped read-write, of at least attr->length
 * bytes.  NULL with errno: EINVAL, ENOMEM, EPERM (huge pages
 * demanded but not permitted), ENOSPC (system limit of segments), ENOSYS (no
 * System V IPC in this kernel).
 */
struct mlx5x_smr *smr_create(const struct smr_create_attr *attr);

/*
 * Give a created segment its permission bits (S_IRUSR to S_IWOTH) and a name.
 * Returns 0 and sets smr->handle, or an errno value with the segment still
 * private: ENOSPC when no number is free, EMFILE, ENFILE, EOVERFLOW (the user
 * or group has no number in the user namespace), or what the folder of the
 * names answers.
 */
int smr_publish(struct mlx5x_smr *smr, mode_t mode);

struct smr_attach_attr {
	struct ibv_context *context;
	uint32_t handle;
	/* Preferred address, or NULL. */
	void *addr;
	bool writable;
};

/*
 * Attach to the segment on offer under attr->handle.  NULL with errno: ENOENT
 * (none, or no longer), EACCES (not that much permitted), EINVAL (the name is
 * not one of ours), ENOMEM, EMFILE, ENFILE.
 */
struct mlx5x_smr *smr_attach(const struct smr_attach_attr *attr);

/*
 * Replace a read-only attachment by a writable one and make that read-only:
 * kernels that only pin for writing can then pin its pages.  Needs permission
 * to write.  Returns 0, or an errno value with the memory still attached for
 * reading.
 */
int smr_remap_pinnable(struct mlx5x_smr *smr);

/* True if a byte of [addr, addr + length) belongs to smr, which may be NULL. */
static inline bool smr_has(const struct mlx5x_smr *smr, const void *addr,
			   size_t length)
{
	uintptr_t start = (uintptr_t)addr;

	return smr && start < (uintptr_t)smr->addr + smr->length &&
	       start + length > (uintptr_t)smr->addr;
}

/* Release what the program left behind on a context that is being closed. */
void smr_sweep(const struct ibv_context *context);

#endif
