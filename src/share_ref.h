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
 * can lock these bytes too, so every wait has a limit; a process that does not
 * get a lock in time goes on as a borrower.
 *
 * A borrower uses the object and never destroys it; the object then lives until
 * the last process closes the uverbs file.  An importer that finds no lock of
 * an owner is a borrower: the owner never exported the object and so never
 * counted itself, and must not find it destroyed.
 *
 * Within a process, this file counts the references to an object, and they
 * share one lock.  A child of fork owns nothing of its parent's: the references
 * that it inherits are those of a borrower.
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
 * owns the object; with true it does so only if somebody else already counts as
 * an owner.  verify(arg) is called when nobody can destroy the object any more.
 * It tells whether the object still exists: 0, or an errno that ends the call.
 *
 * Returns 0 and sets *ref, or returns an errno: verify's, ENOMEM, EMFILE or
 * ENFILE.  Thread safe.
 */
int mlx5x_ref_take(int fd, enum mlx5x_ref_kind kind, uint32_t number,
		   bool import, int (*verify)(void *arg), void *arg,
		   struct mlx5x_ref **ref);

/*
 * Give a reference back.  The last reference of the last process calls
 * destroy(arg).  If destroy fails, its errno is returned and the reference
 * stays, unless force is set.
 */
int mlx5x_ref_release(struct mlx5x_ref *ref, int (*destroy)(void *arg),
		      void *arg, bool force);

/*
 * Set *forks to the number of forks between the first process that used the
 * library and this one: an object that was made at another number is the
 * parent's.  A caller that holds a lock of its own around calls of this file
 * must register the lock's fork handlers after its first call of this function,
 * because handlers run in the reverse order.  Returns 0 or ENOMEM.
 */
int mlx5x_ref_forks(unsigned int *forks);

/* Whether this reference never destroys the object. */
bool mlx5x_ref_borrowed(const struct mlx5x_ref *ref);

#endif
