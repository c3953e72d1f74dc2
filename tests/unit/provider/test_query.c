// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that address handles hold the address vector of the format, on both
 * link layers, with a MAC that the kernel or libibverbs resolves.  Device
 * attributes are those that kernel and device report.
 */
#include "rig.h"

static const struct ibv_qp_cap cap = { 1, 1, 1, 1, 0 };

TEST(ah_ethernet)
{
	static const uint8_t want[48] = {
		[0x0c] = 3 << 1, /* SL 3, rate unlimited */
		[0x0e] = 0xc2,
		[0x0f] = 0x34, /* port of the flow label */
		[0x14] = 0x02,
		0x11,
		0x22,
		0x33,
		0x44,
		0x55,
		[0x1a] = 7,
		9, /* class, hop limit */
		[0x1c] = 0x00,
		0x50,
		0x02,
		0x34, /* index 5, label */
		[0x20] = 0xfe,
		0x80,
		[0x2f] = 1,
	};
	struct ibv_ah_attr attr = {
		.port_num = 1,
		.is_global = 1,
		.sl = 3,
		.grh = { .sgid_index = 5,
			 .flow_label = 0x234,
			 .traffic_class = 7,
			 .hop_limit = 9,
			 .dgid.raw = { 0xfe, 0x80, [15] = 1 } },
	};
	struct ibv_ah *ah = mlx5x_create_ah(rc.pd, &attr);
	uint8_t av[48];

	assert_non_null(ah);
	memcpy(av, &to_mah(ah)->av, 48);
	assert_memory_equal(av, want, 48);
	assert_int_equal(mlx5x_destroy_ah(ah), 0);

	/* RoCE v1 has no UDP port */
	fake.gid_type = IBV_GID_TYPE_SYSFS_IB_ROCE_V1;
	ah = mlx5x_create_ah(rc.pd, &attr);
	assert_int_equal(to_mah(ah)->av.rlid_udp_sport, 0);
	assert_int_equal(mlx5x_destroy_ah(ah), 0);
	/* a label of 0 gives any port of the range */
	fake.gid_type = IBV_GID_TYPE_SYSFS_ROCE_V2;
	attr.grh.flow_label = 0;
	ah = mlx5x_create_ah(rc.pd, &attr);
	assert_true(be16toh(to_mah(ah)->av.rlid_udp_sport) >= 0xc000);
	assert_int_equal(mlx5x_destroy_ah(ah), 0);
	/* a kernel that returns no MAC */
	to_mctx(rc.context)->cmds_supp_uhw = 0;
	ah = mlx5x_create_ah(rc.pd, &attr);
	assert_int_equal(to_mah(ah)->av.rmac[5], 0xaa);
	fake.calls[FAKE_DESTROY_AH] = 0;
	assert_int_equal(mlx5x_destroy_ah(ah), 0);
	assert_int_equal(fake.calls[FAKE_DESTROY_AH], 0);
}

TEST(ah_infiniband)
{
	static const struct {
		enum ibv_rate rate;
		uint8_t code;
	} rates[] = {
		{ IBV_RATE_MAX, 0 },	  { IBV_RATE_2_5_GBPS, 7 },
		{ IBV_RATE_5_GBPS, 10 },  { IBV_RATE_10_GBPS, 8 },
		{ IBV_RATE_14_GBPS, 11 }, { IBV_RATE_120_GBPS, 15 },
		{ IBV_RATE_200_GBPS, 0 },
	};
	struct ibv_ah_attr attr = {
		.port_num = 1,
		.dlid = 0x1234,
		.sl = 9,
		.src_path_bits = 5,
	};
	struct ibv_ah *ah;
	size_t i;

	fake.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	for (i = 0; i < NUM_OF(rates); i++) {
		attr.static_rate = rates[i].rate;
		ah = mlx5x_create_ah(rc.pd, &attr);
		assert_non_null(ah);
		assert_int_equal(to_mah(ah)->av.stat_rate_sl,
				 rates[i].code << 4 | 9);
		assert_int_equal(be16toh(to_mah(ah)->av.rlid_udp_sport),
				 0x1234);
		assert_int_equal(to_mah(ah)->av.fl_mlid, 5);
		assert_int_equal(to_mah(ah)->av.grh_gid_fl, 0);
		assert_int_equal(mlx5x_destroy_ah(ah), 0);
	}
	attr.is_global = 1;
	attr.grh.sgid_index = 2;
	ah = mlx5x_create_ah(rc.pd, &attr);
	assert_int_equal(be32toh(to_mah(ah)->av.grh_gid_fl), 0x40200000);
	assert_int_equal(mlx5x_destroy_ah(ah), 0);

	attr.is_global = 0;
	fake.port.flags = IBV_QPF_GRH_REQUIRED;
	assert_none(mlx5x_create_ah(rc.pd, &attr), EINVAL);
	fake.port.link_layer = IBV_LINK_LAYER_ETHERNET;
	fake.port.flags = 0;
	assert_null(mlx5x_create_ah(rc.pd, &attr));
	attr.port_num = 0;
	assert_null(mlx5x_create_ah(rc.pd, &attr));
	attr.port_num = 2;
	assert_none(mlx5x_create_ah(rc.pd, &attr), EINVAL);
}

