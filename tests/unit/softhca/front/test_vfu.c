// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the vfio-user server's commands: a session as QEMU makes it is
 * answered field by field as the protocol says; every wrong field is refused
 * with an error and the connection goes on; descriptors reach the device
 * exactly when they should and are never left open.  Many refusals leave a short
 * log.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/vfio.h>

#include <cmocka.h>

#include "guest.h"
#include "logfile.h"
#include "vfu_fixture.h"

/* ---- negotiation ---- */

static int version(uint16_t major, uint16_t minor, const char *json, size_t len,
		   struct vfu_answer *answer)
{
	uint8_t body[512];

	memcpy(body, &major, 2);
	memcpy(body + 2, &minor, 2);
	memcpy(body + 4, json, len);
	return client_call(&c, VFU_VERSION, body, 4 + len, NULL, 0, answer);
}

static void test_version(void **state)
{
	struct vfu_device_info info = { .argsz = sizeof(info) };
	struct vfu_answer answer;
	const char *json = (const char *)answer.body + 4;

	(void)state;
	/* Nothing before it. */
	assert_int_equal(client_call(&c, VFU_DEVICE_GET_INFO, &info,
				     sizeof(info), NULL, 0, NULL),
			 EINVAL);
	assert_int_equal(version(1, 0, "{}", 3, NULL), ENOTSUP);
	assert_int_equal(version(0, 0, "{}", 2, NULL), EINVAL); /* no NUL */
	assert_int_equal(client_call(&c, VFU_VERSION, "\0", 2, NULL, 0, NULL),
			 EINVAL);
	assert_int_equal(dev.connects, 0);

	/* Only what was proposed is agreed upon. */
	assert_int_equal(version(0, 5, "{\"capabilities\":{}}", 20, &answer),
			 0);
	assert_int_equal(dev.connects, 1);
	assert_memory_equal(answer.body, "\0\0\0\0", 4);
	assert_non_null(strstr(json, "\"max_msg_fds\":16"));
	assert_null(strstr(json, "write_multiple"));
	/* And not twice. */
	assert_int_equal(version(0, 0, "", 0, NULL), EINVAL);
	assert_alive();
	assert_int_equal(dev.connects, 1);
}

static void test_version_multi(void **state)
{
	static const char json[] =
		"{ \"capabilities\" :\t{ \"write_multiple\" : true } }";
	struct vfu_answer answer;

	(void)state;
	assert_int_equal(version(0, 0, json, sizeof(json), &answer), 0);
	assert_non_null(
		strstr((char *)answer.body + 4, "\"write_multiple\":true"));
}

static void test_version_bare(void **state)
{
	(void)state;
	assert_int_equal(version(0, 0, "", 0, NULL), 0);
	assert_alive();
}

/* ---- information ---- */

static void test_device_info(void **state)
{
	struct vfu_device_info info = { .argsz = sizeof(info) };
	struct vfu_answer answer;

	(void)state;
	assert_int_equal(client_call(&c, VFU_DEVICE_GET_INFO, &info,
				     sizeof(info), NULL, 0, &answer),
			 0);
	assert_int_equal(answer.len, sizeof(info));
	memcpy(&info, answer.body, sizeof(info));
	assert_int_equal(info.argsz, 16);
	assert_int_equal(info.flags,
			 VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET);
	assert_int_equal(info.num_regions, VFIO_PCI_NUM_REGIONS);
	assert_int_equal(info.num_irqs, VFIO_PCI_NUM_IRQS);
	info.argsz = 15;
	assert_int_equal(client_call(&c, VFU_DEVICE_GET_INFO, &info,
				     sizeof(info), NULL, 0, NULL),
			 EINVAL);
	assert_int_equal(client_call(&c, VFU_DEVICE_GET_INFO, &info,
				     sizeof(info) - 1, NULL, 0, NULL),
			 EINVAL);
	assert_alive();
}

