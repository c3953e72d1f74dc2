// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of statistics and the control socket: counters come out under their
 * names, as text and as JSON, with their values at that moment; requests may
 * come in pieces; nonsense, silence, slow readers and too many clients are
 * dealt with, keep nobody from asking, and leave no descriptor.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "control.h"
#include "datapath.h"
#include "dp_qp.h"
#include "guest.h"
#include "stats.h"
#include "objects_state.h"
#include "front_state.h"

static struct guest g;
static struct hca *hcas[2];
static struct guest g2;
static struct control *control;
static char path[64];
static unsigned int fds_before;

static enum cmd_status do_nothing(struct hca *hca, struct cmd *cmd)
{
	(void)hca, (void)cmd;
	return CMD_OK;
}

extern const struct cmd_def __wrap_cmds_res[];
const struct cmd_def __wrap_cmds_res[] = {
	{ 0x801, "FIRST", CMD_ANYONE, 8, 8, do_nothing },
	{ 0x802, "SECOND", CMD_ANYONE, 8, 8, do_nothing },
	{ 0x803, "THIRD", CMD_ANYONE, 8, 8, do_nothing },
	{ .name = NULL },
};

/* Objects of two kinds in one table, of one in another. */
static struct obj qps[2], sq, umem;

static void keep(struct obj *obj)
{
	(void)obj;
}

static void have_objects(void)
{
	struct obj_table *table = obj_table(g.hca, OBJ_QP);

	obj_init(&qps[0], OBJ_QP, 0, keep);
	obj_init(&sq, OBJ_ETH_SQ, 0, keep);
	obj_init(&qps[1], OBJ_QP, 0, keep);
	obj_init(&umem, OBJ_UMEM, 0, keep);
	assert_int_equal(obj_add(table, &qps[0]), 0);
	assert_int_equal(obj_add(table, &sq), 0);
	assert_int_equal(obj_add(table, &qps[1]), 0);
	assert_int_equal(obj_add(obj_table(g.hca, OBJ_UMEM), &umem), 0);
}

static int setup(void **state)
{
	(void)state;
	fds_before = count_fds();
	guest_init(&g);
	guest_init_on(&g2, &g, 1);
	hcas[0] = g.hca;
	hcas[1] = g2.hca;
	snprintf(path, sizeof(path), "/tmp/test-control-%d", (int)getpid());
	control = control_create(g.loop, path, hcas, 2);
	assert_non_null(control);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	control_destroy(control);
	assert_int_equal(access(path, F_OK), -1);
	guest_fini(&g2);
	guest_fini(&g);
	assert_int_equal(count_fds(), fds_before);
	return 0;
}