TEST(device)
{
	static const uint8_t want_in[16] = { 0x01, 0x00, 0, 0, 0, 0, 0, 7 };
	struct ibv_device_attr_ex attr;
	uint8_t *caps = (uint8_t *)&fake.atomic_caps;

	fake.fw_ver = 16ull << 32 | 35 << 16 | 7;
	fake.query_device.tso_caps.max_tso = 123;
	fake.query_device.tso_caps.supported_qpts = 4;
	fake.query_device.rss_caps.rx_hash_fields_mask = 0x5555;
	fake.query_device.rss_caps.rx_hash_function = 1;
	fake.query_device.packet_pacing_caps.qp_rate_limit_min = 1;
	fake.query_device.packet_pacing_caps.qp_rate_limit_max = 2;
	fake.query_device.packet_pacing_caps.supported_qpts = 3;
	fake_be16(caps + 0x60, 4);
	fake_be16(caps + 0x62, 8);
	fake_be16(caps + 0x64, 7);
	assert_int_equal(
		mlx5x_query_device_ex(rc.context, NULL, &attr, sizeof(attr)),
		0);
	assert_string_equal(attr.orig_attr.fw_ver, "16.35.0007");
	assert_int_equal(attr.tso_caps.max_tso, 123);
	assert_int_equal(attr.tso_caps.supported_qpts, 4);
	assert_int_equal(attr.rss_caps.rx_hash_fields_mask, 0x5555);
	assert_int_equal(attr.rss_caps.rx_hash_function, 1);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_max, 2);
	assert_int_equal(attr.pci_atomic_caps.fetch_add, 4);
	assert_int_equal(attr.pci_atomic_caps.swap, 8);
	assert_int_equal(attr.pci_atomic_caps.compare_swap, 7);
	assert_memory_equal(fake.devx_in, want_in, 16);
	assert_int_equal(fake.devx_outlen, 0x1010);
	/* both know 8 bytes: atomic to the CPU too */
	assert_int_equal(IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP, 2);
	assert_int_equal(attr.orig_attr.atomic_cap, IBV_ATOMIC_HCA);
	fake_be16(caps + 0x60, 6);
	assert_int_equal(
		mlx5x_query_device_ex(rc.context, NULL, &attr, sizeof(attr)),
		0);
	assert_int_equal(attr.orig_attr.atomic_cap, IBV_ATOMIC_GLOB);

	/* a short structure is not written behind its end */
	memset(&attr, 0x55, sizeof(attr));
	fake.calls[FAKE_DEVX] = 0;
	assert_int_equal(mlx5x_query_device_ex(rc.context, NULL, &attr,
					       sizeof(attr.orig_attr)),
			 0);
	assert_int_equal(((uint8_t *)&attr)[sizeof(attr.orig_attr)], 0x55);
	assert_int_equal(attr.tso_caps.max_tso, 0x55555555);
	assert_int_equal(fake.calls[FAKE_DEVX], 0);

	/* a failure of DEVX is no failure of the query */
	fake_fail(FAKE_DEVX, 0, EPERM);
	assert_int_equal(
		mlx5x_query_device_ex(rc.context, NULL, &attr, sizeof(attr)),
		0);
	assert_int_equal(attr.pci_atomic_caps.fetch_add, 0);
	fake_fail(FAKE_QUERY_DEVICE, 0, EIO);
	assert_int_equal(
		mlx5x_query_device_ex(rc.context, NULL, &attr, sizeof(attr)),
		EIO);
}

#define RC(f) WITH_RC(f, &cap)

MAIN(RC(ah_ethernet), RC(ah_infiniband), RC(device))
