// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "key.h"
#include "log.h"
#include "ids.h"
#include "name.h"
#include "segment.h"
#include "smr.h"
#include "visibility.h"

#define PUBLISH_TRIES 3

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mlx5x_smr *list;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static int fork_err;

static void fork_prepare(void)
{
	pthread_mutex_lock(&list_lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&list_lock);
}

/*
 * The child's copy of a descriptor would keep the lock of the name.  The child
 * is not the owner, even if it has the parent's number in a PID namespace of
 * its own.
 */
static void fork_child(void)
{
	struct mlx5x_smr *smr;

	for (smr = list; smr; smr = smr->next) {
		smr->pid = -1;
		if (smr->name_fd >= 0)
			close(smr->name_fd);
		smr->name_fd = -1;
	}
	pthread_mutex_unlock(&list_lock);
}

static void fork_watch(void)
{
	fork_err = pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static void list_add(struct mlx5x_smr *smr)
{
	pthread_mutex_lock(&list_lock);
	smr->next = list;
	if (list)
		list->prev_next = &smr->next;
	smr->prev_next = &list;
	list = smr;
	pthread_mutex_unlock(&list_lock);
}

static void list_remove(struct mlx5x_smr *smr)
{
	*smr->prev_next = smr->next;
	if (smr->next)
		smr->next->prev_next = smr->prev_next;
}

static struct mlx5x_smr *smr_alloc(enum smr_kind kind,
				   struct ibv_context *context)
{
	struct mlx5x_smr *smr;

	pthread_once(&fork_once, fork_watch);
	if (fork_err) {
		errno = fork_err;
		return NULL;
	}
	smr = calloc(1, sizeof(*smr));
	if (!smr)
		return NULL;
	smr->kind = kind;
	smr->context = context;
	smr->pid = getpid();
	smr->shmid = -1;
	smr->name_fd = -1;
	return smr;
}

/* Remove what dead processes have left; once in each process. */
static void reap_once(void)
{
	static _Atomic(pid_t) done_by;
	pid_t pid = getpid();

	if (atomic_exchange(&done_by, pid) == pid)
		return;
	smr_key_reap();
	smr_name_reap();
}

struct mlx5x_smr *smr_create(const struct smr_create_attr *attr)
{
	struct mlx5x_smr *smr;
	int err;

	if (attr->kind == SMR_SEGMENT)
		reap_once();
	smr = smr_alloc(attr->kind, attr->context);
	if (!smr)
		return NULL;
	err = smr_seg_create(smr, attr->addr, attr->length);
	if (err) {
		free(smr);
		errno = err;
		return NULL;
	}
	smr->mr_length = attr->length;
	smr->writable = true;
	list_add(smr);
	return smr;
}

static int64_t kernel_seconds(void)
{
	struct timespec now;

	/* The coarse clock is the one that the kernel stamps segments with. */
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return now.tv_sec;
}

/*
 * Set the segment's permission bits.  The change happens between *low and
 * *high; its time cannot be read back if the bits deny reading.
 */
static int set_mode(int shmid, mode_t mode, int64_t *low, int64_t *high)
{
	struct shmid_ds ds;
	int i;

	/* IPC_SET takes back the user and the group that IPC_STAT shows. */
	if (!smr_ids_certain())
		return EOVERFLOW;
	if (shmctl(shmid, IPC_STAT, &ds))
		return errno;
	ds.shm_perm.mode = mode;
	for (i = 0; i < PUBLISH_TRIES; i++) {
		*low = kernel_seconds();
		/* EINVAL: the kernel takes no user or group without a number. */
		if (shmctl(shmid, IPC_SET, &ds))
			return errno == EINVAL ? EOVERFLOW : errno;
		*high = kernel_seconds();
		/* Again if somebody has set the clock back meanwhile. */
		if (*low <= *high)
			return 0;
	}
	return EAGAIN;
}

static mode_t name_mode(mode_t mode)
{
	return S_IRUSR | (mode & S_IRWXG ? S_IRGRP : 0) |
	       (mode & S_IRWXO ? S_IROTH : 0);
}

int smr_publish(struct mlx5x_smr *smr, mode_t mode)
{
	struct smr_record record = {
		.shmid = smr->shmid,
		.mr_length = smr->mr_length,
		.segment_length = smr->length,
		.huge = smr->huge,
	};
	int err;

	err = set_mode(smr->shmid, mode, &record.ctime_low, &record.ctime_high);
	if (err) {
		log_err(smr->context, "no permissions for a segment: %s%s",
			strerrordesc_np(err),
			err == EOVERFLOW
				? ": the user and the group of the process need numbers in its user namespace"
				: "");
		return err;
	}
	pthread_mutex_lock(&list_lock);
	err = smr_name_publish(smr, &record, name_mode(mode));
	pthread_mutex_unlock(&list_lock);
	return err;
}

/*
 * Compare the segment with what its name says.  It is attached, so the kernel
 * cannot give its number to another segment meanwhile.
 */
static int check_segment(struct mlx5x_smr *smr, const struct smr_record *record)
{
	struct shmid_ds ds;

	if (shmctl(smr->shmid, IPC_STAT, &ds))
		return errno;
	/* Both owners are numbers of this process's user namespace. */
	if (ds.shm_segsz != record->segment_length ||
	    ds.shm_perm.cuid != record->owner ||
	    ds.shm_ctime < record->ctime_low ||
	    ds.shm_ctime > record->ctime_high)
		return ENOENT;
	return 0;
}

static int attach_record(struct mlx5x_smr *smr,
			 const struct smr_attach_attr *attr,
			 const struct smr_record *record)
{
	int err;

	smr->shmid = record->shmid;
	smr->huge = record->huge;
	smr->length = record->segment_length;
	smr->mr_length = smr_seg_page_round(record->mr_length);
	err = smr_seg_attach(smr, attr->addr, attr->writable);
	if (err)
		return err;
	err = check_segment(smr, record);
	if (err) {
		smr_seg_detach(smr);
		return err;
	}
	return smr_seg_keep_from_fork(smr);
}

/* Returns 0 or an errno value.  *why is set if there is more to say. */
static int attach_handle(struct mlx5x_smr *smr,
			 const struct smr_attach_attr *attr, const char **why)
{
	struct smr_record record;
	int err;

	err = smr_name_read(attr->handle, &record);
	if (err)
		return err;
	err = attach_record(smr, attr, &record);
	switch (err) {
	case EINVAL:
	case EIDRM:
	case ENOENT:
		*why = ": the name leads to no segment of its owner in this IPC namespace";
		return ENOENT;
	case EACCES:
		/*
		 * A creator that withdraws its offer removes the name, then the
		 * permissions: without the name this is ENOENT.
		 */
		err = smr_name_read(attr->handle, &record);
		return err ? err : EACCES;
	default:
		return err;
	}
}

struct mlx5x_smr *smr_attach(const struct smr_attach_attr *attr)
{
	struct mlx5x_smr *smr;
	const char *why = "";
	int err;

	smr = smr_alloc(SMR_ATTACHMENT, attr->context);
	if (!smr)
		return NULL;
	err = attach_handle(smr, attr, &why);
	if (err) {
		log_err(attr->context,
			"shared MR 0x%x cannot be attached for %s by user %u of this user namespace: %s%s",
			attr->handle, attr->writable ? "writing" : "reading",
			geteuid(), strerrordesc_np(err), why);
		free(smr);
		errno = err;
		return NULL;
	}
	list_add(smr);
	return smr;
}

int smr_remap_pinnable(struct mlx5x_smr *smr)
{
	return smr_seg_reattach(smr);
}

/* With mode 0 nobody attaches any more; existing attachments stay. */
static void close_segment(const struct mlx5x_smr *smr)
{
	struct shmid_ds ds;

	/* The segment has not been published then. */
	if (!smr_ids_certain())
		return;
	memset(&ds, 0, sizeof(ds));
	ds.shm_perm.uid = geteuid();
	ds.shm_perm.gid = getegid();
	shmctl(smr->shmid, IPC_SET, &ds);
}

static void withdraw(struct mlx5x_smr *smr)
{
	smr_name_withdraw(smr);
	close_segment(smr);
}

/* With the list locked: end everything about smr but its mapping. */
static void retire(struct mlx5x_smr *smr)
{
	list_remove(smr);
	if (smr->kind == SMR_SEGMENT && smr->pid == getpid())
		withdraw(smr);
}

static void destroy(struct mlx5x_smr *smr)
{
	/* A forked child has no mapping. */
	if (smr->pid == getpid())
		smr_seg_detach(smr);
	free(smr->name);
	free(smr);
}

MLX5X_EXPORT void mlx5x_smr_release(struct mlx5x_smr *smr)
{
	int saved = errno;

	if (!smr)
		return;
	pthread_mutex_lock(&list_lock);
	retire(smr);
	pthread_mutex_unlock(&list_lock);
	/* Frees every page of the segment, which takes long: not locked. */
	destroy(smr);
	errno = saved;
}

MLX5X_EXPORT void mlx5x_smr_withdraw(struct mlx5x_smr *smr)
{
	int saved = errno;

	pthread_mutex_lock(&list_lock);
	if (smr->kind == SMR_SEGMENT && smr->pid == getpid())
		withdraw(smr);
	pthread_mutex_unlock(&list_lock);
	errno = saved;
}

void smr_sweep(const struct ibv_context *context)
{
	struct mlx5x_smr *smr, *next, *swept = NULL;

	pthread_mutex_lock(&list_lock);
	for (smr = list; smr; smr = next) {
		next = smr->next;
		if (smr->context != context)
			continue;
		retire(smr);
		smr->next = swept;
		swept = smr;
	}
	pthread_mutex_unlock(&list_lock);
	for (smr = swept; smr; smr = next) {
		next = smr->next;
		destroy(smr);
	}
}

/*
 * A process that ends without deregistration removes its names.  Other threads
 * may still be at work, so nothing is unmapped or freed.  A thread that calls
 * exit in a signal handler may hold the lock itself, or be inside malloc, so
 * there is no wait for the lock.  Names that stay are stale.
 */
__attribute__((destructor)) static void withdraw_all(void)
{
	struct mlx5x_smr *smr;

	if (pthread_mutex_trylock(&list_lock))
		return;
	for (smr = list; smr; smr = smr->next) {
		if (smr->kind != SMR_SEGMENT || smr->pid != getpid())
			continue;
		smr_name_drop(smr);
		close_segment(smr);
	}
	pthread_mutex_unlock(&list_lock);
}
