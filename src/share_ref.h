/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * References to kernel objects that several processes share.
 *
 * The kernel destroys a PD or MR when any holder of its uverbs file says so.
 * Holders count themselves by locks: each process that may destroy the object
 * holds a read lock on one byte of the device's inode, at an offset made of
 * the object's kind and hardware number.  The last one is the one that can
 * turn its read lock into a write lock, and only that one destroys.  Locks
 * belong to an open file (F_OFD_SETLK), so the kernel drops those of a process
 * that dies, however it dies; there is no daemon and no file.
 *
 * A second byte of the same object is a mutex around "upgrade, destroy,
 * unlock" and around "query, lock": without it, two that release together
 * both see the other and nobody destroys.  Anybody who may open the device
 * can lock these bytes too, so no wait is without limit; who does not get a
 * lock in time goes on as a borrower.
 *
 * A borrower uses the object and never destroys it; it then lives until the
 * last process closes the uverbs file.  An importer that finds no owner, since
 * nobody exported the object, is one: an owner that never counted itself would
 * find its object gone.
 *
 * Within a process, references to one object are counted here and stand
 * behind one lock.  A child of fork owns nothing of its parent's: references
 * that it inherits are a borrower's.
 */
#ifndef LIBMLX5X_SHARE_REF_H
#define LIBMLX5X_SHARE_REF_H

#include <stdbool.h>
#include <stdint.h>

struct mlx5x_ref;

enum mlx5x_ref_kind {
	MLX5X_REF_PD = 1,
	MLX5X_REF_MR = 2,
};

/*
 * Take a reference.  fd is an open descriptor of the uverbs file that the
 * object lives in, number its hardware number.  With import false the caller
 * owns the object; with true only if somebody else already counts as owner.
 * verify(arg) is called once the object can no longer go and tells whether it
 * is still there: 0 or an errno, which ends the call.
 *
 * 0 and *ref, or an errno: verify's, ENOMEM, EMFILE or ENFILE.  Thread safe.
 */
int mlx5x_ref_take(int fd, enum mlx5x_ref_kind kind, uint32_t number,
		   bool import, int (*verify)(void *arg), void *arg,
		   struct mlx5x_ref **ref);

/*
 * Give it back; the last of the last process calls destroy(arg).  If that
 * fails, its errno is returned and the reference stays, unless force is set.
 */
int mlx5x_ref_release(struct mlx5x_ref *ref, int (*destroy)(void *arg),
		      void *arg, bool force);

/*
 * How many forks this process is away from the first that used the library:
 * what was made at another number is the parent's.  A lock that is held around
 * calls of this file gets its fork handlers after the first call of this
 * function, since handlers run in the reverse order.  0 or ENOMEM.
 */
int mlx5x_ref_forks(unsigned int *forks);

/* Whether this reference never destroys the object. */
bool mlx5x_ref_borrowed(const struct mlx5x_ref *ref);

#endif
