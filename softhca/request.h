/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests that come by the control socket: one line each, and the answer.
 *
 *	stats [json]
 *	objects [json]
 *	qp [hcaN:]QPN [json]
 *	trace [hcaN:]QPN|all on|off
 *
 * The first line of an answer is "ok", and what was asked for follows; or it is
 * "error" and says what is wrong and what is possible.
 */
#ifndef SOFTHCA_REQUEST_H
#define SOFTHCA_REQUEST_H

#include <stdio.h>

#define REQUEST_MAX 64u /* bytes, with the end of the line */

struct hca;

/* Carry out a request, without its end of line, and write the answer to f. */
void request_answer(FILE *f, const char *request, struct hca *const *hcas,
		    unsigned int num);

#endif
