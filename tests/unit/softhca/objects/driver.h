/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A driver for tests: builds commands as the kernel's driver does, and keeps
 * the queues that it makes in the guest's memory.
 *
 * Helpers that make something fail the test when the command is refused.  A
 * test of a refusal lays the message out only (msg_*), spoils it and sends it
 * itself; a table of struct bad does so for many fields.
 */
#ifndef TEST_DRIVER_H
#define TEST_DRIVER_H

#include "guest.h"
#include "hw_cmd.h"
#include "handlers.h"

#define MSG_MAX 20480u

struct msg {
	uint8_t in[MSG_MAX], out[MSG_MAX];
	size_t in_len, out_len;
};

/* A zeroed message with the lengths that the opcode's definition wants. */
void msg_init(struct msg *msg, uint16_t opcode, uint16_t uid);
/* Longer input, for a list of so many bytes after the fixed part. */
void msg_extend(struct msg *msg, size_t len);
enum cmd_status msg_send(struct guest *guest, struct msg *msg);
/* Send; must succeed; gives the number in the output. */
uint32_t msg_create(struct guest *guest, struct msg *msg);
/* A command whose input is nothing but a number (or nothing at all). */
enum cmd_status cmd_number(struct guest *guest, uint16_t opcode, uint32_t id,
			   uint16_t uid);
uint32_t cmd_alloc(struct guest *guest, uint16_t opcode, uint16_t uid);

/* The syndrome of a refused command names a kind of object and a reason. */
#define assert_refused(guest, msg, status, kind, synd)          \
	do {                                                    \
		assert_int_equal(msg_send(guest, msg), status); \
		assert_int_equal(guest_syndrome((msg)->out),    \
				 SYNDROME(kind, synd));         \
	} while (0)

/*
 * A row of a table of bad inputs: a message that is right but for one field,
 * and how it is refused.  The field's word counts from byte at of the message.
 */
struct bad {
	const char *name;
	unsigned int at, word, hi, lo;
	uint64_t value;
	enum cmd_status status;
	unsigned int kind, synd; /* NO_KIND: the reason alone */
};
#define NO_KIND	   (~0u)
#define MSG_UID	   0x00, 15, 0
#define MSG_OP_MOD 0x04, 15, 0
#define ALL_64	   63, 0 /* hi, lo of a field of two words */
#define CUT	   (~0u) /* at: value bytes are missing at the end */
#define CUT_LIST(kind) \
	{ "list cut off", CUT, 0, 0, 0, 8, CMD_BAD_INP_LEN, kind, SYND_LIST }
/*
 * For each row: make() lays out the right message in msg, the row's field is
 * changed, and the command is refused as the row says.  No object comes or
 * goes.  A row that fails is named.
 */
void expect_refused(const struct bad *rows, size_t num, void (*make)(void));
#define EXPECT_REFUSED(rows, make) \
	expect_refused(rows, sizeof(rows) / sizeof((rows)[0]), make)

/* ENABLE_HCA to INIT_HCA, and back. */
void drv_enable(struct guest *guest);
void drv_disable(struct guest *guest);

/* A queue in guest memory, and what it was made from. */
struct drv_ring {
	uint64_t gpa;
	size_t bytes;
	unsigned int log_page; /* field: above 4 KiB */
};
void ring_make(struct guest *guest, struct drv_ring *ring, size_t bytes);
/* Page list of the ring at byte pas of the message, extending it. */
void msg_pas(struct msg *msg, size_t pas, const struct drv_ring *ring);

struct drv_eq {
	struct drv_ring ring;
	uint32_t eqn, uar, log_size, ci;
	unsigned int vector;
};
void msg_eq(struct guest *guest, struct msg *msg, struct drv_eq *eq,
	    uint64_t mask);
