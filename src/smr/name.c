// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "log.h"
#include "name.h"
#include "smr.h"

#define NAME_PREFIX  "mlx5x_smr."
#define NAME_MAGIC   "MLX5XSMR"
#define NAME_VERSION 1
#define NAME_HUGE    1

/*
 * Old programs send a handle as four hexadecimal digits, so numbers of that
 * size come first.  The kernel counts its own handles from 0: ours start high.
 */
#define SMALL_FIRST UINT32_C(0x8000)
#define SMALL_COUNT UINT32_C(0x8000)
#define LARGE_FIRST UINT32_C(0x40000000)
#define LARGE_COUNT UINT32_C(0x3fffffff)
#define LARGE_TRIES 65536

struct name_file {
	char magic[8];
	uint32_t version;
	uint32_t shmid;
	uint64_t mr_length;
	uint64_t segment_length;
	int64_t ctime_low;
	int64_t ctime_high;
	/*
	 * For a person who looks, in the maker's namespaces; nothing relies on
	 * it, or on pid.
	 */
	uint32_t owner;
	uint32_t flags;
	uint32_t pid;
	uint32_t reserved;
};

static_assert(sizeof(struct name_file) == 64, "names are of 64 bytes");

static char *name_path(uint32_t handle)
{
	char *path;

	if (asprintf(&path, "%s/" NAME_PREFIX "%X", env_smr_dir(), handle) < 0)
		return NULL;
	return path;
}

/* Remove path if it still leads to fd, whose lock the caller holds. */
static void unlink_locked(const char *path, int fd)
{
	struct stat there, ours;

	if (lstat(path, &there) || fstat(fd, &ours))
		return;
	if (there.st_dev == ours.st_dev && there.st_ino == ours.st_ino)
		unlink(path);
}

static int open_name(const char *path)
{
	return open(path,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static bool may_reap(int fd)
{
	uid_t user = geteuid();
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	return !user || st.st_uid == user;
}

/* True if path was a stale name and is gone. */
static bool reap(const char *path)
{
	int fd = open_name(path);
	bool gone = false;

	if (fd < 0)
		return errno == ENOENT;
	if (may_reap(fd) && !flock(fd, LOCK_EX | LOCK_NB)) {
		unlink_locked(path, fd);
		gone = access(path, F_OK) && errno == ENOENT;
	}
	close(fd);
	return gone;
}

void smr_name_reap(void)
{
	struct dirent *entry;
	char *path;
	DIR *dir;

	dir = opendir(env_smr_dir());
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, NAME_PREFIX, strlen(NAME_PREFIX)))
			continue;
		if (asprintf(&path, "%s/%s", env_smr_dir(), entry->d_name) < 0)
			break;
		reap(path);
		free(path);
	}
	closedir(dir);
}

/* Link the unnamed file fd as path. */
static int link_name(int fd, const char *path)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (!linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	/* Without /proc: some kernels let the opener of a file link it. */
	if (errno == ENOENT && !linkat(fd, "", AT_FDCWD, path, AT_EMPTY_PATH))
		return 0;
	return errno;
}

static int link_handle(struct mlx5x_smr *smr, uint32_t handle)
{
	char *path = name_path(handle);
	int err;

	if (!path)
		return ENOMEM;
	err = link_name(smr->name_fd, path);
	if (err == EEXIST && reap(path))
		err = link_name(smr->name_fd, path);
	if (err) {
		free(path);
		return err;
	}
	smr->name = path;
	smr->handle = handle;
	return 0;
}

static int link_free_handle(struct mlx5x_smr *smr)
{
	/* Advances, so that a number is not used again at once. */
	static _Atomic(uint32_t) cursor;
	uint32_t start, i;
	int err;

	start = (uint32_t)getpid() * UINT32_C(0x9e3779b1) / 0x10000 +
		atomic_fetch_add(&cursor, 1);
	for (i = 0; i < SMALL_COUNT; i++) {
		err = link_handle(smr, SMALL_FIRST + (start + i) % SMALL_COUNT);
		if (err != EEXIST)
			return err;
	}
	start *= LARGE_TRIES;
	for (i = 0; i < LARGE_TRIES; i++) {
		err = link_handle(smr, LARGE_FIRST + (start + i) % LARGE_COUNT);
		if (err != EEXIST)
			return err;
	}
	return ENOSPC;
}

