// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Control socket; see control.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base.h"
#include "control.h"
#include "request.h"

#define NS_PER_MS 1000000ull

struct client {
	struct control *control;
	int fd; /* -1: free */
	struct loop_timer timer;
	char request[REQUEST_MAX];
	size_t len;
	char *answer; /* NULL: the request is not complete */
	size_t size, sent;
};

struct control {
	struct loop *loop;
	struct usock sock;
	struct hca *const *hcas;
	unsigned int num;
	struct loop_timer accept_timer;
	struct client clients[CONTROL_MAX_CLIENTS];
};

static void on_listen(void *arg, uint32_t events);

static void drop(struct client *c)
{
	loop_timer_cancel(c->control->loop, &c->timer);
	loop_del_fd(c->control->loop, c->fd);
	close(c->fd);
	c->fd = -1;
	free(c->answer);
	c->answer = NULL;
}

static void too_slow(void *arg)
{
	drop(arg);
}

/* The functions below return false when the client is to be dropped. */
static bool make_answer(struct client *c, const char *request)
{
	FILE *f = open_memstream(&c->answer, &c->size);

	if (!f)
		return false;
	request_answer(f, request, c->control->hcas, c->control->num);
	if (fclose(f))
		return false;
	c->sent = 0;
	return !loop_mod_fd(c->control->loop, c->fd, EPOLLOUT);
}

static bool read_request(struct client *c)
{
	ssize_t n;
	char *nl;

	n = recv(c->fd, c->request + c->len, sizeof(c->request) - c->len,
		 MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!n)
		return false;
	c->len += (size_t)n;
	nl = memchr(c->request, '\n', c->len);
	if (!nl) {
		if (c->len < sizeof(c->request))
			return true;
		return make_answer(c, "");
	}
	*nl = '\0';
	return make_answer(c, c->request);
}

static bool send_answer(struct client *c)
{
	ssize_t n = send(c->fd, c->answer + c->sent, c->size - c->sent,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	c->sent += (size_t)n;
	return c->sent < c->size;
}

static void on_client(void *arg, uint32_t events)
{
	struct client *c = arg;
	bool keep;

	(void)events;
	keep = c->answer ? send_answer(c) : read_request(c);
	if (!keep)
		drop(c);
}

static struct client *free_client(struct control *control)
{
	unsigned int i;

	for (i = 0; i < CONTROL_MAX_CLIENTS; i++)
		if (control->clients[i].fd < 0)
			return &control->clients[i];
	return NULL;
}

static void listen_again(void *arg)
{
	struct control *control = arg;

	if (loop_add_fd(control->loop, control->sock.fd, EPOLLIN, on_listen,
			control))
		loop_timer_set(control->loop, &control->accept_timer,
			       1000 * NS_PER_MS);
}

static void on_listen(void *arg, uint32_t events)
{
	struct control *control = arg;
	struct client *c;
	int fd;

	(void)events;
	fd = accept4(control->sock.fd, NULL, NULL,
		     SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		log_warn("control socket: accept: %s", strerror(errno));
		loop_del_fd(control->loop, control->sock.fd);
		loop_timer_set(control->loop, &control->accept_timer,
			       1000 * NS_PER_MS);
		return;
	}
	c = free_client(control);
	if (!c || loop_add_fd(control->loop, fd, EPOLLIN, on_client, c)) {
		close(fd);
		return;
	}
	c->fd = fd;
	c->len = 0;
	loop_timer_set(control->loop, &c->timer,
		       CONTROL_TIMEOUT_MS * NS_PER_MS);
}

struct control *control_create(struct loop *loop, const char *path,
			       struct hca *const *hcas, unsigned int num)
{
	struct control *control = calloc(1, sizeof(*control));
	unsigned int i;
	int err;

	if (!control)
		return NULL;
	control->loop = loop;
	control->hcas = hcas;
	control->num = num;
	control->accept_timer.fn = listen_again;
	control->accept_timer.arg = control;
	for (i = 0; i < CONTROL_MAX_CLIENTS; i++) {
		control->clients[i].control = control;
		control->clients[i].fd = -1;
		control->clients[i].timer.fn = too_slow;
		control->clients[i].timer.arg = &control->clients[i];
	}
	err = usock_listen(&control->sock, path, 8);
	if (err)
		goto err_free;
	err = loop_add_fd(loop, control->sock.fd, EPOLLIN, on_listen, control);
	if (err)
		goto err_sock;
	return control;

err_sock:
	usock_close(&control->sock);
err_free:
	free(control);
	errno = err;
	return NULL;
}

void control_destroy(struct control *control)
{
	unsigned int i;

	if (!control)
		return;
	for (i = 0; i < CONTROL_MAX_CLIENTS; i++)
		if (control->clients[i].fd >= 0)
			drop(&control->clients[i]);
	loop_timer_cancel(control->loop, &control->accept_timer);
	loop_del_fd(control->loop, control->sock.fd);
	usock_close(&control->sock);
	free(control);
}
