// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * vfio-user commands.  The structures are copied out of the stream before use,
 * so they may have any alignment.  Every length in them is checked against the
 * length of the message.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/vfio.h>

#include "base.h"
#include "vfu_msg.h"

#define JSON_MAX 512

static void set_reply(struct vfu_msg *msg, const void *data, size_t len)
{
	memcpy(msg->reply + msg->reply_len, data, len);
	msg->reply_len += len;
}

/* ---- negotiation ---- */

/* Does the JSON text contain "name":true?  Blanks are allowed as in JSON. */
static bool json_true(const char *json, const char *name)
{
	const char *p = strstr(json, name);

	if (!p || p == json || p[-1] != '"')
		return false;
	p += strlen(name);
	if (*p++ != '"')
		return false;
	p += strspn(p, " \t\r\n");
	if (*p++ != ':')
		return false;
	p += strspn(p, " \t\r\n");
	return !strncmp(p, "true", 4);
}

static int do_version(const struct vfu_device *device, struct vfu_msg *msg)
{
	const char *json = (const char *)msg->body + sizeof(struct vfu_version);
	size_t len = msg->len - sizeof(struct vfu_version);
	struct vfu_version version;
	char reply[JSON_MAX];
	bool multi = false;
	int n;

	memcpy(&version, msg->body, sizeof(version));
	if (version.major != 0) {
		limit_warn(device->name, "client speaks vfio-user %u.%u",
			   version.major, version.minor);
		return ENOTSUP;
	}
	if (len) {
		if (json[len - 1])
			return EINVAL;
		multi = json_true(json, "write_multiple");
	}
	version.minor = 0;
	n = snprintf(reply, sizeof(reply),
		     "{\"capabilities\":{\"max_msg_fds\":%u,"
		     "\"max_data_xfer_size\":%u,\"max_dma_maps\":%u%s}}",
		     VFU_MAX_FDS, VFU_MAX_DATA, VFU_MAX_DMA_RANGES,
		     multi ? ",\"write_multiple\":true" : "");
	set_reply(msg, &version, sizeof(version));
	set_reply(msg, reply, (size_t)n + 1);
	limit_info(device->name, "client agreed on vfio-user 0.0");
	return 0;
}

/* ---- guest memory ---- */

static int do_dma_map(const struct vfu_device *device, struct vfu_msg *msg)
{
	struct vfu_dma_map map;
	unsigned int prot = 0;
	int fd, err;

	memcpy(&map, msg->body, sizeof(map));
	if (msg->num_fds > 1 ||
	    map.flags & ~(VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE))
		return EINVAL;
	if (map.flags & VFIO_DMA_MAP_FLAG_READ)
		prot |= DMA_READ;
	if (map.flags & VFIO_DMA_MAP_FLAG_WRITE)
		prot |= DMA_WRITE;
	fd = msg->num_fds ? msg->fds[0] : -1;
	err = device->ops->dma_map(device->dev, map.iova, map.size, fd,
				   map.offset, prot);
	limit_info(device->name, "DMA map 0x%llx size 0x%llx prot %u%s: %s",
		   (unsigned long long)map.iova, (unsigned long long)map.size,
		   prot, fd < 0 ? " no memory" : "",
		   err ? strerror(err) : "ok");
	if (err == ENOTSUP)
		limit_warn(device->name,
			   "memory at 0x%llx refused: it must be a memfd or a "
			   "regular file on tmpfs, hugetlbfs, ext4, XFS, Btrfs "
			   "or F2FS",
			   (unsigned long long)map.iova);
	return err;
}

static int do_dma_unmap(const struct vfu_device *device, struct vfu_msg *msg)
{
	struct vfu_dma_unmap unmap;
	int err;

	memcpy(&unmap, msg->body, sizeof(unmap));
	if (unmap.flags & ~VFU_DMA_UNMAP_ALL)
		return ENOTSUP;
	if (unmap.flags & VFU_DMA_UNMAP_ALL) {
		if (unmap.iova || unmap.size)
			return EINVAL;
		device->ops->dma_unmap_all(device->dev);
		err = 0;
	} else {
		err = device->ops->dma_unmap(device->dev, unmap.iova,
					     unmap.size);
	}
	limit_info(device->name, "DMA unmap 0x%llx size 0x%llx: %s",
		   (unsigned long long)unmap.iova,
		   (unsigned long long)unmap.size, err ? strerror(err) : "ok");
	unmap.argsz = sizeof(unmap);
	set_reply(msg, &unmap, sizeof(unmap));
	return err;
}

/* ---- information ---- */

