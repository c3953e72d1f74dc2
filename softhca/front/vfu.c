// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * vfio-user server: the socket and its stream.
 *
 * Input is read in large pieces, so one read may bring many messages and a
 * message may take many reads.  When descriptors come with data, the kernel
 * ends the read after that data.  So the descriptors belong to the message that
 * holds the last byte of the read.  Each is kept, with this byte's place in the
 * stream, until the message is complete.
 *
 * Output that the socket does not take at once is queued.  While too much is
 * queued, no message is read or handled.  So a client that does not read its
 * replies stalls only itself, and the queue stays bounded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base.h"
#include "vfu_msg.h"

#define IN_SIZE	    (2 * VFU_MAX_MSG)
#define OUT_LIMIT   (256u << 10)
#define OUT_KEEP    (64u << 10) /* an empty buffer is freed if larger */
#define KEPT_FDS    64u
#define KERNEL_FDS  253u /* the most that one message can carry */
#define HELLO_NS    5000000000ull
#define ACCEPT_NS   1000000000ull
#define HEADER_SIZE sizeof(struct vfu_header)

struct kept_fd {
	int fd; /* -1 stands for descriptors that were dropped */
	uint64_t at;
};

struct vfu {
	struct loop *loop;
	const struct vfu_device *device;
	struct usock sock;
	struct loop_timer accept_timer; /* listens again after an error */

	/* The client. */
	int fd; /* -1 when there is none */
	bool negotiated, broken;
	uint32_t events;
	struct loop_timer hello_timer; /* time until the client's VERSION */

	uint8_t *in;
	size_t in_len;
	uint64_t in_at;	  /* place in the stream of in[0] */
	uint64_t discard; /* bytes left to skip of a message of bad size */
	struct kept_fd fds[KEPT_FDS];
	unsigned int num_fds;

	uint8_t *out;
	size_t out_size, out_from, out_to;
	uint8_t reply[VFU_MAX_MSG];
};

static void on_listen(void *arg, uint32_t events);
static void on_client(void *arg, uint32_t events);

/* ---- descriptors ---- */

static void keep_fd(struct vfu *vfu, int fd, uint64_t at)
{
	if (vfu->num_fds < KEPT_FDS) {
		vfu->fds[vfu->num_fds++] = (struct kept_fd){ fd, at };
		return;
	}
	close(fd);
	if (vfu->fds[KEPT_FDS - 1].fd >= 0)
		close(vfu->fds[KEPT_FDS - 1].fd);
	vfu->fds[KEPT_FDS - 1] = (struct kept_fd){ -1, at };
}

/* Move the descriptors that came before byte end of the stream to msg. */
static void take_fds(struct vfu *vfu, uint64_t end, struct vfu_msg *msg,
		     int fds[VFU_MAX_FDS])
{
	unsigned int i;

	msg->fds = fds;
	for (i = 0; i < vfu->num_fds && vfu->fds[i].at < end; i++) {
		if (vfu->fds[i].fd < 0) {
			msg->bad_fds = true;
		} else if (msg->num_fds == VFU_MAX_FDS) {
			msg->bad_fds = true;
			close(vfu->fds[i].fd);
		} else {
			fds[msg->num_fds++] = vfu->fds[i].fd;
		}
	}
	vfu->num_fds -= i;
	memmove(vfu->fds, vfu->fds + i, vfu->num_fds * sizeof(vfu->fds[0]));
}

static void close_fds(struct vfu_msg *msg)
{
	unsigned int i;

	for (i = 0; i < msg->num_fds; i++)
		if (msg->fds[i] >= 0)
			close(msg->fds[i]);
}

/* ---- output ---- */

static size_t out_pending(const struct vfu *vfu)
{
	return vfu->out_to - vfu->out_from;
}

static void watch(struct vfu *vfu)
{
	uint32_t events = 0;

	if (out_pending(vfu) <= OUT_LIMIT)
		events |= EPOLLIN;
	if (out_pending(vfu))
		events |= EPOLLOUT;
	if (events != vfu->events)
		loop_mod_fd(vfu->loop, vfu->fd, events);
	vfu->events = events;
}

