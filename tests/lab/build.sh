# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds in the root tree. Each flavour (plain, clang, sanitized) has a folder
# of its own, build/SUITE or build/SUITE-FLAVOUR. The checkout is /mnt/src and the
# folder /mnt/build, in the tree as well as in the guest, so the paths inside
# the binaries hold in both. A lock allows one build at a time in a checkout.

suite_check() {
	case $LAB_SUITE in
	trixie | forky) ;;
	*) die "--suite is trixie or forky, not '$LAB_SUITE'" ;;
	esac
	LAB_BUILD=$LAB_SRC/build/$LAB_SUITE
}

# build_in FOLDER COMMAND...: runs COMMAND in the tree, with FOLDER as
# /mnt/build
build_in() {
	local folder=$1
	shift
	enter "$folder" '' '' "$@"
}

# build_flavour FOLDER CMAKE-OPTION...: configures if that was not done before,
# then builds
build_flavour() {
	local folder=$1
	shift
	mkdir -p "$folder"
	if [ ! -e "$folder/build.ninja" ]; then
		(build_in "$folder" cmake -GNinja -S /mnt/src -B /mnt/build \
			-DRDMA_CORE_SOURCE=/opt/rdma-core -DMLX5X_TESTS=ON \
			-DCMAKE_COMPILE_WARNING_AS_ERROR=ON "$@")
	fi
	(build_in "$folder" ninja -k 0 -C /mnt/build)
}

# build_locked LOG FOLDER CMAKE-OPTION...: build_flavour under the lock
build_locked() {
	local log=$1 folder=$2 fd
	shift
	mkdir -p "$LAB_SRC/build"
	exec {fd}>"$LAB_SRC/build/lock"
	if ! flock --nonblock "$fd"; then
		say "waiting for another build in this checkout"
		flock "$fd"
	fi
	if ! step "building ${folder#"$LAB_SRC/"}" "$log" build_flavour "$@"
	then
		return 1
	fi
	exec {fd}>&-
}

build_ready() {
	mkdir -p "$LAB_SRC/build/log"
	local log=$LAB_SRC/build/log/build-$LAB_SUITE.log
	: >"$log"
	build_locked "$log" "$LAB_BUILD" || die "the build failed: see $log"
}

build_main() {
	while [ $# -gt 0 ]; do
		case $1 in
		--suite)
			LAB_SUITE=${2-}
			shift 2 || die "option --suite needs a value"
			;;
		*) die "unknown option '$1' (./lab help)" ;;
		esac
	done
	suite_check
	tree_ready
	build_ready
	say "built in $LAB_BUILD, log in build/log/build-$LAB_SUITE.log"
}
