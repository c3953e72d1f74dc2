/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * PCI configuration space of the function: a PCI Express endpoint, an Ethernet
 * controller with one 64-bit prefetchable BAR and MSI-X.
 *
 * The client sizes and places the BAR by itself, and emulates the MSI-X table.
 * Here are only the bytes that a guest may read back.
 */
#ifndef SOFTHCA_PCI_H
#define SOFTHCA_PCI_H

#include <stddef.h>
#include <stdint.h>

#define PCI_CONFIG_SIZE	   4096u
#define PCI_MSIX_TABLE_OFF 0x2000u /* table and PBA are in BAR0 */
#define PCI_MSIX_PBA_OFF   0x3000u
#define PCI_MSIX_PBA_SIZE  8u

struct pci_config {
	uint8_t space[PCI_CONFIG_SIZE];
	uint8_t writable[PCI_CONFIG_SIZE]; /* the writable bits of each byte */
};

/* Set all to the state after a reset. */
void pci_config_init(struct pci_config *pci);
/*
 * An access may have any length and alignment.  Returns 0, or EINVAL when it
 * passes the end.
 */
int pci_config_read(const struct pci_config *pci, uint64_t off, void *buf,
		    size_t len);
int pci_config_write(struct pci_config *pci, uint64_t off, const void *buf,
		     size_t len);

#endif
