# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# ./lab check: all that is checked automatically, in parts.
#
# Each test prints one line on standard output: "ok NAME", "FAIL NAME: why" or
# "skip NAME: why". The last line counts them. The check says where its logs
# are; a FAIL line names the log of that test.

check_usage() {
	cat <<'USAGE'
./lab check [OPTION]... [PART]...       runs all checks, or the named parts:
                                        builds, gates, unit, lab, system,
                                        judges, and with --long packages
  --suite trixie|forky    Debian suite (trixie)
  --long                  runs the long checks, too
  --only NAME             runs only the system test NAME
USAGE
}

# check_result STATUS NAME [WHY]: STATUS is ok, FAIL or skip
check_result() {
	local line="$1 $2${3:+: $3}"
	printf '%s\n' "$line" | tee -a "$CHECK_RESULTS"
}

# check_status NAME RC LOG: prints the result that the exit status RC means
check_status() {
	case $2 in
	0) check_result ok "$1" ;;
	77) check_result skip "$1" "$(tail -n 1 "$3")" ;;
	*) check_result FAIL "$1" "see $3" ;;
	esac
}

# check_machine NAME PLAN EXPRESSION: runs the plan in a machine, as VM_* tell,
# and passes its results through that expression of sed. Reports a machine that
# failed as NAME, and fails.
check_machine() {
	local findings rc=0
	mkdir -p "$VM_DIR"
	(vm_run "$2" && scan_save) | sed -u -E "$3" |
		tee -a "$CHECK_RESULTS" || rc=$?
	findings=$(cat "$VM_DIR/findings" 2>/dev/null || true)
	if [ "$rc" != 0 ] || [ -n "$findings" ]; then
		check_result FAIL "$1" \
			"${findings:+${findings//$'\n'/; } }(see $VM_DIR)"
		return 1
	fi
}

# check_build NAME FOLDER CMAKE-OPTION...
check_build() {
	local name=$1 log=$CHECK_LOG/build-$1.log rc=0
	shift
	: >"$log"
	build_locked "$log" "$@" 2>/dev/null || rc=$?
	check_status "build: $name" "$rc" "$log"
	return "$rc"
}

# check_unit_failed FLAVOUR NAME VERDICT NUMBER: with what the test said in a log
# of its own
check_unit_failed() {
	local log=$CHECK_LOG/unit-$1-${2//\//-}.log
	awk -v of=" Test +#$4: " '/^ *[0-9]+\/[0-9]+ Test +#/ { on = $0 ~ of }
		on && !/^ +Start +[0-9]+: /' "$CHECK_LOG/unit-$1.log" >"$log"
	check_result FAIL "unit: $1: $2" "$3: see $log"
}

check_unit_results() {
	local flavour=$1 number name verdict
	sed -nE 's,^ *[0-9]+/[0-9]+ Test +#([0-9]+): ([^ ]+) [. ]*(\*\*\*)?([A-Za-z]+).*,\1 \2 \4,p' \
		"$CHECK_LOG/unit-$flavour.log" |
		while read -r number name verdict; do
			case $verdict in
			Passed) check_result ok "unit: $flavour: $name" ;;
			Skipped | Not) check_result skip \
				"unit: $flavour: $name" "$verdict ($number)" ;;
			*) check_unit_failed "$flavour" "$name" "$verdict" \
				"$number" ;;
			esac
		done
}

# check_unit FLAVOUR FOLDER: runs the unit tests of the build in FOLDER
check_unit() {
	local log=$CHECK_LOG/unit-$1.log rc=0 failures
	step "unit tests, $1" "$log" build_in "$2" ctest --test-dir /mnt/build \
		-j2 --output-on-failure --timeout "$(limit 300)" 2>/dev/null || rc=$?
	failures=$(grep -c '^FAIL ' "$CHECK_RESULTS") || true
	check_unit_results "$1"
	if [ "$rc" != 0 ] && [ "$failures" = \
		"$(grep -c '^FAIL ' "$CHECK_RESULTS")" ]; then
		check_result FAIL "unit: $1" "ctest failed: see $log"
	fi
}

check_builds() {
	check_build clang "$LAB_BUILD-clang" -DCMAKE_C_COMPILER=clang \
		-DCMAKE_CXX_COMPILER=clang++ || true
}

check_units() {
	check_unit plain "$LAB_BUILD"
	if check_build sanitized "$LAB_BUILD-asan" \
		-DMLX5X_SANITIZE=address,undefined; then
		check_unit sanitized "$LAB_BUILD-asan"
	fi
}

