# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One virtual machine from start to end: softhca, QEMU, and the folder that the
# lab shares with the guest's agent. The caller sets VM_* and calls vm_run.
#
# VM_DIR is the folder for the run's logs; VM_DIR/share is the guest's /mnt/lab.

VM_HCAS=1 VM_MEM=1G VM_SMP=2 VM_PROVIDER=mlx5x VM_USER=root VM_HOST=''
VM_MODE=command VM_TIMEOUT=0 VM_DIR='' VM_ALLOW='' VM_SOFTHCA_ARGS=()
VM_BOOT=120 VM_LOAD=1

vm_settings() {
	local rows=24 columns=80
	if [ "$VM_MODE" = shell ]; then
		read -r rows columns < <(stty size </dev/tty) || true
		if [ "$rows" = 0 ]; then
			rows=24 columns=80
		fi
	fi
	printf '%s=%q\n' LAB_HCAS "$VM_HCAS" LAB_PROVIDER "$VM_PROVIDER" \
		LAB_USER "$VM_USER" LAB_MODE "$VM_MODE" LAB_ROWS "$rows" \
		LAB_COLUMNS "$columns"
	printf 'export TERM=%q LAB_LOAD=%q\n' "${TERM:-dumb}" "$VM_LOAD"
}

# Removes what an earlier run left in the folder. The folder "host" is only the
# place for a mount, and never removed with contents.
vm_clear() {
	rm -f "$VM_DIR"/{console.log,*.sock}
	find "$1" -mindepth 1 -maxdepth 1 -not -name host \
		-exec rm -rf --one-file-system {} +
	if [ -d "$1/host" ]; then
		rmdir "$1/host"
	fi
}

# vm_prepare PLAN, vm_prepare COMMAND...: fills the folder of the run. The time
# limits of a plan are for a machine with nothing else to do; they and the
# guest's own limits, by LAB_LOAD, are stretched by the load.
vm_prepare() {
	local share=$VM_DIR/share
	VM_LOAD=$(load_factor)
	mkdir -p "$share"
	vm_clear "$share"
	: >"$share/out"
	: >"$share/err"
	vm_settings >"$share/settings"
	if [ "$VM_MODE" = suite ]; then
		awk -v load="$VM_LOAD" '{ $4 *= load; print }' "$1" \
			>"$share/plan"
		VM_TIMEOUT=$((VM_TIMEOUT * VM_LOAD))
	else
		printf '%q ' "$@" >"$share/command"
	fi
	if [ -n "$VM_HOST" ]; then
		mkdir -p "$share/host"
	fi
}

# A guest CPU waits for softhca's answers, so softhca has precedence over QEMU's
# threads by real-time scheduling. If that is not allowed here, the machine is
# only slower.
vm_softhca() {
	local i args=() first=() sock
	if chrt -f 1 true 2>/dev/null; then
		first=(chrt -f 1)
	fi
	for ((i = 0; i < VM_HCAS; i++)); do
		args+=(--socket "/mnt/lab/hca$i.sock")
	done
	background enter "$LAB_BUILD" "$VM_DIR" '' "${first[@]}" \
		/mnt/build/softhca/softhca "${args[@]}" --log /mnt/lab/softhca.log \
		--control /mnt/lab/softhca.sock --once "${VM_SOFTHCA_ARGS[@]}" >"$VM_DIR/softhca.err" 2>&1
	VM_SOFTHCA=$JOB
	sock=$VM_DIR/hca$((VM_HCAS - 1)).sock
	for ((i = 0; i < 300 * VM_LOAD; i++)); do
		if [ -S "$sock" ]; then
			return
		fi
		if ! kill -0 "$VM_SOFTHCA" 2>/dev/null; then
			break
		fi
		sleep 0.05
	done
	cat "$VM_DIR/softhca.err" >&2
	die "softhca does not start: see $VM_DIR/softhca.err"
}

vm_start_qemu() {
	qemu_args "$VM_MEM" "$VM_SMP" "$VM_HCAS" "$VM_MODE"
	if [ "$VM_MODE" = shell ]; then
		enter "$LAB_BUILD" "$VM_DIR" "$VM_HOST" "${QEMU_ARGS[@]}" \
			<&0 2>"$VM_DIR/qemu.err" &
		VM_QEMU=$!
	else
		background enter "$LAB_BUILD" "$VM_DIR" "$VM_HOST" \
			"${QEMU_ARGS[@]}" >"$VM_DIR/qemu.err" 2>&1
		VM_QEMU=$JOB
	fi
}