/* eq->uar, log_size and vector are given. */
void drv_create_eq(struct guest *guest, struct drv_eq *eq, uint64_t mask);
/* The next EQE if the driver would take it for valid, or NULL; consumes it. */
const uint8_t *drv_eqe(struct guest *guest, struct drv_eq *eq);
void drv_eq_arm(struct guest *guest, struct drv_eq *eq);
void drv_eq_update(struct guest *guest, struct drv_eq *eq);
/* Has the vector been raised since the last call? */
bool drv_irq(struct guest *guest, unsigned int vector);

struct drv_cq {
	struct drv_ring ring;
	uint64_t dbr;
	uint32_t cqn, uar, eqn, log_size, ci;
	uint16_t uid;
	bool big, overrun_ignore;
};
void msg_cq(struct guest *guest, struct msg *msg, struct drv_cq *cq);
void drv_create_cq(struct guest *guest, struct drv_cq *cq);
const uint8_t *drv_cqe(struct guest *guest, struct drv_cq *cq);
/* Doorbell record and arm doorbell. */
void drv_cq_update(struct guest *guest, struct drv_cq *cq);
void drv_cq_arm(struct guest *guest, struct drv_cq *cq, bool solicited);

/* What nearly every object stands on. */
struct drv {
	struct guest guest;
	uint32_t uar, pd;
	struct drv_eq comp_eq, async_eq;
	struct drv_cq cq;
};
void drv_init(struct drv *drv); /* guest, enabled HCA, and all of the above */
void drv_fini(struct drv *drv);

/*
 * What a test works on.  DRV_TEST(name) makes and ends a whole driver around
 * test_name(), BARE_TEST(name) a guest whose HCA has seen no command.
 */
extern struct drv drv;
extern struct guest *const guest; /* drv's */
extern struct msg msg;
int drv_setup(void **state);
int drv_setup_bare(void **state);
int drv_teardown(void **state);
#define DRV_TEST(name) \
	cmocka_unit_test_setup_teardown(test_##name, drv_setup, drv_teardown)
#define BARE_TEST(name)                                              \
	cmocka_unit_test_setup_teardown(test_##name, drv_setup_bare, \
					drv_teardown)

struct drv_qp {
	struct drv_ring ring;
	uint64_t dbr;
	uint32_t qpn, type, rq_type, srqn;
	unsigned int log_rq_size, log_rq_stride, log_sq_size;
	bool no_sq;
	uint16_t uid;
};
void msg_qp(struct drv *drv, struct msg *msg, struct drv_qp *qp);
void drv_create_qp(struct drv *drv, struct drv_qp *qp);
/* A modify command with nothing but the number filled in. */
void msg_modify_qp(struct msg *msg, uint16_t opcode, const struct drv_qp *qp);
/* The three transitions to RTS with plausible parameters. */
void drv_qp_to_rts(struct drv *drv, const struct drv_qp *qp);

void msg_mkey(struct drv *drv, struct msg *msg, enum mkey_mode mode);
void msg_rmp(struct drv *drv, struct msg *msg, uint64_t *dbr);
void msg_xrc_srq(struct drv *drv, struct msg *msg, uint32_t xrcd);

struct drv_wq {
	struct drv_ring ring;
	uint64_t dbr;
	uint32_t number;
	unsigned int log_size;
};
void msg_rq(struct drv *drv, struct msg *msg, struct drv_wq *rq);
void msg_sq(struct drv *drv, struct msg *msg, struct drv_wq *sq, uint32_t tisn);
enum cmd_status drv_modify_wq(struct drv *drv, uint16_t opcode, uint32_t number,
			      uint32_t from, uint32_t to);
uint32_t drv_create_tis(struct drv *drv, uint32_t td);
void msg_rqt(struct msg *msg, const uint32_t *rqn, uint32_t num, uint32_t max);
void msg_tir(struct msg *msg, uint32_t td, uint32_t rqn, uint32_t rqtn);

/* Objects alive in the whole HCA. */
unsigned int drv_count(const struct hca *hca);

#endif
