/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Flow steering: from a frame to the receive queues that take it.
 *
 * A frame begins at the root, the table of the lowest level.  In a table the
 * frame's headers are compared under the mask of each group; the groups come in
 * the order of their first index.  Of entries of one group with the same value,
 * the one set last counts.  The entry found sends the frame on, to tables or to
 * TIRs, or drops it.  If there is none, the table's miss path goes on.
 *
 * Whatever tables a guest makes, a frame passes STEER_MAX_VISITS tables at most
 * and reaches STEER_MAX_COPIES queues at most.  A table has STEER_MAX_GROUPS
 * groups at most, and finds entries by a hash.
 */
#ifndef SOFTHCA_STEER_H
#define SOFTHCA_STEER_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "net.h"

#define STEER_MAX_VISITS 256u
#define STEER_MAX_COPIES 256u
#define STEER_MAX_GROUPS 32u

struct hca;
struct eth_wq;

/*
 * The headers of a frame as the match parameters of a command have them: one
 * set for layers 2 to 4, the outer one.
 */
#define FLOW_KEY_SIZE 64u

struct flow_key {
	uint64_t word[FLOW_KEY_SIZE / 8];
};

/* Fields of the key, for bits_get() and bits_set(). */
#define KEY_SMAC       0x00
#define KEY_TYPE       0x04, 15, 0
#define KEY_DMAC       0x08
#define KEY_VLAN       0x0c, 15, 0 /* priority, CFI, number */
#define KEY_PROTO      0x10, 31, 24
#define KEY_TOS	       0x10, 23, 16
#define KEY_CVLAN      0x10, 15, 15
#define KEY_SVLAN      0x10, 14, 14
#define KEY_FRAG       0x10, 13, 13
#define KEY_IP_VERSION 0x10, 12, 9
#define KEY_TCP_FLAGS  0x10, 8, 0
#define KEY_TCP_SPORT  0x14, 31, 16
#define KEY_TCP_DPORT  0x14, 15, 0
#define KEY_NOT_FILLED 0x18, 31, 8
#define KEY_TTL	       0x18, 7, 0
#define KEY_UDP_SPORT  0x1c, 31, 16
#define KEY_UDP_DPORT  0x1c, 15, 0
#define KEY_SRC_IP     0x20 /* an IPv4 address is in the last 4 of 16 bytes */
#define KEY_DST_IP     0x30

struct rqt {
	struct obj obj;
	uint32_t max, num;
	struct obj *rq[]; /* the RQT holds a reference to each */
};

enum rss_function {
	RSS_NONE,
	RSS_XOR8,
	RSS_TOEPLITZ,
};

#define RSS_KEY_SIZE 40u
#define RSS_SRC_IP   0x01u
#define RSS_DST_IP   0x02u
#define RSS_SRC_PORT 0x04u
#define RSS_DST_PORT 0x08u

struct tir {
	struct obj obj;
	struct eth_wq *rq; /* or NULL: the queue is from rqt, by the hash */
	struct rqt *rqt;
	enum rss_function function;
	/* Take frames of this HCA itself. */
	bool own_unicast, own_multicast;
	bool symmetric;	 /* the hash is the same for both directions */
	uint32_t fields; /* of RSS_* */
	uint8_t key[RSS_KEY_SIZE];
};

struct flow_table;

struct flow_group {
	struct obj obj; /* uses its table */
	struct flow_table *table;
	struct flow_group *next; /* by start */
	uint32_t start, end;
	struct flow_key mask;
};

struct fte {
	struct fte *next, *prev, *hash_next;
	struct flow_group *group;
	struct flow_key value; /* under the group's mask */
	uint32_t index, num_dests, tag;
	bool forward; /* else the frame is dropped */
	struct obj *dest[];
};

struct flow_table {
	struct obj obj;
	uint32_t level, log_size, num_groups;
	struct obj *miss;    /* the next table after a miss, or NULL */
	struct fte **entry;  /* by index; NULL until the first entry is set */
	struct fte **chains; /* by hash; made together with entry */
	struct fte *first;
	struct flow_group *groups;
};

/* Chains of entries in a table of this size. */
uint32_t steer_num_chains(uint32_t log_size);
void steer_link_group(struct flow_group *group);
void steer_unlink_group(struct flow_group *group);
/* Put an entry of the table into its chain; take it out. */
void steer_link(struct flow_table *table, struct fte *fte);
void steer_unlink(struct flow_table *table, struct fte *fte);
/* value = value & mask */
void steer_mask(struct flow_key *value, const struct flow_key *mask);

/* Fill in the key of a frame. */
void steer_key(const uint8_t *frame, const struct ether_info *info,
	       struct flow_key *key);

typedef void (*steer_fn)(void *arg, struct tir *tir, uint32_t tag);
/*
 * Call fn for each TIR that takes the frame.  It must not change steering.
 * Returns how often it was called.
 */
unsigned int steer(struct hca *hca, const struct flow_key *key, steer_fn fn,
		   void *arg);

/* The hash of a frame for this TIR, and which fields it covers. */
struct rss_hash {
	uint32_t value;
	bool l3, l4;
};
struct rss_hash steer_hash(const struct tir *tir, const uint8_t *frame,
			   const struct ether_info *info);
/* The queue that takes the frame, or NULL. */
struct eth_wq *steer_queue(const struct tir *tir, uint32_t hash);

#endif
