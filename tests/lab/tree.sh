# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The root tree: one Debian tree that is build root, QEMU's root and the
# guest's root.
#
# The tree lives in the cache folder. Its name holds a hash of the suite and of
# its recipe: the files in tests/lab/recipe, or in the folder that LAB_RECIPE
# names. So a changed recipe makes a new tree. A tree is made under another name
# and renamed when it is complete, so a tree that exists is whole.
#
# There are two locks. SUITE.lock is held while a tree is made. NAME.lock is
# held shared while a tree is used, and exclusively while it is removed.

LAB_RECIPE=recipe
LAB_CACHE=${MLX5X_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mlx5x}

tree_name() {
	local hash
	hash=$( (echo "$LAB_SUITE" && cat "$LAB_DIR/$LAB_RECIPE"/*) | sha256sum)
	echo "$LAB_SUITE-${hash:0:16}"
}

tree_bootstrap() {
	local mirror options=() option
	mirror=$(host_mirror)
	while read -r option; do
		options+=(--aptopt="$option")
	done < <(host_apt_options)
	unshare --mount --propagation private "$LAB_DIR/$LAB_RECIPE/bootstrap" \
		"$LAB_SUITE" "$mirror" "$1" "${options[@]}"
}

tree_make() {
	local name=$1 tmp log
	tmp=$LAB_CACHE/trees/.new-$name
	log=$(log_file "tree-$LAB_SUITE")
	rm -rf --one-file-system "$LAB_CACHE/trees/.new-$LAB_SUITE-"*
	say "making the root tree of Debian $LAB_SUITE in $LAB_CACHE (once)"
	if ! step "root tree of $LAB_SUITE" "$log" tree_bootstrap "$tmp"; then
		rm -rf --one-file-system "$tmp"
		die "the root tree was not made: see $log"
	fi
	mv "$tmp" "$LAB_CACHE/trees/$name"
}

# tree_ready: makes the tree if there is none, sets TREE, and locks the tree
# until the lab ends
tree_ready() {
	local name fd
	name=$(tree_name)
	TREE=$LAB_CACHE/trees/$name
	mkdir -p "$LAB_CACHE/trees"
	exec {fd}>"$LAB_CACHE/trees/$name.lock"
	if ! flock --shared --nonblock "$fd"; then
		say "waiting for another lab that removes this tree"
		flock --shared "$fd"
	fi
	if [ ! -d "$TREE" ]; then
		host_packages
		exec {fd}>"$LAB_CACHE/trees/$LAB_SUITE.lock"
		if ! flock --nonblock "$fd"; then
			say "waiting for another lab that makes this tree"
			flock "$fd"
		fi
		if [ ! -d "$TREE" ]; then
			tree_make "$name"
		fi
		exec {fd}>&-
	fi
	touch "$TREE.lock"
}

# Removes the trees that nobody uses. The lock files stay: another lab may be
# waiting for one, and would get a lock on a file that no third lab finds.
tree_clean() {
	local lock tree fd
	for lock in "$LAB_CACHE"/trees/*-*.lock; do
		tree=${lock%.lock}
		if [ ! -d "$tree" ]; then
			continue
		fi
		exec {fd}>"$lock"
		if flock --nonblock "$fd"; then
			say "removing $tree"
			rm -rf --one-file-system "$tree"
		else
			say "$tree is in use: left"
		fi
		exec {fd}>&-
	done
}
