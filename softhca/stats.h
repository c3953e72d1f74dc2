/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters as text: lines of the form "path value", or one JSON object.
 * Commands and WQE opcodes are listed only when their counter is not zero.
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
