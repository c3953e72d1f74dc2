// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbell records: eight bytes of memory from which the device reads the
 * producer index of a queue or the consumer index of a CQ.
 *
 * The kernel pins the page of each record, so records share pages.  Each
 * record has a cache line of its own, so that two queues never write to the
 * same line.  The first line of a page is its header.  The free records of a
 * page are linked through their own memory, and the page of a record is found
 * by rounding its address down.  Allocate and free are O(1).  A page is freed
 * with its last record, unless it is the only page that has a free record.
 */
#include <errno.h>
#include <string.h>
#include "ops.h"

enum {
	LINE = 64,
	END = UINT16_MAX,
};

struct page {
	struct list_node entry;
	struct mlx5x_buf mem;
	uint16_t free; /* number of the first line that is free */
	uint16_t used;
};

static_assert(sizeof(struct page) <= LINE, "page header");
static_assert((int)MLX5X_DBREC_SIZE <= (int)LINE, "doorbell record");

static uint16_t *next_of(struct page *page, uint16_t line)
{
	return (uint16_t *)((uint8_t *)page + (size_t)line * LINE);
}

void mlx5x_dbrecs_init(struct mlx5x_context *ctx)
{
	pthread_mutex_init(&ctx->dbrecs.lock, NULL);
	list_head_init(&ctx->dbrecs.pages);
}

static void free_page(struct page *page)
{
	struct mlx5x_buf mem = page->mem;

	mlx5x_buf_free(&mem);
}

void mlx5x_dbrecs_fini(struct mlx5x_context *ctx)
{
	struct page *page;

	while ((page = list_pop(&ctx->dbrecs.pages, struct page, entry)))
		free_page(page);
	pthread_mutex_destroy(&ctx->dbrecs.lock);
}

static struct page *alloc_page(struct mlx5x_context *ctx)
{
	struct mlx5x_buf mem;
	struct page *page;
	uint16_t lines = ctx->page_size / LINE;
	uint16_t i;

	if (mlx5x_buf_alloc(ctx, &mem, ctx->page_size))
		return NULL;
	page = mem.addr;
	page->mem = mem;
	page->used = 0;
	page->free = 1;
	for (i = 1; i < lines; i++)
		*next_of(page, i) = i + 1 < lines ? i + 1 : END;
	list_add(&ctx->dbrecs.pages, &page->entry);
	return page;
}

__be32 *mlx5x_dbrec_alloc(struct mlx5x_context *ctx)
{
	struct page *page;
	uint16_t *record = NULL;

	pthread_mutex_lock(&ctx->dbrecs.lock);
	page = list_top(&ctx->dbrecs.pages, struct page, entry);
	if (!page)
		page = alloc_page(ctx);
	if (page) {
		record = next_of(page, page->free);
		page->free = *record;
		page->used++;
		if (page->free == END)
			list_del(&page->entry);
		memset(record, 0, MLX5X_DBREC_SIZE);
	}
	pthread_mutex_unlock(&ctx->dbrecs.lock);
	return (__be32 *)record;
}

void mlx5x_dbrec_free(struct mlx5x_context *ctx, __be32 *dbrec)
{
	uintptr_t addr = (uintptr_t)dbrec;
	struct page *page = (struct page *)(addr & ~(ctx->page_size - 1));

	pthread_mutex_lock(&ctx->dbrecs.lock);
	if (page->free == END)
		list_add_tail(&ctx->dbrecs.pages, &page->entry);
	*(uint16_t *)dbrec = page->free;
	page->free = (addr & (ctx->page_size - 1)) / LINE;
	if (!--page->used && (ctx->dbrecs.pages.n.next != &page->entry ||
			      ctx->dbrecs.pages.n.prev != &page->entry)) {
		list_del(&page->entry);
		free_page(page);
	}
	pthread_mutex_unlock(&ctx->dbrecs.lock);
}