static void test_region_info(void **state)
{
	struct vfu_region_info info, got;
	struct vfu_answer answer;
	uint32_t i;

	(void)state;
	for (i = 0; i < 12; i++) {
		memset(&info, 0, sizeof(info));
		info.argsz = 100;
		info.index = i == 11 ? UINT32_MAX : i;
		if (client_call(&c, VFU_DEVICE_GET_REGION_INFO, &info,
				sizeof(info), NULL, 0, &answer)) {
			assert_true(i >= VFIO_PCI_NUM_REGIONS);
			assert_int_equal(answer.hdr.error, EINVAL);
			continue;
		}
		assert_true(i < VFIO_PCI_NUM_REGIONS);
		assert_int_equal(answer.len, sizeof(got));
		memcpy(&got, answer.body, sizeof(got));
		assert_int_equal(got.argsz, sizeof(got));
		assert_int_equal(got.index, i);
		assert_int_equal(got.size, i == 0   ? BAR_SIZE
					   : i == 7 ? CONF_SIZE
						    : 0);
		assert_int_equal(got.flags,
				 got.size ? VFIO_REGION_INFO_FLAG_READ |
						    VFIO_REGION_INFO_FLAG_WRITE
					  : 0);
		assert_int_equal(got.cap_offset | got.offset, 0);
	}
}

static void test_irq_info(void **state)
{
	static const int want[] = { 0, 0, VECTORS, -1, -1, -1 };
	struct vfu_irq_info info, got;
	struct vfu_answer answer;
	uint32_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		memset(&info, 0, sizeof(info));
		info.argsz = sizeof(info);
		info.index = i;
		if (client_call(&c, VFU_DEVICE_GET_IRQ_INFO, &info,
				sizeof(info), NULL, 0, &answer)) {
			assert_int_equal(want[i], -1);
			continue;
		}
		memcpy(&got, answer.body, sizeof(got));
		assert_int_equal((int)got.count, want[i]);
		/* No NORESIZE: vectors come and go one by one. */
		assert_int_equal(got.flags,
				 got.count ? VFIO_IRQ_INFO_EVENTFD : 0);
	}
}

/* ---- guest memory ---- */

static void test_dma(void **state)
{
	int fd = memfd_create("ram", MFD_CLOEXEC), two[2] = { fd, fd };
	struct vfu_dma_map map = { .argsz = 32, .flags = 3, .size = 4096 };
	unsigned int fds;

	(void)state;
	fds = count_fds();
	assert_int_equal(client_dma_map(&c, 0x1000, 0x2000, fd, 0x4000, 3), 0);
	assert_int_equal(dev.iova, 0x1000);
	assert_int_equal(dev.size, 0x2000);
	assert_int_equal(dev.offset, 0x4000);
	assert_int_equal(dev.prot, DMA_READ | DMA_WRITE);
	assert_true(dev.had_fd);
	/* Without memory, as QEMU maps ROMs and BARs. */
	assert_int_equal(client_dma_map(&c, 0xf0000, 0x1000, -1, 0, 1), 0);
	assert_false(dev.had_fd);
	assert_int_equal(dev.prot, DMA_READ);

	dev.next_err = EEXIST;
	assert_int_equal(client_dma_map(&c, 0x1000, 0x2000, fd, 0, 3), EEXIST);
	assert_int_equal(client_dma_map(&c, 0x1000, 0x2000, fd, 0, 4), EINVAL);
	assert_int_equal(
		client_call(&c, VFU_DMA_MAP, &map, sizeof(map), two, 2, NULL),
		EINVAL);
	assert_int_equal(client_call(&c, VFU_DMA_MAP, &map, 31, &fd, 1, NULL),
			 EINVAL);

	assert_int_equal(client_dma_unmap(&c, 0x1000, 0x2000, 0), 0);
	dev.next_err = ENOENT;
	assert_int_equal(client_dma_unmap(&c, 0x1000, 0x2000, 0), ENOENT);
	assert_int_equal(client_dma_unmap(&c, 0, 0, VFU_DMA_UNMAP_ALL), 0);
	assert_int_equal(dev.unmap_alls, 1);
	assert_int_equal(client_dma_unmap(&c, 0, 1, VFU_DMA_UNMAP_ALL), EINVAL);
	assert_int_equal(client_dma_unmap(&c, 0, 0, 1), ENOTSUP);
	assert_int_equal(dev.unmap_alls, 1);
	assert_alive();
	assert_int_equal(count_fds(), fds);
	close(fd);
}

