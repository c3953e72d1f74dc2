// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * PCI configuration space.  It is little-endian, unlike the rest of the device.
 */
#include <errno.h>
#include <string.h>

#include <linux/pci_regs.h>

#include "objects.h"
#include "pci.h"

#define VENDOR_ID    0x15b3
#define DEVICE_ID    0x1017
#define SUBSYSTEM_ID 0x0007

/* Capabilities, in the order of the list. */
#define CAP_PM	 0x40
#define CAP_EXP	 0x60
#define CAP_MSIX 0xa0

static void put8(struct pci_config *pci, unsigned int off, uint8_t value,
		 uint8_t writable)
{
	pci->space[off] = value;
	pci->writable[off] = writable;
}

static void put16(struct pci_config *pci, unsigned int off, uint16_t value,
		  uint16_t writable)
{
	put8(pci, off, (uint8_t)value, (uint8_t)writable);
	put8(pci, off + 1, (uint8_t)(value >> 8), (uint8_t)(writable >> 8));
}

static void put32(struct pci_config *pci, unsigned int off, uint32_t value)
{
	put16(pci, off, (uint16_t)value, 0);
	put16(pci, off + 2, (uint16_t)(value >> 16), 0);
}

static void put_cap(struct pci_config *pci, unsigned int off, uint8_t id,
		    uint8_t next)
{
	put8(pci, off + PCI_CAP_LIST_ID, id, 0);
	put8(pci, off + PCI_CAP_LIST_NEXT, next, 0);
}

static void init_header(struct pci_config *pci)
{
	put16(pci, PCI_VENDOR_ID, VENDOR_ID, 0);
	put16(pci, PCI_DEVICE_ID, DEVICE_ID, 0);
	put16(pci, PCI_COMMAND, 0,
	      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
		      PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	put16(pci, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	put16(pci, PCI_CLASS_DEVICE, 0x0200, 0);
	put8(pci, PCI_CACHE_LINE_SIZE, 0, 0xff);
	put32(pci, PCI_BASE_ADDRESS_0,
	      PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64 |
		      PCI_BASE_ADDRESS_MEM_PREFETCH);
	put16(pci, PCI_SUBSYSTEM_VENDOR_ID, VENDOR_ID, 0);
	put16(pci, PCI_SUBSYSTEM_ID, SUBSYSTEM_ID, 0);
	put8(pci, PCI_CAPABILITY_LIST, CAP_PM, 0);
	put8(pci, PCI_INTERRUPT_LINE, 0, 0xff);
	put8(pci, PCI_INTERRUPT_PIN, 0, 0); /* MSI-X only */
}

static void init_express(struct pci_config *pci)
{
	const uint16_t x16_8gt = PCI_EXP_LNKCAP_SLS_8_0GB | 16 << 4;

	put_cap(pci, CAP_EXP, PCI_CAP_ID_EXP, CAP_MSIX);
	put16(pci, CAP_EXP + PCI_EXP_FLAGS, PCI_EXP_TYPE_ENDPOINT << 4 | 2, 0);
	put32(pci, CAP_EXP + PCI_EXP_DEVCAP,
	      1 /* payload 256 */ | PCI_EXP_DEVCAP_EXT_TAG |
		      PCI_EXP_DEVCAP_RBER);
	put16(pci, CAP_EXP + PCI_EXP_DEVCTL,
	      PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_READRQ_512B, 0x7fff);
	put32(pci, CAP_EXP + PCI_EXP_LNKCAP, x16_8gt);
	put16(pci, CAP_EXP + PCI_EXP_LNKCTL, 0,
	      PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES);
	put16(pci, CAP_EXP + PCI_EXP_LNKSTA, x16_8gt, 0);
	put16(pci, CAP_EXP + PCI_EXP_DEVCTL2, 0, 0x001f);
	put32(pci, CAP_EXP + PCI_EXP_LNKCAP2,
	      PCI_EXP_LNKCAP2_SLS_2_5GB | PCI_EXP_LNKCAP2_SLS_5_0GB |
		      PCI_EXP_LNKCAP2_SLS_8_0GB);
	put16(pci, CAP_EXP + PCI_EXP_LNKCTL2, PCI_EXP_LNKCTL2_TLS_8_0GT, 0xf);
}

void pci_config_init(struct pci_config *pci)
{
	memset(pci, 0, sizeof(*pci));
	init_header(pci);

	put_cap(pci, CAP_PM, PCI_CAP_ID_PM, CAP_EXP);
	put16(pci, CAP_PM + PCI_PM_PMC, 3, 0);
	put16(pci, CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET,
	      PCI_PM_CTRL_STATE_MASK);

	init_express(pci);

	put_cap(pci, CAP_MSIX, PCI_CAP_ID_MSIX, 0);
	put16(pci, CAP_MSIX + PCI_MSIX_FLAGS, HCA_NUM_VECTORS - 1,
	      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	put32(pci, CAP_MSIX + PCI_MSIX_TABLE, PCI_MSIX_TABLE_OFF);
	put32(pci, CAP_MSIX + PCI_MSIX_PBA, PCI_MSIX_PBA_OFF);
}

static int check(uint64_t off, size_t len)
{
	return off > PCI_CONFIG_SIZE || len > PCI_CONFIG_SIZE - off ? EINVAL
								    : 0;
}

int pci_config_read(const struct pci_config *pci, uint64_t off, void *buf,
		    size_t len)
{
	if (check(off, len))
		return EINVAL;
	memcpy(buf, pci->space + off, len);
	return 0;
}

int pci_config_write(struct pci_config *pci, uint64_t off, const void *buf,
		     size_t len)
{
	const uint8_t *from = buf;
	uint8_t *to, mask;
	size_t i;

	if (check(off, len))
		return EINVAL;
	for (i = 0; i < len; i++) {
		to = &pci->space[off + i];
		mask = pci->writable[off + i];
		*to = (uint8_t)((*to & ~mask) | (from[i] & mask));
	}
	return 0;
}
