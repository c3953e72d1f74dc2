/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A guest without a VM: RAM in a memfd, mapped into an HCA, and helpers that
 * do what a driver does with it.
 *
 * The HCA under test is made by the real hca_create().
 */
#ifndef TEST_GUEST_H
#define TEST_GUEST_H

#include <stddef.h>
#include <stdint.h>

#include "base.h"
#include "datapath.h"
#include "hca.h"
#include "net.h"
#include "run.h"
#include "handlers.h"

#define GUEST_RAM_BASE 0x10000000ull /* not 0, so that null addresses fail */
#define GUEST_RAM_SIZE (16ull << 20)
#define GUEST_PAGE     4096u

struct guest {
	struct loop *loop;
	struct wire *wire;
	struct lan *lan;
	struct hca *hca;
	uint8_t *ram; /* the guest's own view */
	int fd;
	uint64_t next; /* allocator: guest address of the first free byte */
	uint64_t cmdq; /* guest address, 0 until guest_cmdq_init() */
	uint8_t token;
	bool own_loop;
};

/*
 * A new HCA with RAM, and its loop and wire.  guest_init_on() joins the loop
 * and wire of another guest.  Fails the test on any error.
 */
void guest_init(struct guest *guest);
void guest_init_on(struct guest *guest, struct guest *other,
		   unsigned int index);
void guest_fini(struct guest *guest);

/* Zeroed guest memory, page-aligned; never given back. */
uint64_t guest_alloc(struct guest *guest, size_t len);
/* Host address of guest memory; fails the test outside of RAM. */
void *guest_ptr(struct guest *guest, uint64_t gpa, size_t len);

/*
 * Execute one command at once, without the queue.  in begins with the opcode
 * word; out is overwritten.  Returns the status.
 */
enum cmd_status guest_cmd(struct guest *guest, const void *in, size_t in_len,
			  void *out, size_t out_len);
/* syndrome of a command's output */
uint32_t guest_syndrome(const void *out);

/* The same through the command queue, mailboxes and all. */
void guest_cmdq_init(struct guest *guest);
#define GUEST_DELIVERY 0x100 /* + delivery status, when it is not 0 */
int guest_cmdq_submit(struct guest *guest, unsigned int slot, const void *in,
		      size_t in_len, void *out, size_t out_len);

/*
 * Lower level, to tamper with a message between its parts: lay out the entry
 * and its mailboxes; ring; read the answer.
 */
uint64_t guest_cmdq_entry(struct guest *guest, unsigned int slot);
void guest_cmdq_prepare(struct guest *guest, unsigned int slot, const void *in,
			size_t in_len, size_t out_len);
void guest_cmdq_ring(struct guest *guest, uint32_t slots);
int guest_cmdq_result(struct guest *guest, unsigned int slot, void *out,
		      size_t out_len);

/* Writes into BAR0, as a 32-bit or 64-bit store of big-endian words. */
void guest_write32(struct guest *guest, uint64_t off, uint32_t value);
void guest_write64(struct guest *guest, uint64_t off, uint64_t value);
uint32_t guest_read32(struct guest *guest, uint64_t off);

/* A hundred turns of the loop, without sleeping. */
void guest_run(struct guest *guest);
/* Turns until *flag is set or a minute has passed; fails the test then. */
void guest_run_until(struct guest *guest, const bool *flag);

/* Descriptors that this process has open. */
unsigned int count_fds(void);

#endif
