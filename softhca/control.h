/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Control socket: a client sends one line, gets the answer and is closed.
 *
 *	stats | stats json | objects | objects json
 *
 * The first line of the answer is "ok" or "error REASON", the rest is what
 * stats.h prints.  A client that is slow or talks nonsense is dropped after a
 * while and never holds up the rest.
 */
#ifndef SOFTHCA_CONTROL_H
#define SOFTHCA_CONTROL_H

struct control;
struct hca;
struct loop;

#define CONTROL_MAX_CLIENTS 8u
#define CONTROL_TIMEOUT_MS  5000u

/* hcas must outlive it.  NULL with errno. */
struct control *control_create(struct loop *loop, const char *path,
			       struct hca *const *hcas, unsigned int num);
void control_destroy(struct control *control);

#endif
