// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a thread may call other verbs while it has a batch open, of
 * ibv_start_poll or of ibv_wr_start: each verb of the table returns, and the
 * batch goes on with right results.  A verb that waits for its own thread is
 * ended by an alarm.
 *
 * Not in the table, since the batch holds what they ask for, here and with
 * libmlx5: ibv_poll_cq and ibv_start_poll on a CQ whose poll batch is open, and
 * ibv_post_send, ibv_bind_mw and ibv_wr_start on a QP whose batch is open.
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "rig.h"

enum {
	PATIENCE = 20, /* seconds */
	ROUNDS = 2000,
	SENDS = 3,
};

static const struct ibv_qp_cap cap = { 8, 8, 1, 1, 0 };
static struct ibv_qp *other; /* on the CQs of rc.qp */
static int event_pipe[2];
static struct ibv_comp_channel channel;

static struct ibv_qp_ex *qpx(void)
{
	return ibv_qp_to_qp_ex(rc.qp);
}

static struct ibv_cq_ex *cqx(void)
{
	return &to_mcq(rc.send_cq)->vcq.cq_ex;
}

static struct ibv_qp *create(void)
{
	struct ibv_qp_cap c = cap;
	struct ibv_qp *qp = create_ex(IBV_QP_EX_WITH_SEND, &c);

	assert_non_null(qp);
	return qp;
}

static int open_batches(void **state)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 31 };

	rig_open_rc(state);
	assert_int_equal(mlx5x_destroy_qp(rc.qp), 0);
	assert_int_equal(mlx5x_destroy_cq(rc.send_cq), 0);
	rc.send_cq = ibv_cq_ex_to_cq(mlx5x_create_cq_ex(rc.context, &attr));
	assert_non_null(rc.send_cq);
	rc.qp = create();
	other = create();
	assert_int_equal(pipe(event_pipe), 0);
	channel = (struct ibv_comp_channel){ .context = rc.context,
					     .fd = event_pipe[0] };
	alarm(PATIENCE);
	return 0;
}

static int close_batches(void **state)
{
	alarm(0);
	close(event_pipe[0]);
	close(event_pipe[1]);
	if (other)
		assert_int_equal(mlx5x_destroy_qp(other), 0);
	return rig_close_rc(state);
}

static void send_on(struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_send_wr wr = { .wr_id = wr_id, .opcode = IBV_WR_SEND }, *bad;

	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
}

/* The verbs */

static void arm(void)
{
	assert_int_equal(ibv_req_notify_cq(rc.send_cq, 0), 0);
	assert_int_equal(ibv_req_notify_cq(rc.send_cq, 1), 0);
}

static void event(void)
{
	uint64_t handle = (uintptr_t)rc.send_cq;
	uint32_t sn = to_mcq(rc.send_cq)->arm_sn;
	struct ibv_cq *cq;
	void *context;

	assert_int_equal(write(event_pipe[1], &handle, sizeof(handle)),
			 sizeof(handle));
	assert_int_equal(ibv_get_cq_event(&channel, &cq, &context), 0);
	assert_ptr_equal(cq, rc.send_cq);
	assert_int_equal(to_mcq(cq)->arm_sn, sn + 1);
	ibv_ack_cq_events(cq, 1);
}

static void to_rts(void)
{
	fake_modify(rc.qp, IBV_QPS_RTS);
}

static void to_sqd(void)
{
	fake_modify(rc.qp, IBV_QPS_SQD);
}

static void to_error(void)
{
	fake_modify(rc.qp, IBV_QPS_ERR);
}

static void to_reset(void)
{
	fake_modify(rc.qp, IBV_QPS_RESET);
}

static void all_states(void)
{
	fake_modify(rc.qp, IBV_QPS_RESET);
	fake_modify(rc.qp, IBV_QPS_INIT);
	fake_modify(rc.qp, IBV_QPS_RTR);
	fake_modify(rc.qp, IBV_QPS_RTS);
}

static void reset_other(void)
{
	fake_modify(other, IBV_QPS_RESET);
}

static void destroy_other(void)
{
	assert_int_equal(mlx5x_destroy_qp(other), 0);
	other = NULL;
}

static void create_another(void)
{
	assert_int_equal(mlx5x_destroy_qp(create()), 0);
}

static void query(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(mlx5x_query_qp(rc.qp, &attr, IBV_QP_CAP, &init), 0);
}