/* Send what the socket takes at once.  Returns the number of bytes. */
static size_t send_some(struct vfu *vfu, const uint8_t *data, size_t len)
{
	ssize_t n = send(vfu->fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n >= 0)
		return (size_t)n;
	if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
		vfu->broken = true;
	return 0;
}

static void out_append(struct vfu *vfu, const uint8_t *data, size_t len)
{
	size_t size = vfu->out_size ? vfu->out_size : 4096;
	uint8_t *out;

	if (vfu->out_from && vfu->out_to + len > vfu->out_size) {
		memmove(vfu->out, vfu->out + vfu->out_from, out_pending(vfu));
		vfu->out_to -= vfu->out_from;
		vfu->out_from = 0;
	}
	while (size < vfu->out_to + len)
		size *= 2;
	if (size > vfu->out_size) {
		out = realloc(vfu->out, size);
		if (!out) {
			log_error("%s: out of memory", vfu->device->name);
			vfu->broken = true;
			return;
		}
		vfu->out = out;
		vfu->out_size = size;
	}
	memcpy(vfu->out + vfu->out_to, data, len);
	vfu->out_to += len;
}

static void flush(struct vfu *vfu)
{
	if (out_pending(vfu))
		vfu->out_from += send_some(vfu, vfu->out + vfu->out_from,
					   out_pending(vfu));
	if (out_pending(vfu))
		return;
	vfu->out_from = vfu->out_to = 0;
	if (vfu->out_size > OUT_KEEP) {
		free(vfu->out);
		vfu->out = NULL;
		vfu->out_size = 0;
	}
}

/* Reply to a command.  len bytes of body are in vfu->reply after the header. */
static void reply(struct vfu *vfu, const struct vfu_header *command, int err,
		  size_t len)
{
	struct vfu_header hdr = {
		.id = command->id,
		.command = command->command,
		.flags = VFU_TYPE_REPLY,
	};
	size_t done = 0;

	if (command->flags & VFU_NO_REPLY)
		return;
	if (err) {
		hdr.flags |= VFU_ERROR;
		hdr.error = (uint32_t)err;
		len = 0;
	}
	hdr.size = (uint32_t)(sizeof(hdr) + len);
	memcpy(vfu->reply, &hdr, sizeof(hdr));
	if (!out_pending(vfu))
		done = send_some(vfu, vfu->reply, hdr.size);
	if (done < hdr.size && !vfu->broken)
		out_append(vfu, vfu->reply + done, hdr.size - done);
}

/* ---- input ---- */

/*
 * Clients normally ask for all kinds of interrupts: not a warning.  The texts
 * differ so that each level has its own bound.
 */
static void log_refusal(struct vfu *vfu, const struct vfu_header *hdr, int err)
{
	if (hdr->command == VFU_DEVICE_GET_IRQ_INFO)
		limit_info(vfu->device->name, "vfio-user command %u: %s",
			   hdr->command, strerror(err));
	else
		limit_warn(vfu->device->name,
			   "vfio-user command %u size %u: %s", hdr->command,
			   hdr->size, strerror(err));
}

static void execute(struct vfu *vfu, struct vfu_msg *msg)
{
	bool was_negotiated = vfu->negotiated;
	int err;

	switch (msg->hdr.flags & VFU_TYPE_MASK) {
	case VFU_TYPE_COMMAND:
		break;
	case VFU_TYPE_REPLY:
		/* The server sends no commands, so it expects no replies. */
		limit_warn(vfu->device->name,
			   "unexpected reply from the client");
		return;
	default:
		reply(vfu, &msg->hdr, EINVAL, 0);
		return;
	}
	msg->reply = vfu->reply + HEADER_SIZE;
	err = vfu_msg_execute(vfu->device, &vfu->negotiated, msg);
	if (err)
		log_refusal(vfu, &msg->hdr, err);
	if (vfu->negotiated && !was_negotiated) {
		loop_timer_cancel(vfu->loop, &vfu->hello_timer);
		vfu->device->ops->connected(vfu->device->dev);
	}
	reply(vfu, &msg->hdr, err, msg->reply_len);
}

