/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Format of the mkey context.  Commands and UMR WQEs use the same format.
 *
 * A name stands for the three numbers that bits.h wants: byte offset of the
 * 32-bit word, highest bit, lowest bit.  A name with the suffix _AT is the byte
 * offset of a 64-bit field.
 */
#ifndef SOFTHCA_HW_MKEY_H
#define SOFTHCA_HW_MKEY_H

#define MKC_FREE	 0x00, 30, 30
#define MKC_MODE_HIGH	 0x00, 28, 26
#define MKC_RO_WRITE	 0x00, 18, 18
#define MKC_UMR_EN	 0x00, 15, 15
#define MKC_A		 0x00, 14, 14
#define MKC_RW		 0x00, 13, 13
#define MKC_RR		 0x00, 12, 12
#define MKC_LW		 0x00, 11, 11
#define MKC_LR		 0x00, 10, 10
#define MKC_MODE_LOW	 0x00, 9, 8
#define MKC_QPN		 0x04, 31, 8
#define MKC_VARIANT	 0x04, 7, 0
#define MKC_LENGTH64	 0x0c, 31, 31
#define MKC_BSF_EN	 0x0c, 30, 30
#define MKC_EN_RINVAL	 0x0c, 24, 24
#define MKC_PD		 0x0c, 23, 0
#define MKC_START_AT	 0x10u
#define MKC_LEN_AT	 0x18u
#define MKC_BSF_OCTWORDS 0x20, 31, 0
#define MKC_OCTWORDS	 0x34, 31, 0
#define MKC_RO_READ	 0x38, 6, 6
#define MKC_LOG_PAGE	 0x38, 5, 0
#define MKC_SIZE	 0x40u

#endif
