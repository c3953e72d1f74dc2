#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Proves that every function that the public headers declare links, in C and in
# C++; that the library exports these, those for the plugin, and nothing else;
# and that it uses only the public symbols of libibverbs.
set -eu

include=$1
library=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat "$include"/infiniband/*.h | gcc -fpreprocessed -E -P -x c - |
	tr '\n' ' ' | sed 's|[;{}]|\n|g' |
	grep -oE '\b((ibv_exp|ibv_reg_shared|mlx5x)_[a-z0-9_]+|ibv_export_to_fd|ibv_import_[a-z]+_fd|ibv_[a-z]+_to_(fd|handle)) ?\(' |
	tr -d ' (' | sort -u >"$tmp/declared"
# Redirections are not declarations.
[ "$(wc -l <"$tmp/declared")" -ge 60 ]

nm -D --defined-only --with-symbol-versions "$library" |
	sed -n 's/.* [TD] \([^@]*\)@@MLX5X_1\.0$/\1/p' | sort >"$tmp/exported"
diff "$tmp/declared" "$tmp/exported"

nm -D --defined-only --with-symbol-versions "$library" |
	sed -n 's/.* [A-Z] //p' | grep -v '@@MLX5X_1\.0$' |
	sort >"$tmp/others"
cat >"$tmp/expected" <<'END'
MLX5X_1.0
MLX5X_PRIVATE_1
mlx5x_ref_borrowed@@MLX5X_PRIVATE_1
mlx5x_ref_forks@@MLX5X_PRIVATE_1
mlx5x_ref_release@@MLX5X_PRIVATE_1
mlx5x_ref_take@@MLX5X_PRIVATE_1
mlx5x_register_context@@MLX5X_PRIVATE_1
mlx5x_smr_release@@MLX5X_PRIVATE_1
mlx5x_smr_withdraw@@MLX5X_PRIVATE_1
mlx5x_unregister_context@@MLX5X_PRIVATE_1
END
diff "$tmp/expected" "$tmp/others"

if nm -D --undefined-only --with-symbol-versions "$library" |
	grep -i 'ibverbs_private\|@MLX'; then
	echo "private symbols" >&2
	exit 1
fi

{
	echo '#include <infiniband/verbs_exp.h>'
	echo '#include <infiniband/verbs_mkey.h>'
	echo '#include <infiniband/verbs_share.h>'
	echo 'typedef void (*function)(void);'
	echo 'extern const function all[];'
	echo 'const function all[] = {'
	sed 's/.*/	(function)&,/' "$tmp/declared"
	echo '};'
	echo 'int main(void) { return !all[0]; }'
} >"$tmp/all.c"
cp "$tmp/all.c" "$tmp/all.cc"
for cc in gcc g++; do
	case $cc in
	gcc) source=$tmp/all.c ;;
	g++) source=$tmp/all.cc ;;
	esac
	$cc -Wall -Wextra -Wno-cast-function-type -Werror -I"$include" \
		"$source" -o "$tmp/all" "$library" -libverbs
	LD_LIBRARY_PATH=$(dirname "$library") "$tmp/all"
done
echo "$(wc -l <"$tmp/declared") functions"
