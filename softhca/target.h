/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a request is about: words of its line, and the HCAs that it names. */
#ifndef SOFTHCA_TARGET_H
#define SOFTHCA_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hca;

#define REQUEST_WORDS 10u

struct request {
	FILE *f; /* takes the answer */
	struct hca *const *hcas;
	unsigned int num;
	char *word[REQUEST_WORDS + 1];
	unsigned int words;
	bool json; /* the last word was "json", and is not counted */
};

/* HCAs [first, end), and the number of an object, or all of them. */
struct target {
	unsigned int first, end;
	bool all;
	uint32_t number;
};

/*
 * Read "hca1:rest" or "rest": the HCAs, and where the rest begins.  NULL when
 * there is no such HCA; then the answer says so.
 */
char *target_hcas(const struct request *r, char *text, struct target *target);
/*
 * Read "[HCA:]NUMBER", or "[HCA:]all" when all is true.  False when that is not
 * possible; then the answer says why.
 */
bool target_parse(const struct request *r, char *text, bool all,
		  struct target *target);
/* Read a number from 0 to max, decimal or with 0x. */
bool target_number(const char *text, unsigned long max, unsigned long *number);

#endif
