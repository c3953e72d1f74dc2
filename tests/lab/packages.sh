# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# ./lab packages: builds the packages for Debian and RPM; then installs,
# enables, upgrades, disables and purges them on a system.
#
# The packages are built in a tree of its own (recipe-packages). The system is
# the root tree with an overlay in memory, which takes all changes. A virtual
# machine boots from it. The overlay is mounted in the mount namespace of the
# lab's worker and goes away with it.

packages_usage() {
	cat <<'USAGE'
./lab packages                          builds packages for Debian and RPM,
                                        installs, uses, upgrades, purges them
USAGE
}

# packages_step NAME BUILD SHARE COMMAND...: runs COMMAND in TREE with the
# folders at /mnt/build and /mnt/lab
packages_step() {
	local name=$1 build=$2 share=$3 rc=0
	local log="$CHECK_LOG/$1.log"
	shift 3
	step "$name" "$log" enter "$build" "$share" '' "$@" 2>/dev/null || rc=$?
	check_status "packages: $name" "$rc" "$log"
	return "$rc"
}

# packages_build: builds and judges the packages; TREE is the tree for that
packages_build() {
	local list=$LAB_TMP/list out=$LAB_SRC/build/packages
	local here=/mnt/src/tests/lab/packages
	mkdir -p "$list" "$out"
	gates_files >"$list/files"
	mount --bind "$PACKAGES_MAIN/opt/rdma-core" "$TREE/opt/rdma-core"
	packages_step "manual pages" "$out" "$list" $here/lint man || true
	packages_step "rpm build" "$out" "$list" $here/build-rpm \
		/mnt/lab/files || true
	packages_step "debian build" "$out" "$list" $here/build-debian \
		/mnt/lab/files || return 1
	packages_step "same files" "$out" "$list" $here/same || true
	packages_step "lintian" "$out" "$list" $here/lint debian || true
}

# packages_machine SCRIPT: runs SCRIPT in a virtual machine that has TREE as root
packages_machine() {
	local plan=$LAB_TMP/plan
	echo "/mnt/src/tests/lab/packages/$1 stock alice 300" >"$plan"
	VM_HCAS=1 VM_MODE=suite VM_PROVIDER=stock VM_USER=root VM_EXPECT=''
	VM_TIMEOUT=400 VM_DIR=$CHECK_LOG/$1
	check_machine "packages: $1: machine" "$plan" \
		's/^(ok|FAIL|skip) stock: /\1 packages: /' || true
}

# Mounts the overlay over the root tree at $PACKAGES_ROOT/root.
packages_layer() {
	PACKAGES_ROOT=$LAB_TMP/root
	mkdir "$PACKAGES_ROOT"
	mount -t tmpfs tmpfs "$PACKAGES_ROOT"
	mkdir "$PACKAGES_ROOT"/{upper,work,root}
	mount -t overlay overlay "$PACKAGES_ROOT/root" -o \
		"lowerdir=$PACKAGES_MAIN,upperdir=$PACKAGES_ROOT/upper,workdir=$PACKAGES_ROOT/work"
}

# packages_life STEP...: runs steps of packages/system until one fails
packages_life() {
	local name
	for name; do
		packages_step "$name" "$LAB_SRC/build/packages" \
			"$LAB_TMP/share" /mnt/src/tests/lab/packages/system \
			"$name" || return 1
	done
}

packages_system() {
	mkdir -p "$LAB_TMP/share"
	accel_choose
	packages_life install program || return 1
	packages_machine guest-installed
	packages_life enable upgrade || return 1
	packages_machine guest-enabled
	packages_life disable purge
}

packages_main() {
	local begin
	if [ $# != 0 ]; then
		die "./lab packages takes no options"
	fi
	begin=$(now_ms)
	CHECK_LOG=$LAB_SRC/build/log/packages-$LAB_ID
	mkdir -p "$CHECK_LOG"
	CHECK_RESULTS=$CHECK_LOG/results
	: >"$CHECK_RESULTS"
	suite_check
	tree_ready
	PACKAGES_MAIN=$TREE
	build_ready
	LAB_RECIPE=recipe-packages
	tree_ready
	if packages_build; then
		packages_layer
		TREE=$PACKAGES_ROOT/root
		packages_system || true
	fi
	check_summary "$begin"
}
