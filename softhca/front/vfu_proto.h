/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages of the vfio-user protocol, version 0.0, in host byte order.  Most
 * structures are bodies: they follow the header, in a request and in its reply.
 */
#ifndef SOFTHCA_VFU_PROTO_H
#define SOFTHCA_VFU_PROTO_H

#include <stdint.h>

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_DEVICE_GET_INFO = 4,
	VFU_DEVICE_GET_REGION_INFO = 5,
	VFU_DEVICE_GET_IRQ_INFO = 7,
	VFU_DEVICE_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DEVICE_RESET = 13,
	VFU_REGION_WRITE_MULTI = 15,
};

#define VFU_TYPE_MASK	 0xfu
#define VFU_TYPE_COMMAND 0x0u
#define VFU_TYPE_REPLY	 0x1u
#define VFU_NO_REPLY	 0x10u
#define VFU_ERROR	 0x20u

struct vfu_header {
	uint16_t id;
	uint16_t command;
	uint32_t size; /* of the whole message */
	uint32_t flags;
	uint32_t error;
};

/* A JSON text follows, which ends with a NUL. */
struct vfu_version {
	uint16_t major, minor;
};

struct vfu_dma_map {
	uint32_t argsz, flags;
	uint64_t offset, iova, size;
};

struct vfu_dma_unmap {
	uint32_t argsz, flags;
	uint64_t iova, size;
};

#define VFU_DMA_UNMAP_ALL 2u

struct vfu_device_info {
	uint32_t argsz, flags, num_regions, num_irqs;
};

struct vfu_region_info {
	uint32_t argsz, flags, index, cap_offset;
	uint64_t size, offset;
};

struct vfu_irq_info {
	uint32_t argsz, flags, index, count;
};

/* With DATA_BOOL, count bytes follow. */
struct vfu_irq_set {
	uint32_t argsz, flags, index, start, count;
};

/* In a write, and in the reply to a read, count bytes of data follow. */
struct vfu_region_access {
	uint64_t offset;
	uint32_t region, count;
};

struct vfu_write_multi {
	uint64_t count;
};

struct vfu_write_one {
	uint64_t offset;
	uint32_t region, count;
	uint8_t data[8];
};

_Static_assert(sizeof(struct vfu_header) == 16, "header");
_Static_assert(sizeof(struct vfu_version) == 4, "version");
_Static_assert(sizeof(struct vfu_dma_map) == 32, "dma map");
_Static_assert(sizeof(struct vfu_dma_unmap) == 24, "dma unmap");
_Static_assert(sizeof(struct vfu_device_info) == 16, "device info");
_Static_assert(sizeof(struct vfu_region_info) == 32, "region info");
_Static_assert(sizeof(struct vfu_irq_info) == 16, "irq info");
_Static_assert(sizeof(struct vfu_irq_set) == 20, "irq set");
_Static_assert(sizeof(struct vfu_region_access) == 16, "region access");
_Static_assert(sizeof(struct vfu_write_one) == 24, "one write of many");

#endif
