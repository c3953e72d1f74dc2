# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# ./lab run and ./lab shell: one command, or an interactive shell, in a virtual
# machine or in each of two.

run_usage() {
	cat <<'USAGE'
./lab run [OPTION]... -- COMMAND...     runs COMMAND in a virtual machine
./lab shell [OPTION]...                 opens a shell in a virtual machine
  --provider mlx5x|stock  the verbs provider (mlx5x)
  --vms 1|2               number of virtual machines, see below (1)
  --hcas N                number of emulated HCAs of each machine (1)
  --mount HOSTDIR         shows HOSTDIR at /mnt/host, read-write
  --user NAME             root, alice or bob, without a memlock limit (root)
  --mem SIZE --smp N      memory and CPUs of the machine (1G, 2)
  --suite trixie|forky    Debian suite (trixie)
  --timeout S             seconds until the machine is ended, 0: never (1200 on
                          an idle host, more on a busy one)
  --softhca-arg ARG       one more argument for softhca (may be repeated)
  --expect-log REGEX      a kernel warning that must come and is no fault
  --log DIR               folder for the logs (build/log/...)
  --no-build              use the build as it is, even if it is out of date
  --quiet                 print only the command's output, and faults
In the machine the checkout is /mnt/src and the build /mnt/build, both
read-only. The exit status is the command's. If that is zero and the lab finds a
fault, it is 125. After a time-out it is 124. If nobody reads the output any
more, the run ends with 141.

With --vms 2 the machines are host1 and host2. The HCAs of both are on one
network, by one softhca. COMMAND runs on both at the same time. With

./lab run --vms 2 [OPTION]... -- COMMAND1... --and COMMAND2...

each host has its own; the second begins when the first listens at a port, has
ended, or has run for some seconds. Each line of output begins with the host's
name. LAB_HOST is 1 or 2 and LAB_PEER the name of the other host. The names host1
and host2 are those of the addresses 10.77.0.1 and 10.77.0.2 of HCA 0; hostH-hcaI
is that of HCA I, 10.77.I.H; with -v6 behind it, it is fd77::I:H. /mnt/lab/share
is a folder that both see. The exit status is that of host1, or if that is zero,
of host2. The hosts end when both commands have ended, or at the time limit. The
shells are in two panes of tmux.
USAGE
}

run_flag() {
	case $1 in
	--quiet) LAB_QUIET=1 ;;
	--no-build) RUN_BUILD=0 ;;
	esac
}

run_options() {
	RUN_BUILD=1
	VM_TIMEOUT=$(limit 600)
	VM_EXPECT=''
	VM_SOFTHCA_ARGS=()
	while [ $# -gt 0 ]; do
		case $1 in
		--softhca-arg) VM_SOFTHCA_ARGS+=("${2-}") ;;
		--provider) VM_PROVIDER=${2-} ;;
		--vms) VM_VMS=${2-} ;;
		--hcas) VM_HCAS=${2-} ;;
		--mount) VM_HOST=${2-} ;;
		--user) VM_USER=${2-} ;;
		--mem) VM_MEM=${2-} ;;
		--smp) VM_SMP=${2-} ;;
		--suite) LAB_SUITE=${2-} ;;
		--timeout) VM_TIMEOUT=${2-} ;;
		--expect-log) VM_EXPECT=${2-} ;;
		--log) VM_DIR=${2-} ;;
		--quiet | --no-build)
			run_flag "$1"
			shift
			continue
			;;
		--)
			shift
			break
			;;
		*) die "unknown option '$1' (./lab help)" ;;
		esac
		if [ $# -lt 2 ]; then
			die "option $1 needs a value"
		fi
		shift 2
	done
	run_commands "$@"
	run_check_options
}

# run_commands WORD...: sets the command, or one for each host
run_commands() {
	RUN_COMMAND=() VM_SECOND=()
	while [ $# -gt 0 ]; do
		if [ "$VM_VMS" = 2 ] && [ "$1" = --and ]; then
			shift
			if [ $# = 0 ] || [ ${#RUN_COMMAND[@]} = 0 ]; then
				die "--and stands between two commands"
			fi
			VM_SECOND=("$@")
			return
		fi
		RUN_COMMAND+=("$1")
		shift
	done
}

run_check_options() {
	case $VM_PROVIDER in
	mlx5x | stock) ;;
	*) die "--provider is mlx5x or stock, not '$VM_PROVIDER'" ;;
	esac
	case $VM_USER in
	root | alice | bob) ;;
	*) die "--user is root, alice or bob, not '$VM_USER'" ;;
	esac
	run_check_number --vms "$VM_VMS" 1 2
	run_check_number --hcas "$VM_HCAS" 0 $((16 / VM_VMS))
	run_check_number --smp "$VM_SMP" 1 64
	run_check_number --timeout "$VM_TIMEOUT" 0 1000000
	if [[ ! $VM_MEM =~ ^[1-9][0-9]*[MG]$ ]]; then
		die "--mem is a number and M or G, not '$VM_MEM'"
	fi
	run_check_regex
	if [ -n "$VM_HOST" ]; then
		if [ ! -d "$VM_HOST" ]; then
			die "no folder $VM_HOST to mount"
		fi
		VM_HOST=$(realpath -e "$VM_HOST")
	fi
	suite_check
}