static int do_get_info(const struct vfu_device *device, struct vfu_msg *msg)
{
	struct vfu_device_info info;

	(void)device;
	memcpy(&info, msg->body, sizeof(info));
	if (info.argsz < sizeof(info))
		return EINVAL;
	info.argsz = sizeof(info);
	info.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
	info.num_regions = VFU_NUM_REGIONS;
	info.num_irqs = VFIO_PCI_NUM_IRQS;
	set_reply(msg, &info, sizeof(info));
	return 0;
}

static int do_region_info(const struct vfu_device *device, struct vfu_msg *msg)
{
	struct vfu_region_info info;

	memcpy(&info, msg->body, sizeof(info));
	if (info.argsz < sizeof(info) || info.index >= VFU_NUM_REGIONS)
		return EINVAL;
	info.argsz = sizeof(info);
	info.size = device->region_size[info.index];
	/*
	 * The client cannot map a region, because the server must see each
	 * write when it happens (doorbells).  It also lets the client send
	 * writes without waiting for the replies.
	 */
	info.flags = info.size ? VFIO_REGION_INFO_FLAG_READ |
					 VFIO_REGION_INFO_FLAG_WRITE
			       : 0;
	info.cap_offset = 0;
	info.offset = 0;
	set_reply(msg, &info, sizeof(info));
	return 0;
}

/* ---- interrupts ---- */

static unsigned int num_irqs(const struct vfu_device *device, uint32_t index)
{
	return index == VFIO_PCI_MSIX_IRQ_INDEX ? device->num_vectors : 0;
}

static int do_irq_info(const struct vfu_device *device, struct vfu_msg *msg)
{
	struct vfu_irq_info info;

	memcpy(&info, msg->body, sizeof(info));
	if (info.argsz < sizeof(info) || info.index > VFIO_PCI_MSIX_IRQ_INDEX)
		return EINVAL;
	info.argsz = sizeof(info);
	info.count = num_irqs(device, info.index);
	info.flags = info.count ? VFIO_IRQ_INFO_EVENTFD : 0;
	set_reply(msg, &info, sizeof(info));
	return 0;
}

static void irqs_assign(const struct vfu_device *device,
			const struct vfu_irq_set *set, struct vfu_msg *msg)
{
	uint32_t i;

	for (i = 0; i < set->count; i++) {
		device->ops->irq_set(device->dev, set->start + i,
				     msg->num_fds ? msg->fds[i] : -1);
		if (msg->num_fds)
			msg->fds[i] = -1;
	}
}

static int irqs_trigger(const struct vfu_device *device,
			const struct vfu_irq_set *set, const uint8_t *which,
			size_t len)
{
	uint32_t i;

	if (which && len < set->count)
		return EINVAL;
	for (i = 0; i < set->count; i++)
		if (!which || which[i])
			device->ops->irq_raise(device->dev, set->start + i);
	return 0;
}

static int do_set_irqs(const struct vfu_device *device, struct vfu_msg *msg)
{
	const uint8_t *data = msg->body + sizeof(struct vfu_irq_set);
	size_t len = msg->len - sizeof(struct vfu_irq_set);
	struct vfu_irq_set set;
	unsigned int max, type;

	memcpy(&set, msg->body, sizeof(set));
	if (set.argsz < sizeof(set) || set.index > VFIO_PCI_MSIX_IRQ_INDEX)
		return EINVAL;
	max = num_irqs(device, set.index);
	if (set.start > max || set.count > max - set.start)
		return EINVAL;
	if (set.flags & (VFIO_IRQ_SET_ACTION_MASK | VFIO_IRQ_SET_ACTION_UNMASK))
		return ENOTSUP;
	type = set.flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	if (set.flags != (type | VFIO_IRQ_SET_ACTION_TRIGGER))
		return EINVAL;
	if (type != VFIO_IRQ_SET_DATA_EVENTFD && msg->num_fds)
		return EINVAL;
	limit_info(device->name,
		   "IRQ set index %u start %u count %u flags 0x%x fds %u",
		   set.index, set.start, set.count, set.flags, msg->num_fds);

	switch (type) {
	case VFIO_IRQ_SET_DATA_NONE:
		if (!set.count) {
			/* This request disables all vectors of the index. */
			set.start = 0;
			set.count = max;
			irqs_assign(device, &set, msg);
			return 0;
		}
		return irqs_trigger(device, &set, NULL, 0);
	case VFIO_IRQ_SET_DATA_BOOL:
		return irqs_trigger(device, &set, data, len);
	case VFIO_IRQ_SET_DATA_EVENTFD:
		if (msg->num_fds && msg->num_fds != set.count)
			return EINVAL;
		irqs_assign(device, &set, msg);
		return 0;
	}
	return EINVAL;
}

/* ---- regions ---- */

static int check_access(const struct vfu_device *device, uint32_t region,
			uint64_t off, uint32_t count)
{
	uint64_t size;

	if (region >= VFU_NUM_REGIONS || count > VFU_MAX_DATA)
		return EINVAL;
	size = device->region_size[region];
	return off > size || count > size - off ? EINVAL : 0;
}