/* ---- regions ---- */

static void test_regions(void **state)
{
	struct vfu_region_access acc = { 0, 0, 8 };
	uint8_t buf[16], big[CONF_SIZE];
	uint8_t *huge = calloc(1, VFU_MAX_DATA + 1);

	(void)state;
	assert_int_equal(client_write(&c, 0, 0x123, "abcdefg", 7), 0);
	assert_memory_equal(dev.bar + 0x123, "abcdefg", 7);
	assert_int_equal(client_read(&c, 0, 0x124, buf, 5), 0);
	assert_memory_equal(buf, "bcdef", 5);
	assert_int_equal(client_write(&c, 7, CONF_SIZE - 2, "xy", 2), 0);
	assert_int_equal(client_read(&c, 7, 0, big, CONF_SIZE), 0);
	assert_memory_equal(big + CONF_SIZE - 2, "xy", 2);
	assert_int_equal(client_read(&c, 0, 0, huge, VFU_MAX_DATA), 0);
	assert_memory_equal(huge, dev.bar, VFU_MAX_DATA);
	assert_int_equal(client_write(&c, 0, BAR_SIZE - VFU_MAX_DATA, huge,
				      VFU_MAX_DATA),
			 0);
	assert_int_equal(client_read(&c, 0, BAR_SIZE, buf, 0), 0);

	dev.writes = 0;
	assert_int_equal(client_read(&c, 0, BAR_SIZE - 1, buf, 2), EINVAL);
	assert_int_equal(client_read(&c, 0, UINT64_MAX, buf, 1), EINVAL);
	assert_int_equal(client_read(&c, 1, 0, buf, 1), EINVAL);
	assert_int_equal(client_read(&c, 9, 0, buf, 1), EINVAL);
	assert_int_equal(client_read(&c, UINT32_MAX, 0, buf, 1), EINVAL);
	assert_int_equal(client_read(&c, 0, 0, buf, VFU_MAX_DATA + 1), EINVAL);
	assert_int_equal(client_write(&c, 7, CONF_SIZE, buf, 1), EINVAL);
	assert_int_equal(client_write(&c, 6, 0, buf, 1), EINVAL);
	/* Less data than the count says. */
	assert_int_equal(client_call(&c, VFU_REGION_WRITE, &acc, sizeof(acc),
				     NULL, 0, NULL),
			 EINVAL);
	acc.count = UINT32_MAX;
	assert_int_equal(client_call(&c, VFU_REGION_WRITE, &acc, sizeof(acc),
				     NULL, 0, NULL),
			 EINVAL);
	assert_int_equal(client_call(&c, VFU_REGION_READ, &acc, sizeof(acc),
				     NULL, 0, NULL),
			 EINVAL);
	assert_int_equal(dev.writes, 0);
	dev.next_err = EIO;
	assert_int_equal(client_read(&c, 0, 0, buf, 4), EIO);
	dev.next_err = EIO;
	assert_int_equal(client_write(&c, 0, 0, buf, 4), EIO);
	assert_alive();
	free(huge);
}

static size_t make_multi(uint8_t *body, uint64_t count, unsigned int n)
{
	struct vfu_write_one one = { .region = 0, .count = 4 };
	unsigned int i;

	memcpy(body, &count, 8);
	for (i = 0; i < n; i++) {
		one.offset = 0x100 + i * 4;
		memset(one.data, (int)(i + 1), 8);
		memcpy(body + 8 + i * sizeof(one), &one, sizeof(one));
	}
	return 8 + n * sizeof(one);
}