static void post_other(void)
{
	struct ibv_recv_wr wr = {}, *bad;

	send_on(other, 9);
	assert_int_equal(ibv_post_recv(other, &wr, &bad), 0);
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
}

static void poll_other(void)
{
	no_completion(rc.recv_cq);
}

static void make_cq(void)
{
	struct ibv_cq *cq = mlx5x_create_cq(rc.context, 3, NULL, 0);

	assert_non_null(cq);
	assert_int_equal(mlx5x_destroy_cq(cq), 0);
}

static void resize(void)
{
	assert_int_equal(mlx5x_resize_cq(rc.send_cq, 63), EOPNOTSUPP);
}

static void idle(void)
{
	mlx5x_cq_idle(to_mcq(rc.send_cq));
}

enum left {
	BOTH,	   /* what the QPs have completed stays */
	NOT_OWN,   /* of the batch's QP it goes */
	NOT_OTHER, /* of the other one */
};

static const struct {
	const char *name;
	void (*call)(void);
	enum left left;
	int complete; /* what ibv_wr_complete answers */
} verbs[] = {
	{ "arm", arm, BOTH, 0 },
	{ "event", event, BOTH, 0 },
	{ "modify to RTS", to_rts, BOTH, 0 },
	{ "modify to SQD", to_sqd, BOTH, 0 },
	{ "modify to ERR", to_error, BOTH, 0 },
	{ "modify to RESET", to_reset, NOT_OWN, EINVAL },
	{ "RESET to RTS", all_states, NOT_OWN, EINVAL },
	{ "reset of another", reset_other, NOT_OTHER, 0 },
	{ "destroy of another", destroy_other, NOT_OTHER, 0 },
	{ "create", create_another, BOTH, 0 },
	{ "query", query, BOTH, 0 },
	{ "post", post_other, BOTH, 0 },
	{ "poll of another CQ", poll_other, BOTH, 0 },
	{ "create of a CQ", make_cq, BOTH, 0 },
	{ "resize", resize, BOTH, 0 },
	{ "idle", idle, BOTH, 0 },
};

static void expect_next(uint64_t wr_id, struct ibv_qp *qp)
{
	assert_int_equal(ibv_next_poll(cqx()), 0);
	assert_int_equal(cqx()->wr_id, wr_id);
	assert_int_equal(to_mcq(rc.send_cq)->wc.qp_num, qp->qp_num);
}

/* The current completion is rc.qp's; one of the other and one more follow. */
static void in_poll(size_t verb)
{
	struct ibv_poll_cq_attr attr = {};
	enum left left = verbs[verb].left;

	send_on(rc.qp, 1);
	send_on(other, 2);
	send_on(rc.qp, 3);
	fake_complete(rc.send_cq, 0, rc.qp, 0, 0);
	fake_complete(rc.send_cq, 1, other, 0, 0);
	fake_complete(rc.send_cq, 2, rc.qp, 1, 0);
	assert_int_equal(ibv_start_poll(cqx(), &attr), 0);
	verbs[verb].call();
	assert_int_equal(cqx()->wr_id, 1);
	assert_int_equal(cqx()->status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_wc_read_opcode(cqx()), IBV_WC_SEND);
	if (left != NOT_OTHER) {
		assert_int_equal(ibv_next_poll(cqx()), 0);
		assert_int_equal(cqx()->wr_id, 2);
	}
	if (left != NOT_OWN) {
		assert_int_equal(ibv_next_poll(cqx()), 0);
		assert_int_equal(cqx()->wr_id, 3);
	}
	assert_int_equal(ibv_next_poll(cqx()), ENOENT);
	ibv_end_poll(cqx());
	/* The index that the device sees is behind all three. */
	assert_int_equal(be32toh(to_mcq(rc.send_cq)->dbrec[0]), 3);
	no_completion(rc.send_cq);
}

