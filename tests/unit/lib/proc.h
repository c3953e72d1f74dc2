/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Several processes in one test: children that run as somebody else, stay
 * until told otherwise, and report the line of a check that failed.
 *
 * Children do not call cmocka; they use CHECK, which returns the line, and the
 * parent asserts that the line is 0.
 */
#ifndef MLX5X_TEST_PROC_H
#define MLX5X_TEST_PROC_H

#include <stdint.h>
#include <sys/types.h>

#define CHECK(condition)                 \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

/* Who a child is; gid may be the user's only group or one of two. */
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
struct proc_shared {
	uint32_t handle[512];
	int value[8];
};

extern struct proc_shared *proc_shared;

typedef int (*proc_fn)(void *arg);

struct proc {
	pid_t pid;
	int to_child;
	int from_child;
};

/*
 * Start a child that runs fn as user (NULL: as is).  The child of proc_start
 * stays in proc_pause until proc_continue.
 */
void proc_start(struct proc *proc, proc_fn fn, void *arg,
		const struct proc_user *user);
/* In a child: tell the parent, wait for it. */
void proc_pause(void);
/* In the parent: wait for the child's proc_pause.  1, or 0 if it has ended. */
int proc_wait_pause(struct proc *proc);
void proc_continue(struct proc *proc);
/* In a grandchild: say so in value[1] and stay, but not for ever. */
void proc_linger(void) __attribute__((noreturn));
/* The result of fn, or -signal. */
int proc_end(struct proc *proc);
void proc_kill(struct proc *proc);
/* Start, and wait for the end. */
int proc_run(proc_fn fn, void *arg, const struct proc_user *user);

/* A folder for names, open to everybody; MLX5X_SHARED_MR_DIR leads to it. */
void proc_setup(void);
/* Removes it.  -1 if anything was left in it, or in the IPC namespace. */
int proc_teardown(void);
/* Names in the folder. */
int proc_name_count(void);
/* Path of the name of a handle; a static buffer. */
const char *proc_name(uint32_t handle);
/* Segments that this process or its children made. */
int proc_segment_count(void);
void proc_remove_segments(void);
int proc_fd_count(void);

#endif
