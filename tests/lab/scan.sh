# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Looks for faults after a run: in what the kernel said, in the proof of which
# provider served, and in how QEMU and softhca ended. Each fault found is one
# line.

SCAN_FATAL='WARNING: |BUG: |UBSAN: |kernel BUG|Oops|Kernel panic'
SCAN_FATAL+='|general protection|blocked for more than|soft lockup|hard LOCKUP'
SCAN_FATAL+='|rcu.*stall'
SCAN_FATAL+='|Command completion arrived after timeout'
SCAN_FATAL+='|recovered after timeout|reg umr failed'
SCAN_OURS='mlx5|infiniband|uverbs|rdma|ib_core'

# The kernel's messages, without level and time. They come from the log that the
# agent saved, and from the console, which also has what came later.
scan_messages() {
	cat "$VM_DIR/share/dmesg" "$VM_DIR/console.log" 2>/dev/null |
		tr -d '\0\r' | sed -E 's/^(<[0-9]+>)?\[ *[0-9.]+\] //'
}

# Messages of level "warning" or worse. The saved log states the level; the
# console shows no messages of a lower one.
scan_warnings() {
	{
		grep -aE '^<[0-4]>' "$VM_DIR/share/dmesg" || true
		grep -aE '^\[ *[0-9.]+\] ' "$VM_DIR/console.log" || true
	} 2>/dev/null | tr -d '\0\r' |
		sed -E 's/^(<[0-9]+>)?\[ *[0-9.]+\] //' | sort -u
}

# Expressions for the warnings that are no fault: the known ones, and those that
# this run may provoke.
scan_known() {
	sed -E -e '/^#/d' -e '/^ *$/d' -e 's/[[:space:]]+# .*//' \
		"$LAB_DIR/known-warnings"
	printf '%s' "${VM_EXPECT:+$VM_EXPECT
}${VM_ALLOW:+$VM_ALLOW
}"
}

scan_kernel() {
	local expected
	scan_messages | grep -aE "$SCAN_FATAL" | sort -u |
		sed 's/^/the kernel said: /' || true
	scan_warnings | grep -aE "$SCAN_OURS" | grep -avE "$SCAN_FATAL" |
		grep -avE -f <(scan_known) |
		sed 's/^/unexpected kernel warning: /' || true
	while read -r expected; do
		if ! scan_messages | grep -aE -e "$expected" >/dev/null; then
			echo "the kernel never said: $expected"
		fi
	done < <(printf '%s' "${VM_EXPECT:+$VM_EXPECT
}")
}

# scan_provider NAME: NAME is that of the host's folder
scan_provider() {
	local name=$1 opens ours
	if [ -s "$VM_DIR/share/opens" ]; then
		read -r opens ours <"$VM_DIR/share/opens"
		say "${name:+${name#/}: }verbs devices opened: $opens," \
			"served by mlx5x: $ours"
	fi
	cat "$VM_DIR/share/provider" 2>/dev/null || true
}

scan_softhca() {
	if [ "$VM_SOFTHCA_STATUS" != 0 ]; then
		echo "softhca ended with status $VM_SOFTHCA_STATUS:" \
			"$(tail -n 1 "$VM_DIR/softhca.err")"
	fi
}

# scan_processes HOST
scan_processes() {
	local status=${VM_QEMU_STATUS[$1]:-0}
	if [ "$status" != 0 ]; then
		echo "QEMU ended with status $status:" \
			"$(tail -n 1 "$VM_DIR/qemu.err")"
	fi
	if [ -s "$VM_DIR/share/failure" ]; then
		echo "the guest failed: $(cat "$VM_DIR/share/failure")"
	elif [ "$VM_TIMED_OUT" = 1 ] && [ ! -e "$VM_DIR/share/started" ]; then
		echo "the guest did not boot in time: see console.log"
	elif [ "$VM_TIMED_OUT" = 1 ] &&
		! { [ "$VM_VMS" != 1 ] && [ -s "$VM_DIR/share/status" ]; }; then
		# Of two, one that has its result has only waited.
		echo "the run took more than $VM_TIMEOUT s"
	elif [ ! -s "$VM_DIR/share/status" ]; then
		echo "the guest ended before the command did"
	fi
}

# scan_host HOST: looks into the folder of that host
scan_host() {
	local name
	name=$(vm_name "$1")
	local VM_DIR=$VM_DIR$name
	{
		scan_processes "$1"
		scan_kernel
		scan_provider "$name"
	} | sed "s/^/${name:+${name#/}: }/"
}

scan_run() {
	local host
	scan_softhca
	for host in $(vm_hosts); do
		scan_host "$host"
	done
}

# Leaves the findings in a file, for callers that run the machine in a subshell.
scan_save() {
	scan_run >"$VM_DIR/findings"
}
