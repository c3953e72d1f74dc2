# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The softhca of a run: one process serves the HCAs of all its machines, and so
# carries packets between them. The HCAs of host 1 come first.

# The addresses are fixed, so runs are alike and hosts need not ask for them.
softhca_sockets() {
	local host i
	for host in $(vm_hosts); do
		for ((i = 0; i < VM_HCAS; i++)); do
			echo "--socket=$(vm_socket "$host" "$i")"
			echo "--mac=$(address_mac "$i" "$host")"
		done
	done
}

# A guest CPU waits for softhca's answers, so softhca has precedence over QEMU's
# threads by real-time scheduling. If that is not allowed here, the machine is
# only slower.
softhca_start() {
	local i args first=() sock
	if chrt -f 1 true 2>/dev/null; then
		first=(chrt -f 1)
	fi
	mapfile -t args < <(softhca_sockets)
	background enter "$LAB_BUILD" "$VM_DIR" '' "${first[@]}" \
		/mnt/build/softhca/softhca "${args[@]}" \
		--log /mnt/lab/softhca.log --control /mnt/lab/softhca.sock \
		--once "${VM_SOFTHCA_ARGS[@]}" >"$VM_DIR/softhca.err" 2>&1
	VM_SOFTHCA=$JOB
	sock=$(vm_socket "$VM_VMS" $((VM_HCAS - 1)))
	for ((i = 0; i < 300 * VM_LOAD; i++)); do
		if [ -S "$VM_DIR/${sock##*/}" ]; then
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

# softhca_ask WORD...: prints softhca's answer
softhca_ask() {
	(enter "$LAB_BUILD" "$VM_DIR" '' /mnt/build/softhca/softhcactl \
		--control /mnt/lab/softhca.sock "$@") 2>&1 || true
}

# softhca_answer SHARE: a test in the guest may ask, too: it writes a command of
# softhcactl to the file "ask" and finds the answer in "answer".
softhca_answer() {
	local -a what
	if [ ! -e "$1/ask" ]; then
		return
	fi
	read -r -a what <"$1/ask" || true
	rm -f "$1/ask"
	softhca_ask "${what[@]}" >"$1/answer.new"
	mv "$1/answer.new" "$1/answer"
}

# Waits for softhca, which ends by itself after QEMU.
softhca_end() {
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
