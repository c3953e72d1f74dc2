# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# ./lab judges: old programs, written by others, judge verbs_exp.h.
#
# The lab builds each program that it finds in a folder, with the flags of
# "pkg-config libmlx5x-exp", and leaves the sources unchanged. It runs those
# that judges/run.sh knows in a virtual machine, with all their options. The
# programs are not part of this project. Known are shared_mr and umr_rc, from
# the folder "examples" of the vendor's library.

judges_usage() {
	cat <<'USAGE'
./lab judges DIR                        builds the old programs found in DIR
                                        against infiniband/verbs_exp.h, and
                                        runs those that it knows; ./lab check
                                        does so with DIR from MLX5X_JUDGES
USAGE
}

# judges_build DIR: builds into build/SUITE/judges, where the file "list" names
# the programs that were built
judges_build() {
	local log=$CHECK_LOG/judges-build.log rc=0
	step "building the judges" "$log" enter "$LAB_BUILD" "$1" '' \
		/mnt/src/tests/lab/judges/build 2>/dev/null || rc=$?
	sed -nE 's/^(ok|FAIL) (.*)/\1 judges: \2/p' "$log" |
		tee -a "$CHECK_RESULTS"
	if [ "$rc" != 0 ]; then
		check_result FAIL "judges: build" "see $log"
	fi
}

judges_machine() {
	local plan=$LAB_TMP/plan provider
	for provider in mlx5x stock; do
		echo "/mnt/src/tests/lab/judges/run.sh $provider alice 900"
	done >"$plan"
	VM_HCAS=1 VM_MODE=suite VM_PROVIDER=stock VM_USER=root VM_EXPECT=''
	VM_TIMEOUT=1900 VM_DIR=$CHECK_LOG/judges
	check_machine "judges: machine" "$plan" \
		's/^(ok|FAIL|skip) /\1 judges: /' || true
}

# judges_all DIR: builds and runs; appends to the check's results
judges_all() {
	judges_build "$1"
	if [ -s "$LAB_BUILD/judges/list" ]; then
		accel_choose
		judges_machine
	fi
}

judges_main() {
	local begin dir
	begin=$(now_ms)
	if [ $# != 1 ]; then
		die "./lab judges takes one folder (./lab help)"
	fi
	if [ ! -d "$1" ]; then
		die "no folder $1"
	fi
	dir=$(realpath "$1")
	CHECK_LOG=$LAB_SRC/build/log/judges-$LAB_ID
	mkdir -p "$CHECK_LOG"
	CHECK_RESULTS=$CHECK_LOG/results
	: >"$CHECK_RESULTS"
	suite_check
	tree_ready
	build_ready
	judges_all "$dir"
	check_summary "$begin"
}

# The part of ./lab check.
check_judges() {
	if [ -z "${MLX5X_JUDGES:-}" ]; then
		check_result skip judges "MLX5X_JUDGES names no folder of sources"
	elif [ ! -d "$MLX5X_JUDGES" ]; then
		check_result skip judges "no folder $MLX5X_JUDGES"
	else
		judges_all "$(realpath "$MLX5X_JUDGES")"
	fi
}