/*
 * Handle the message at data; len bytes have come.  Returns how many bytes the
 * message took, or 0 when it is not complete.
 */
static size_t handle_message(struct vfu *vfu, const uint8_t *data, size_t len,
			     uint64_t at)
{
	struct vfu_msg msg = { .num_fds = 0 };
	int fds[VFU_MAX_FDS];
	size_t size;

	if (len < HEADER_SIZE)
		return 0;
	memcpy(&msg.hdr, data, HEADER_SIZE);
	size = msg.hdr.size;
	if (size < HEADER_SIZE || size > VFU_MAX_MSG) {
		limit_warn(vfu->device->name, "vfio-user message of size %zu",
			   size);
		reply(vfu, &msg.hdr, EINVAL, 0);
		if (size > HEADER_SIZE)
			vfu->discard = size - HEADER_SIZE;
		size = HEADER_SIZE;
		take_fds(vfu, at + size, &msg, fds);
	} else if (size > len) {
		return 0;
	} else {
		take_fds(vfu, at + size, &msg, fds);
		msg.body = data + HEADER_SIZE;
		msg.len = size - HEADER_SIZE;
		execute(vfu, &msg);
	}
	close_fds(&msg);
	return size;
}

static size_t skip(struct vfu *vfu, size_t len, uint64_t at)
{
	struct vfu_msg msg = { .num_fds = 0 };
	int fds[VFU_MAX_FDS];
	size_t n = len < vfu->discard ? len : (size_t)vfu->discard;

	vfu->discard -= n;
	take_fds(vfu, at + n, &msg, fds);
	close_fds(&msg);
	return n;
}

static void handle_input(struct vfu *vfu)
{
	size_t pos = 0, n;

	while (pos < vfu->in_len && !vfu->broken &&
	       out_pending(vfu) <= OUT_LIMIT) {
		if (vfu->discard)
			n = skip(vfu, vfu->in_len - pos, vfu->in_at + pos);
		else
			n = handle_message(vfu, vfu->in + pos,
					   vfu->in_len - pos, vfu->in_at + pos);
		if (!n)
			break;
		pos += n;
	}
	memmove(vfu->in, vfu->in + pos, vfu->in_len - pos);
	vfu->in_len -= pos;
	vfu->in_at += pos;
}

/* Keep the descriptors of a read; its last byte is byte at of the stream. */
static void keep_fds(struct vfu *vfu, struct msghdr *mh, uint64_t at)
{
	struct cmsghdr *c;
	size_t i, n;
	int fd;

	for (c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			keep_fd(vfu, fd, at);
		}
	}
	if (mh->msg_flags & MSG_CTRUNC) {
		/* Clients together can use up the limit of the process. */
		limit_warn(vfu->device->name,
			   "no room for the client's descriptors: softhca has "
			   "as many open files as it may have");
		if (vfu->num_fds == KEPT_FDS)
			close(vfu->fds[--vfu->num_fds].fd);
		vfu->fds[vfu->num_fds++] = (struct kept_fd){ -1, at };
	}
}