# grep returns 1 if the expression is valid and nothing matches.
run_check_regex() {
	local status=0
	grep -E -e "$VM_EXPECT" </dev/null 2>/dev/null || status=$?
	if [ "$status" -gt 1 ]; then
		die "--expect-log is no regular expression: '$VM_EXPECT'"
	fi
}

run_check_number() {
	if [[ ! $2 =~ ^[0-9]{1,7}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]
	then
		die "$1 is a number from $3 to $4, not '$2'"
	fi
}

run_log_dir() {
	if [ -z "$VM_DIR" ]; then
		VM_DIR=$LAB_SRC/build/log/run-$LAB_ID
		find "$LAB_SRC/build/log" -maxdepth 1 -name 'run-*' -mtime +3 \
			-exec rm -rf {} + 2>/dev/null || true
	fi
	mkdir -p "$VM_DIR"
	VM_DIR=$(realpath "$VM_DIR")
}

# Builds, unless the run has no HCA or --no-build; then checks that the build has
# what the run needs.
run_needs_build() {
	mkdir -p "$LAB_BUILD"
	if [ "$VM_HCAS" = 0 ]; then
		return
	fi
	if [ "$RUN_BUILD" = 1 ]; then
		build_ready
	fi
	run_needs_file softhca/softhca
	if [ "$VM_PROVIDER" = mlx5x ]; then
		run_needs_file 'providers/mlx5x/libmlx5x-rdmav*.so'
	fi
}

# run_needs_file PATTERN: PATTERN is relative to the build folder
run_needs_file() {
	if ! compgen -G "$LAB_BUILD/$1" >/dev/null; then
		die "the build has no $1"
	fi
}

# run_status HOST: prints the status of the host's command
run_status() {
	local status=125 share
	share=$VM_DIR$(vm_name "$1")/share
	if [ -s "$share/status" ]; then
		read -r status <"$share/status"
	elif [ "$VM_TIMED_OUT" = 1 ]; then
		status=124
	fi
	echo "$status"
}

# run_report BEGIN: says how the run went and returns its status; BEGIN is when
# it began, in milliseconds
run_report() {
	local status=0 host each said='' findings started
	findings=$(scan_run)
	for host in $(vm_hosts); do
		each=$(run_status "$host")
		said+="${said:+, }status $each"
		if [ "$VM_VMS" != 1 ]; then
			said+=" of host$host"
		fi
		if [ "$status" = 0 ]; then
			status=$each
		fi
	done
	if vm_all started; then
		started=$(date -r "$VM_DIR$(vm_name "$VM_VMS")/share/started" \
			+%s%3N)
		say "command running $(seconds $((started - $1))) s after the" \
			"start, whole run $(seconds $((VM_END - $1))) s"
	fi
	say "$said, logs in $VM_DIR"
	if [ -n "$findings" ]; then
		printf '%s\n' "$findings" | sed 's/^/lab: FAULT: /' >&2
		if [ "$status" = 0 ]; then
			status=125
		fi
	fi
	return "$status"
}

run_vm() {
	local begin
	begin=$(now_ms)
	run_log_dir
	tree_ready
	run_needs_build
	accel_choose
	vm_run "${RUN_COMMAND[@]}"
	run_report "$begin"
}

run_main() {
	run_options "$@"
	if [ ${#RUN_COMMAND[@]} = 0 ]; then
		die "no command: ./lab run [OPTION]... -- COMMAND..."
	fi
	run_vm
}

shell_main() {
	run_options "$@"
	if [ ${#RUN_COMMAND[@]} != 0 ]; then
		die "./lab shell takes no command: use ./lab run"
	fi
	if [ ! -t 0 ] || [ ! -t 1 ]; then
		die "./lab shell needs a terminal"
	fi
	if [ "$VM_VMS" = 2 ]; then
		panes_ready
	fi
	VM_MODE=shell
	VM_TIMEOUT=0
	run_vm
}
