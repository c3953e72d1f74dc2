// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves, by compiling as C and as C++, that enumerators have the values and
 * members the offsets of the vendor's interface in its 4.x releases on
 * x86-64.  The numbers were obtained from that interface, not from our header.
 */
#include <stddef.h>
#include <infiniband/verbs_exp.h>

#ifndef __cplusplus
#define static_assert _Static_assert
#endif

#define VALUE(name, value) static_assert((uint64_t)(name) == (value), #name)
#define SIZE(type, size)   static_assert(sizeof(struct type) == (size), #type)
#define AT(type, member, offset) \
	static_assert(offsetof(struct type, member) == (offset), #member)

VALUE(IBV_EXP_START_ENUM, 0x40);
VALUE(IBV_EXP_START_FLAG_LOC, 0x20);
VALUE(IBV_EXP_START_FLAG, 0x100000000);
VALUE(IBV_EXP_ACCESS_FLAGS_SHIFT, 0x0f);
VALUE(IBV_EXP_IMPLICIT_MR_SIZE, UINT64_MAX);

VALUE(IBV_QPT_XRC, 5);
VALUE(IBV_QPT_RAW_ETH, 8);
VALUE(IBV_EXP_QP_TYPE_START, 32);
VALUE(IBV_EXP_QPT_DC_INI, 32);
VALUE(IBV_EXP_EVENT_DCT_KEY_VIOLATION, 32);
VALUE(IBV_EXP_EVENT_DCT_ACCESS_ERR, 33);
VALUE(IBV_EXP_EVENT_DCT_REQ_ERR, 34);
VALUE(IBV_EXP_NODE_TYPE_START, 32);
VALUE(IBV_EXP_NODE_MIC, 32);
VALUE(IBV_EXP_TRANSPORT_TYPE_START, 32);
VALUE(IBV_EXP_TRANSPORT_SCIF, 32);
VALUE(IBV_REREG_MR_KEEP_VALID, 8);

VALUE(IBV_EXP_ACCESS_LOCAL_WRITE, 1);
VALUE(IBV_EXP_ACCESS_REMOTE_WRITE, 2);
VALUE(IBV_EXP_ACCESS_REMOTE_READ, 4);
VALUE(IBV_EXP_ACCESS_REMOTE_ATOMIC, 8);
VALUE(IBV_EXP_ACCESS_MW_BIND, 16);
VALUE(IBV_EXP_ACCESS_ALLOCATE_MR, 0x2000000000);
VALUE(IBV_EXP_ACCESS_SHARED_MR_USER_READ, 0x4000000000);
VALUE(IBV_EXP_ACCESS_SHARED_MR_USER_WRITE, 0x8000000000);
VALUE(IBV_EXP_ACCESS_SHARED_MR_GROUP_READ, 0x10000000000);
VALUE(IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE, 0x20000000000);
VALUE(IBV_EXP_ACCESS_SHARED_MR_OTHER_READ, 0x40000000000);
VALUE(IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE, 0x80000000000);
VALUE(IBV_EXP_ACCESS_NO_RDMA, 0x100000000000);
VALUE(IBV_EXP_ACCESS_MW_ZERO_BASED, 0x200000000000);
VALUE(IBV_EXP_ACCESS_ON_DEMAND, 0x400000000000);
VALUE(IBV_EXP_ACCESS_RELAXED, 0x800000000000);
VALUE(IBV_EXP_ACCESS_PHYSICAL_ADDR, 0x1000000000000);
VALUE(IBV_EXP_ACCESS_TUNNELED_ATOMIC, 0x2000000000000);
VALUE(IBV_EXP_ACCESS_RESERVED, 0x4000000000000);
VALUE(IBV_EXP_REG_MR_CREATE_FLAGS, 1);
VALUE(IBV_EXP_REG_MR_DM, 2);
VALUE(IBV_EXP_REG_MR_RESERVED, 4);
VALUE(IBV_EXP_REG_MR_CREATE_CONTIG, 1);
VALUE(IBV_EXP_REG_SHARED_MR_RESERVED, 1);

VALUE(IBV_EXP_REREG_MR_CHANGE_TRANSLATION, 1);
VALUE(IBV_EXP_REREG_MR_CHANGE_PD, 2);
VALUE(IBV_EXP_REREG_MR_CHANGE_ACCESS, 4);
VALUE(IBV_EXP_REREG_MR_KEEP_VALID, 8);
VALUE(IBV_EXP_REREG_MR_FLAGS_SUPPORTED, 15);
VALUE(IBV_EXP_REREG_MR_ATTR_RESERVED, 1);

VALUE(IBV_EXP_MR_SIGNATURE_EN, 1);
VALUE(IBV_EXP_MR_INDIRECT_KLMS, 2);
VALUE(IBV_EXP_MR_FIXED_BUFFER_SIZE, 4);
VALUE(IBV_EXP_UMR_MR_LIST, 0);
VALUE(IBV_EXP_UMR_REPEAT, 1);
VALUE(IBV_EXP_UMR_MR_LIST_FIXED_SIZE, 2);
VALUE(IBV_EXP_MKEY_LIST_TYPE_INDIRECT_MR, 0);
VALUE(IBV_EXP_BIND_MW_RESERVED, 1);

VALUE(IBV_EXP_WR_RDMA_WRITE, 0);
VALUE(IBV_EXP_WR_RDMA_WRITE_WITH_IMM, 1);
VALUE(IBV_EXP_WR_SEND, 2);
VALUE(IBV_EXP_WR_SEND_WITH_IMM, 3);
VALUE(IBV_EXP_WR_RDMA_READ, 4);
VALUE(IBV_EXP_WR_ATOMIC_CMP_AND_SWP, 5);
VALUE(IBV_EXP_WR_ATOMIC_FETCH_AND_ADD, 6);
VALUE(IBV_EXP_WR_LOCAL_INV, 7);
VALUE(IBV_EXP_WR_BIND_MW, 8);
VALUE(IBV_EXP_WR_SEND_WITH_INV, 9);
VALUE(IBV_EXP_WR_TSO, 0x4f);
VALUE(IBV_EXP_WR_SEND_ENABLE, 0x60);
VALUE(IBV_EXP_WR_RECV_ENABLE, 0x61);
VALUE(IBV_EXP_WR_CQE_WAIT, 0x62);
VALUE(IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP, 0x63);
VALUE(IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD, 0x64);
VALUE(IBV_EXP_WR_NOP, 0x65);
VALUE(IBV_EXP_WR_UMR_FILL, 0x66);
VALUE(IBV_EXP_WR_UMR_INVALIDATE, 0x67);
VALUE(IBV_EXP_SEND_FENCE, 1);
VALUE(IBV_EXP_SEND_SIGNALED, 2);
VALUE(IBV_EXP_SEND_SOLICITED, 4);
VALUE(IBV_EXP_SEND_INLINE, 8);
VALUE(IBV_EXP_SEND_IP_CSUM, 0x100000000);
VALUE(IBV_EXP_SEND_WITH_CALC, 0x200000000);
VALUE(IBV_EXP_SEND_WAIT_EN_LAST, 0x400000000);
VALUE(IBV_EXP_SEND_EXT_ATOMIC_INLINE, 0x800000000);

VALUE(IBV_EXP_WC_SEND, 0);
VALUE(IBV_EXP_WC_BIND_MW, 5);
VALUE(IBV_EXP_WC_LOCAL_INV, 6);
VALUE(IBV_EXP_WC_MASKED_COMP_SWAP, 9);
VALUE(IBV_EXP_WC_MASKED_FETCH_ADD, 10);
VALUE(IBV_EXP_WC_TSO, 11);
VALUE(IBV_EXP_WC_UMR, 0x100);
VALUE(IBV_EXP_WC_RECV, 0x80);
VALUE(IBV_EXP_WC_RECV_RDMA_WITH_IMM, 0x81);
VALUE(IBV_EXP_WC_RECV_NOP, 0xc5);
VALUE(IBV_EXP_WC_GRH, 1);
VALUE(IBV_EXP_WC_WITH_IMM, 2);
VALUE(IBV_EXP_WC_WITH_INV, 8);
VALUE(IBV_EXP_WC_WITH_SL, 0x1000000000);
VALUE(IBV_EXP_WC_WITH_SLID, 0x2000000000);
VALUE(IBV_EXP_WC_WITH_TIMESTAMP, 0x4000000000);
VALUE(IBV_EXP_WC_QP, 0x8000000000);
VALUE(IBV_EXP_WC_SRQ, 0x10000000000);
VALUE(IBV_EXP_WC_DCT, 0x20000000000);

VALUE(IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS, 1 << 3);
VALUE(IBV_EXP_DEVICE_ATTR_UMR, 1 << 9);
VALUE(IBV_EXP_DEVICE_ATTR_ODP, 1 << 10);
VALUE(IBV_EXP_DEVICE_ATTR_TUNNELED_ATOMIC, 1 << 30);
VALUE(IBV_EXP_DEVICE_ATTR_COMP_MASK_2, 0x80000000);
VALUE(IBV_EXP_DEVICE_ATTR_RESERVED, 0x100000000);
VALUE(IBV_EXP_DEVICE_ATTR_RESERVED_2, 4);
VALUE(IBV_EXP_DEVICE_DC_TRANSPORT, 0x100000000);
VALUE(IBV_EXP_DEVICE_NOP, 0x2000000000);
VALUE(IBV_EXP_DEVICE_UMR, 0x4000000000);
VALUE(IBV_EXP_DEVICE_ODP, 0x8000000000);
VALUE(IBV_EXP_DEVICE_MEM_WINDOW, 0x2000000000000);
VALUE(IBV_EXP_DEVICE_MEM_MGT_EXTENSIONS, 0x20000000000000);
VALUE(IBV_EXP_DEVICE_MW_TYPE_2A, 0x80000000000000);
VALUE(IBV_EXP_DEVICE_MW_TYPE_2B, 0x100000000000000);
VALUE(IBV_EXP_DEVICE_UMR_FIXED_SIZE, 0x200000000000000);
VALUE(IBV_EXP_DEVICE_MR_ALLOCATE, 0x4000000000000000);
VALUE(IBV_EXP_DEVICE_SHARED_MR, 0x8000000000000000);
VALUE(IBV_EXP_ATOMIC_HCA_REPLY_BE, 0x40);

VALUE(IBV_EXP_QP_INIT_ATTR_PD, 1);
VALUE(IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS, 1 << 2);
VALUE(IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS, 1 << 6);
VALUE(IBV_EXP_QP_INIT_ATTR_RESERVED, 1 << 7);
VALUE(IBV_EXP_QP_INIT_ATTR_RES_DOMAIN, 1 << 7);
VALUE(IBV_EXP_QP_INIT_ATTR_RESERVED1, 1 << 13);
VALUE(IBV_EXP_QP_CREATE_CROSS_CHANNEL, 1 << 2);
VALUE(IBV_EXP_QP_CREATE_UMR, 1 << 9);
VALUE(IBV_EXP_QP_CREATE_PACKET_BASED_CREDIT_MODE, 1 << 16);
VALUE(IBV_EXP_QP_CREATE_MASK, 0x13fdc);

#ifdef __x86_64__
SIZE(ibv_exp_reg_mr_in, 48);
AT(ibv_exp_reg_mr_in, exp_access, 24);
AT(ibv_exp_reg_mr_in, comp_mask, 32);
AT(ibv_exp_reg_mr_in, create_flags, 36);
AT(ibv_exp_reg_mr_in, dm, 40);
SIZE(ibv_exp_reg_shared_mr_in, 40);
AT(ibv_exp_reg_shared_mr_in, mr_handle, 0);
AT(ibv_exp_reg_shared_mr_in, pd, 8);
AT(ibv_exp_reg_shared_mr_in, addr, 16);
AT(ibv_exp_reg_shared_mr_in, exp_access, 24);
AT(ibv_exp_reg_shared_mr_in, comp_mask, 32);
SIZE(ibv_exp_create_mr_in, 32);
SIZE(ibv_exp_mr_init_attr, 16);
SIZE(ibv_exp_mem_region, 24);
SIZE(ibv_exp_mem_repeat_block, 32);
SIZE(ibv_exp_mw_bind, 72);
SIZE(ibv_exp_mw_bind_info, 32);

SIZE(ibv_exp_send_wr, 288);
AT(ibv_exp_send_wr, next, 8);
AT(ibv_exp_send_wr, sg_list, 16);
AT(ibv_exp_send_wr, num_sge, 24);
AT(ibv_exp_send_wr, exp_opcode, 28);
AT(ibv_exp_send_wr, reserved, 32);
AT(ibv_exp_send_wr, ex, 36);
AT(ibv_exp_send_wr, wr, 40);
AT(ibv_exp_send_wr, qp_type, 72);
AT(ibv_exp_send_wr, task, 80);
AT(ibv_exp_send_wr, op, 112);
AT(ibv_exp_send_wr, dc, 128);
AT(ibv_exp_send_wr, bind_mw, 152);
AT(ibv_exp_send_wr, bind_mw.rkey, 160);
AT(ibv_exp_send_wr, bind_mw.bind_info, 168);
AT(ibv_exp_send_wr, tso, 152);
AT(ibv_exp_send_wr, exp_send_flags, 200);
AT(ibv_exp_send_wr, comp_mask, 208);
AT(ibv_exp_send_wr, ext_op, 216);
AT(ibv_exp_send_wr, ext_op.umr.memory_objects, 224);
AT(ibv_exp_send_wr, ext_op.umr.exp_access, 232);
AT(ibv_exp_send_wr, ext_op.umr.modified_mr, 240);
AT(ibv_exp_send_wr, ext_op.umr.base_addr, 248);
AT(ibv_exp_send_wr, ext_op.umr.num_mrs, 256);
AT(ibv_exp_send_wr, ext_op.umr.mem_list, 264);
AT(ibv_exp_send_wr, ext_op.umr.mem_list.rb.repeat_count, 272);
AT(ibv_exp_send_wr, ext_op.umr.mem_list.rb.stride_dim, 280);

SIZE(ibv_exp_wc, 104);
AT(ibv_exp_wc, status, 8);
AT(ibv_exp_wc, exp_opcode, 12);
AT(ibv_exp_wc, vendor_err, 16);
AT(ibv_exp_wc, byte_len, 20);
AT(ibv_exp_wc, imm_data, 24);
AT(ibv_exp_wc, qp_num, 28);
AT(ibv_exp_wc, src_qp, 32);
AT(ibv_exp_wc, pkey_index, 40);
AT(ibv_exp_wc, slid, 42);
AT(ibv_exp_wc, sl, 44);
AT(ibv_exp_wc, timestamp, 48);
AT(ibv_exp_wc, qp, 56);
AT(ibv_exp_wc, srq, 64);
AT(ibv_exp_wc, dct, 72);
AT(ibv_exp_wc, exp_wc_flags, 80);

SIZE(ibv_exp_device_attr, 600);
AT(ibv_exp_device_attr, node_guid, 64);
AT(ibv_exp_device_attr, max_qp, 108);
AT(ibv_exp_device_attr, max_qp_wr, 112);
AT(ibv_exp_device_attr, reserved, 116);
AT(ibv_exp_device_attr, exp_atomic_cap, 164);
AT(ibv_exp_device_attr, max_mw, 176);
AT(ibv_exp_device_attr, max_pkeys, 224);
AT(ibv_exp_device_attr, phys_port_cnt, 227);
AT(ibv_exp_device_attr, comp_mask, 228);
AT(ibv_exp_device_attr, calc_cap, 232);
AT(ibv_exp_device_attr, timestamp_mask, 272);
AT(ibv_exp_device_attr, hca_core_clock, 280);
AT(ibv_exp_device_attr, exp_device_cap_flags, 288);
AT(ibv_exp_device_attr, inline_recv_sz, 304);
AT(ibv_exp_device_attr, ext_atom, 312);
AT(ibv_exp_device_attr, umr_caps, 328);
AT(ibv_exp_device_attr, odp_caps, 344);
AT(ibv_exp_device_attr, max_dct, 376);

SIZE(ibv_exp_qp_attr, 168);
SIZE(ibv_exp_qp_init_attr, 152);
AT(ibv_exp_qp_init_attr, cap, 32);
AT(ibv_exp_qp_init_attr, qp_type, 52);
AT(ibv_exp_qp_init_attr, comp_mask, 60);
AT(ibv_exp_qp_init_attr, pd, 64);
AT(ibv_exp_qp_init_attr, xrcd, 72);
AT(ibv_exp_qp_init_attr, exp_create_flags, 80);
AT(ibv_exp_qp_init_attr, max_inl_recv, 84);
AT(ibv_exp_qp_init_attr, qpg, 88);
AT(ibv_exp_qp_init_attr, max_atomic_arg, 104);
AT(ibv_exp_qp_init_attr, max_inl_send_klms, 108);
#endif

/* Such names stand where programs have values of the standard types. */
void *uses_names(struct ibv_qp_init_attr *attr, const struct ibv_async_event *e,
		 const struct ibv_device *device, uint32_t mask);
void *uses_names(struct ibv_qp_init_attr *attr, const struct ibv_async_event *e,
		 const struct ibv_device *device, uint32_t mask)
{
	IBV_EXP_RET_NULL_ON_INVALID_COMP_MASK(mask, 7u);
	IBV_EXP_RET_ON_INVALID_COMP_MASK(mask, 3u, attr->qp_context);
	attr->qp_type = IBV_EXP_QPT_DC_INI;
	switch ((int)e->event_type) {
	case IBV_EXP_EVENT_DCT_KEY_VIOLATION:
	case IBV_EXP_EVENT_DCT_ACCESS_ERR:
	case IBV_EXP_EVENT_DCT_REQ_ERR:
		attr->qp_type = IBV_QPT_XRC;
		break;
	default:
		break;
	}
	if ((int)device->node_type == IBV_EXP_NODE_MIC ||
	    (int)device->transport_type == IBV_EXP_TRANSPORT_SCIF)
		attr->qp_type = IBV_QPT_RAW_ETH;
	switch ((int)attr->qp_type) {
	case IBV_QPT_XRC:
	case IBV_EXP_QPT_DC_INI:
		return attr;
	default:
		return attr->srq;
	}
}
