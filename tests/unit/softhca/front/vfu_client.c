// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A vfio-user client for tests; see vfu_client.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base.h"
#include "vfu_client.h"

/* What QEMU proposes. */
static const char qemu_caps[] =
	"{\"capabilities\": {\"migration\": {\"pgsize\": 4096, "
	"\"max_bitmap_size\": 268435456}, \"max_msg_fds\": 16, "
	"\"max_data_xfer_size\": 1048576, \"pgsizes\": 4096, "
	"\"max_dma_maps\": 65535, \"write_multiple\": true}}";

void client_connect(struct vfu_client *c, struct loop *loop, const char *path)
{
	c->loop = loop;
	c->id = 0x100;
	c->fd = usock_connect(path);
	assert_true(c->fd >= 0);
	assert_int_equal(fcntl(c->fd, F_SETFL, O_NONBLOCK), 0);
}

void client_close(struct vfu_client *c)
{
	unsigned int i;

	close(c->fd);
	c->fd = -1;
	for (i = 0; i < 10; i++)
		loop_turn(c->loop, 0);
}

void client_send_raw(struct vfu_client *c, const void *data, size_t len,
		     const int *fds, unsigned int num_fds)
{
	union {
		char buf[CMSG_SPACE(253 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cm;

	if (num_fds) {
		memset(&control, 0, sizeof(control));
		mh.msg_control = control.buf;
		mh.msg_controllen = CMSG_SPACE(num_fds * sizeof(int));
		cm = CMSG_FIRSTHDR(&mh);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(num_fds * sizeof(int));
		memcpy(CMSG_DATA(cm), fds, num_fds * sizeof(int));
	}
	assert_int_equal(sendmsg(c->fd, &mh, MSG_NOSIGNAL), len);
}

size_t client_make(struct vfu_client *c, uint8_t *msg, uint16_t command,
		   uint32_t flags, const void *body, size_t len)
{
	struct vfu_header hdr = {
		.id = ++c->id,
		.command = command,
		.size = (uint32_t)(sizeof(hdr) + len),
		.flags = flags,
	};

	memcpy(msg, &hdr, sizeof(hdr));
	if (len)
		memcpy(msg + sizeof(hdr), body, len);
	return hdr.size;
}

void client_send(struct vfu_client *c, uint16_t command, uint32_t flags,
		 const void *body, size_t len, const int *fds,
		 unsigned int num_fds)
{
	uint8_t *msg = malloc(sizeof(struct vfu_header) + len);

	len = client_make(c, msg, command, flags, body, len);
	client_send_raw(c, msg, len, fds, num_fds);
	free(msg);
}

/* How long an answer may take that is not due at a time. */
#define WAIT_MS 60000u

/* Bytes of the stream; the count, short only at its end or the deadline. */
static size_t recv_bytes(struct vfu_client *c, void *buf, size_t len,
			 unsigned int timeout_ms)
{
	uint64_t end = loop_now_ns() + timeout_ms * 1000000ull;
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = recv(c->fd, (uint8_t *)buf + done, len - done, 0);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (!n || errno != EAGAIN || loop_now_ns() > end)
			break;
		loop_turn(c->loop, 1);
	}
	return done;
}

void client_recv(struct vfu_client *c, struct vfu_answer *answer)
{
	size_t size;

	size = recv_bytes(c, &answer->hdr, sizeof(answer->hdr), WAIT_MS);
	assert_int_equal(size, sizeof(answer->hdr));
	assert_int_equal(answer->hdr.flags & VFU_TYPE_MASK, VFU_TYPE_REPLY);
	assert_in_range(answer->hdr.size, sizeof(answer->hdr),
			sizeof(answer->hdr) + sizeof(answer->body));
	answer->len = answer->hdr.size - sizeof(answer->hdr);
	assert_int_equal(recv_bytes(c, answer->body, answer->len, WAIT_MS),
			 answer->len);
	/* An error comes with nothing but the header. */
	if (answer->hdr.flags & VFU_ERROR) {
		assert_int_equal(answer->len, 0);
		assert_int_not_equal(answer->hdr.error, 0);
	} else {
		assert_int_equal(answer->hdr.error, 0);
	}
}

void client_expect_silence(struct vfu_client *c)
{
	unsigned int i;
	char b;

	for (i = 0; i < 20; i++)
		loop_turn(c->loop, 0);
	assert_int_equal(recv(c->fd, &b, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
}

bool client_closed(struct vfu_client *c, unsigned int timeout_ms)
{
	uint64_t end = loop_now_ns() + timeout_ms * 1000000ull;
	char b;

	do {
		loop_turn(c->loop, 1);
		if (recv(c->fd, &b, 1, 0) == 0)
			return true;
	} while (loop_now_ns() < end);
	return false;
}

int client_call(struct vfu_client *c, uint16_t command, const void *body,
		size_t len, const int *fds, unsigned int num_fds,
		struct vfu_answer *answer)
{
	struct vfu_answer own;

	if (!answer)
		answer = &own;
	client_send(c, command, VFU_TYPE_COMMAND, body, len, fds, num_fds);
	client_recv(c, answer);
	assert_int_equal(answer->hdr.id, c->id);
	assert_int_equal(answer->hdr.command, command);
	return (int)answer->hdr.error;
}

void client_hello(struct vfu_client *c)
{
	uint8_t body[4 + sizeof(qemu_caps)] = { 0 };
	struct vfu_answer answer;

	memcpy(body + 4, qemu_caps, sizeof(qemu_caps));
	assert_int_equal(client_call(c, VFU_VERSION, body, sizeof(body), NULL,
				     0, &answer),
			 0);
	/* QEMU has no room for more than it has sent. */
	assert_in_range(answer.len, 5, sizeof(body));
	assert_memory_equal(answer.body, body, 4);
	assert_int_equal(answer.body[answer.len - 1], 0);
}

int client_dma_map(struct vfu_client *c, uint64_t iova, uint64_t size, int fd,
		   uint64_t offset, uint32_t flags)
{
	struct vfu_dma_map map = {
		.argsz = sizeof(map),
		.flags = flags,
		.offset = offset,
		.iova = iova,
		.size = size,
	};

	return client_call(c, VFU_DMA_MAP, &map, sizeof(map), &fd, fd >= 0,
			   NULL);
}

int client_dma_unmap(struct vfu_client *c, uint64_t iova, uint64_t size,
		     uint32_t flags)
{
	struct vfu_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.flags = flags,
		.iova = iova,
		.size = size,
	};

	return client_call(c, VFU_DMA_UNMAP, &unmap, sizeof(unmap), NULL, 0,
			   NULL);
}

int client_read(struct vfu_client *c, uint32_t region, uint64_t off, void *buf,
		uint32_t len)
{
	struct vfu_region_access acc = { off, region, len };
	struct vfu_answer answer;
	int err;

	err = client_call(c, VFU_REGION_READ, &acc, sizeof(acc), NULL, 0,
			  &answer);
	if (err)
		return err;
	assert_int_equal(answer.len, sizeof(acc) + len);
	assert_memory_equal(answer.body, &acc, sizeof(acc));
	memcpy(buf, answer.body + sizeof(acc), len);
	return 0;
}

static size_t make_write(uint8_t *body, uint32_t region, uint64_t off,
			 const void *buf, uint32_t len)
{
	struct vfu_region_access acc = { off, region, len };

	memcpy(body, &acc, sizeof(acc));
	memcpy(body + sizeof(acc), buf, len);
	return sizeof(acc) + len;
}

int client_write(struct vfu_client *c, uint32_t region, uint64_t off,
		 const void *buf, uint32_t len)
{
	uint8_t *body = malloc(sizeof(struct vfu_region_access) + len);
	size_t size = make_write(body, region, off, buf, len);
	struct vfu_answer answer;
	int err;

	err = client_call(c, VFU_REGION_WRITE, body, size, NULL, 0, &answer);
	if (!err) {
		assert_int_equal(answer.len, sizeof(struct vfu_region_access));
		assert_memory_equal(answer.body, body, answer.len);
	}
	free(body);
	return err;
}

void client_post(struct vfu_client *c, uint32_t region, uint64_t off,
		 const void *buf, uint32_t len)
{
	uint8_t *body = malloc(sizeof(struct vfu_region_access) + len);
	size_t size = make_write(body, region, off, buf, len);

	client_send(c, VFU_REGION_WRITE, VFU_NO_REPLY, body, size, NULL, 0);
	free(body);
}

int client_set_irqs(struct vfu_client *c, uint32_t flags, uint32_t index,
		    uint32_t start, uint32_t count, const int *fds,
		    unsigned int num_fds)
{
	struct vfu_irq_set set = {
		.argsz = sizeof(set),
		.flags = flags,
		.index = index,
		.start = start,
		.count = count,
	};

	return client_call(c, VFU_DEVICE_SET_IRQS, &set, sizeof(set), fds,
			   num_fds, NULL);
}
