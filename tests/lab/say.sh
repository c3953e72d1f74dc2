# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Messages, progress and child processes of the lab.
#
# Everything that the lab says goes to standard error: standard output belongs
# to the command that the user asked for. A step runs in the background in a
# process group of its own, so that an interrupted lab can end all of it; the
# exit trap ends what is left and removes the run's temporary folder.

LAB_QUIET=${LAB_QUIET:-0}
LAB_JOBS=()

say() {
	if [ "$LAB_QUIET" = 0 ]; then
		printf 'lab: %s\n' "$*" >&2
	fi
}

# The lab's own failures have the status 125, as those of env and timeout.
die() {
	printf 'lab: error: %s\n' "$*" >&2
	exit 125
}

now_ms() {
	local now=$EPOCHREALTIME
	echo $((${now/[^0-9]/} / 1000))
}

# seconds MS: milliseconds as "12.3"
seconds() {
	printf '%d.%d' $(($1 / 1000)) $(($1 % 1000 / 100))
}

# background COMMAND...: starts it in its own process group; sets JOB
background() {
	set -m
	"$@" </dev/null &
	set +m
	JOB=$!
	LAB_JOBS+=("$JOB")
}

forget_job() {
	local job left=()
	for job in "${LAB_JOBS[@]}"; do
		if [ "$job" != "$1" ]; then
			left+=("$job")
		fi
	done
	LAB_JOBS=("${left[@]}")
}

# signal_job SIGNAL PID: signals the job's group, or the job if it has none
signal_job() {
	kill -s "$1" -- "-$2" 2>/dev/null || kill -s "$1" "$2" 2>/dev/null
}

# end_job PID: ends the job, by force after two seconds
end_job() {
	local i
	signal_job TERM "$1" || true
	for ((i = 0; i < 20; i++)); do
		if ! signal_job 0 "$1"; then
			break
		fi
		sleep 0.1
	done
	signal_job KILL "$1" || true
	wait "$1" 2>/dev/null || true
	forget_job "$1"
}

at_exit() {
	local status=$? job
	trap '' INT TERM HUP
	for job in "${LAB_JOBS[@]}"; do
		end_job "$job"
	done
	if [ -n "${LAB_STTY:-}" ]; then
		stty "$LAB_STTY" </dev/tty 2>/dev/null || true
	fi
	if [ -n "${LAB_TMP:-}" ]; then
		rm -rf --one-file-system "$LAB_TMP"
	fi
	exit "$status"
}

lab_init() {
	trap at_exit EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	LAB_TMP=$(mktemp -d "${TMPDIR:-/tmp}/mlx5x-lab.XXXXXX")
}

# watch_step TITLE JOB: reports a step that takes more than two seconds, on a
# terminal in one line that counts, elsewhere by a line now and then; ends the
# job if the lab itself was killed.
watch_step() {
	local t
	for ((t = 0; ; t++)); do
		if ! kill -0 $$ 2>/dev/null; then
			end_job "$2"
			exit
		fi
		if [ "$LAB_QUIET" != 0 ] || [ "$t" -lt 2 ]; then
			:
		elif [ -t 2 ]; then
			printf '\rlab: %s ... %d s ' "$1" "$t" >&2
		elif [ "$t" = 2 ]; then
			printf 'lab: %s ...\n' "$1" >&2
		elif [ $((t % 15)) = 0 ]; then
			printf 'lab: %s ... %d s\n' "$1" "$t" >&2
		fi
		sleep 1
	done
}

# step TITLE LOG COMMAND...: runs COMMAND with its output in LOG, showing
# progress; a failure names the log and shows its end
step() {
	local title=$1 log=$2 start job watch rc=0
	shift 2
	start=$(now_ms)
	background "$@" >>"$log" 2>&1
	job=$JOB
	background watch_step "$title" "$job"
	watch=$JOB
	wait "$job" || rc=$?
	forget_job "$job"
	end_job "$watch"
	if [ -t 2 ]; then
		printf '\r\033[K' >&2
	fi
	if [ "$rc" != 0 ]; then
		printf 'lab: %s: FAILED (status %d); the end of %s:\n' \
			"$title" "$rc" "$log" >&2
		tail -n 20 "$log" | sed 's/^/    /' >&2
		return "$rc"
	fi
	if [ $(($(now_ms) - start)) -ge 2000 ]; then
		say "$title: $(seconds $(($(now_ms) - start))) s"
	fi
}
