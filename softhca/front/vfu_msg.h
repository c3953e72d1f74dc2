/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Between the stream (vfu.c) and the messages (vfu_msg.c). */
#ifndef SOFTHCA_VFU_MSG_H
#define SOFTHCA_VFU_MSG_H

#include "vfu.h"
#include "vfu_proto.h"

struct vfu_msg {
	struct vfu_header hdr;
	const uint8_t *body;
	size_t len; /* of body */
	int *fds;   /* a handler that takes one writes -1 in its place */
	unsigned int num_fds;
	bool bad_fds; /* more came than were kept */

	/* Reply: room for the largest one; its length without the header. */
	uint8_t *reply;
	size_t reply_len;
};

#define VFU_MAX_BODY (sizeof(struct vfu_region_access) + VFU_MAX_DATA)
#define VFU_MAX_MSG  (sizeof(struct vfu_header) + VFU_MAX_BODY)

/*
 * Execute one command.  *negotiated: whether VERSION has been agreed upon;
 * set by it.  0 or the errno for the reply.
 */
int vfu_msg_execute(const struct vfu_device *device, bool *negotiated,
		    struct vfu_msg *msg);

#endif
