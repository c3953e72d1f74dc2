/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the parts of puppet share: things that have names, and commands.
 *
 * A command is "NOUN NAME VERB WORDS", or "NOUN WORDS" if the table has no verb
 * for it.  `takes` tells what NAME and WORDS are, a letter for each:
 *
 *	+  the name of a thing that the command makes
 *	c p m h q k f  the name of a context, PD, MR, channel, CQ, QP or fd
 *	n  a number, with K or M behind it if wanted
 *	a  access rights, see parse_access()
 *	s  any word
 *	?  the words from here on may be missing
 *
 * A word that is missing is 0 or NULL.
 */
#ifndef TESTS_SYSTEM_PUPPET_H
#define TESTS_SYSTEM_PUPPET_H

#include <stdbool.h>
#include <stdint.h>

struct thing {
	char kind; /* the letter; 0: nothing */
	char name[16];
	void *object; /* of verbs, or NULL */
	int fd;	      /* of a descriptor */
	void *memory; /* of an MR whose memory the puppet has allocated */
};

/* The members that the letter has no use for are 0, but for text. */
struct word {
	const char *text;
	uint64_t number;
	struct thing *thing;
};

struct command {
	const char *noun, *verb, *takes;
	/* 0: answer "ok"; an errno value: "err NAME"; ANSWERED: nothing. */
	int (*run)(const struct word *w);
};

#define ANSWERED (-1)

/* Of verbs, and of descriptors; up to one without a noun. */
extern const struct command verbs_commands[], fd_commands[];

/* A new thing for what a call has returned; errno if that is NULL. */
int keep(char kind, const char *name, void *object);
struct thing *make(char kind, const char *name);
void forget(struct thing *thing);
/* The thing goes if err, of the call that destroys it, is 0.  Returns err. */
int gone(struct thing *thing, int err);

bool parse_number(const char *text, uint64_t *value);
struct thing *find(char kind, const char *name);

#endif