static int dial(void)
{
	int fd = usock_connect(path);

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

/* All that comes until the server closes. */
static char *hear(int fd, unsigned int timeout_ms)
{
	static char buf[65536];
	uint64_t end = loop_now_ns() + timeout_ms * 1000000ull;
	size_t len = 0;
	ssize_t n;

	for (;;) {
		n = recv(fd, buf + len, sizeof(buf) - 1 - len, 0);
		if (!n || (n < 0 && errno != EAGAIN))
			break;
		if (n > 0)
			len += (size_t)n;
		else if (loop_now_ns() > end)
			fail_msg("no answer");
		loop_turn(g.loop, 1);
	}
	buf[len] = '\0';
	close(fd);
	return buf;
}

static bool trace_wanted_of(const struct hca *hca, uint32_t qpn)
{
	return trace_wanted(&hca->dp->tracer, qpn);
}

static char *ask(const char *request)
{
	int fd = dial();
	size_t len = strlen(request);

	assert_int_equal(send(fd, request, len, MSG_NOSIGNAL), len);
	return hear(fd, 1000);
}

static void assert_line(const char *text, const char *line)
{
	char with_ends[128];

	snprintf(with_ends, sizeof(with_ends), "\n%s\n", line);
	if (!strstr(text, with_ends))
		fail_msg("no line \"%s\" in\n%s", line, text);
}

static void execute(uint16_t opcode, size_t len)
{
	uint8_t in[16] = { 0 }, out[16];

	be16_put(in, opcode);
	guest_cmd(&g, in, len, out, sizeof(out));
}

static void count_things(void)
{
	g.hca->front->stats.doorbells_sq = 11;
	g.hca->front->stats.doorbells_cq = 12;
	g.hca->front->stats.doorbells_eq = 13;
	g.hca->stats.wqes_send[0x0a] = 21;
	g.hca->stats.wqes_send[0x10] = 22;
	g.hca->stats.wqes_send[0x2f] = 23;
	g.hca->stats.wqes_recv = 24;
	g.hca->objects->stats.cqes = 31;
	g.hca->objects->stats.cqes_error = 32;
	g.hca->objects->stats.eqes = 33;
	g.hca->front->stats.irqs = UINT64_MAX;
	dma_stats(g.hca->dma)->read_bytes = 41;
	dma_stats(g.hca->dma)->write_bytes = 42;
	execute(0x801, 16);
	execute(0x801, 16);
	execute(0x803, 16);
	execute(0x803, 7);
	execute(0x999, 16);
}

static void test_text(void **state)
{
	static const char *const lines[] = {
		"hca0.connected 0",
		"hca0.commands.FIRST 2",
		"hca0.commands.THIRD 2",
		"hca0.commands_failed.THIRD 1",
		"hca0.commands_unknown 1",
		"hca0.doorbells.sq 11",
		"hca0.doorbells.cq 12",
		"hca0.doorbells.eq 13",
		"hca0.wqes.SEND 21",
		"hca0.wqes.RDMA_READ 22",
		"hca0.wqes.0x2f 23",
		"hca0.wqes.RECV 24",
		"hca0.cqes 31",
		"hca0.cqes_error 32",
		"hca0.eqes 33",
		"hca0.irqs 18446744073709551615",
		"hca0.translations.mtt 0",
		"hca0.dma.read_bytes 41",
		"hca0.dma.write_bytes 42",
		"hca1.cqes 0",
	};
	const char *text;
	unsigned int i;

	(void)state;
	count_things();
	text = ask("stats\n");
	assert_memory_equal(text, "ok\n", 3);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_line(text, lines[i]);
	assert_null(strstr(text, "SECOND"));
	assert_null(strstr(text, "FIRST 2\nhca0.commands_failed.FIRST"));
	g.hca->objects->stats.cqes++;
	assert_line(ask("stats\n"), "hca0.cqes 32");
}

/* Enough of a parser to say that it is one JSON object of objects. */
static void check_json(const char *p)
{
	int depth = 0, strings = 0;
	char last = 0;
	bool in = false;

	for (; *p; p++) {
		if (*p == '"') {
			in = !in;
			strings += in;
		}
		if (in || strchr(" \n", *p))
			continue;
		if (*p == '{') {
			assert_true(!last || last == ':');
			depth++;
		} else if (*p == '}') {
			assert_true(last != ',' && last != ':' && depth > 0);
			depth--;
			assert_true(depth || !strpbrk(p + 1, "{}\""));
		} else if (*p == ',') {
			assert_true(last && !strchr("{,:", last));
		}
		last = *p;
	}
	assert_int_equal(depth, 0);
	assert_true(strings >= 40);
}

static void test_json(void **state)
{
	const char *text;

	(void)state;
	count_things();
	text = ask("stats json\n");
	assert_memory_equal(text, "ok\n{", 4);
	check_json(text + 3);
	assert_non_null(strstr(text, "\"FIRST\": 2,\n"));
	assert_non_null(strstr(text, "\"read_bytes\": 41"));
	assert_non_null(strstr(text, "\"hca1\": {"));
	text = ask("objects json\n");
	assert_memory_equal(text, "ok\n{", 4);
	check_json(text + 3);
}

static void test_objects(void **state)
{
	const char *text;

	(void)state;
	have_objects();
	text = ask("objects\n");
	assert_line(text, "hca0.qp 2");
	assert_line(text, "hca0.eth_sq 1");
	assert_line(text, "hca0.umem 1");
	assert_line(text, "hca0.pd 0");
	assert_line(text, "hca1.qp 0");
	obj_table_clear(obj_table(g.hca, OBJ_QP));
	obj_table_clear(obj_table(g.hca, OBJ_UMEM));
	assert_line(ask("objects\n"), "hca0.qp 0");
}

static void test_pieces(void **state)
{
	static const char request[] = "objects\n";
	int fd = dial();
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(request) - 1; i++) {
		assert_int_equal(send(fd, request + i, 1, 0), 1);
		loop_turn(g.loop, 0);
		loop_turn(g.loop, 0);
	}
	assert_memory_equal(hear(fd, 1000), "ok\n", 3);
}

#define UNKNOWN "error unknown request"

