/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Several processes in one test: children that may run as another user, wait
 * for the parent where the test wants it, and report which check failed.
 *
 * Children do not call cmocka: they use CHECK, which returns the line, and the
 * parent asserts that the line is 0.  No wait between the processes has a time
 * limit; a hang ends with the limit of the whole test.
 */
#ifndef TEST_LIB_PROC_H
#define TEST_LIB_PROC_H

#include <stdint.h>
#include <sys/types.h>

#define CHECK(condition)                 \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

/* Seconds after which a child surely hangs, on the slowest machine too. */
#define PROC_HANG_S 300

/* Who a child is; extra_gid may be the same as gid. */
struct proc_user {
	uid_t uid;
	gid_t gid;
	gid_t extra_gid;
};

/* Ordinary users that need no entry in any file. */
extern const struct proc_user proc_owner;
extern const struct proc_user proc_fellow;
extern const struct proc_user proc_stranger;

/* Memory that all processes of a test see. */
struct proc_board {
	uint32_t handle[512];
	int value[8];
};

extern struct proc_board *proc_board;

typedef int (*proc_fn)(void *arg);

struct proc {
	pid_t pid;
	int to_child;
	int from_child;
};

/* Start a child that runs fn as user (NULL: the same as the parent). */
void proc_start(struct proc *proc, proc_fn fn, void *arg,
		const struct proc_user *user);
/* In a child: tell the parent, and wait for its proc_continue. */
void proc_pause(void);
/* In the parent: wait for the child's proc_pause.  1, or 0 if it has ended. */
int proc_wait_pause(struct proc *proc);
void proc_continue(struct proc *proc);
/* Start a child and wait for its proc_pause. */
int proc_hold(struct proc *proc, proc_fn fn, void *arg,
	      const struct proc_user *user);
/* In a grandchild: set value[1], and stay until the test program ends. */
void proc_linger(void) __attribute__((noreturn));
/* The result of fn, or -signal. */
int proc_end(struct proc *proc);
/* proc_continue, then proc_end. */
int proc_finish(struct proc *proc);
void proc_kill(struct proc *proc);
/* Start, and wait for the end. */
int proc_run(proc_fn fn, void *arg, const struct proc_user *user);

/*
 * Frame of a group of tests: a folder for names, open to everybody, which
 * MLX5X_SHARED_MR_DIR leads to.  The end fails if a name or a segment is left.
 */
int proc_setup(void **state);
int proc_teardown(void **state);
/* Names in the folder. */
int proc_name_count(void);
/* Path of the name of a handle; a static buffer. */
const char *proc_name(uint32_t handle);
/* Segments that this process or its children made. */
int proc_segment_count(void);
void proc_remove_segments(void);
int proc_fd_count(void);

#endif