# Shows the command's output as it comes, until QEMU ends.
vm_follow() {
	local follow=(tail -c +1 -s 0.1 -f --pid="$VM_QEMU")
	"${follow[@]}" "$VM_DIR/share/out" &
	VM_TAILS=("$!")
	"${follow[@]}" "$VM_DIR/share/err" >&2 &
	VM_TAILS+=("$!")
}

# vm_ask WORD...: prints softhca's answer
vm_ask() {
	(enter "$LAB_BUILD" "$VM_DIR" '' /mnt/build/softhca/softhcactl \
		--control /mnt/lab/softhca.sock "$@") 2>&1 || true
}

# Asks softhca for its counters after the command's end. The guest waits for the
# file "go" before it powers off. Until then a test in the guest may ask, too: it
# writes a command of softhcactl to the file "ask" and finds the answer in
# "answer".
vm_stats() {
	local -a what
	until [ -e "$VM_DIR/share/status" ]; do
		if ! kill -0 "$VM_QEMU" 2>/dev/null; then
			return
		fi
		if [ -e "$VM_DIR/share/ask" ]; then
			read -r -a what <"$VM_DIR/share/ask" || true
			rm -f "$VM_DIR/share/ask"
			vm_ask "${what[@]}" >"$VM_DIR/share/answer.new"
			mv "$VM_DIR/share/answer.new" "$VM_DIR/share/answer"
		fi
		sleep 0.1
	done
	vm_ask stats >"$VM_DIR/softhca.stats"
	: >"$VM_DIR/share/go"
}

# Ends when the guest has had its time: VM_BOOT seconds until its agent runs, on a
# loaded machine more, and VM_TIMEOUT seconds in all.
vm_timer() {
	local end=$((SECONDS + VM_TIMEOUT)) boot=$((VM_BOOT * VM_LOAD))
	while [ "$SECONDS" -lt "$end" ]; do
		if [ "$boot" = 0 ]; then
			sleep $((end - SECONDS))
		elif [ -e "$VM_DIR/share/started" ]; then
			boot=0
		elif [ "$SECONDS" -ge $((end - VM_TIMEOUT + boot)) ]; then
			return
		else
			sleep 0.5
		fi
	done
}

# Waits for QEMU's end, or for vm_timer's; VM_TIMEOUT of 0 is no limit.
vm_wait() {
	local timer='' ended='' rc=0
	VM_TIMED_OUT=0
	if [ "$VM_TIMEOUT" != 0 ]; then
		background vm_timer
		timer=$JOB
	fi
	wait -n -p ended "$VM_QEMU" ${timer:+"$timer"} || rc=$?
	if [ "$ended" = "$VM_QEMU" ]; then
		if [ -n "$timer" ]; then
			end_job "$timer"
		fi
	elif kill -0 "$VM_QEMU" 2>/dev/null; then
		VM_TIMED_OUT=1
		end_job "$VM_QEMU"
	else
		rc=0
		wait "$VM_QEMU" || rc=$?
	fi
	VM_QEMU_STATUS=$rc
}

vm_run() {
	vm_prepare "$@"
	VM_SOFTHCA=''
	VM_SOFTHCA_STATUS=0
	if [ "$VM_HCAS" != 0 ]; then
		vm_softhca
	fi
	vm_start_qemu
	vm_follow
	if [ -n "$VM_SOFTHCA" ]; then
		background vm_stats
	fi
	vm_wait
	wait "${VM_TAILS[@]}" || true
	if [ -n "$VM_SOFTHCA" ]; then
		vm_softhca_end
	fi
	VM_END=$(now_ms)
}

# Waits for softhca, which ends by itself after QEMU.
vm_softhca_end() {
	local i
	for ((i = 0; i < 50 * VM_LOAD; i++)); do
		if ! kill -0 "$VM_SOFTHCA" 2>/dev/null; then
			break
		fi
		sleep 0.1
	done
	if kill -0 "$VM_SOFTHCA" 2>/dev/null; then
		echo "softhca did not end with QEMU" >>"$VM_DIR/softhca.err"
		end_job "$VM_SOFTHCA"
		VM_SOFTHCA_STATUS=124
		return
	fi
	wait "$VM_SOFTHCA" || VM_SOFTHCA_STATUS=$?
}