check_gates() {
	local gate name log rc
	for gate in "$LAB_DIR"/gates/*; do
		name=$(basename "$gate")
		log=$CHECK_LOG/gate-$name.log
		rc=0
		gates_run "tests/lab/gates/$name" "$log" || rc=$?
		check_status "gate: $name" "$rc" "$log"
	done
}

# Tests that two hosts work as announced, and that the lab ends what it started.
check_lab() {
	local rc=0 log=$CHECK_LOG/lab.log
	gates_list
	{
		"$LAB_DIR/hosts" "$LAB_SRC/build" || rc=$?
		"$LAB_DIR/ends" "$LAB_TMP/gates/files" "$LAB_BUILD" \
			"$LAB_SRC/build" || rc=$?
		exit "$rc"
	} 2>"$log" | sed -u -E 's/^(ok|FAIL) /\1 lab: /' |
		tee -a "$CHECK_RESULTS" || rc=$?
	if [ -s "$log" ]; then
		check_result FAIL lab "see $log"
	elif [ "$rc" != 0 ] && ! grep -q '^FAIL lab: ' "$CHECK_RESULTS"; then
		check_result FAIL lab "the test ended with $rc"
	fi
}

check_packages() {
	local rc=0 before
	before=$(grep -c '^FAIL ' "$CHECK_RESULTS") || true
	"$LAB_SRC/lab" packages | sed -u -n -E -e '/^failed:$/,$d' \
		-e '/^(ok|FAIL|skip) packages: /p' |
		tee -a "$CHECK_RESULTS" || rc=$?
	if [ "$rc" != 0 ] && [ "$before" = \
		"$(grep -c '^FAIL ' "$CHECK_RESULTS")" ]; then
		check_result FAIL packages "./lab packages ended with $rc"
	fi
}

check_options() {
	CHECK_PARTS=()
	CHECK_LONG=0
	CHECK_ONLY=''
	while [ $# -gt 0 ]; do
		case $1 in
		--long) CHECK_LONG=1 ;;
		--suite | --only)
			if [ $# -lt 2 ]; then
				die "option $1 needs a value"
			fi
			if [ "$1" = --suite ]; then
				LAB_SUITE=$2
			else
				CHECK_ONLY=$2
			fi
			shift
			;;
		builds | gates | unit | lab | system | judges | packages)
			CHECK_PARTS+=("$1")
			;;
		*) die "unknown part or option '$1' (./lab help)" ;;
		esac
		shift
	done
	if [ ${#CHECK_PARTS[@]} = 0 ]; then
		CHECK_PARTS=(builds gates unit lab system judges)
		if [ "$CHECK_LONG" = 1 ]; then
			CHECK_PARTS+=(packages)
		fi
	fi
	suite_check
}

# check_failed: prints the failures, each with the end of the log that it names
check_failed() {
	local line log
	while read -r line; do
		printf '%s\n' "$line"
		log=${line##*see }
		if [ "$log" != "$line" ] && [ -f "$log" ]; then
			tail -n 15 "$log" | sed 's/^/    /'
		fi
	done < <(grep '^FAIL ' "$CHECK_RESULTS")
}

# check_summary BEGIN: prints the closing lines; fails if a test failed or none
# ran
check_summary() {
	local passed failed skipped
	passed=$(grep -c '^ok ' "$CHECK_RESULTS") || true
	failed=$(grep -c '^FAIL ' "$CHECK_RESULTS") || true
	skipped=$(grep -c '^skip ' "$CHECK_RESULTS") || true
	say "the check took $(seconds $(($(now_ms) - $1))) s, logs in $CHECK_LOG"
	if [ "$failed" != 0 ]; then
		echo
		echo "failed:"
		check_failed
		echo
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed" != 0 ]
}

check_main() {
	local begin part
	begin=$(now_ms)
	check_options "$@"
	CHECK_LOG=$LAB_SRC/build/log/check-$LAB_ID
	mkdir -p "$CHECK_LOG"
	CHECK_RESULTS=$CHECK_LOG/results
	: >"$CHECK_RESULTS"
	say "logs are in $CHECK_LOG"
	tree_ready
	if ! check_build gcc "$LAB_BUILD"; then
		CHECK_PARTS=(gates)
	fi
	for part in "${CHECK_PARTS[@]}"; do
		case $part in
		builds) check_builds ;;
		gates) check_gates ;;
		unit) check_units ;;
		lab) check_lab ;;
		system) system_tests ;;
		judges) check_judges ;;
		packages) check_packages ;;
		esac
	done
	check_summary "$begin"
}