static void test_write_multi(void **state)
{
	uint8_t body[8 + 200 * 24];
	struct vfu_answer answer;
	size_t len;

	(void)state;
	len = make_multi(body, 200, 200);
	assert_int_equal(client_call(&c, VFU_REGION_WRITE_MULTI, body, len,
				     NULL, 0, &answer),
			 0);
	assert_int_equal(dev.writes, 200);
	assert_int_equal(answer.len, 8);
	assert_memory_equal(answer.body, body, 8);
	assert_int_equal(dev.bar[0x100], 1);
	assert_int_equal(dev.bar[0x100 + 199 * 4 + 3], 200);
	assert_int_equal(dev.bar[0x100 + 200 * 4], 0);

	dev.writes = 0;
	len = make_multi(body, 0, 0);
	assert_int_equal(client_call(&c, VFU_REGION_WRITE_MULTI, body, len,
				     NULL, 0, NULL),
			 0);
	len = make_multi(body, 3, 2);
	assert_int_equal(client_call(&c, VFU_REGION_WRITE_MULTI, body, len,
				     NULL, 0, NULL),
			 EINVAL);
	len = make_multi(body, UINT64_MAX / 24 + 2, 2);
	assert_int_equal(client_call(&c, VFU_REGION_WRITE_MULTI, body, len,
				     NULL, 0, NULL),
			 EINVAL);
	len = make_multi(body, 2, 2);
	body[8 + 12] = 9; /* more than the 8 bytes that are there */
	assert_int_equal(client_call(&c, VFU_REGION_WRITE_MULTI, body, len,
				     NULL, 0, NULL),
			 EINVAL);
	assert_int_equal(dev.writes, 0);
	assert_alive();
}

static void test_reset(void **state)
{
	(void)state;
	assert_int_equal(
		client_call(&c, VFU_DEVICE_RESET, NULL, 0, NULL, 0, NULL), 0);
	assert_int_equal(dev.resets, 1);
}

static void test_unknown_commands(void **state)
{
	static const uint16_t cmds[] = { 0,  6,	 11, 12,    14,	    16,
					 17, 18, 19, 0x100, 0x7fff, 0xffff };
	int fd = memfd_create("x", MFD_CLOEXEC);
	unsigned int i, before = count_fds();
	uint8_t body[64] = { 0 };

	(void)state;
	for (i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++) {
		assert_int_equal(client_call(&c, cmds[i], body, sizeof(body),
					     &fd, 1, NULL),
				 ENOTSUP);
		assert_int_equal(count_fds(), before);
	}
	/* A descriptor with a command that takes none. */
	assert_int_equal(
		client_call(&c, VFU_DEVICE_RESET, NULL, 0, &fd, 1, NULL),
		EINVAL);
	assert_int_equal(dev.resets, 0);
	assert_int_equal(count_fds(), before);
	close(fd);
	assert_alive();
}

/* Questions about interrupts do not use up the lines of warnings. */
static void test_refusals_logged(void **state)
{
	struct vfu_irq_info info = { .argsz = sizeof(info), .index = 99 };
	unsigned int i;

	(void)state;
	logfile_begin(LOG_LEVEL_INFO);
	for (i = 0; i < 300; i++)
		assert_int_equal(client_call(&c, VFU_DEVICE_GET_IRQ_INFO, &info,
					     sizeof(info), NULL, 0, NULL),
				 EINVAL);
	assert_int_equal(logfile_lines("command 7"), LIMIT_INFOS);
	for (i = 0; i < 300; i++)
		assert_int_equal(client_call(&c, 99, NULL, 0, NULL, 0, NULL),
				 ENOTSUP);
	assert_int_equal(logfile_lines("command 99 "), LIMIT_WARNINGS);
	logfile_end();
	assert_alive();
}

RUN_TESTS(T_UN(test_version), T_UN(test_version_multi), T_UN(test_version_bare),
	  T(test_device_info), T(test_region_info), T(test_irq_info),
	  T(test_dma), T(test_regions), T(test_write_multi), T(test_reset),
	  T(test_unknown_commands), T(test_refusals_logged))
