/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control socket.  A client sends one line and gets one answer; then
 * softhca closes the connection; request.h has the lines and the answers.  A slow
 * client never holds up the others, and is dropped after CONTROL_TIMEOUT_MS.
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
