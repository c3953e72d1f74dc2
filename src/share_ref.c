// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "share_ref.h"
#include "visibility.h"

#define OBJECT_RANGE (INT64_C(1) << 48)
#define MUTEX_RANGE  (INT64_C(1) << 49)
#define WAIT_MS	     5000

/* The inode of a device, opened once more: locks belong to that opening. */
struct inode {
	dev_t dev;
	ino_t ino;
	int fd; /* -1 if it cannot be opened: then everybody borrows */
	unsigned int users;
	struct inode *next;
};

struct object {
	struct inode *inode;
	enum mlx5x_ref_kind kind;
	uint32_t number;
	unsigned int count;
	bool locked;
	struct object *next;
};

struct mlx5x_ref {
	struct object *object; /* freed if generation is an older one */
	unsigned int generation;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static int fork_err;
static unsigned int generation;
static struct inode *inodes;
static struct object *objects;

static void fork_prepare(void)
{
	pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* The open file is the parent's too: an unlock here would undo its locks. */
static void fork_child(void)
{
	struct object *object;
	struct inode *inode;

	generation++;
	while ((object = objects)) {
		objects = object->next;
		free(object);
	}
	while ((inode = inodes)) {
		inodes = inode->next;
		if (inode->fd >= 0)
			close(inode->fd);
		free(inode);
	}
	pthread_mutex_unlock(&lock);
}

static void fork_init(void)
{
	fork_err = pthread_atfork(fork_prepare, fork_parent, fork_child);
}

MLX5X_EXPORT int mlx5x_ref_forks(unsigned int *forks)
{
	pthread_once(&fork_once, fork_init);
	if (fork_err)
		return fork_err;
	pthread_mutex_lock(&lock);
	*forks = generation;
	pthread_mutex_unlock(&lock);
	return 0;
}

static int range_lock(const struct object *object, int64_t range, short type)
{
	struct flock fl = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = range | (int64_t)object->kind << 40 | object->number,
		.l_len = 1,
	};

	return fcntl(object->inode->fd, F_OFD_SETLK, &fl) ? errno : 0;
}

/* True if somebody else holds a lock of any kind on the object's byte. */
static bool held_by_others(const struct object *object)
{
	struct flock fl = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = OBJECT_RANGE | (int64_t)object->kind << 40 |
			   object->number,
		.l_len = 1,
	};

	return !fcntl(object->inode->fd, F_OFD_GETLK, &fl) &&
	       fl.l_type != F_UNLCK;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* False if its holder keeps it beyond the limit, or if locking fails. */
static bool mutex_lock(const struct object *object)
{
	struct timespec pause = { .tv_nsec = 50000 };
	int64_t end = now_ms() + WAIT_MS;
	int err;

	for (;;) {
		err = range_lock(object, MUTEX_RANGE, F_WRLCK);
		if (!err)
			return true;
		if ((err != EAGAIN && err != EACCES) || now_ms() > end)
			return false;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 4000000)
			pause.tv_nsec *= 2;
	}
}

static void mutex_unlock(const struct object *object)
{
	range_lock(object, MUTEX_RANGE, F_UNLCK);
}

/* By descriptor, not by name, so that all processes lock the same inode. */
static int inode_open(struct inode *inode, int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	inode->fd = open(path, O_RDWR | O_CLOEXEC);
	if (inode->fd < 0 && (errno == EMFILE || errno == ENFILE))
		return errno;
	return 0;
}

static int inode_get(int fd, struct inode **result)
{
	struct inode *inode;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return errno;
	for (inode = inodes; inode; inode = inode->next)
		if (inode->dev == st.st_dev && inode->ino == st.st_ino)
			break;
	if (!inode) {
		inode = calloc(1, sizeof(*inode));
		if (!inode)
			return ENOMEM;
		err = inode_open(inode, fd);
		if (err) {
			free(inode);
			return err;
		}
		inode->dev = st.st_dev;
		inode->ino = st.st_ino;
		inode->next = inodes;
		inodes = inode;
	}
	inode->users++;
	*result = inode;
	return 0;
}

static void inode_put(struct inode *inode)
{
	struct inode **p;

	if (--inode->users)
		return;
	for (p = &inodes; *p != inode; p = &(*p)->next)
		;
	*p = inode->next;
	if (inode->fd >= 0)
		close(inode->fd);
	free(inode);
}

