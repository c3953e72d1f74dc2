// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of config space: the identity that the driver matches; a capability
 * list that a PCI core can walk, with what it must find there; writes reach
 * only what is writable; no access goes beyond the end; a reset restores all.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <linux/pci_regs.h>

#include <cmocka.h>

#include "pci.h"
#include "run.h"

static struct pci_config pci;

static int setup(void **state)
{
	(void)state;
	pci_config_init(&pci);
	return 0;
}

static uint32_t get(unsigned int off, unsigned int len)
{
	uint8_t b[4] = { 0 };

	assert_int_equal(pci_config_read(&pci, off, b, len), 0);
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put(unsigned int off, uint32_t value, unsigned int len)
{
	uint8_t b[4] = { (uint8_t)value, (uint8_t)(value >> 8),
			 (uint8_t)(value >> 16), (uint8_t)(value >> 24) };

	assert_int_equal(pci_config_write(&pci, off, b, len), 0);
}

static void test_header(void **state)
{
	(void)state;
	assert_int_equal(get(PCI_VENDOR_ID, 4), 0x101715b3);
	assert_int_equal(get(PCI_CLASS_REVISION, 4) >> 8, 0x020000);
	assert_int_equal(get(PCI_HEADER_TYPE, 1), 0);
	assert_int_equal(get(PCI_SUBSYSTEM_VENDOR_ID, 2), 0x15b3);
	assert_int_not_equal(get(PCI_SUBSYSTEM_ID, 2), 0);
	/* 64-bit, prefetchable memory; nothing else. */
	assert_int_equal(get(PCI_BASE_ADDRESS_0, 4), 0x0c);
	assert_int_equal(get(PCI_BASE_ADDRESS_1, 4), 0);
	assert_int_equal(get(PCI_BASE_ADDRESS_2, 4), 0);
	assert_int_equal(get(PCI_ROM_ADDRESS, 4), 0);
	assert_int_equal(get(PCI_INTERRUPT_PIN, 1), 0);
	/* No extended capability. */
	assert_int_equal(get(0x100, 4), 0);
}

/* Place of a capability, 0 when absent. */
static unsigned int find_cap(unsigned int id)
{
	unsigned int pos, n = 0, found = 0;

	assert_true(get(PCI_STATUS, 2) & PCI_STATUS_CAP_LIST);
	for (pos = get(PCI_CAPABILITY_LIST, 1); pos; pos = get(pos + 1, 1)) {
		assert_in_range(pos, 0x40, 0xfc);
		assert_int_equal(pos % 4, 0);
		assert_true(n++ < 10);
		if (get(pos, 1) == id)
			found = pos;
	}
	return found;
}

static void test_capabilities(void **state)
{
	unsigned int msix = find_cap(PCI_CAP_ID_MSIX);
	unsigned int exp = find_cap(PCI_CAP_ID_EXP);
	unsigned int pm = find_cap(PCI_CAP_ID_PM);

	(void)state;
	assert_true(msix && exp && pm);
	assert_int_equal(find_cap(PCI_CAP_ID_VNDR), 0);
	assert_int_equal(get(msix + PCI_MSIX_FLAGS, 2) & PCI_MSIX_FLAGS_QSIZE,
			 63);
	assert_int_equal(get(msix + PCI_MSIX_TABLE, 4), 0x2000);
	assert_int_equal(get(msix + PCI_MSIX_PBA, 4), 0x3000);
	/* Version 2, endpoint. */
	assert_int_equal(get(exp + PCI_EXP_FLAGS, 2) & 0xff, 0x02);
	assert_int_equal(get(exp + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR, 0);
	assert_int_equal(get(exp + PCI_EXP_LNKSTA, 2) & PCI_EXP_LNKSTA_NLW,
			 PCI_EXP_LNKSTA_NLW_X1 * 16);
	assert_true(get(pm + PCI_PM_CTRL, 2) & PCI_PM_CTRL_NO_SOFT_RESET);
	/* They do not overlap. */
	assert_true(pm + PCI_PM_SIZEOF <= exp);
	assert_true(exp + 0x3c <= msix);
}

static void test_writes(void **state)
{
	unsigned int msix = find_cap(PCI_CAP_ID_MSIX), i;
	uint8_t ones[PCI_CONFIG_SIZE];
	struct pci_config before = pci;

	(void)state;
	put(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	assert_int_equal(get(PCI_COMMAND, 2), 6);
	put(PCI_COMMAND + 1, 4, 1); /* one byte of it: INTx disable */
	assert_int_equal(get(PCI_COMMAND, 2), 0x406);
	put(PCI_COMMAND, PCI_COMMAND_IO, 2);
	assert_int_equal(get(PCI_COMMAND, 2), 0);
	put(msix + PCI_MSIX_FLAGS, 0xffff, 2);
	assert_int_equal(get(msix + PCI_MSIX_FLAGS, 2), 0xc03f);
	/* The client sizes BARs itself. */
	put(PCI_BASE_ADDRESS_0, 0xffffffff, 4);
	assert_int_equal(get(PCI_BASE_ADDRESS_0, 4), 0x0c);

	memset(ones, 0xff, sizeof(ones));
	assert_int_equal(pci_config_write(&pci, 0, ones, sizeof(ones)), 0);
	assert_int_equal(get(PCI_VENDOR_ID, 4), 0x101715b3);
	assert_int_equal(get(0x100, 4), 0);
	for (i = 0; i < PCI_CONFIG_SIZE; i++)
		assert_int_equal(pci.space[i],
				 before.space[i] | before.writable[i]);
	memset(ones, 0, sizeof(ones));
	assert_int_equal(pci_config_write(&pci, 0, ones, sizeof(ones)), 0);
	for (i = 0; i < PCI_CONFIG_SIZE; i++)
		assert_int_equal(pci.space[i],
				 before.space[i] & ~before.writable[i]);
	pci_config_init(&pci);
	assert_memory_equal(&pci, &before, sizeof(pci));
}

static void test_bounds(void **state)
{
	uint8_t buf[PCI_CONFIG_SIZE + 1] = { 0 };

	(void)state;
	assert_int_equal(pci_config_read(&pci, 0, buf, PCI_CONFIG_SIZE), 0);
	assert_memory_equal(buf, pci.space, PCI_CONFIG_SIZE);
	assert_int_equal(pci_config_read(&pci, 1, buf, PCI_CONFIG_SIZE),
			 EINVAL);
	assert_int_equal(pci_config_read(&pci, PCI_CONFIG_SIZE, buf, 1),
			 EINVAL);
	assert_int_equal(pci_config_read(&pci, UINT64_MAX, buf, 2), EINVAL);
	assert_int_equal(pci_config_read(&pci, 0, buf, SIZE_MAX), EINVAL);
	assert_int_equal(pci_config_read(&pci, PCI_CONFIG_SIZE, buf, 0), 0);
	assert_int_equal(pci_config_write(&pci, PCI_CONFIG_SIZE - 1, buf, 2),
			 EINVAL);
	assert_int_equal(pci_config_write(&pci, UINT64_MAX - 1, buf, 2),
			 EINVAL);
}

RUN_TESTS(cmocka_unit_test_setup(test_header, setup),
	  cmocka_unit_test_setup(test_capabilities, setup),
	  cmocka_unit_test_setup(test_writes, setup),
	  cmocka_unit_test_setup(test_bounds, setup))
