// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attaches to the shared MR of another process and prints the text at its
 * beginning.
 *
 *	smr_attach HANDLE
 *
 * This process registers the memory too, with rights of its own.  With
 * IBV_EXP_ACCESS_NO_RDMA the memory would only be mapped.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <infiniband/verbs_exp.h>

int main(int argc, char **argv)
{
	struct ibv_exp_reg_shared_mr_in in = { .exp_access = 0 };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	struct ibv_mr *mr;

	if (argc != 2 || !list || !list[0])
		errx(2, "usage: smr_attach HANDLE");
	context = ibv_open_device(list[0]);
	in.pd = context ? ibv_alloc_pd(context) : NULL;
	if (!in.pd)
		err(1, "device");
	in.mr_handle = (uint32_t)strtoul(argv[1], NULL, 0);
	mr = ibv_exp_reg_shared_mr(&in);
	if (!mr)
		err(1, "handle %s", argv[1]);
	printf("board: %.*s\n", (int)mr->length, (const char *)mr->addr);
	/* Unmaps it.  The memory stays until the last process leaves it. */
	if (ibv_dereg_mr(mr) || ibv_dealloc_pd(in.pd) ||
	    ibv_close_device(context))
		err(1, "destroy");
	ibv_free_device_list(list);
	return 0;
}
