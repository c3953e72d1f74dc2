/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A vfio-user client for tests: speaks the protocol byte by byte, so that a
 * test can do what QEMU does as well as what nobody should.
 *
 * Client and server share the test's one thread: whoever waits here runs the
 * server's loop meanwhile.
 */
#ifndef TEST_VFU_CLIENT_H
#define TEST_VFU_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"
#include "vfu_proto.h"

struct vfu_client {
	struct loop *loop;
	int fd; /* non-blocking */
	uint16_t id;
};

struct vfu_answer {
	struct vfu_header hdr;
	uint8_t body[70000];
	size_t len; /* of body */
};

void client_connect(struct vfu_client *c, struct loop *loop, const char *path);
void client_close(struct vfu_client *c);

/* Bytes and descriptors as they are, in one sendmsg; all must be taken. */
void client_send_raw(struct vfu_client *c, const void *data, size_t len,
		     const int *fds, unsigned int num_fds);
/* A message with a proper header. */
void client_send(struct vfu_client *c, uint16_t command, uint32_t flags,
		 const void *body, size_t len, const int *fds,
		 unsigned int num_fds);
/* Make the bytes of a message; the length. */
size_t client_make(struct vfu_client *c, uint8_t *msg, uint16_t command,
		   uint32_t flags, const void *body, size_t len);

/* The next answer; fails the test when none comes within a second. */
void client_recv(struct vfu_client *c, struct vfu_answer *answer);
/* Nothing comes, and the connection is alive. */
void client_expect_silence(struct vfu_client *c);
/* The server has closed, or closes within timeout_ms. */
bool client_closed(struct vfu_client *c, unsigned int timeout_ms);

/* Send and receive; the errno in the answer. */
int client_call(struct vfu_client *c, uint16_t command, const void *body,
		size_t len, const int *fds, unsigned int num_fds,
		struct vfu_answer *answer);

/* Negotiate as QEMU does. */
void client_hello(struct vfu_client *c);
int client_dma_map(struct vfu_client *c, uint64_t iova, uint64_t size, int fd,
		   uint64_t offset, uint32_t flags);
int client_dma_unmap(struct vfu_client *c, uint64_t iova, uint64_t size,
		     uint32_t flags);
int client_read(struct vfu_client *c, uint32_t region, uint64_t off, void *buf,
		uint32_t len);
int client_write(struct vfu_client *c, uint32_t region, uint64_t off,
		 const void *buf, uint32_t len);
void client_post(struct vfu_client *c, uint32_t region, uint64_t off,
		 const void *buf, uint32_t len);
int client_set_irqs(struct vfu_client *c, uint32_t flags, uint32_t index,
		    uint32_t start, uint32_t count, const int *fds,
		    unsigned int num_fds);

#endif
