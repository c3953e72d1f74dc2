# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The supervisor: whatever ends the lab ends all that the lab started.
#
# The process that the user started does no work itself. It starts the same
# command once more, as the worker, and waits: for the worker, for a signal, and
# for the end of whoever reads the output. The worker and all its descendants
# have a PID namespace and a mount namespace of their own. The kernel kills a
# PID namespace as a whole when its first process dies, so no descendant can
# stay behind, whatever session or process group it chose, and no mount either.
#
# A signal makes the supervisor kill that first process. If the supervisor
# itself is killed, the kernel does so (--pdeathsig, --kill-child).

# lab_init: the run's temporary folder, and its removal at the end
lab_init() {
	local signal
	LAB_WORKER='' LAB_READERS=() LAB_STTY=''
	trap at_exit EXIT
	for signal in HUP INT QUIT TERM; do
		# shellcheck disable=SC2064 # expanded now
		trap "at_signal $signal" "$signal"
	done
	trap 'exit 141' PIPE
	LAB_TMP=$(mktemp -d "${TMPDIR:-/tmp}/mlx5x-lab.XXXXXX")
	lab_name
}

# A name for the run's logs. Process ids would not do: each run counts its own
# from 1.
lab_name() {
	LAB_ID=$(date +%Y%m%d-%H%M%S)-${LAB_TMP##*.}
}

at_signal() {
	trap '' HUP INT QUIT PIPE TERM
	say "SIG$1 ends this run" || true
	exit $((128 + $(kill -l "$1")))
}

# Kills the worker and all its descendants, and waits until all are gone:
# unshare ends after its child, which ends after the whole namespace. A worker
# that has not come so far has no descendants yet.
worker_kill() {
	local first=''
	read -r first 2>/dev/null <"$LAB_TMP/first" || true
	if [ -z "$first" ] || ! kill -KILL "$first" 2>/dev/null; then
		signal_job KILL "$LAB_WORKER" || true
	fi
	wait "$LAB_WORKER" 2>/dev/null || true
}

# Children are ended by KILL here: one that is ended by TERM at once, before it
# has dropped the trap, would run it.
at_exit() {
	local status=$?
	trap '' HUP INT QUIT PIPE TERM
	if [ -n "$LAB_WORKER" ]; then
		worker_kill
	fi
	if [ ${#LAB_READERS[@]} != 0 ]; then
		kill -KILL "${LAB_READERS[@]}" 2>/dev/null || true
		wait "${LAB_READERS[@]}" 2>/dev/null || true
	fi
	if [ -n "$LAB_STTY" ]; then
		stty "$LAB_STTY" </dev/tty 2>/dev/null || true
	fi
	rm -rf --one-file-system "$LAB_TMP"
	exit "$status"
}

# worker_exec COMMAND...: becomes the worker. The first process of the namespace
# is a shell that waits for COMMAND. It notes its process id as the supervisor
# sees it, which /proc still shows at that time. The messages of unshare go to a
# file, because some versions complain when their child was killed.
worker_exec() {
	local err
	exec {err}>&2
	# shellcheck disable=SC2016 # expanded by the inner shell
	exec setpriv --pdeathsig KILL unshare --pid --fork --kill-child \
		--mount --propagation private bash -euc '
		exec 2>&"$1"
		read -r first _ </proc/self/stat
		echo "$first" >"$LAB_TMP/first"
		mount -t proc proc /proc
		shift
		set +e
		"$@"
		exit $?
		' bash "$err" "$@" 2>"$LAB_TMP/unshare"
}

# worker_start COMMAND...: the worker has a process group of its own, so that
# an interrupt from the terminal reaches the supervisor only; but not for
# ./lab shell, which must be able to read the terminal.
worker_start() {
	export LAB_TMP
	if [ "$1" = shell ] && [ -t 0 ]; then
		LAB_STTY=$(stty -g)
	else
		set -m
	fi
	worker_exec "$LAB_SRC/lab" --worker "$@" <&0 &
	LAB_WORKER=$!
	set +m
}

# watch_reader FD: if FD is a pipe, starts a process that ends when nobody reads
# the pipe any more. "tail -f" looks for that, even if it has nothing to write.
watch_reader() {
	if [ -p "/dev/fd/$1" ]; then
		setpriv --pdeathsig KILL tail -s 0.5 -f /dev/null \
			1>&"$1" 2>/dev/null &
		LAB_READERS+=("$!")
	fi
}

# supervise COMMAND...: runs "./lab COMMAND..." in a worker and exits with its
# status, 128 + a signal's number, or 141 if nobody reads the output any more
supervise() {
	local ended='' status=0
	lab_init
	worker_start "$@"
	watch_reader 1
	watch_reader 2
	wait -n -p ended "$LAB_WORKER" "${LAB_READERS[@]}" || status=$?
	if [ "$ended" != "$LAB_WORKER" ]; then
		say "nobody reads the output any more"
		exit 141
	fi
	if [ ! -e "$LAB_TMP/first" ]; then
		die "no namespace of its own: $(cat "$LAB_TMP/unshare")"
	fi
	exit "$status"
}
