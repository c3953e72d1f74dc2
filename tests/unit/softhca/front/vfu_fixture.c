// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A vfio-user server before a device that remembers; see vfu_fixture.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"
#include "vfu_fixture.h"

/* ---- a device that remembers ---- */

struct fake_device dev;
struct vfu_client c;

static int take_err(void)
{
	int err = dev.next_err;

	dev.next_err = 0;
	return err;
}

static int op_read(void *d, unsigned int region, uint64_t off, void *buf,
		   size_t len)
{
	assert_ptr_equal(d, &dev);
	memcpy(buf, (region ? dev.conf : dev.bar) + off, len);
	return take_err();
}

static int op_write(void *d, unsigned int region, uint64_t off, const void *buf,
		    size_t len)
{
	assert_ptr_equal(d, &dev);
	memcpy((region ? dev.conf : dev.bar) + off, buf, len);
	dev.writes++;
	return take_err();
}

static int op_dma_map(void *d, uint64_t iova, uint64_t size, int fd,
		      uint64_t offset, unsigned int prot)
{
	struct stat st;

	assert_ptr_equal(d, &dev);
	dev.iova = iova;
	dev.size = size;
	dev.offset = offset;
	dev.prot = prot;
	dev.had_fd = fd >= 0;
	if (fd >= 0)
		assert_int_equal(fstat(fd, &st), 0);
	return take_err();
}

static int op_dma_unmap(void *d, uint64_t iova, uint64_t size)
{
	assert_ptr_equal(d, &dev);
	dev.iova = iova;
	dev.size = size;
	return take_err();
}

static void op_dma_unmap_all(void *d)
{
	assert_ptr_equal(d, &dev);
	dev.unmap_alls++;
}

static void op_irq_set(void *d, unsigned int vector, int fd)
{
	assert_ptr_equal(d, &dev);
	assert_in_range(vector, 0, VECTORS - 1);
	if (dev.irq[vector] >= 0)
		close(dev.irq[vector]);
	dev.irq[vector] = fd;
}

static void op_irq_raise(void *d, unsigned int vector)
{
	assert_ptr_equal(d, &dev);
	assert_in_range(vector, 0, VECTORS - 1);
	dev.raised[vector]++;
}

static void op_reset(void *d)
{
	assert_ptr_equal(d, &dev);
	dev.resets++;
}

static void op_connected(void *d)
{
	assert_ptr_equal(d, &dev);
	dev.connects++;
}

static void op_disconnected(void *d)
{
	unsigned int i;

	assert_ptr_equal(d, &dev);
	dev.disconnects++;
	for (i = 0; i < VECTORS; i++)
		op_irq_set(d, i, -1);
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

static const struct vfu_device device = {
	.ops = &ops,
	.dev = &dev,
	.name = "test",
	.region_size = { [0] = BAR_SIZE, [VFU_REGION_CONFIG] = CONF_SIZE },
	.num_vectors = VECTORS,
};

/* ---- fixture ---- */

static struct loop *loop;
static struct vfu *vfu;
static char path[64];
static unsigned int fds_before;

int setup_unnegotiated(void **state)
{
	unsigned int i;

	(void)state;
	log_to_stderr(false);
	memset(&dev, 0, sizeof(dev));
	for (i = 0; i < VECTORS; i++)
		dev.irq[i] = -1;
	fds_before = count_fds();
	snprintf(path, sizeof(path), "/tmp/test-vfu-%d", (int)getpid());
	loop = loop_create();
	assert_non_null(loop);
	vfu = vfu_create(loop, path, &device);
	assert_non_null(vfu);
	client_connect(&c, loop, path);
	return 0;
}

int setup(void **state)
{
	setup_unnegotiated(state);
	client_hello(&c);
	return 0;
}

int teardown(void **state)
{
	(void)state;
	client_close(&c);
	vfu_destroy(vfu);
	loop_destroy(loop);
	assert_int_equal(access(path, F_OK), -1);
	/* Whatever the test did, nothing is left open. */
	assert_int_equal(count_fds(), fds_before);
	return 0;
}

void assert_alive(void)
{
	struct vfu_device_info info = { .argsz = sizeof(info) };

	assert_int_equal(client_call(&c, VFU_DEVICE_GET_INFO, &info,
				     sizeof(info), NULL, 0, NULL),
			 0);
}
