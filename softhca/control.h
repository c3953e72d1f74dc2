/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control socket.  A client sends one line and gets one answer; then
 * softhca closes the connection.  The line is one of these:
 *
 *	stats | stats json | objects | objects json
 *
 * The first line of the answer is "ok" or "error REASON".  After "ok" comes
 * what stats.h prints.  A slow client never holds up the others, and is
 * dropped after CONTROL_TIMEOUT_MS.
 */
#ifndef SOFTHCA_CONTROL_H
#define SOFTHCA_CONTROL_H

struct control;
struct hca;
struct loop;

#define CONTROL_MAX_CLIENTS 8u
#define CONTROL_TIMEOUT_MS  5000u

/*
 * Listen on path.  The array hcas and all in it must outlive the result.
 * Returns NULL and sets errno on failure.
 */
struct control *control_create(struct loop *loop, const char *path,
			       struct hca *const *hcas, unsigned int num);
void control_destroy(struct control *control);

#endif
