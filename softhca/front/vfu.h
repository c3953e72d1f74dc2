/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A vfio-user server: makes one PCI device visible to one client at a time, on
 * a UNIX socket.  The server knows nothing about the device.  It reaches the
 * device through a table of functions.
 *
 * Messages are handled one after the other, in the order of arrival.  The reply
 * to a message is sent, or at least queued, before the next message is handled.
 * A bad message is answered with an error and does not end the connection.  The
 * server itself ends a connection only when the client says no VERSION in time,
 * when it cannot go on (out of memory, socket error), or when the device asks.
 *
 * Descriptors that come with a message belong to the server until a device
 * function takes them.  The server closes the others after the message.
 *
 * While a client is connected, the next client waits in the socket's backlog.
 * So a new VM may be started before the old one has disconnected.
 */
#ifndef SOFTHCA_VFU_H
#define SOFTHCA_VFU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

#define VFU_NUM_REGIONS	   9u /* BAR0..5, ROM, config space, VGA */
#define VFU_REGION_CONFIG  7u
#define VFU_MAX_DATA	   65536u /* in one access */
#define VFU_MAX_FDS	   16u	  /* with one message; QEMU's limit too */
#define VFU_MAX_DMA_RANGES 4096u

/*
 * The functions of a device return 0 or errno.  The server has checked that
 * regions, offsets and vectors are within the bounds of struct vfu_device.
 */
struct vfu_ops {
	int (*read)(void *dev, unsigned int region, uint64_t off, void *buf,
		    size_t len);
	int (*write)(void *dev, unsigned int region, uint64_t off,
		     const void *buf, size_t len);
	/* The server keeps fd; -1 means no access.  prot is as in dma.h. */
	int (*dma_map)(void *dev, uint64_t iova, uint64_t size, int fd,
		       uint64_t offset, unsigned int prot);
	int (*dma_unmap)(void *dev, uint64_t iova, uint64_t size);
	void (*dma_unmap_all)(void *dev);
	/* The device owns fd from then on; -1 means none. */
	void (*irq_set)(void *dev, unsigned int vector, int fd);
	void (*irq_raise)(void *dev, unsigned int vector);
	void (*reset)(void *dev);
	/* A client has agreed on the protocol. */
	void (*connected)(void *dev);
	/* That client is gone. */
	void (*disconnected)(void *dev);
};

struct vfu_device {
	const struct vfu_ops *ops;
	void *dev;
	const char *name;		       /* for the log */
	uint64_t region_size[VFU_NUM_REGIONS]; /* 0 when there is none */
	unsigned int num_vectors;	       /* MSI-X */
};

struct vfu;

/*
 * Serve device on a socket at path.  device must outlive the server.  Returns
 * NULL and sets errno on failure: EADDRINUSE when another process serves path.
 */
struct vfu *vfu_create(struct loop *loop, const char *path,
		       const struct vfu_device *device);
/* Disconnect the client, if there is one, and wait for the next. */
void vfu_disconnect(struct vfu *vfu);
/* Disconnect the client and remove the socket. */
void vfu_destroy(struct vfu *vfu);

#endif