static void in_build(size_t verb)
{
	struct mlx5x_sq *sq = sq_of(rc.qp);
	int want = verbs[verb].complete;

	ibv_wr_start(qpx());
	qpx()->wr_id = 1;
	ibv_wr_send(qpx());
	verbs[verb].call();
	ibv_wr_send(qpx());
	ibv_wr_set_sge(qpx(), 1, 2, 3);
	assert_int_equal(ibv_wr_complete(qpx()), want);
	assert_int_equal(sq->pi, want ? 0 : 2);
	assert_int_equal(sq->head, want ? 0 : 2);
	assert_int_equal(send_record(rc.qp), want ? 0 : 2);

	/* An abort takes nothing back that a reset has emptied. */
	fake_modify(rc.qp, IBV_QPS_RESET);
	fake_modify(rc.qp, IBV_QPS_RTS);
	send_on(rc.qp, 1);
	ibv_wr_start(qpx());
	ibv_wr_send(qpx());
	if (other || verbs[verb].left != NOT_OTHER)
		verbs[verb].call();
	ibv_wr_abort(qpx());
	assert_int_equal(sq->pi, want ? 0 : 1);
	assert_int_equal(sq->head, want ? 0 : 1);
}

static void each(void (*batch)(size_t), bool with_lock)
{
	void *state = (void *)(uintptr_t)&cap;
	size_t i;

	for (i = 0; i < NUM_OF(verbs); i++) {
		print_message("%s%s\n", verbs[i].name,
			      with_lock ? "" : ", without locks");
		if (!with_lock)
			setenv("MLX5_SINGLE_THREADED", "1", 1);
		open_batches(&state);
		unsetenv("MLX5_SINGLE_THREADED");
		assert_int_equal(to_mcq(rc.send_cq)->lock.used, with_lock);
		batch(i);
		assert_int_equal(atomic_load(&fake.locks_held), 0);
		close_batches(&state);
	}
}

TEST(poll_batch)
{
	each(in_poll, true);
	each(in_poll, false);
}

TEST(build_batch)
{
	each(in_build, true);
	each(in_build, false);
}

/* The QP of the current completion goes: what was read of it stays. */
TEST(destroy_current)
{
	struct ibv_poll_cq_attr attr = {};

	send_on(other, 1);
	send_on(other, 2);
	send_on(rc.qp, 3);
	fake_complete(rc.send_cq, 0, other, 0, 0);
	fake_complete(rc.send_cq, 1, other, 1, 0);
	fake_complete(rc.send_cq, 2, rc.qp, 0, 0);
	assert_int_equal(ibv_start_poll(cqx(), &attr), 0);
	destroy_other();
	assert_int_equal(cqx()->wr_id, 1);
	expect_next(3, rc.qp);
	assert_int_equal(ibv_next_poll(cqx()), ENOENT);
	ibv_end_poll(cqx());
}

static void *reset_often(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		fake_modify(rc.qp, IBV_QPS_RESET);
		fake_modify(rc.qp, IBV_QPS_RTS);
	}
	return NULL;
}

/*
 * Another thread's reset waits for the end of the batch: the queue is never
 * found anywhere but behind the batch or empty.
 */
TEST(reset_by_another)
{
	struct mlx5x_sq *sq = sq_of(rc.qp);
	pthread_t thread;
	uint32_t pi;
	int i, j;

	assert_int_equal(pthread_create(&thread, NULL, reset_often, NULL), 0);
	for (i = 0; i < ROUNDS; i++) {
		ibv_wr_start(qpx());
		pi = sq->pi;
		for (j = 0; j < SENDS; j++) {
			ibv_wr_send(qpx());
			sched_yield();
		}
		assert_true(sq->pi <= pi + SENDS);
		assert_int_equal(sq->pi, sq->head);
		if (i % 2)
			ibv_wr_abort(qpx());
		else
			ibv_wr_complete(qpx());
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(sq->pi, sq->head);
	fake_modify(rc.qp, IBV_QPS_RESET);
	assert_int_equal(sq->pi, 0);
}

static void *arm_often(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++)
		arm();
	return NULL;
}

/* Another thread arms while a batch is open, and does not wait for its end. */
TEST(arm_by_another)
{
	struct ibv_poll_cq_attr attr = {};
	pthread_t thread;

	send_on(rc.qp, 1);
	fake_complete(rc.send_cq, 0, rc.qp, 0, 0);
	assert_int_equal(ibv_start_poll(cqx(), &attr), 0);
	assert_int_equal(pthread_create(&thread, NULL, arm_often, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	ibv_end_poll(cqx());
}

#define BATCH(f)                                  \
	cmocka_unit_test_prestate_setup_teardown( \
		f, open_batches, close_batches, (void *)(uintptr_t)&cap)

MAIN(cmocka_unit_test(poll_batch), cmocka_unit_test(build_batch),
     BATCH(destroy_current), BATCH(reset_by_another), BATCH(arm_by_another))
