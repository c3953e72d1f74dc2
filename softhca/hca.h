/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One emulated HCA: the state that all parts share, and the calls between
 * the parts.
 *
 *   front (vfu.c, front.c, pci.c, bar.c, irq.c, cmdq.c)
 *	speaks to QEMU; turns register writes into doorbells and commands
 *   objects (cmd_*.c, obj.c, eq.c, cq.c, caps.c)
 *	executes commands; owns the lifetime of every object
 *   data path (sq.c, rq.c, xlat.c, requester.c, responder.c)
 *	executes WQEs of QPs; never creates or frees an object
 *   wire (wire.c)
 *	carries messages between HCAs by GID; the only part that knows more
 *	than one of them
 *
 * One thread serves all of it (loop.h), so nothing is locked.  Device reset,
 * the client's death and TEARDOWN_HCA all end in hca_reset().  It leaves the
 * command queue alone, through which the driver goes on to DISABLE_HCA; the
 * first two forget that as well.
 */
#ifndef SOFTHCA_HCA_H
#define SOFTHCA_HCA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"
#include "cmd.h"
#include "dma.h"
#include "loop.h"
#include "obj.h"

#define HCA_BAR_SIZE	(32u << 20)
#define HCA_UAR_SIZE	4096u
#define HCA_FIRST_UAR	0x10u
#define HCA_NUM_UARS	(HCA_BAR_SIZE / HCA_UAR_SIZE)
#define HCA_NUM_VECTORS 64u
#define HCA_GID_TABLE	128u
#define HCA_TIMER_KHZ	156250u /* of the init segment's free-running counter */

struct wire;

/* One RoCE address (SET_ROCE_ADDRESS); unused when gid is all zero. */
struct hca_gid {
	uint8_t gid[16];
	uint8_t mac[6];
	uint8_t version; /* 0 RoCE v1, 2 RoCE v2 */
	uint8_t l3_type; /* 0 IPv4, 1 IPv6 */
	bool vlan_valid;
	uint16_t vlan_id;
};

struct hca_stats {
	uint64_t cmds[CMD_MAX_DEFS]; /* executed, by cmd_index() */
	uint64_t cmds_failed[CMD_MAX_DEFS];
	uint64_t cmds_unknown;
	uint64_t doorbells_sq, doorbells_cq, doorbells_eq;
	uint64_t wqes_send[0x30]; /* by WQE opcode */
	uint64_t wqes_recv;
	uint64_t cqes, cqes_error, eqes, irqs;
	uint64_t rnr_naks, timeouts, dropped;
};

struct hca {
	unsigned int index; /* 0.. in the order of --socket */
	char name[8];	    /* "hca0" */
	struct loop *loop;
	struct dma_map *dma; /* owned by the front */
	struct wire *wire;

	uint8_t mac[6];
	uint64_t node_guid, system_image_guid;

	/* Objects, by kind; see obj.h. */
	struct obj_table obj[OBJ_KINDS];
	struct hca_gid gids[HCA_GID_TABLE];
	uint16_t vport_mtu;
	bool atomic_host_endian;   /* SET_HCA_CAP(atomic) asked for it */
	bool umr_fixed_page;	   /* UMR may not change a key's page size */
	bool enabled, initialised; /* ENABLE_HCA, INIT_HCA */
	uint16_t issi;		   /* SET_ISSI */
	uint8_t log_max_qp;	   /* SET_HCA_CAP(general) asked for it */
	uint32_t cmd_eqn;  /* EQ that takes command completions, 0: none */
	struct qp *gsi_qp; /* the live QP of service type QP1, or NULL */

	struct hca_stats stats;

	struct front *front; /* private to the front */
	struct datapath *dp; /* private to the data path */
	struct vport *vport; /* private to cmd_vport.c */
};

/* hca.c; NULL with errno on failure. */
struct hca *hca_create(struct loop *loop, struct wire *wire,
		       unsigned int index);
void hca_destroy(struct hca *hca);
/* Drop every object; guest memory may be gone already. */
void hca_reset(struct hca *hca);

/* ---- front: what the others ask of it ---- */

/* Raise MSI-X vector; ignored when the guest has no eventfd there. */
void hca_irq(struct hca *hca, unsigned int vector);

/* ---- objects: what the front and the data path ask of them ---- */

/* Tables and vport of a new HCA; 0 or errno. */
int objects_init(struct hca *hca);
/* Free every object and forget what commands have set. */
void objects_reset(struct hca *hca);
/* Free the rest too; for hca_destroy. */
void objects_fini(struct hca *hca);

/* Doorbells, decoded by the front from a write into UAR page uar. */
void eq_doorbell(struct hca *hca, uint32_t uar, uint32_t eqn, uint32_t ci,
		 bool arm);
void cq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0, uint32_t cqn);
/* Send doorbell: number is a QP's or an Ethernet SQ's. */
void sq_doorbell(struct hca *hca, uint32_t uar, uint32_t number);

/* Command completion event for the given slots; see cmdq.c. */
void eq_post_cmd(struct hca *hca, uint32_t slots);

/* Asynchronous events (hca.md of the device: type and data of the EQE). */
enum eqe_type {
	EQE_COMP = 0x00,
	EQE_PATH_MIG = 0x01,
	EQE_COMM_EST = 0x02,
	EQE_SQ_DRAINED = 0x03,
	EQE_CQ_ERROR = 0x04,
	EQE_WQ_CATAS = 0x05,
	EQE_PATH_MIG_FAILED = 0x07,
	EQE_PORT_CHANGE = 0x09,
	EQE_CMD = 0x0a,
	EQE_WQ_INVAL_REQ = 0x10,
	EQE_WQ_ACCESS = 0x11,
	EQE_SRQ_CATAS = 0x12,
	EQE_SRQ_LAST_WQE = 0x13,
	EQE_SRQ_LIMIT = 0x14,
};
void event_qp(struct hca *hca, enum eqe_type type, uint32_t qpn);
void event_srq(struct hca *hca, enum eqe_type type, uint32_t srqn);

/* Move a key to another PD; false when there is none of that number. */
bool mkey_move(struct hca *hca, struct mkey *mkey, uint32_t pd);

/*
 * Write one CQE.  cqe is the 64-byte format, complete but for the owner bit;
 * first is the first half of a 128-byte CQE, NULL leaves that as it is;
 * solicited tells whether an arm "solicited only" shall fire (errors do
 * always).  Overrun raises CQ_ERROR and moves the CQ's QPs to error.
 */
void cq_post(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
	     const uint8_t *first, bool solicited);

/* ---- data path: what the objects ask of it ---- */

int dp_init(struct hca *hca); /* 0 or errno */
void dp_fini(struct hca *hca);
/*
 * State changes of a QP, made by commands, after the fields of struct qp have
 * been set.  To RESET: forget all progress.  To ERR: flush.
 */
void dp_qp_created(struct hca *hca, struct qp *qp);
void dp_qp_modified(struct hca *hca, struct qp *qp, unsigned int old_state);
void dp_qp_destroyed(struct hca *hca, struct qp *qp);
/* A doorbell for qp's send queue: run it in the next turn of the loop. */
void dp_qp_doorbell(struct hca *hca, struct qp *qp);
/* The device itself moves qp to ERR (error completion, CQ overrun, ...). */
void dp_qp_error(struct hca *hca, struct qp *qp);
/* The Ethernet send queue's doorbell; eth.c */
void eth_sq_doorbell(struct hca *hca, struct eth_wq *sq);

#endif
