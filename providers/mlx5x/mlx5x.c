// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The provider's face to libibverbs and libmlx5x: which devices it serves, and
 * the tables of operations of each context.  libibverbs answers an operation
 * that is not in its table with EOPNOTSUPP.
 */
#include <stdlib.h>
#include <unistd.h>
#include "ops.h"
#include "share.h"
#include "umr.h"
#include <rdma/ib_user_ioctl_verbs.h> /* behind verbs.h, which it adapts to */

#define HCA(id) VERBS_PCI_MATCH(0x15b3, id, NULL)

static const struct verbs_match_ent match_table[] = {
	VERBS_DRIVER_ID(RDMA_DRIVER_MLX5),
	HCA(0x1011), /* Connect-IB */
	HCA(0x1012), /* Connect-IB VF */
	HCA(0x1013), /* ConnectX-4 */
	HCA(0x1014), /* ConnectX-4 VF */
	HCA(0x1015), /* ConnectX-4 Lx */
	HCA(0x1016), /* ConnectX-4 Lx VF */
	HCA(0x1017), /* ConnectX-5 */
	HCA(0x1018), /* ConnectX-5 VF */
	HCA(0x1019), /* ConnectX-5 Ex */
	HCA(0x101a), /* ConnectX-5 Ex VF */
	HCA(0x101b), /* ConnectX-6 */
	HCA(0x101c), /* ConnectX-6 VF */
	HCA(0x101d), /* ConnectX-6 Dx */
	HCA(0x101e), /* VF of ConnectX-6 Dx and later */
	HCA(0x101f), /* ConnectX-6 Lx */
	HCA(0x1021), /* ConnectX-7 */
	HCA(0x1023), /* ConnectX-8 */
	HCA(0x1025), /* ConnectX-9 */
	HCA(0xa2d2), /* BlueField */
	HCA(0xa2d3), /* BlueField VF */
	HCA(0xa2d6), /* BlueField-2 */
	HCA(0xa2dc), /* BlueField-3 */
	HCA(0xa2df), /* BlueField-4 */
	{},
};

static const struct verbs_context_ops mlx5x_ops = {
	.alloc_mw = mlx5x_alloc_mw,
	.alloc_null_mr = mlx5x_alloc_null_mr,
	.alloc_parent_domain = mlx5x_alloc_parent_domain,
	.alloc_pd = mlx5x_alloc_pd,
	.alloc_td = mlx5x_alloc_td,
	.bind_mw = mlx5x_bind_mw,
	.cq_event = mlx5x_cq_event,
	.create_ah = mlx5x_create_ah,
	.create_cq = mlx5x_create_cq,
	.create_cq_ex = mlx5x_create_cq_ex,
	.create_qp = mlx5x_create_qp,
	.create_qp_ex = mlx5x_create_qp_ex,
	.create_srq = mlx5x_create_srq,
	.create_srq_ex = mlx5x_create_srq_ex,
	.dealloc_mw = mlx5x_dealloc_mw,
	.dealloc_pd = mlx5x_dealloc_pd,
	.dealloc_td = mlx5x_dealloc_td,
	.dereg_mr = mlx5x_dereg_mr,
	.destroy_ah = mlx5x_destroy_ah,
	.destroy_cq = mlx5x_destroy_cq,
	.destroy_qp = mlx5x_destroy_qp,
	.destroy_srq = mlx5x_destroy_srq,
	.free_context = mlx5x_free_context,
	.get_srq_num = mlx5x_get_srq_num,
	.import_mr = mlx5x_import_mr,
	.import_pd = mlx5x_import_pd,
	.modify_qp = mlx5x_modify_qp,
	.modify_srq = mlx5x_modify_srq,
	.poll_cq = mlx5x_poll_cq,
	.post_recv = mlx5x_post_recv,
	.post_send = mlx5x_post_send,
	.post_srq_recv = mlx5x_post_srq_recv,
	.query_device_ex = mlx5x_query_device_ex,
	.query_port = mlx5x_query_port,
	.query_qp = mlx5x_query_qp,
	.query_srq = mlx5x_query_srq,
	.reg_mr = mlx5x_reg_mr,
	.req_notify_cq = mlx5x_req_notify_cq,
	.rereg_mr = mlx5x_rereg_mr,
	.resize_cq = mlx5x_resize_cq,
	.unimport_mr = mlx5x_unimport_mr,
	.unimport_pd = mlx5x_unimport_pd,
};

const struct verbs_exp_ops mlx5x_exp_ops = {
	.size = sizeof(struct verbs_exp_ops),
	.generation = VERBS_EXP_OPS_GENERATION,
	.reg_smr = mlx5x_reg_smr,
	.swap_smr = mlx5x_swap_smr,
	.export_to_fd = mlx5x_export_to_fd,
	.import_pd_fd = mlx5x_import_pd_fd,
	.import_mr_fd = mlx5x_import_mr_fd,
	.mr_handle = mlx5x_mr_handle,
	.query_umr = mlx5x_query_umr,
	.create_mkey = mlx5x_mkey_create,
	.mkey_entries = mlx5x_mkey_entries,
	.alloc_mkey_list = mlx5x_mkey_list_alloc,
	.free_mkey_list = mlx5x_mkey_list_free,
	.create_umr_qp = mlx5x_create_qp_umr,
	.exp_post_send = mlx5x_exp_post_send,
	.wr_mkey_list = mlx5x_mkey_wr_list,
	.wr_mkey_interleaved = mlx5x_mkey_wr_interleaved,
	.wr_mkey_invalidate = mlx5x_mkey_wr_invalidate,
};

struct verbs_context *mlx5x_alloc_context(struct ibv_device *device, int cmd_fd,
					  void *private_data)
{
	const struct mlx5x_opening opening = {
		.ops = &mlx5x_ops,
		.exp_ops = &mlx5x_exp_ops,
		.private_data = private_data,
	};

	return mlx5x_open_context(device, cmd_fd, &opening);
}

struct verbs_context *mlx5x_import_context(struct ibv_device *device,
					   int cmd_fd)
{
	const struct mlx5x_opening opening = {
		.ops = &mlx5x_ops,
		.exp_ops = &mlx5x_exp_ops,
		.import = true,
	};

	return mlx5x_open_context(device, cmd_fd, &opening);
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct mlx5x_device *dev = calloc(1, sizeof(*dev));

	(void)sysfs_dev;
	return dev ? &dev->vdev : NULL;
}

static void uninit_device(struct verbs_device *vdev)
{
	free(container_of(vdev, struct mlx5x_device, vdev));
}

const struct verbs_device_ops mlx5x_device_ops = {
	.name = "mlx5x",
	.match_min_abi_version = 1,
	.match_max_abi_version = 1,
	.match_table = match_table,
	.alloc_context = mlx5x_alloc_context,
	.alloc_device = alloc_device,
	.import_context = mlx5x_import_context,
	.uninit_device = uninit_device,
};

PROVIDER_DRIVER(mlx5x, mlx5x_device_ops);
