/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Access to the device's big-endian structures.
 *
 * Three numbers describe a field: the byte offset of its 32-bit word, its
 * highest bit and its lowest bit.  One macro holds all three, so one name
 * serves to read the field and to write it:
 *
 *	#define QPC_STATE 0x00, 31, 28
 *	state = bits_get(qpc, QPC_STATE);
 *
 * The functions here accept any alignment: the buffers are copies of guest
 * memory.
 */
#ifndef SOFTHCA_BITS_H
#define SOFTHCA_BITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t be16_get(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline uint32_t be32_get(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t be64_get(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

static inline void be16_put(void *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void be32_put(void *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void be64_put(void *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint32_t bits_mask(unsigned int hi, unsigned int lo)
{
	return (uint32_t)(((uint64_t)1 << (hi - lo + 1)) - 1);
}

static inline uint32_t bits_get(const void *base, unsigned int word,
				unsigned int hi, unsigned int lo)
{
	return (be32_get((const uint8_t *)base + word) >> lo) &
	       bits_mask(hi, lo);
}

static inline void bits_set(void *base, unsigned int word, unsigned int hi,
			    unsigned int lo, uint32_t value)
{
	uint8_t *p = (uint8_t *)base + word;
	uint32_t mask = bits_mask(hi, lo);

	be32_put(p, (be32_get(p) & ~(mask << lo)) | ((value & mask) << lo));
}

#endif
