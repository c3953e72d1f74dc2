#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Proves that the public headers compile with all warnings of gcc and clang:
# each alone, together with the headers that programs combine them with, in any
# order, and as each language standard that old and new sources use. Also that
# the layout is the vendor's, and that a source which includes only verbs.h
# finds everything with the flags for such sources.
set -eu

include=$1
layout=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# mlx5dv.h of the system needs more than strict ISO C offers.
flags="-Wall -Wextra -Werror -D_DEFAULT_SOURCE -fsyntax-only -I$include"
compilers=0
compiled=0

# compile COMPILER LANGUAGE STANDARD FILE [FLAG...]
compile() {
	cc=$1 lang=$2 std=$3 file=$4
	shift 4
	# shellcheck disable=SC2086
	if ! "$cc" $flags "$@" -x "$lang" -std="$std" "$file"; then
		echo "$cc -std=$std: $file:" >&2
		cat "$file" >&2
		exit 1
	fi
	compiled=$((compiled + 1))
}

# Every order of the arguments, one a line.
orders() {
	if [ $# = 0 ]; then
		echo
		return
	fi
	for first; do
		rest=
		for other; do
			[ "$other" = "$first" ] || rest="$rest $other"
		done
		# shellcheck disable=SC2086
		orders $rest | sed "s|^|$first |"
	done
}

for header in "$include"/infiniband/*.h; do
	name=$(basename "$header")
	printf '#include <infiniband/%s>\n#include <infiniband/%s>\n' \
		"$name" "$name" >"$tmp/alone-$name"
done
n=0
orders infiniband/verbs.h infiniband/verbs_exp.h infiniband/mlx5dv.h \
	rdma/rdma_verbs.h >"$tmp/orders"
first=$(head -n 1 "$tmp/orders")
last=$(tail -n 1 "$tmp/orders")
for header in verbs_share verbs_mkey; do
	echo "infiniband/$header.h $first"
	echo "$last infiniband/$header.h"
done >>"$tmp/orders"
while read -r order; do
	n=$((n + 1))
	for header in $order; do
		echo "#include <$header>"
	done >"$tmp/order-$((n % 2))-$n"
done <"$tmp/orders"
[ $n = 28 ]
cat >"$tmp/old-source" <<'END'
#include <infiniband/verbs.h>
#ifndef IBV_EXP_DEVICE_ATTR_RESERVED
#error no experimental verbs
#endif
struct ibv_mr *share(struct ibv_pd *pd, int (**dereg)(struct ibv_mr *));
struct ibv_mr *share(struct ibv_pd *pd, int (**dereg)(struct ibv_mr *))
{
	struct ibv_exp_reg_mr_in in = { pd, 0, 1 << 20,
		IBV_EXP_ACCESS_LOCAL_WRITE | IBV_EXP_ACCESS_ALLOCATE_MR |
		IBV_EXP_ACCESS_SHARED_MR_USER_READ, 0, 0, 0 };
	struct ibv_mr *mr = ibv_exp_reg_mr(&in);

	*dereg = ibv_dereg_mr;
	if (mr && mr->length != 1 << 20)
		ibv_dereg_mr(mr);
	return ibv_reg_mr(pd, 0, 1 << 20, IBV_ACCESS_LOCAL_WRITE |
			  IBV_ACCESS_ALLOCATE_MR);
}
END

# With verbs_share.h the imports are told apart by their arguments.
cat >"$tmp/share-source" <<'END'
#include <infiniband/verbs_share.h>
struct table {
	struct ibv_pd *(*ibv_import_pd)(struct ibv_context *, uint32_t);
	struct ibv_mr *(*ibv_import_mr)(struct ibv_pd *, uint32_t);
};
struct ibv_mr *from_fd(struct ibv_context *c, struct ibv_pd **pd);
struct ibv_mr *from_fd(struct ibv_context *c, struct ibv_pd **pd)
{
	struct ibv_pd *(*two)(struct ibv_context *, uint32_t) = ibv_import_pd;
	struct table table = { (ibv_import_pd), &ibv_import_mr };
	uint32_t handle, fd = ibv_context_to_fd(c);

	*pd = table.ibv_import_pd(ibv_import_pd(c, 1)->context, 2);
	if (table.ibv_import_mr(*pd, 3))
		*pd = ibv_import_pd(ibv_import_pd(c, fd, 4)->context, fd, 5);
	*pd = ibv_import_pd(c, 1);
	*pd = ibv_import_pd(c, fd, ibv_pd_to_handle(two(c, (2, 3))));
	if (ibv_export_to_fd(fd, &handle, c, UVERBS_OBJECT_MR,
			     ibv_mr_to_handle(ibv_import_mr(*pd, 7))))
		return ibv_import_mr(*pd, 8);
	return ibv_import_mr((*pd)->context, fd, handle);
}
END

# Another number of arguments does not compile.
for arguments in '' c c,1,2,3 c,1,2,3,4; do
	printf '#include <infiniband/verbs_share.h>\n%s\n%s{ ibv_import_pd(%s); }\n' \
		'void wrong(struct ibv_context *c);' \
		'void wrong(struct ibv_context *c)' "$arguments" \
		>"$tmp/wrong-$arguments"
done

# check COMPILER LANGUAGE ORDERS COMMON STANDARD...: everything as COMMON, the
# main things as each STANDARD
check() {
	cc=$1 lang=$2 orders=$3 common=$4
	shift 4
	command -v "$cc" >/dev/null || return 0
	compilers=$((compilers + 1))
	for file in "$tmp"/alone-* "$tmp"/$orders; do
		compile "$cc" "$lang" "$common" "$file"
	done
	compile "$cc" "$lang" "$common" "$layout"
	for file in "$tmp"/wrong-*; do
		# shellcheck disable=SC2086
		! "$cc" $flags -Wno-error -x "$lang" -std="$common" "$file" \
			2>/dev/null || exit 1
	done
	for std; do
		compile "$cc" "$lang" "$std" "$tmp/order-1-1"
		compile "$cc" "$lang" "$std" "$tmp/share-source" -pedantic \
			-Wno-unused-value
		compile "$cc" "$lang" "$std" "$tmp/alone-verbs_share.h"
		compile "$cc" "$lang" "$std" "$tmp/alone-verbs_exp.h"
		compile "$cc" "$lang" "$std" "$tmp/alone-verbs_mkey.h" -pedantic
		compile "$cc" "$lang" "$std" "$tmp/old-source" \
			-I"$include/exp"
	done
}

# language LANGUAGE GCC CLANG COMMON STANDARD...: with the compilers that are
# there. Whether an order compiles is a matter of the language, so two compilers
# share the orders.
language() {
	lang=$1 gcc=$2 clang=$3
	shift 3
	if ! command -v "$clang" >/dev/null; then
		check "$gcc" "$lang" 'order-*' "$@"
	elif ! command -v "$gcc" >/dev/null; then
		check "$clang" "$lang" 'order-*' "$@"
	else
		check "$gcc" "$lang" 'order-0-*' "$@"
		check "$clang" "$lang" 'order-1-*' "$@"
	fi
}

language c gcc clang gnu17 c99 c11 c17 gnu99
language c++ g++ clang++ gnu++17 c++11 c++14 c++17
[ $compilers -gt 0 ]
echo "$compiled compilations by $compilers compilers"
