// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the programs, whole: softhca serves all parts linked together to
 * a client that does what driver and QEMU do first; it ends as told (--once,
 * SIGTERM, SIGINT) with the right status and without its sockets; it survives
 * clients that die, without growing; it refuses sockets in use and wrong
 * command lines; HCAs have the addresses asked for, or others in each process;
 * softhcactl shows what has happened.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"
#include "vfu_client.h"

#define BAR  0u
#define CONF 7u

static char dir[64], sock[2][96], control[96], log_path[96], out_path[96];
static struct loop *loop; /* for the client; the server has its own */

static int setup(void **state)
{
	(void)state;
	log_to_stderr(false);
	snprintf(dir, sizeof(dir), "/tmp/test-program-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(sock[0], sizeof(sock[0]), "%s/a", dir);
	snprintf(sock[1], sizeof(sock[1]), "%s/b", dir);
	snprintf(control, sizeof(control), "%s/control", dir);
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	loop = loop_create();
	assert_non_null(loop);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	loop_destroy(loop);
	unlink(log_path);
	unlink(out_path);
	/* Sockets have gone with their owner. */
	assert_int_equal(rmdir(dir), 0);
	return 0;
}

/* Start argv[0] with its output going to out_path. */
static pid_t start(const char *const *argv)
{
	pid_t pid = fork();
	int fd;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	fd = open(out_path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	execv(argv[0], (char *const *)argv);
	_exit(99);
}

#define PATIENCE 6000u /* times 10 ms: for what is due sometime */

/* Exit status once it ends; fails the test if it does not. */
static int end_of(pid_t pid)
{
	unsigned int i;
	int status;

	for (i = 0; i < PATIENCE; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			assert_true(WIFEXITED(status));
			return WEXITSTATUS(status);
		}
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	fail_msg("it does not end");
	return -1;
}

static int run(const char *const *argv)
{
	return end_of(start(argv));
}

static const char *file_text(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

/*
 * Until somebody answers there, who has then closed the connection.  A file
 * alone would not do: it is there a moment before somebody listens.
 */
static void wait_for(const char *path)
{
	unsigned int i;
	char buf[512];
	int fd = -1;

	for (i = 0; i < PATIENCE && (fd = usock_connect(path)) < 0; i++)
		usleep(10000);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "stats\n", 6), 6);
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static pid_t start_hcas(bool once)
{
	const char *argv[] = { SOFTHCA_PROGRAM,
			       "--socket",
			       sock[0],
			       "--socket",
			       sock[1],
			       "--log",
			       log_path,
			       "--control",
			       control,
			       once ? "--once" : NULL,
			       NULL };
	pid_t pid = start(argv);

	wait_for(control);
	return pid;
}

static void assert_gone(void)
{
	assert_int_equal(access(sock[0], F_OK), -1);
	assert_int_equal(access(sock[1], F_OK), -1);
	assert_int_equal(access(control, F_OK), -1);
}

/* ---- a driver in few lines ---- */

#define RAM_AT 0x100000ull

struct vm {
	struct vfu_client c;
	int fd;
	uint8_t *ram;
};

static void vm_start(struct vm *vm, const char *path)
{
	client_connect(&vm->c, loop, path);
	client_hello(&vm->c);
	vm->fd = memfd_create("ram", MFD_CLOEXEC);
	assert_int_equal(ftruncate(vm->fd, 0x10000), 0);
	vm->ram = mmap(NULL, 0x10000, PROT_READ | PROT_WRITE, MAP_SHARED,
		       vm->fd, 0);
	assert_ptr_not_equal(vm->ram, MAP_FAILED);
	assert_int_equal(client_dma_map(&vm->c, RAM_AT, 0x10000, vm->fd, 0, 3),
			 0);
}

static void vm_end(struct vm *vm)
{
	client_close(&vm->c);
	munmap(vm->ram, 0x10000);
	close(vm->fd);
}

static void vm_write32(struct vm *vm, uint64_t off, uint32_t value)
{
	uint8_t buf[4];

	be32_put(buf, value);
	client_post(&vm->c, BAR, off, buf, 4);
}

/* A command of 16 bytes by the queue; the status. */
static int vm_command(struct vm *vm, uint16_t opcode)
{
	uint8_t *entry = vm->ram, buf[4];
	unsigned int i;

	vm_write32(vm, 0x10, 0);
	vm_write32(vm, 0x14, RAM_AT);
	memset(entry, 0, 64);
	entry[0] = 7;
	be32_put(entry + 4, 16);
	be16_put(entry + 0x10, opcode);
	be32_put(entry + 0x38, 16);
	entry[0x3f] = 1;
	vm_write32(vm, 0x18, 1);
	/* Reads do not pass posted writes. */
	assert_int_equal(client_read(&vm->c, BAR, 0x14, buf, 4), 0);
	assert_int_equal(be32_get(buf), RAM_AT | 0x56);
	/* The command runs some time after its doorbell. */
	for (i = 0;
	     i < PATIENCE && __atomic_load_n(&entry[0x3f], __ATOMIC_ACQUIRE);
	     i++)
		usleep(i ? 10000 : 0);
	assert_int_equal(entry[0x3f], 0);
	return entry[0x20];
}

static int vm_enable(struct vm *vm)
{
	return vm_command(vm, 0x104);
}

/* ---- tests ---- */

static void test_once(void **state)
{
	struct vm a, b;
	pid_t pid = start_hcas(true);
	uint8_t id[4];

	(void)state;
	vm_start(&a, sock[0]);
	assert_int_equal(client_read(&a.c, CONF, 0, id, 4), 0);
	assert_memory_equal(id, "\xb3\x15\x17\x10", 4);
	assert_int_equal(vm_enable(&a), 0);
	vm_start(&b, sock[1]);
	assert_int_equal(vm_enable(&b), 0);
	vm_end(&a);
	/* One is still there. */
	assert_int_equal(client_read(&b.c, CONF, 0, id, 4), 0);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	vm_end(&b);
	assert_int_equal(end_of(pid), 0);
	assert_gone();
	assert_non_null(strstr(file_text(log_path), "hca1 ENABLE_HCA "));
	assert_non_null(strstr(file_text(log_path),
			       "status 0x00 OK syndrome 0x00000000"));
}

static void test_log(void **state)
{
	pid_t pid = start_hcas(true);
	struct vm vm;

	(void)state;
	vm_start(&vm, sock[0]);
	assert_int_equal(vm_command(&vm, 0x7fe), 0x02);
	vm_end(&vm);
	/* Whatever the guest does, that is no fault of ours. */
	assert_int_equal(end_of(pid), 0);
	assert_non_null(strstr(file_text(log_path),
			       " hca0 UNKNOWN_0x7fe op_mod 0x0 uid 0 in 16 "
			       "out 16 status 0x02 BAD_OP syndrome 0x"));
	assert_non_null(strstr(file_text(log_path), " (unknown opcode)\n"));
	assert_non_null(
		strstr(file_text(out_path), "unknown command opcode 0x7fe"));
}

static void test_once_ignores_mere_connections(void **state)
{
	struct vfu_client c;
	pid_t pid = start_hcas(true);
	struct vm a;

	(void)state;
	client_connect(&c, loop, sock[0]);
	client_close(&c);
	usleep(50000);
	/* Nobody was a client yet. */
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	vm_start(&a, sock[0]);
	vm_end(&a);
	assert_int_equal(end_of(pid), 0);
}

static void test_signals(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT };
	unsigned int i;
	struct vm vm;
	pid_t pid;

	(void)state;
	for (i = 0; i < 2; i++) {
		pid = start_hcas(false);
		vm_start(&vm, sock[0]);
		assert_int_equal(vm_enable(&vm), 0);
		kill(pid, signals[i]);
		assert_int_equal(end_of(pid), 0);
		assert_true(client_closed(&vm.c, PATIENCE * 10));
		assert_gone();
		vm_end(&vm);
	}
}

/* A client that shortens its guest's memory loses its HCA, and no other does. */
static void test_memory_taken_away(void **state)
{
	pid_t pid = start_hcas(false);
	struct vm bad, good;
	unsigned int i;

	(void)state;
	vm_start(&good, sock[1]);
	for (i = 0; i < 3; i++) {
		vm_start(&bad, sock[0]);
		assert_int_equal(vm_enable(&bad), 0);
		assert_int_equal(ftruncate(bad.fd, 0), 0);
		vm_write32(&bad, 0x18, 1);
		assert_true(client_closed(&bad.c, PATIENCE * 10));
		assert_int_equal(vm_enable(&good), 0);
		vm_end(&bad);
	}
	vm_end(&good);
	kill(pid, SIGTERM);
	assert_int_equal(end_of(pid), 0);
	assert_non_null(strstr(file_text(log_path),
			       "warning: hca0: the client has taken away "
			       "memory of its guest, dropped"));
}

static unsigned int fds_of(pid_t pid)
{
	char path[64];
	unsigned int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static unsigned int mappings_of(pid_t pid)
{
	char path[64], line[512];
	unsigned int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "memfd:ram") != NULL;
	fclose(f);
	return n;
}

static void test_vms_come_and_go(void **state)
{
	pid_t pid = start_hcas(false), child;
	unsigned int fds = fds_of(pid), i;
	struct vm vm;
	int status;

	(void)state;
	for (i = 0; i < 20; i++) {
		/* Every other one is killed with all it has open. */
		child = i % 2 ? fork() : 0;
		if (!child) {
			vm_start(&vm, sock[0]);
			if (vm_enable(&vm))
				_exit(1);
			if (i % 2)
				raise(SIGKILL);
			vm_end(&vm);
			continue;
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
	}
	vm_start(&vm, sock[0]);
	assert_int_equal(vm_enable(&vm), 0);
	assert_int_equal(mappings_of(pid), 1);
	vm_end(&vm);
	for (i = 0; i < PATIENCE && fds_of(pid) != fds; i++)
		usleep(10000);
	assert_int_equal(fds_of(pid), fds);
	assert_int_equal(mappings_of(pid), 0);
	kill(pid, SIGTERM);
	assert_int_equal(end_of(pid), 0);
}

static const char *ctl(const char *command, const char *option, int want)
{
	const char *argv[] = {
		SOFTHCACTL_PROGRAM, "--control", control, command, option, NULL
	};

	assert_int_equal(run(argv), want);
	return file_text(out_path);
}

static void test_softhcactl(void **state)
{
	pid_t pid = start_hcas(false);
	struct vm vm;

	(void)state;
	vm_start(&vm, sock[1]);
	assert_int_equal(vm_enable(&vm), 0);
	assert_int_equal(vm_enable(&vm), 0);
	assert_non_null(strstr(ctl("stats", NULL, 0),
			       "\nhca1.commands.ENABLE_HCA 2\n"));
	assert_non_null(strstr(ctl("stats", NULL, 0), "hca0.connected 0\n"));
	assert_non_null(strstr(ctl("stats", NULL, 0), "hca1.connected 1\n"));
	assert_null(strstr(ctl("stats", NULL, 0), "ok\n"));
	assert_non_null(strstr(ctl("stats", "--json", 0), "\"ENABLE_HCA\": 2"));
	assert_non_null(strstr(ctl("objects", NULL, 0), "hca1.qp 0\n"));
	assert_int_equal(ctl("objects", "-j", 0)[0], '{');
	ctl("nonsense", NULL, 2);
	assert_non_null(
		strstr(ctl("qp", "0x77", 1), "softhcactl: error no QP 0x77\n"));
	assert_non_null(strstr(ctl("trace", "all", 1), "error usage: trace"));
	ctl("help", NULL, 0);
	vm_end(&vm);
	kill(pid, SIGTERM);
	assert_int_equal(end_of(pid), 0);
	/* Nobody there. */
	assert_non_null(strstr(ctl("stats", NULL, 1), "softhcactl: "));
}

static void test_socket_in_use(void **state)
{
	const char *again[] = { SOFTHCA_PROGRAM, "-s", sock[1], NULL };
	const char *twice[] = { SOFTHCA_PROGRAM, "-s", sock[0], "-s",
				sock[0],	 NULL };
	const char *no_dir[] = { SOFTHCA_PROGRAM, "-s", "/nonexistent/x",
				 NULL };
	pid_t pid = start_hcas(true);
	struct vm vm;

	(void)state;
	assert_int_equal(run(again), 1);
	assert_non_null(strstr(file_text(out_path), "in use"));
	/* The first one has not noticed, and its socket is still there. */
	vm_start(&vm, sock[1]);
	vm_end(&vm);
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(run(twice), 1);
	assert_gone();
	assert_int_equal(run(no_dir), 1);

	/* What a killed one leaves behind does not matter. */
	pid = start_hcas(true);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(access(sock[0], F_OK), 0);
	unlink(control);
	pid = start_hcas(true);
	vm_start(&vm, sock[0]);
	vm_end(&vm);
	assert_int_equal(end_of(pid), 0);
	assert_gone();
}

/* What the log of a softhca with these options says of its HCAs. */
static void log_of(const char *const options[8], char text[2048])
{
	const char *argv[16] = { SOFTHCA_PROGRAM, "--log", log_path,
				 "--control", control };
	unsigned int i;
	pid_t pid;

	for (i = 0; i < 8 && options[i]; i++)
		argv[5 + i] = options[i];
	unlink(log_path);
	pid = start(argv);
	wait_for(control);
	kill(pid, SIGTERM);
	assert_int_equal(end_of(pid), 0);
	snprintf(text, 2048, "%s", file_text(log_path));
}

static const char *hca0_of(char *text)
{
	char *found = strstr(text, "hca0: MAC "), *end;

	assert_non_null(found);
	end = strchr(found, '\n');
	assert_non_null(end);
	*end = '\0';
	return found;
}

static void test_identities(void **state)
{
	const char *const plain[8] = { "-s", sock[0] };
	const char *const seed[8] = { "-s", sock[0], "--seed", "0x5" };
	const char *const set[8] = { "-s",     sock[0],
				     "-s",     sock[1],
				     "--mac",  "02:00:0a:4d:00:01",
				     "--guid", "0200:0a03:004d:0007" };
	char a[2048], b[2048];

	(void)state;
	log_of(plain, a);
	log_of(plain, b);
	assert_string_not_equal(hca0_of(a), hca0_of(b));
	log_of(seed, a);
	log_of(seed, b);
	assert_non_null(strstr(a, " seed 5\n"));
	assert_string_equal(hca0_of(a), hca0_of(b));
	log_of(set, a);
	assert_non_null(strstr(a, "hca1: MAC 02:00:0a:4d:00:01, GUID "
				  "0200:0a03:004d:0007\n"));
}

static void test_wrong_identities(void **state)
{
	static const char mac[] = "02:00:0a:4d:00:01";
	static const char *const lines[][3] = {
		{ "--mac", "02:00", "--mac takes" },
		{ "--guid", "0", "--guid takes" },
		{ "--seed", "-1", "--seed takes" },
		{ "--seed", "5x", "--seed takes" },
		{ "--seed", "18446744073709551616", "--seed takes" },
	};
	const char *argv[] = {
		SOFTHCA_PROGRAM, "-s", sock[0], NULL, NULL, NULL
	};
	const char *first[] = {
		SOFTHCA_PROGRAM, "-M", mac, "-s", sock[0], NULL
	};
	const char *twice[] = { SOFTHCA_PROGRAM, "-s", sock[0], "-M", mac, "-s",
				sock[1],	 "-M", mac,	NULL };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		argv[3] = lines[i][0];
		argv[4] = lines[i][1];
		assert_int_equal(run(argv), 2);
		assert_non_null(strstr(file_text(out_path), lines[i][2]));
	}
	assert_int_equal(run(first), 2);
	assert_non_null(strstr(file_text(out_path), "behind its --socket"));
	assert_int_equal(run(twice), 2);
	assert_non_null(strstr(file_text(out_path), "have the same MAC"));
}

static void test_command_lines(void **state)
{
	const char *const help[] = { SOFTHCA_PROGRAM, "--help", NULL };
	const char *const version[] = { SOFTHCA_PROGRAM, "--version", NULL };
	const char *const none[] = { SOFTHCA_PROGRAM, NULL };
	const char *const junk[] = { SOFTHCA_PROGRAM, "-s", sock[0], "x",
				     NULL };
	const char *const level[] = { SOFTHCA_PROGRAM, "-s", sock[0], "-L",
				      "all",	       NULL };
	const char *const memory[] = { SOFTHCA_PROGRAM, "-s", sock[0], "-m",
				       "10K",		NULL };
	const char *const unknown[] = { SOFTHCA_PROGRAM, "--frobnicate", NULL };
	const char *const no_log[] = { SOFTHCA_PROGRAM,	   "-s", sock[0], "-l",
				       "/nonexistent/log", NULL };

	(void)state;
	assert_int_equal(run(help), 0);
	assert_non_null(strstr(file_text(out_path), "--once"));
	assert_int_equal(run(level), 2);
	assert_non_null(strstr(file_text(out_path),
			       "give error, warning, info, trace or debug"));
	assert_int_equal(run(memory), 2);
	assert_non_null(strstr(file_text(out_path), "a size of 1M at least"));
	assert_int_equal(run(version), 0);
	assert_memory_equal(file_text(out_path), "softhca ", 8);
	assert_int_equal(run(none), 2);
	assert_int_equal(run(junk), 2);
	assert_int_equal(run(unknown), 2);
	assert_int_equal(run(no_log), 1);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

RUN_TESTS(T(test_once), T(test_log), T(test_once_ignores_mere_connections),
	  T(test_signals), T(test_memory_taken_away), T(test_vms_come_and_go),
	  T(test_softhcactl), T(test_socket_in_use), T(test_identities),
	  T(test_wrong_identities), T(test_command_lines))
