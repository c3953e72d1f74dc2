/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the halves of sharer share: named things, and the answers. */
#ifndef TESTS_SYSTEM_PUPPET_H
#define TESTS_SYSTEM_PUPPET_H

#include <stdbool.h>
#include <stdint.h>

enum kind {
	CTX,
	PD,
	MR,
	CHANNEL,
	CQ,
	QP,
	FD,
	NUM_KINDS
};

struct thing {
	enum kind kind;
	char name[16];
	void *object; /* of verbs, or NULL */
	int fd;	      /* of FD */
	void *memory; /* of an MR that was registered here */
};

/* NULL and an answer "err no such ..." if there is none. */
struct thing *need(enum kind kind, const char *name);
/* NULL and an answer if the name is taken. */
struct thing *make(enum kind kind, const char *name);
void forget(struct thing *thing);

void answer(int err);
void refuse(int err);
void usage(void);
bool number(const char *text, uint64_t *value);

/* puppet_fd.c */
void cmd_fd(char **argv);
/* puppet_verbs.c */
void cmd_qp(char **argv);
void cmd_cq(char **argv);
void cmd_channel(char **argv);

#endif