static int do_region_read(const struct vfu_device *device, struct vfu_msg *msg)
{
	struct vfu_region_access acc;
	int err;

	memcpy(&acc, msg->body, sizeof(acc));
	err = check_access(device, acc.region, acc.offset, acc.count);
	if (err)
		return err;
	set_reply(msg, &acc, sizeof(acc));
	err = device->ops->read(device->dev, acc.region, acc.offset,
				msg->reply + msg->reply_len, acc.count);
	msg->reply_len += acc.count;
	return err;
}

static int do_region_write(const struct vfu_device *device, struct vfu_msg *msg)
{
	struct vfu_region_access acc;
	int err;

	memcpy(&acc, msg->body, sizeof(acc));
	err = check_access(device, acc.region, acc.offset, acc.count);
	if (err)
		return err;
	if (acc.count > msg->len - sizeof(acc))
		return EINVAL;
	set_reply(msg, &acc, sizeof(acc));
	return device->ops->write(device->dev, acc.region, acc.offset,
				  msg->body + sizeof(acc), acc.count);
}

static int write_one(const struct vfu_device *device, const uint8_t *body)
{
	struct vfu_write_one one;
	int err;

	memcpy(&one, body, sizeof(one));
	err = check_access(device, one.region, one.offset, one.count);
	if (err || one.count > sizeof(one.data))
		return EINVAL;
	return device->ops->write(device->dev, one.region, one.offset, one.data,
				  one.count);
}

/* Do the writes in order; stop at the first that fails. */
static int do_write_multi(const struct vfu_device *device, struct vfu_msg *msg)
{
	const uint8_t *body = msg->body + sizeof(struct vfu_write_multi);
	size_t len = msg->len - sizeof(struct vfu_write_multi);
	struct vfu_write_multi multi;
	uint64_t i;
	int err;

	memcpy(&multi, msg->body, sizeof(multi));
	if (multi.count > len / sizeof(struct vfu_write_one))
		return EINVAL;
	for (i = 0; i < multi.count; i++) {
		err = write_one(device,
				body + i * sizeof(struct vfu_write_one));
		if (err)
			return err;
	}
	set_reply(msg, &multi, sizeof(multi));
	return 0;
}

static int do_reset(const struct vfu_device *device, struct vfu_msg *msg)
{
	(void)msg;
	limit_info(device->name, "device reset");
	device->ops->reset(device->dev);
	return 0;
}

/* ---- dispatch ---- */

static const struct {
	size_t min_len;
	bool takes_fds;
	int (*fn)(const struct vfu_device *device, struct vfu_msg *msg);
} commands[] = {
	[VFU_VERSION] = { sizeof(struct vfu_version), false, do_version },
	[VFU_DMA_MAP] = { sizeof(struct vfu_dma_map), true, do_dma_map },
	[VFU_DMA_UNMAP] = { sizeof(struct vfu_dma_unmap), false, do_dma_unmap },
	[VFU_DEVICE_GET_INFO] = { sizeof(struct vfu_device_info), false,
				  do_get_info },
	[VFU_DEVICE_GET_REGION_INFO] = { sizeof(struct vfu_region_info), false,
					 do_region_info },
	[VFU_DEVICE_GET_IRQ_INFO] = { sizeof(struct vfu_irq_info), false,
				      do_irq_info },
	[VFU_DEVICE_SET_IRQS] = { sizeof(struct vfu_irq_set), true,
				  do_set_irqs },
	[VFU_REGION_READ] = { sizeof(struct vfu_region_access), false,
			      do_region_read },
	[VFU_REGION_WRITE] = { sizeof(struct vfu_region_access), false,
			       do_region_write },
	[VFU_DEVICE_RESET] = { 0, false, do_reset },
	[VFU_REGION_WRITE_MULTI] = { sizeof(struct vfu_write_multi), false,
				     do_write_multi },
};

int vfu_msg_execute(const struct vfu_device *device, bool *negotiated,
		    struct vfu_msg *msg)
{
	unsigned int command = msg->hdr.command;
	int err;

	msg->reply_len = 0;
	if (command >= sizeof(commands) / sizeof(commands[0]) ||
	    !commands[command].fn)
		return ENOTSUP;
	/* VERSION must be the first command and may not come again. */
	if (*negotiated == (command == VFU_VERSION))
		return EINVAL;
	if (msg->len < commands[command].min_len || msg->bad_fds ||
	    (msg->num_fds && !commands[command].takes_fds))
		return EINVAL;
	err = commands[command].fn(device, msg);
	if (!err && command == VFU_VERSION)
		*negotiated = true;
	return err;
}
