#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Proves that each function that libmlx5x exports has a manual page of its name,
# and that the examples of the pages and the program in README compile.
#
# check-man.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rc=0

fault() {
	echo "$*"
	rc=1
}

functions=$(sed -n '/^MLX5X_1/,/local:/s/^[[:space:]]*\([a-z0-9_]*\);$/\1/p' \
	"$source/src/libmlx5x.map" | grep -E '^(ibv|mlx5x)_')
[ "$(echo "$functions" | wc -l)" -gt 60 ] || fault "too few functions found"
for f in $functions; do
	page=$source/man/$f.3
	if [ ! -e "$page" ]; then
		fault "$f has no page"
		continue
	fi
	target=$(sed -n 's/^\.so //p' "$page")
	if [ -n "$target" ]; then
		page=$source/man/${target#man3/}
	fi
	if ! grep -qs "^\.Nm $f\( ,\)\{0,1\}$" "$page"; then
		fault "$page does not name $f"
	fi
done

cat >"$work/prelude.h" <<'END'
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs_exp.h>
#include <infiniband/verbs_mkey.h>
#include <infiniband/verbs_share.h>
#define EXAMPLE(name)                                                     \
	void name(struct ibv_device *device, struct ibv_context *context, \
		  struct ibv_pd *pd, struct ibv_qp *qp, struct ibv_cq *cq, \
		  struct ibv_mr *mr, struct ibv_mr *key, struct ibv_mw *mw, \
		  uint32_t fd, uint32_t pd_handle, uint32_t mr_handle,    \
		  char **argv);                                           \
	void name(struct ibv_device *device, struct ibv_context *context, \
		  struct ibv_pd *pd, struct ibv_qp *qp, struct ibv_cq *cq, \
		  struct ibv_mr *mr, struct ibv_mr *key, struct ibv_mw *mw, \
		  uint32_t fd, uint32_t pd_handle, uint32_t mr_handle,    \
		  char **argv)
END

# compiles FILE: without a warning, which would be in log
compiles() {
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I"$work" \
		-I"$source/include" -Wno-unused-variable \
		-Wno-unused-parameter -Wno-unused-but-set-variable \
		"$1" >"$work/log" 2>&1
}

# Each literal block of EXAMPLES becomes a function.
examples=0
for page in "$source"/man/*.3; do
	grep -q '^\.Sh EXAMPLES' "$page" || continue
	examples=$((examples + 1))
	{
		echo '#include "prelude.h"'
		awk '/^\.Sh/ { on = $2 == "EXAMPLES" }
			on && /^\.Bd/ { print "EXAMPLE(example" ++n ") {{"
				in_block = 1; next }
			on && /^\.Ed/ { print "}}"; in_block = 0; next }
			in_block { gsub(/\\e/, "\\"); gsub(/\\-/, "-"); print }
		' "$page"
	} >"$work/example.c"
	if ! compiles "$work/example.c"; then
		fault "$page: its example does not compile: $(head -n 3 "$work/log")"
	fi
done
[ "$examples" -gt 10 ] || fault "only $examples pages have examples"

awk '/^[`]+c$/ { on = 1; next } /^[`]+$/ { on = 0 } on' "$source/README.md" \
	>"$work/readme.c"
grep -q '^int main' "$work/readme.c" || fault "README.md has no program"
if ! compiles "$work/readme.c"; then
	fault "README.md: its program does not compile: $(head -n 3 "$work/log")"
fi
exit $rc
