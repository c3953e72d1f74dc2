// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a name is believed only if it is as the library writes it and its
 * segment belongs to the file's owner; that a forged name leaves no mapping and
 * no descriptor behind; that stale names are removed; that no two MRs have one
 * number at a time, however many processes ask; and that a folder that cannot
 * hold names gives a clear error.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "rig.h"

/* A number that is free, to forge under. */
#define FORGED 0x4abcdef0

/* The layout of a name, stated apart from the library's. */
struct record {
	char magic[8];
	uint32_t version;
	uint32_t shmid;
	uint64_t mr_length;
	uint64_t segment_length;
	int64_t ctime_low;
	int64_t ctime_high;
	uint32_t owner;
	uint32_t flags;
	uint32_t pid;
	uint32_t reserved;
};

static void read_record(uint32_t handle, struct record *record)
{
	int fd = open(proc_name(handle), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, record, sizeof(*record)), sizeof(*record));
	close(fd);
}

/* A file under FORGED, locked as a living creator's. */
static int forge(const void *content, size_t length, mode_t mode)
{
	int fd = open(proc_name(FORGED), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		      0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, length), length);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	return fd;
}

static void unforge(int fd)
{
	close(fd);
	unlink(proc_name(FORGED));
}

static long attach_count(uint32_t shmid)
{
	struct shmid_ds ds;

	assert_int_equal(shmctl(shmid, IPC_STAT, &ds), 0);
	return ds.shm_nattch;
}

/* The attempt to attach to FORGED leaves no trace. */
static void refused(int err, uint32_t shmid)
{
	int fds = proc_fd_count();
	long attached = attach_count(shmid);

	NO_OBJECT(err, attach(FORGED, 0));
	NO_OBJECT(err, attach(FORGED, RW | NO_RDMA));
	assert_int_equal(proc_fd_count(), fds);
	assert_int_equal(attach_count(shmid), attached);
}