static int object_get(int fd, enum mlx5x_ref_kind kind, uint32_t number,
		      struct object **result)
{
	struct inode *inode = NULL;
	struct object *object;
	int err;

	err = inode_get(fd, &inode);
	if (err)
		return err;
	for (object = objects; object; object = object->next)
		if (object->inode == inode && object->kind == kind &&
		    object->number == number)
			break;
	if (object) {
		inode_put(inode);
	} else {
		object = calloc(1, sizeof(*object));
		if (!object) {
			inode_put(inode);
			return ENOMEM;
		}
		object->inode = inode;
		object->kind = kind;
		object->number = number;
		object->next = objects;
		objects = object;
	}
	object->count++;
	*result = object;
	return 0;
}

static void object_put(struct object *object)
{
	struct object **p;

	if (--object->count)
		return;
	if (object->locked)
		range_lock(object, OBJECT_RANGE, F_UNLCK);
	for (p = &objects; *p != object; p = &(*p)->next)
		;
	*p = object->next;
	inode_put(object->inode);
	free(object);
}

/*
 * A borrower takes no lock: the next importer would take its read lock for an
 * owner's.  An owner that does not get the mutex takes its lock all the same.
 * Two that leave together may then both leave the object alive, but nobody
 * destroys it under a holder.
 */
static int join(struct object *object, bool import, int (*verify)(void *arg),
		void *arg)
{
	bool mutex = mutex_lock(object);
	int err;

	if (!object->locked && (!import || held_by_others(object)))
		object->locked = !range_lock(object, OBJECT_RANGE, F_RDLCK);
	err = verify(arg);
	if (mutex)
		mutex_unlock(object);
	return err;
}

MLX5X_EXPORT int mlx5x_ref_take(int fd, enum mlx5x_ref_kind kind,
				uint32_t number, bool import,
				int (*verify)(void *arg), void *arg,
				struct mlx5x_ref **result)
{
	struct object *object;
	struct mlx5x_ref *ref;
	unsigned int forks;
	int err;

	err = mlx5x_ref_forks(&forks);
	if (err)
		return err;
	ref = calloc(1, sizeof(*ref));
	if (!ref)
		return ENOMEM;
	pthread_mutex_lock(&lock);
	err = object_get(fd, kind, number, &object);
	if (err)
		goto err_unlock;
	err = join(object, import, verify, arg);
	if (err)
		goto err_object;
	ref->object = object;
	ref->generation = generation;
	pthread_mutex_unlock(&lock);
	*result = ref;
	return 0;

err_object:
	object_put(object);
err_unlock:
	pthread_mutex_unlock(&lock);
	free(ref);
	return err;
}

/* The last reference of this process: destroy if no other process has one. */
static int leave(struct object *object, int (*destroy)(void *arg), void *arg)
{
	int err;

	if (!object->locked)
		return 0;
	/* A stranger who keeps the mutex only keeps the object alive. */
	if (!mutex_lock(object))
		return 0;
	err = range_lock(object, OBJECT_RANGE, F_WRLCK);
	if (err) {
		err = 0;
	} else {
		err = destroy(arg);
		if (err)
			range_lock(object, OBJECT_RANGE, F_RDLCK);
	}
	if (!err) {
		range_lock(object, OBJECT_RANGE, F_UNLCK);
		object->locked = false;
	}
	mutex_unlock(object);
	return err;
}

MLX5X_EXPORT int mlx5x_ref_release(struct mlx5x_ref *ref,
				   int (*destroy)(void *arg), void *arg,
				   bool force)
{
	int err = 0;

	pthread_mutex_lock(&lock);
	if (ref->generation == generation) {
		if (ref->object->count == 1)
			err = leave(ref->object, destroy, arg);
		if (!err || force)
			object_put(ref->object);
	}
	pthread_mutex_unlock(&lock);
	if (!err || force)
		free(ref);
	return err;
}

MLX5X_EXPORT bool mlx5x_ref_borrowed(const struct mlx5x_ref *ref)
{
	bool borrowed;

	pthread_mutex_lock(&lock);
	borrowed = ref->generation != generation || !ref->object->locked;
	pthread_mutex_unlock(&lock);
	return borrowed;
}
