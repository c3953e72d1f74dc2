# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Running a command in the root tree by chroot.
#
# Each command has a mount namespace of its own. It finds there
#   /mnt/src    the checkout, read-only
#   /mnt/build  the build folder
#   /mnt/lab    a folder of the run
#   /mnt/host   a folder of the host, which the guest will see
#   /mnt/tree   the tree once more, as the guest will see it
# The tree's root is a mount point, because commands that make namespaces of
# their own need that. The shells that set all this up become the command, so
# the command is the caller's child. It dies when the caller dies.

enter_mounts() {
	local tree=$1 src=$2 build=$3 lab=$4 host=$5
	# Recursive: the packages' tree has a mount of the caller below it.
	mount --rbind "$tree" "$tree"
	mount --bind "$tree" "$tree/mnt/tree"
	mount -o remount,bind,ro "$tree/mnt/tree"
	mount --bind "$src" "$tree/mnt/tree/mnt/src"
	mount --bind "$build" "$tree/mnt/tree/mnt/build"
	mount --bind "$src" "$tree/mnt/src"
	mount -o remount,bind,ro "$tree/mnt/src"
	mount --bind "$build" "$tree/mnt/build"
	if [ -n "$lab" ]; then
		mount --bind "$lab" "$tree/mnt/lab"
	fi
	if [ -n "$host" ]; then
		mount --bind "$host" "$tree/mnt/host"
	fi
	mount -t proc proc "$tree/proc"
	mount --rbind /dev "$tree/dev"
	mount -t tmpfs tmpfs "$tree/dev/shm"
	mount -t tmpfs tmpfs "$tree/tmp"
}

# enter BUILD LAB HOST COMMAND...: runs COMMAND in the tree; LAB and HOST may
# be empty
enter() {
	local build=$1 lab=$2 host=$3
	shift 3
	export -f enter_mounts
	# shellcheck disable=SC2016 # expanded by the inner shell
	exec setpriv --pdeathsig KILL unshare --mount --ipc \
		--propagation private bash -euc '
		enter_mounts "$1" "$2" "$3" "$4" "$5"
		tree=$1
		shift 5
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LC_ALL=C.UTF-8 TERM="${TERM:-dumb}" \
			chroot "$tree" "$@"
		' _ "$TREE" "$LAB_SRC" "$build" "$lab" "$host" "$@"
}
