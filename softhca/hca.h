/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One emulated HCA, made of all floors (README.md has the picture).
 */
#ifndef SOFTHCA_HCA_H
#define SOFTHCA_HCA_H

#include <stddef.h>

struct hca;
struct lan;
struct loop;
struct wire;

/* What a guest may make an HCA allocate (base/mem.h), unless told otherwise. */
#define HCA_MEMORY     ((size_t)512 << 20)
#define HCA_MEMORY_MIN ((size_t)1 << 20)

/*
 * index is the HCA's place in the order of --socket; its name is made from
 * it.  Returns NULL and sets errno on failure.
 */
struct hca *hca_create(struct loop *loop, struct wire *wire,
		       unsigned int index);
/* Before the HCA serves anybody. */
void hca_set_memory(struct hca *hca, size_t bytes);
/* Frames go from and to the HCA only when it has joined a LAN.  0 or ENOSPC. */
int hca_join_lan(struct hca *hca, struct lan *lan);
void hca_destroy(struct hca *hca);

#endif
