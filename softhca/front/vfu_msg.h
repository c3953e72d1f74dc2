/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the stream (vfu.c) passes to the commands (vfu_msg.c). */
#ifndef SOFTHCA_VFU_MSG_H
#define SOFTHCA_VFU_MSG_H

#include "vfu.h"
#include "vfu_proto.h"

struct vfu_msg {
	struct vfu_header hdr;
	const uint8_t *body;
	size_t len; /* of body */
	int *fds;   /* a handler that takes a descriptor leaves -1 instead */
	unsigned int num_fds;
	bool bad_fds; /* some descriptors of the message were dropped */

	/* The reply: room for the largest; its length without the header. */
	uint8_t *reply;
	size_t reply_len;
};

#define VFU_MAX_BODY (sizeof(struct vfu_region_access) + VFU_MAX_DATA)
#define VFU_MAX_MSG  (sizeof(struct vfu_header) + VFU_MAX_BODY)

/*
 * Execute one command.  *negotiated tells whether a VERSION command has
 * succeeded before; this call sets it.  Returns 0 or the errno for the reply.
 */
int vfu_msg_execute(const struct vfu_device *device, bool *negotiated,
		    struct vfu_msg *msg);

#endif
