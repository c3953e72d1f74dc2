# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Messages, progress and child processes of the lab.
#
# The lab writes its messages to standard error: standard output belongs to the
# command that the user asked for.

LAB_QUIET=${LAB_QUIET:-0}

say() {
	if [ "$LAB_QUIET" = 0 ]; then
		printf 'lab: %s\n' "$*" >&2
	fi
}

# The lab's own failures have the status 125, like those of env and timeout.
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

# background COMMAND...: starts COMMAND in a process group of its own; sets JOB
background() {
	set -m
	"$@" </dev/null &
	set +m
	JOB=$!
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
}

# watch_step TITLE: reports a step that takes more than two seconds. On a
# terminal one line counts the seconds; elsewhere a line comes every 15 seconds.
watch_step() {
	local t
	for ((t = 0; ; t++)); do
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

# step TITLE LOG COMMAND...: runs COMMAND with its output in LOG and shows
# progress. After a failure it names the log and shows its last lines.
step() {
	local title=$1 log=$2 start job watch rc=0
	shift 2
	start=$(now_ms)
	background "$@" >>"$log" 2>&1
	job=$JOB
	background watch_step "$title"
	watch=$JOB
	wait "$job" || rc=$?
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