static int fill_file(int fd, const struct smr_record *record, mode_t mode)
{
	struct name_file file = {
		.version = NAME_VERSION,
		.shmid = record->shmid,
		.mr_length = record->mr_length,
		.segment_length = record->segment_length,
		.ctime_low = record->ctime_low,
		.ctime_high = record->ctime_high,
		.owner = geteuid(),
		.flags = record->huge ? NAME_HUGE : 0,
		.pid = getpid(),
	};
	struct stat st;
	ssize_t done;

	memcpy(file.magic, NAME_MAGIC, sizeof(file.magic));
	done = write(fd, &file, sizeof(file));
	if (done != sizeof(file))
		return done < 0 ? errno : ENOSPC;
	/* A set-group-ID folder gives its files a group of its own. */
	if (fstat(fd, &st))
		return errno;
	if ((st.st_gid != getegid() && fchown(fd, -1, getegid())) ||
	    fchmod(fd, mode))
		return errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno;
	return 0;
}

int smr_name_publish(struct mlx5x_smr *smr, const struct smr_record *record,
		     mode_t mode)
{
	const char *dir = env_smr_dir();
	int err;

	smr->name_fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (smr->name_fd < 0) {
		err = errno;
		/* The answer of a file system without O_TMPFILE. */
		if (err == EISDIR)
			err = EOPNOTSUPP;
		goto out;
	}
	err = fill_file(smr->name_fd, record, mode);
	if (!err)
		err = link_free_handle(smr);
	if (err) {
		close(smr->name_fd);
		smr->name_fd = -1;
	}
out:
	if (err)
		log_err(smr->context, "no name in %s for a shared MR: %s", dir,
			strerrordesc_np(err));
	return err;
}

void smr_name_drop(struct mlx5x_smr *smr)
{
	if (smr->name_fd < 0)
		return;
	unlink_locked(smr->name, smr->name_fd);
	/* A copy of the descriptor in another process would keep it. */
	flock(smr->name_fd, LOCK_UN);
	close(smr->name_fd);
	smr->name_fd = -1;
}

void smr_name_withdraw(struct mlx5x_smr *smr)
{
	smr_name_drop(smr);
	free(smr->name);
	smr->name = NULL;
}

static int check_file(const struct stat *st, const struct name_file *file)
{
	if (!S_ISREG(st->st_mode) || st->st_nlink > 1 ||
	    st->st_size != sizeof(*file) || (st->st_mode & 0022))
		return EINVAL;
	if (memcmp(file->magic, NAME_MAGIC, sizeof(file->magic)) ||
	    file->version != NAME_VERSION || (file->flags & ~NAME_HUGE) ||
	    file->reserved)
		return EINVAL;
	if (file->shmid > INT32_MAX)
		return EINVAL;
	if (!file->mr_length || file->mr_length > file->segment_length ||
	    file->segment_length > PTRDIFF_MAX)
		return EINVAL;
	return 0;
}

static int read_file(int fd, const char *path, struct smr_record *record)
{
	struct name_file file;
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	if (!flock(fd, LOCK_SH | LOCK_NB)) {
		if (may_reap(fd) && !flock(fd, LOCK_EX | LOCK_NB))
			unlink_locked(path, fd);
		return ENOENT;
	}
	if (errno != EWOULDBLOCK)
		return errno;
	got = pread(fd, &file, sizeof(file), 0);
	if (got != sizeof(file))
		return EINVAL;
	if (check_file(&st, &file))
		return EINVAL;

	record->shmid = file.shmid;
	record->mr_length = file.mr_length;
	record->segment_length = file.segment_length;
	record->ctime_low = file.ctime_low;
	record->ctime_high = file.ctime_high;
	record->owner = st.st_uid;
	record->huge = file.flags & NAME_HUGE;
	return 0;
}

static bool handle_is_ours(uint32_t handle)
{
	return handle - SMALL_FIRST < SMALL_COUNT ||
	       handle - LARGE_FIRST < LARGE_COUNT;
}

int smr_name_read(uint32_t handle, struct smr_record *record)
{
	char *path;
	int fd, err;

	if (!handle_is_ours(handle))
		return ENOENT;
	path = name_path(handle);
	if (!path)
		return ENOMEM;
	fd = open_name(path);
	if (fd < 0) {
		/* A symbolic link, or a socket. */
		err = errno == ELOOP || errno == ENXIO ? EINVAL : errno;
		goto out;
	}
	err = read_file(fd, path, record);
	close(fd);
out:
	free(path);
	return err;
}