static void test_layout(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE + 1, USER_RW));
	struct record record;
	struct stat st;

	(void)state;
	assert_int_equal(sizeof(record), 64);
	read_record(mr->handle, &record);
	assert_memory_equal(record.magic, "MLX5XSMR", 8);
	assert_int_equal(record.version, 1);
	assert_int_equal(record.mr_length, PAGE + 1);
	assert_int_equal(record.segment_length, 2 * PAGE);
	assert_int_equal(record.owner, geteuid());
	assert_int_equal(record.pid, getpid());
	assert_true(record.ctime_low <= record.ctime_high);
	assert_int_equal(stat(proc_name(mr->handle), &st), 0);
	assert_int_equal(st.st_size, 64);
	assert_int_equal(st.st_mode & 07777, 0400);
	assert_int_equal(ibv_dereg_mr(mr), 0);

	mr = MUST(create(PAGE, USER_RW | IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE |
				       IBV_EXP_ACCESS_SHARED_MR_OTHER_READ));
	assert_int_equal(stat(proc_name(mr->handle), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0444);
	assert_int_equal(st.st_gid, getegid());
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* Each forgery differs from a good record in one respect. */
static void forge_content(const struct record *good, struct record bad[14])
{
	int i;

	for (i = 0; i < 14; i++)
		bad[i] = *good;
	bad[0].magic[7] = 'X';
	bad[1].version = 2;
	bad[2].mr_length = 0;
	bad[3].mr_length = 2 * PAGE;
	bad[4].mr_length = bad[4].segment_length = UINT64_MAX;
	bad[5].mr_length = bad[5].segment_length = UINT64_C(1) << 63;
	bad[6].flags = 2;
	bad[7].reserved = 1;
	bad[8].shmid = UINT32_MAX;
	/* From here on the name is well formed, but not of this segment. */
	bad[9].segment_length = 2 * PAGE;
	bad[10].segment_length = bad[10].mr_length = 1 << 30;
	bad[11].ctime_low = bad[11].ctime_high = good->ctime_low - 5;
	bad[12].ctime_low = bad[12].ctime_high = good->ctime_high + 5;
	bad[13].shmid = INT32_MAX;
}

static void test_forged_content(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	struct record good, bad[14];
	struct ibv_mr *peer;
	int fd, i;

	(void)state;
	read_record(mr->handle, &good);
	/* A true copy by the same owner works: it offers the owner's memory. */
	fd = forge(&good, sizeof(good), 0400);
	peer = MUST(attach(FORGED, RW));
	assert_int_equal(ibv_dereg_mr(peer), 0);
	unforge(fd);
	/* The owner's number is the maker's, and says nothing elsewhere. */
	bad[0] = good;
	bad[0].owner += 1000;
	fd = forge(&bad[0], sizeof(bad[0]), 0400);
	peer = MUST(attach(FORGED, RW));
	assert_int_equal(ibv_dereg_mr(peer), 0);
	unforge(fd);

	forge_content(&good, bad);
	for (i = 0; i < 14; i++) {
		fd = forge(&bad[i], sizeof(bad[i]), 0400);
		refused(i < 9 ? EINVAL : ENOENT, good.shmid);
		unforge(fd);
	}
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* A forgery of this content and mode is refused. */
static void refused_file(const void *content, size_t length, mode_t mode,
			 uint32_t shmid)
{
	int fd = forge(content, length, mode);

	refused(EINVAL, shmid);
	unforge(fd);
}

/* What lies at the path of FORGED is refused; remove it. */
static void refused_path(uint32_t shmid)
{
	refused(EINVAL, shmid);
	assert_int_equal(remove(proc_name(FORGED)), 0);
}

static void test_forged_file(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	char big[65] = "MLX5XSMR";
	struct record good;
	char path[300];
	int fd;

	(void)state;
	read_record(mr->handle, &good);
	/* Too short, too long, empty. */
	refused_file(&good, 63, 0400, good.shmid);
	memcpy(big, &good, sizeof(good));
	refused_file(big, 65, 0400, good.shmid);
	refused_file("", 0, 0400, good.shmid);
	/* Others could write it. */
	refused_file(&good, sizeof(good), 0420, good.shmid);
	refused_file(&good, sizeof(good), 0402, good.shmid);
	/* A second link to a good name, and the name itself while it has it. */
	strcpy(path, proc_name(mr->handle));
	assert_int_equal(link(path, proc_name(FORGED)), 0);
	NO_OBJECT(EINVAL, attach(mr->handle, 0));
	refused_path(good.shmid);
	/* A symbolic link to a good name. */
	assert_int_equal(symlink(path, proc_name(FORGED)), 0);
	refused_path(good.shmid);
	/* Opening these could hang. */
	assert_int_equal(mkfifo(proc_name(FORGED), 0600), 0);
	refused_path(good.shmid);
	strcpy(sun.sun_path, proc_name(FORGED));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	refused_path(good.shmid);
	close(fd);
	assert_int_equal(mkdir(proc_name(FORGED), 0700), 0);
	refused_path(good.shmid);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static int forge_as_stranger(void *arg)
{
	struct record record = *(struct record *)arg;
	int fd;

	/* The stranger's own file and user number, another's segment. */
	record.owner = geteuid();
	fd = open(proc_name(FORGED), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		  0444);
	CHECK(fd >= 0);
	CHECK(write(fd, &record, sizeof(record)) == sizeof(record));
	CHECK(!flock(fd, LOCK_EX));
	proc_pause();
	CHECK(!unlink(proc_name(FORGED)));
	return 0;
}

static void test_foreign_segment(void **state)
{
	struct ibv_mr *mr;
	struct record good;
	struct proc forger;

	(void)state;
	NEEDS_ROOT();
	mr = MUST(create(PAGE, USER_RW | IBV_EXP_ACCESS_SHARED_MR_OTHER_READ |
				       IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE));
	read_record(mr->handle, &good);
	assert_true(
		proc_hold(&forger, forge_as_stranger, &good, &proc_stranger));
	refused(ENOENT, good.shmid);
	assert_int_equal(proc_finish(&forger), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* A segment of System V memory that is no shared MR. */
static void test_other_segment(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	struct record record;
	int shmid, fd;

	(void)state;
	read_record(mr->handle, &record);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	shmid = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	assert_true(shmid >= 0);
	record.shmid = shmid;
	/* Older than the record says. */
	record.ctime_low = record.ctime_high = record.ctime_high + 100;
	fd = forge(&record, sizeof(record), 0400);
	refused(ENOENT, shmid);
	unforge(fd);
	assert_int_equal(shmctl(shmid, IPC_RMID, NULL), 0);
}

static int leave_names(void *arg)
{
	int i, count = *(int *)arg;

	for (i = 0; i < count; i++) {
		struct ibv_mr *mr = create(PAGE, USER_RW);

		CHECK(mr);
		proc_board->handle[i] = mr->handle;
	}
	/* Ends without deregistration. */
	return 0;
}

static void test_stale(void **state)
{
	int count = 5;

	(void)state;
	/* A stale name that is met goes. */
	assert_int_equal(proc_run(leave_names, &count, NULL), 0);
	assert_int_equal(proc_name_count(), 5);
	assert_int_equal(proc_segment_count(), 0);
	NO_OBJECT(ENOENT, attach(proc_board->handle[2], RW));
	assert_int_equal(proc_name_count(), 4);
	/* All stale names of a user go with the next shared MR. */
	assert_int_equal(proc_run(create_one, NULL, NULL), 0);
	assert_int_equal(proc_name_count(), 0);
}

static void test_stale_of_others(void **state)
{
	int count = 3;

	(void)state;
	NEEDS_ROOT();
	assert_int_equal(proc_run(leave_names, &count, &proc_owner), 0);
	assert_int_equal(proc_run(create_one, NULL, &proc_stranger), 0);
	assert_int_equal(proc_name_count(), 3);
	assert_int_equal(proc_run(create_one, NULL, &proc_owner), 0);
	assert_int_equal(proc_name_count(), 0);
}

static int create_many(void *arg)
{
	struct ibv_mr *mr[32];
	int n = *(int *)arg;
	int i;

	for (i = 0; i < 32; i++) {
		mr[i] = create(PAGE, USER_RW);
		CHECK(mr[i]);
		*(uint32_t *)mr[i]->addr = mr[i]->handle;
		proc_board->handle[n * 32 + i] = mr[i]->handle;
	}
	proc_pause();
	for (i = 0; i < 32; i++) {
		CHECK(*(uint32_t *)mr[i]->addr == mr[i]->handle);
		CHECK(!ibv_dereg_mr(mr[i]));
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void test_unique(void **state)
{
	struct proc procs[16];
	struct ibv_mr *peer;
	int n[16], i;

	(void)state;
	for (i = 0; i < 16; i++) {
		n[i] = i;
		proc_start(&procs[i], create_many, &n[i], NULL);
	}
	for (i = 0; i < 16; i++)
		assert_true(proc_wait_pause(&procs[i]));
	assert_int_equal(proc_name_count(), 512);
	for (i = 0; i < 512; i++) {
		peer = MUST(attach(proc_board->handle[i], 0));
		assert_int_equal(*(uint32_t *)peer->addr,
				 proc_board->handle[i]);
		assert_int_equal(ibv_dereg_mr(peer), 0);
	}
	qsort(proc_board->handle, 512, 4, compare);
	for (i = 0; i < 512; i++) {
		assert_in_range(proc_board->handle[i], 0x8000, 0xffff);
		if (i)
			assert_int_not_equal(proc_board->handle[i - 1],
					     proc_board->handle[i]);
	}
	for (i = 0; i < 16; i++) {
		assert_int_equal(proc_finish(&procs[i]), 0);
	}
}

/* A number that has become free is not used again at once. */
static void test_reuse(void **state)
{
	uint32_t last = 0;
	struct ibv_mr *mr;
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		mr = MUST(create(PAGE, USER_RW));
		assert_int_not_equal(mr->handle, last);
		last = mr->handle;
		assert_int_equal(ibv_dereg_mr(mr), 0);
		NO_OBJECT(ENOENT, attach(last, RW));
	}
}

static int bad_folder(void *arg)
{
	int fds = proc_fd_count();

	(void)arg;
	setenv("MLX5X_SHARED_MR_DIR", "/nowhere/at/all", 1);
	CHECK_NO_OBJECT(ENOENT, create(PAGE, USER_RW));
	CHECK_NO_OBJECT(ENOENT, attach(0x8000, RW));
	setenv("MLX5X_SHARED_MR_DIR", "/proc", 1);
	CHECK(!create(PAGE, USER_RW));
	CHECK(errno == EOPNOTSUPP || errno == ENOENT || errno == EACCES);
	setenv("MLX5X_SHARED_MR_DIR", "/dev/null", 1);
	CHECK_NO_OBJECT(ENOTDIR, create(PAGE, USER_RW));
	if (geteuid()) {
		setenv("MLX5X_SHARED_MR_DIR", "/", 1);
		CHECK(!create(PAGE, USER_RW));
		CHECK(errno == EACCES || errno == EROFS || errno == EOPNOTSUPP);
	}
	CHECK(proc_fd_count() == fds);
	CHECK(!fake_mr_count());
	CHECK(!proc_segment_count());
	return 0;
}

static void test_bad_folder(void **state)
{
	(void)state;
	assert_int_equal(proc_run(bad_folder, NULL, NULL), 0);
	if (!geteuid())
		assert_int_equal(proc_run(bad_folder, NULL, &proc_stranger), 0);
}

/* When all small numbers are taken, the large ones follow. */
static int small_exhausted(void *arg)
{
	struct ibv_mr *mr, *peer;
	char name[32];
	char *folder;
	int i, dir;

	(void)arg;
	folder = strdup(proc_name(0));
	*strrchr(folder, '/') = 0;
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(dir >= 0);
	/* Symbolic links cannot be mistaken for stale names. */
	for (i = 0x8000; i < 0x10000; i++) {
		snprintf(name, sizeof(name), "mlx5x_smr.%X", i);
		CHECK(!symlinkat("taken", dir, name));
	}
	mr = create(PAGE, USER_RW);
	CHECK(mr);
	CHECK(mr->handle >= 0x40000000 && mr->handle < 0x7fffffff);
	peer = attach(mr->handle, RW);
	CHECK(peer);
	CHECK(!ibv_dereg_mr(peer));
	CHECK(!ibv_dereg_mr(mr));
	for (i = 0x8000; i < 0x10000; i++) {
		snprintf(name, sizeof(name), "mlx5x_smr.%X", i);
		CHECK(!unlinkat(dir, name, 0));
	}
	free(folder);
	return 0;
}

static void test_small_exhausted(void **state)
{
	(void)state;
	assert_int_equal(proc_run(small_exhausted, NULL, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_forged_content),
		cmocka_unit_test(test_forged_file),
		cmocka_unit_test(test_foreign_segment),
		cmocka_unit_test(test_other_segment),
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_stale_of_others),
		cmocka_unit_test(test_unique),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_bad_folder),
		cmocka_unit_test(test_small_exhausted),
	};

	return cmocka_run_group_tests(tests, proc_setup, proc_teardown);
}
