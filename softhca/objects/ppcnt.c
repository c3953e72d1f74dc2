// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The register of port counters, PPCNT.  It has groups; a group is a list of
 * 64-bit counters.  Groups and counters that are not here are zero.
 *
 * Counters of bytes include the frame check sequence, as on a link.
 */
#include "hw_cmd.h"
#include "objects_state.h"

#define GROUP_802_3 0x00u
#define GROUP_2863  0x01u
#define GROUP_2819  0x02u
#define GROUP_PRIO  0x10u

struct sums {
	uint64_t frames, bytes;
};

static struct sums sum(const struct lan_count count[LAN_KINDS])
{
	struct sums sums = { 0 };
	unsigned int i;

	for (i = 0; i < LAN_KINDS; i++) {
		sums.frames += count[i].frames;
		sums.bytes += count[i].bytes + ETHER_FCS * count[i].frames;
	}
	return sums;
}

static uint64_t tx_dropped(const struct lan_stats *s)
{
	return s->tx_spoofed + s->tx_oversize + s->tx_down;
}

static void put_802_3(const struct hca *hca, uint8_t *set)
{
	const struct lan_stats *s = &hca->lan.stats;
	struct sums rx = sum(s->rx), tx = sum(s->tx);

	be64_put(set + 0x00, tx.frames);
	be64_put(set + 0x08, rx.frames);
	be64_put(set + 0x20, tx.bytes);
	be64_put(set + 0x28, rx.bytes);
	be64_put(set + 0x30, s->tx[LAN_MULTICAST].frames);
	be64_put(set + 0x38, s->tx[LAN_BROADCAST].frames);
	be64_put(set + 0x40, s->rx[LAN_MULTICAST].frames);
	be64_put(set + 0x48, s->rx[LAN_BROADCAST].frames);
	be64_put(set + 0x60, s->rx_oversize);
}

/* rx_discards_phy is the third: frames that found no queue or no room. */
static void put_2863(const struct hca *hca, uint8_t *set)
{
	const struct lan_stats *s = &hca->lan.stats;

	be64_put(set + 0x00, sum(s->rx).bytes);
	be64_put(set + 0x08, s->rx[LAN_UNICAST].frames);
	be64_put(set + 0x10, hca->eth.rx_too_long);
	be64_put(set + 0x18, hca->eth.rx_errors);
	be64_put(set + 0x28, sum(s->tx).bytes);
	be64_put(set + 0x30, s->tx[LAN_UNICAST].frames);
	be64_put(set + 0x38, tx_dropped(s));
	be64_put(set + 0x40, hca->eth.tx_errors);
	be64_put(set + 0x48, s->rx[LAN_MULTICAST].frames);
	be64_put(set + 0x50, s->rx[LAN_BROADCAST].frames);
	be64_put(set + 0x58, s->tx[LAN_MULTICAST].frames);
	be64_put(set + 0x60, s->tx[LAN_BROADCAST].frames);
}

static void put_2819(const struct hca *hca, uint8_t *set)
{
	const struct lan_stats *s = &hca->lan.stats;
	struct sums rx = sum(s->rx);
	unsigned int i;

	be64_put(set + 0x08, rx.bytes);
	be64_put(set + 0x10, rx.frames);
	be64_put(set + 0x18, s->rx[LAN_BROADCAST].frames);
	be64_put(set + 0x20, s->rx[LAN_MULTICAST].frames);
	be64_put(set + 0x38, s->rx_oversize);
	for (i = 0; i < LAN_SIZES; i++)
		be64_put(set + 0x58 + i * 8, s->rx_size[i]);
}

static void put_prio(const struct hca *hca, uint8_t *set, unsigned int prio)
{
	const struct lan_stats *s = &hca->lan.stats;
	const struct lan_count *rx, *tx;

	if (prio >= LAN_PRIOS)
		return;
	rx = &s->rx_prio[prio];
	tx = &s->tx_prio[prio];
	be64_put(set + 0x00, rx->bytes + ETHER_FCS * rx->frames);
	be64_put(set + 0x20, rx->frames);
	be64_put(set + 0x28, tx->bytes + ETHER_FCS * tx->frames);
	be64_put(set + 0x48, tx->frames);
}

void ppcnt_read(struct hca *hca, uint8_t *data)
{
	uint8_t *set = data + PPCNT_HEADER;

	memset(set, 0, PPCNT_SIZE - PPCNT_HEADER);
	switch (bits_get(data, PPCNT_GROUP)) {
	case GROUP_802_3:
		put_802_3(hca, set);
		break;
	case GROUP_2863:
		put_2863(hca, set);
		break;
	case GROUP_2819:
		put_2819(hca, set);
		break;
	case GROUP_PRIO:
		put_prio(hca, set, bits_get(data, PPCNT_PRIO));
		break;
	default:
		break;
	}
}
