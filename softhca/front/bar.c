// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * BAR0: reads and writes of registers and UAR pages.
 *
 * A doorbell in a UAR page has two words.  The guest writes it by one 8-byte
 * store, but it may arrive as two 4-byte writes in ascending order.  So the
 * second word rings the doorbell.  A send doorbell needs the second word only.
 * The first word of a CQ doorbell is kept until the second comes.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "bar.h"
#include "base.h"
#include "cmdq.h"
#include "front_state.h"
#include "objects.h"

/* Init segment. */
#define INIT_FW_REV	   0x0000
#define INIT_CMDIF_REV	   0x0004
#define INIT_CMDQ_ADDR_H   0x0010
#define INIT_CMDQ_ADDR_L   0x0014
#define INIT_CMD_DBELL	   0x0018
#define INIT_INITIALIZING  0x01fc
#define INIT_TIMER_H	   0x1000
#define INIT_TIMER_L	   0x1004
#define INIT_HEALTH_COUNT  0x1010
#define INIT_SEGMENT_SIZE  0x2000
#define FW_REV		   (FW_MINOR << 16 | FW_MAJOR)
#define CMDIF_REV	   (5u << 16 | FW_SUBMINOR)
#define CMDQ_SIZES	   (CMDQ_LOG_SIZE << 4 | CMDQ_LOG_STRIDE)
#define CMDQ_NIC_INTERFACE 8 /* lowest of three bits; 0 is the full driver */

/* UAR page. */
#define UAR_CQ_ARM     0x20
#define UAR_EQ_ARM     0x40
#define UAR_EQ_CI      0x48
#define UAR_SEND       0x800 /* to the end of the page, every 256 bytes */
#define UAR_SEND_SPACE 0x100

void bar_reset(struct bar *bar)
{
	memset(bar, 0, sizeof(*bar));
}

/* ---- reads ---- */

/* Ticks of the free-running counter at HCA_TIMER_KHZ. */
static uint64_t timer_ticks(void)
{
	return (uint64_t)((unsigned __int128)loop_now_ns() * HCA_TIMER_KHZ /
			  1000000);
}

static uint32_t health_count(void)
{
	uint32_t ms = (uint32_t)(loop_now_ns() / 1000000);

	return ms ? ms : 1;
}

static uint32_t pba_word(const struct irqs *irqs, uint32_t off)
{
	uint64_t pending = htole64(irqs->pending);
	uint32_t word;

	memcpy(&word, (uint8_t *)&pending + (off - PCI_MSIX_PBA_OFF),
	       sizeof(word));
	return be32toh(word);
}

static uint32_t read_word(struct hca *hca, uint32_t off)
{
	const struct front *front = hca->front;

	switch (off) {
	case INIT_FW_REV:
		return FW_REV;
	case INIT_CMDIF_REV:
		return CMDIF_REV;
	case INIT_CMDQ_ADDR_H:
		return front->bar.cmdq_addr_h;
	case INIT_CMDQ_ADDR_L:
		/*
		 * The driver reads the sizes here at each load, and its health
		 * check reads nic_interface.  So a write changes neither.
		 */
		return front->bar.cmdq_addr_l | CMDQ_SIZES;
	case INIT_TIMER_H:
		return (uint32_t)(timer_ticks() >> 32);
	case INIT_TIMER_L:
		return (uint32_t)timer_ticks();
	case INIT_HEALTH_COUNT:
		return health_count();
	case PCI_MSIX_PBA_OFF:
	case PCI_MSIX_PBA_OFF + 4:
		return pba_word(&front->irqs, off);
	default:
		return 0;
	}
}

int bar_read(struct hca *hca, uint64_t off, void *buf, size_t len)
{
	uint8_t *to = buf, word[4];
	size_t skip, n;

	if (off > HCA_BAR_SIZE || len > HCA_BAR_SIZE - off)
		return EINVAL;
	while (len) {
		skip = off & 3;
		n = len < 4 - skip ? len : 4 - skip;
		be32_put(word, read_word(hca, (uint32_t)(off - skip)));
		memcpy(to, word + skip, n);
		to += n;
		off += n;
		len -= n;
	}
	return 0;
}

/* ---- writes ---- */

static void write_init_segment(struct hca *hca, uint32_t off, uint32_t value)
{
	struct bar *bar = &hca->front->bar;

	switch (off) {
	case INIT_CMDQ_ADDR_H:
		bar->cmdq_addr_h = value;
		break;
	case INIT_CMDQ_ADDR_L:
		if (value >> CMDQ_NIC_INTERFACE & 7)
			limit_warn(hca->name, "driver sets nic_interface %u",
				   value >> CMDQ_NIC_INTERFACE & 7);
		bar->cmdq_addr_l = value & ~0xfffu;
		cmdq_set_address(hca, (uint64_t)bar->cmdq_addr_h << 32 |
					      bar->cmdq_addr_l);
		break;
	case INIT_CMD_DBELL:
		cmdq_doorbell(hca, value);
		break;
	default:
		log_debug("%s: write 0x%" PRIx32 " to register 0x%" PRIx32,
			  hca->name, value, off);
		break;
	}
}

static void write_uar(struct hca *hca, uint32_t off, uint32_t value)
{
	uint32_t uar = off / HCA_UAR_SIZE, reg = off % HCA_UAR_SIZE;

	if (reg == UAR_CQ_ARM) {
		hca->front->bar.cq_word0[uar] = value;
	} else if (reg == UAR_CQ_ARM + 4) {
		log_debug("%s: uar %u CQ arm 0x%" PRIx32 " cqn 0x%" PRIx32,
			  hca->name, uar, hca->front->bar.cq_word0[uar],
			  value & 0xffffff);
		hca->front->stats.doorbells_cq++;
		cq_doorbell(hca, uar, hca->front->bar.cq_word0[uar],
			    value & 0xffffff);
	} else if (reg == UAR_EQ_ARM || reg == UAR_EQ_CI) {
		log_debug("%s: uar %u EQ %s 0x%" PRIx32, hca->name, uar,
			  reg == UAR_EQ_ARM ? "arm" : "ci", value);
		hca->front->stats.doorbells_eq++;
		eq_doorbell(hca, uar, value >> 24, value & 0xffffff,
			    reg == UAR_EQ_ARM);
	} else if (reg >= UAR_SEND && reg % UAR_SEND_SPACE == 4) {
		log_debug("%s: uar %u send 0x%" PRIx32, hca->name, uar,
			  value >> 8);
		hca->front->stats.doorbells_sq++;
		sq_doorbell(hca, uar, value >> 8);
	} else if (reg < UAR_SEND || reg % UAR_SEND_SPACE != 0) {
		log_debug("%s: uar %u write 0x%" PRIx32 " to 0x%" PRIx32,
			  hca->name, uar, value, reg);
	}
}

int bar_write(struct hca *hca, uint64_t off, const void *buf, size_t len)
{
	const uint8_t *from = buf;
	uint32_t word = (uint32_t)off;

	if (off > HCA_BAR_SIZE || len > HCA_BAR_SIZE - off)
		return EINVAL;
	if ((off | len) & 3)
		log_debug("%s: write of %zu bytes to 0x%" PRIx64, hca->name,
			  len, off);
	while (word & 3 && len) {
		word++;
		from++;
		len--;
	}
	for (; len >= 4; word += 4, from += 4, len -= 4) {
		if (word < INIT_SEGMENT_SIZE)
			write_init_segment(hca, word, be32_get(from));
		else if (word >= HCA_FIRST_UAR * HCA_UAR_SIZE)
			write_uar(hca, word, be32_get(from));
	}
	return 0;
}
