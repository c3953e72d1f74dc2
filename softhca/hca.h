/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One emulated HCA, made of all floors (README.md has the picture).
 */
#ifndef SOFTHCA_HCA_H
#define SOFTHCA_HCA_H

struct hca;
struct loop;
struct wire;

/*
 * index is the HCA's place in the order of --socket; its name and addresses
 * are made from it.  Returns NULL and sets errno on failure.
 */
struct hca *hca_create(struct loop *loop, struct wire *wire,
		       unsigned int index);
void hca_destroy(struct hca *hca);

#endif
