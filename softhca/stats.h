/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters as text: one "path value" on a line, or one JSON object.  Counters
 * by name (commands, WQE opcodes) show only the names that have counted.
 */
#ifndef SOFTHCA_STATS_H
#define SOFTHCA_STATS_H

#include <stdbool.h>
#include <stdio.h>

struct hca;

void stats_print(FILE *f, struct hca *const *hcas, unsigned int num, bool json);
/* Live objects of each kind. */
void stats_print_objects(FILE *f, struct hca *const *hcas, unsigned int num,
			 bool json);

#endif
