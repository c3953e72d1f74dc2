/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A vfio-user server: makes one PCI device visible to one client at a time,
 * on a UNIX socket.  It knows nothing of the device, which it reaches through
 * a table of functions.
 *
 * Messages are handled in the order of arrival, each to its end; its reply is
 * sent, or at least queued, before the next one is looked at.  Whatever a
 * client sends is answered with an error at worst; the connection ends only
 * when the client closes it.
 *
 * Descriptors that come with a message belong to the server until a device
 * function takes them; those that nobody took are closed with the message.
 *
 * While a client is connected the next one waits in the socket's backlog.  So
 * a VM that is started anew need not know whether the old one is gone yet.
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
#define VFU_MAX_FDS	   16u	  /* with one message, as QEMU's limit is */
#define VFU_MAX_DMA_RANGES 4096u

/* All return 0 or errno.  What they are given is within bounds. */
struct vfu_ops {
	int (*read)(void *dev, unsigned int region, uint64_t off, void *buf,
		    size_t len);
	int (*write)(void *dev, unsigned int region, uint64_t off,
		     const void *buf, size_t len);
	/* fd stays the server's; -1: not accessible.  prot as in dma.h. */
	int (*dma_map)(void *dev, uint64_t iova, uint64_t size, int fd,
		       uint64_t offset, unsigned int prot);
	int (*dma_unmap)(void *dev, uint64_t iova, uint64_t size);
	void (*dma_unmap_all)(void *dev);
	/* Takes fd; -1: none. */
	void (*irq_set)(void *dev, unsigned int vector, int fd);
	void (*irq_raise)(void *dev, unsigned int vector);
	void (*reset)(void *dev);
	/* A client has agreed on the protocol; it is gone. */
	void (*connected)(void *dev);
	void (*disconnected)(void *dev);
};

struct vfu_device {
	const struct vfu_ops *ops;
	void *dev;
	const char *name;		       /* for the log */
	uint64_t region_size[VFU_NUM_REGIONS]; /* 0: not there */
	unsigned int num_vectors;	       /* MSI-X */
};

struct vfu;

/*
 * Serve device, which must outlive the server, on a socket at path.  NULL
 * with errno: EADDRINUSE when somebody serves it already.
 */
struct vfu *vfu_create(struct loop *loop, const char *path,
		       const struct vfu_device *device);
/* Disconnects the client and removes the socket. */
void vfu_destroy(struct vfu *vfu);

#endif
