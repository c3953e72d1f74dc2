// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The front of an HCA: binds the vfio-user server to config space, BAR,
 * interrupts and guest memory.
 *
 * When a client disconnects, the HCA is reset first, so that nothing accesses
 * guest memory any more.  Then the eventfds are closed and the memory is
 * unmapped.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base.h"
#include "front_state.h"
#include "objects.h"

#define REGION_BAR0 0u

_Static_assert(PCI_CONFIG_SIZE <= VFU_MAX_DATA, "config space in one access");

/* ---- what the objects call ---- */

/* A vector without an eventfd stays pending (irq.h). */
static void raise_vector(struct hca *hca, unsigned int vector)
{
	if (vector >= HCA_NUM_VECTORS) {
		limit_warn(hca->name, "no MSI-X vector %u", vector);
		return;
	}
	if (irqs_raise(&hca->front->irqs, vector))
		hca->front->stats.irqs++;
	else
		log_debug("%s: vector %u has no eventfd", hca->name, vector);
}

static const struct objects_host host = {
	.raise = raise_vector,
};

/* ---- what the server calls ---- */

static int op_read(void *dev, unsigned int region, uint64_t off, void *buf,
		   size_t len)
{
	struct hca *hca = dev;

	if (region == VFU_REGION_CONFIG)
		return pci_config_read(&hca->front->pci, off, buf, len);
	return region == REGION_BAR0 ? bar_read(hca, off, buf, len) : EINVAL;
}

static int op_write(void *dev, unsigned int region, uint64_t off,
		    const void *buf, size_t len)
{
	struct hca *hca = dev;

	if (region == VFU_REGION_CONFIG)
		return pci_config_write(&hca->front->pci, off, buf, len);
	return region == REGION_BAR0 ? bar_write(hca, off, buf, len) : EINVAL;
}

static int op_dma_map(void *dev, uint64_t iova, uint64_t size, int fd,
		      uint64_t offset, unsigned int prot)
{
	struct hca *hca = dev;

	return dma_map_add(hca->dma, iova, size, fd, offset, prot);
}

static int op_dma_unmap(void *dev, uint64_t iova, uint64_t size)
{
	struct hca *hca = dev;

	return dma_map_del(hca->dma, iova, size);
}

static void op_dma_unmap_all(void *dev)
{
	struct hca *hca = dev;

	dma_map_clear(hca->dma);
}

static void op_irq_set(void *dev, unsigned int vector, int fd)
{
	struct hca *hca = dev;

	irqs_set(&hca->front->irqs, vector, fd);
}

static void op_irq_raise(void *dev, unsigned int vector)
{
	raise_vector(dev, vector);
}

static void op_reset(void *dev)
{
	front_reset(dev);
}

static void op_connected(void *dev)
{
	struct hca *hca = dev;
	struct front *front = hca->front;

	front->connected = true;
	front->clients++;
	if (front->changed)
		front->changed(front->changed_arg);
}

static void op_disconnected(void *dev)
{
	struct hca *hca = dev;
	struct front *front = hca->front;

	front_reset(hca);
	irqs_clear(&front->irqs);
	dma_map_clear(hca->dma);
	front->connected = false;
	if (front->changed)
		front->changed(front->changed_arg);
}

static const struct vfu_ops ops = {
	.read = op_read,
	.write = op_write,
	.dma_map = op_dma_map,
	.dma_unmap = op_dma_unmap,
	.dma_unmap_all = op_dma_unmap_all,
	.irq_set = op_irq_set,
	.irq_raise = op_irq_raise,
	.reset = op_reset,
	.connected = op_connected,
	.disconnected = op_disconnected,
};

/* ---- what the program calls ---- */

/*
 * The client has shortened a file of its guest's memory, and an access found
 * empty memory instead.  Nothing that the guest sees can be trusted any more.
 */
static void on_lost_memory(void *arg, uint32_t events)
{
	struct hca *hca = arg;
	uint64_t count;

	(void)events;
	if (read(hca->front->lost_fd, &count, sizeof(count)) < 0)
		return;
	limit_warn(hca->name,
		   "the client has taken away memory of its guest, dropped");
	if (hca->front->vfu)
		vfu_disconnect(hca->front->vfu);
}

static int watch_memory(struct hca *hca)
{
	struct front *front = hca->front;
	int err;

	front->lost_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (front->lost_fd < 0)
		return errno;
	err = loop_add_fd(hca->loop, front->lost_fd, EPOLLIN, on_lost_memory,
			  hca);
	if (err) {
		close(front->lost_fd);
		return err;
	}
	dma_map_watch(hca->dma, front->lost_fd);
	return 0;
}

int front_init(struct hca *hca)
{
	struct front *front = calloc(1, sizeof(*front));
	int err;

	if (!front)
		return ENOMEM;
	hca->front = front;
	err = watch_memory(hca);
	if (err) {
		hca->front = NULL;
		free(front);
		return err;
	}
	pci_config_init(&front->pci);
	irqs_init(&front->irqs);
	front->device.ops = &ops;
	front->device.dev = hca;
	front->device.name = hca->name;
	front->device.region_size[REGION_BAR0] = HCA_BAR_SIZE;
	front->device.region_size[VFU_REGION_CONFIG] = PCI_CONFIG_SIZE;
	front->device.num_vectors = HCA_NUM_VECTORS;
	cmdq_init(hca);
	objects_attach(hca, &host);
	return 0;
}

int front_listen(struct hca *hca, const char *path, void (*changed)(void *arg),
		 void *arg)
{
	struct front *front = hca->front;

	front->vfu = vfu_create(hca->loop, path, &front->device);
	if (!front->vfu)
		return errno;
	front->changed = changed;
	front->changed_arg = arg;
	log_info("%s: listening on %s", hca->name, path);
	return 0;
}

void front_close(struct hca *hca)
{
	vfu_destroy(hca->front->vfu);
	hca->front->vfu = NULL;
}

void front_fini(struct hca *hca)
{
	objects_attach(hca, NULL);
	cmdq_reset(hca);
	irqs_clear(&hca->front->irqs);
	loop_del_fd(hca->loop, hca->front->lost_fd);
	close(hca->front->lost_fd);
	free(hca->front);
	hca->front = NULL;
}

void front_reset(struct hca *hca)
{
	struct front *front = hca->front;

	objects_reset(hca);
	cmdq_reset(hca);
	bar_reset(&front->bar);
	pci_config_init(&front->pci);
	front->irqs.pending = 0;
}

bool front_connected(const struct hca *hca)
{
	return hca->front->connected;
}

unsigned int front_clients(const struct hca *hca)
{
	return hca->front->clients;
}

const struct front_stats *front_stats(const struct hca *hca)
{
	return &hca->front->stats;
}