static void test_nonsense(void **state)
{
	char longest[4096];

	(void)state;
	assert_memory_equal(ask("\n"), UNKNOWN, strlen(UNKNOWN));
	assert_memory_equal(ask("statistics\n"), UNKNOWN, strlen(UNKNOWN));
	assert_string_equal(ask("stats all\n"), "error usage: stats\n");
	assert_string_equal(ask("stats a b c d e f g json\n"),
			    "error usage: stats\n");
	assert_string_equal(ask("trace all on json\n"),
			    "error usage: trace [HCA:]QPN|all on|off\n");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_memory_equal(ask(longest), UNKNOWN, strlen(UNKNOWN));
	memset(longest, '\n', 20);
	assert_memory_equal(ask(longest), UNKNOWN, strlen(UNKNOWN));
	assert_memory_equal(ask("stats\nand more"), "ok\n", 3);
}

static void test_trace(void **state)
{
	char request[32];
	unsigned int i;

	(void)state;
	assert_string_equal(ask("trace 0x45 on\n"), "ok\n");
	assert_true(trace_wanted_of(hcas[0], 0x45));
	assert_true(trace_wanted_of(hcas[1], 0x45));
	assert_string_equal(ask("trace hca1:69 off\n"), "ok\n");
	assert_true(trace_wanted_of(hcas[0], 0x45));
	assert_false(trace_wanted_of(hcas[1], 0x45));
	assert_string_equal(ask("trace hca1:all on\n"), "ok\n");
	assert_true(trace_wanted_of(hcas[1], 7));
	assert_false(trace_wanted_of(hcas[0], 7));
	assert_string_equal(ask("trace all off\n"), "ok\n");
	assert_false(trace_wanted_of(hcas[0], 0x45));
	assert_false(trace_wanted_of(hcas[1], 7));
	assert_string_equal(ask("trace hca2:1 on\n"),
			    "error no HCA 'hca2'; there are hca0, hca1\n");
	assert_string_equal(ask("trace 0x45 maybe\n"),
			    "error 'maybe': give on or off\n");
	assert_string_equal(ask("trace 0x1000000 on\n"),
			    "error no QP number '0x1000000': give a number up "
			    "to 0xffffff, or all, or HCA:number\n");
	assert_memory_equal(ask("trace -1 on\n"), "error no QP number", 18);
	assert_memory_equal(ask("trace hca0: on\n"), "error no QP number", 18);
	for (i = 0; i < TRACE_MAX_QPS; i++) {
		snprintf(request, sizeof(request), "trace hca0:%u on\n", i);
		assert_string_equal(ask(request), "ok\n");
	}
	assert_string_equal(ask("trace hca0:5 on\n"), "ok\n");
	assert_memory_equal(ask("trace hca0:100 on\n"),
			    "error hca0 traces 64 QPs already", 32);
	assert_string_equal(ask("trace all off\n"), "ok\n");
}

static void test_qp(void **state)
{
	(void)state;
	assert_string_equal(ask("qp 0x123\n"), "error no QP 0x123\n");
	assert_string_equal(ask("qp all\n"),
			    "error no QP number 'all': give a number up to "
			    "0xffffff, or HCA:number\n");
	assert_string_equal(ask("qp\n"), "error usage: qp [HCA:]QPN\n");
}

static void test_goes_away(void **state)
{
	unsigned int fds = count_fds(), i;
	int fd;

	(void)state;
	for (i = 0; i < 50; i++) {
		fd = dial();
		if (i % 3)
			assert_int_equal(send(fd, "stats\n", i % 7, 0), i % 7);
		if (i % 2)
			loop_turn(g.loop, 0);
		close(fd);
		loop_turn(g.loop, 0);
		loop_turn(g.loop, 0);
		loop_turn(g.loop, 0);
	}
	assert_int_equal(count_fds(), fds);
}

static void test_crowd(void **state)
{
	uint64_t start = loop_now_ns();
	int fds[CONTROL_MAX_CLIENTS], i;

	(void)state;
	/* Silent clients take every place; later ones are turned away; */
	for (i = 0; i < (int)CONTROL_MAX_CLIENTS; i++) {
		fds[i] = dial();
		loop_turn(g.loop, 0);
	}
	for (i = 0; i < 5; i++)
		assert_string_equal(hear(dial(), 1000), "");
	assert_true(loop_now_ns() - start < 1000000000ull);
	/* then the silent ones lose their patience with us, not we. */
	for (i = 0; i < (int)CONTROL_MAX_CLIENTS; i++)
		assert_string_equal(hear(fds[i], 2 * CONTROL_TIMEOUT_MS), "");
	assert_memory_equal(ask("stats\n"), "ok\n", 3);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

RUN_TESTS(T(test_text), T(test_json), T(test_objects), T(test_pieces),
	  T(test_nonsense), T(test_trace), T(test_qp), T(test_goes_away),
	  T(test_crowd))