/* False when the client has closed. */
static bool read_some(struct vfu *vfu)
{
	union {
		char buf[CMSG_SPACE(KERNEL_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {
		.iov_base = vfu->in + vfu->in_len,
		.iov_len = IN_SIZE - vfu->in_len,
	};
	struct msghdr mh = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n;

	n = recvmsg(vfu->fd, &mh, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!n)
		return false;
	vfu->in_len += (size_t)n;
	keep_fds(vfu, &mh, vfu->in_at + vfu->in_len - 1);
	return true;
}

/* ---- clients ---- */

static void listen_again(void *arg)
{
	struct vfu *vfu = arg;
	int err;

	err = loop_add_fd(vfu->loop, vfu->sock.fd, EPOLLIN, on_listen, vfu);
	if (err) {
		log_error("%s: cannot listen: %s", vfu->device->name,
			  strerror(err));
		loop_timer_set(vfu->loop, &vfu->accept_timer, ACCEPT_NS);
	}
}

static void drop_client(struct vfu *vfu)
{
	unsigned int i;

	loop_timer_cancel(vfu->loop, &vfu->hello_timer);
	loop_del_fd(vfu->loop, vfu->fd);
	close(vfu->fd);
	vfu->fd = -1;
	for (i = 0; i < vfu->num_fds; i++)
		if (vfu->fds[i].fd >= 0)
			close(vfu->fds[i].fd);
	vfu->num_fds = 0;
	vfu->in_len = 0;
	vfu->in_at = 0;
	vfu->discard = 0;
	free(vfu->out);
	vfu->out = NULL;
	vfu->out_size = vfu->out_from = vfu->out_to = 0;
	if (vfu->negotiated) {
		limit_info(vfu->device->name, "client disconnected");
		vfu->negotiated = false;
		vfu->device->ops->disconnected(vfu->device->dev);
	}
}

static void on_client(void *arg, uint32_t events)
{
	struct vfu *vfu = arg;
	bool open = true;

	if (events & EPOLLOUT)
		flush(vfu);
	if (events & EPOLLIN)
		open = read_some(vfu);
	else if (events & (EPOLLHUP | EPOLLERR))
		open = false;
	handle_input(vfu);
	if (!open || vfu->broken) {
		drop_client(vfu);
		listen_again(vfu);
		return;
	}
	watch(vfu);
}

void vfu_disconnect(struct vfu *vfu)
{
	if (vfu->fd < 0)
		return;
	drop_client(vfu);
	listen_again(vfu);
}

static void no_hello(void *arg)
{
	struct vfu *vfu = arg;

	limit_warn(vfu->device->name,
		   "client sent no VERSION in time, dropped");
	vfu_disconnect(vfu);
}

static void on_listen(void *arg, uint32_t events)
{
	struct vfu *vfu = arg;
	int fd, err;

	(void)events;
	fd = accept4(vfu->sock.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		limit_warn(vfu->device->name, "accept: %s", strerror(errno));
		loop_del_fd(vfu->loop, vfu->sock.fd);
		loop_timer_set(vfu->loop, &vfu->accept_timer, ACCEPT_NS);
		return;
	}
	err = loop_add_fd(vfu->loop, fd, EPOLLIN, on_client, vfu);
	if (err) {
		limit_warn(vfu->device->name, "client: %s", strerror(err));
		close(fd);
		return;
	}
	loop_del_fd(vfu->loop, vfu->sock.fd);
	vfu->fd = fd;
	vfu->events = EPOLLIN;
	vfu->broken = false;
	loop_timer_set(vfu->loop, &vfu->hello_timer, HELLO_NS);
}

struct vfu *vfu_create(struct loop *loop, const char *path,
		       const struct vfu_device *device)
{
	struct vfu *vfu = calloc(1, sizeof(*vfu));
	int err;

	if (!vfu)
		return NULL;
	vfu->loop = loop;
	vfu->device = device;
	vfu->fd = -1;
	vfu->hello_timer.fn = no_hello;
	vfu->hello_timer.arg = vfu;
	vfu->accept_timer.fn = listen_again;
	vfu->accept_timer.arg = vfu;
	vfu->in = malloc(IN_SIZE);
	if (!vfu->in) {
		err = ENOMEM;
		goto err_free;
	}
	err = usock_listen(&vfu->sock, path, 8);
	if (err)
		goto err_in;
	err = loop_add_fd(loop, vfu->sock.fd, EPOLLIN, on_listen, vfu);
	if (err)
		goto err_sock;
	return vfu;

err_sock:
	usock_close(&vfu->sock);
err_in:
	free(vfu->in);
err_free:
	free(vfu);
	errno = err;
	return NULL;
}

void vfu_destroy(struct vfu *vfu)
{
	if (!vfu)
		return;
	if (vfu->fd >= 0)
		drop_client(vfu);
	loop_timer_cancel(vfu->loop, &vfu->accept_timer);
	loop_del_fd(vfu->loop, vfu->sock.fd);
	usock_close(&vfu->sock);
	free(vfu->in);
	free(vfu);
}
