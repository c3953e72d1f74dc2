# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A run from start to end: softhca, one virtual machine or two (the hosts), and
# the folders that the lab shares with the guests' agents. The caller sets VM_*
# and calls vm_run.
#
# VM_DIR is the folder for the run's logs. A machine that is alone has its own
# there, of two each one in VM_DIR/host1 and VM_DIR/host2: "share" in it is the
# guest's /mnt/lab. Two machines also see VM_DIR/share, as /mnt/lab/share.

VM_VMS=1 VM_HCAS=1 VM_MEM=1G VM_SMP=2 VM_PROVIDER=mlx5x VM_USER=root VM_HOST=''
VM_MODE=command VM_TIMEOUT=0 VM_DIR='' VM_ALLOW='' VM_SOFTHCA_ARGS=()
VM_BOOT=120 VM_LOAD=1
# The command of host 2, when it is another one than that of host 1.
VM_SECOND=()

# vm_hosts: the hosts' numbers
vm_hosts() {
	seq "$VM_VMS"
}

# vm_name HOST, vm_path HOST: the host's folder in VM_DIR, and in the tree
vm_name() {
	if [ "$VM_VMS" != 1 ]; then
		echo "/host$1"
	fi
}

vm_path() {
	echo "/mnt/lab$(vm_name "$1")"
}

# vm_socket HOST HCA: where softhca serves that HCA, in the tree
vm_socket() {
	echo "/mnt/lab/hca$((($1 - 1) * VM_HCAS + $2)).sock"
}

# vm_settings HOST: what the guest's agent must know
vm_settings() {
	local rows=24 columns=80 host='' term=${TERM:-dumb}
	if [ "$VM_VMS" != 1 ]; then
		host=$1
		term=screen # that of tmux
	fi
	if [ "$VM_MODE" = shell ]; then
		read -r rows columns < <(stty size </dev/tty) || true
		if [ "$rows" = 0 ]; then
			rows=24 columns=80
		fi
		# The panes stand side by side, with a line between them.
		columns=$(((columns - VM_VMS + 1) / VM_VMS))
	fi
	printf '%s=%q\n' LAB_HCAS "$VM_HCAS" LAB_PROVIDER "$VM_PROVIDER" \
		LAB_USER "$VM_USER" LAB_MODE "$VM_MODE" LAB_ROWS "$rows" \
		LAB_COLUMNS "$columns" LAB_HOST "$host" \
		LAB_MOUNT "${VM_HOST:+1}" LAB_ORDER "${VM_SECOND[0]:+1}"
	printf 'export TERM=%q LAB_LOAD=%q\n' "$term" "$VM_LOAD"
}

# vm_folder HOST: makes the host's folder, without what an earlier run left there
vm_folder() {
	local folder
	folder=$VM_DIR$(vm_name "$1")
	rm -rf --one-file-system "$folder/share"
	mkdir -p "$folder/share"
	rm -f "$folder/console.log"
	: >"$folder/share/out"
	: >"$folder/share/err"
	vm_settings "$1" >"$folder/share/settings"
	if [ "$VM_VMS" != 1 ]; then
		mkdir "$folder/share/share"
	fi
}

# vm_prepare PLAN, vm_prepare COMMAND...: fills the folder of the run. The time
# limits of a plan are for a machine with nothing else to do; they and the
# guest's own limits, by LAB_LOAD, are stretched by the load.
vm_prepare() {
	local host share
	VM_LOAD=$(load_factor)
	mkdir -p "$VM_DIR"
	rm -f "$VM_DIR"/*.sock
	if [ "$VM_VMS" != 1 ]; then
		rm -rf --one-file-system "$VM_DIR/share"
		mkdir -m 1777 "$VM_DIR/share"
	fi
	for host in $(vm_hosts); do
		vm_folder "$host"
		share=$VM_DIR$(vm_name "$host")/share
		if [ "$VM_MODE" = suite ]; then
			awk -v load="$VM_LOAD" '{ $4 *= load; print }' "$1" \
				>"$share/plan"
		elif [ "$host" = 2 ] && [ ${#VM_SECOND[@]} != 0 ]; then
			printf '%q ' "${VM_SECOND[@]}" >"$share/command"
		else
			printf '%q ' "$@" >"$share/command"
		fi
	done
	if [ "$VM_MODE" = suite ]; then
		VM_TIMEOUT=$((VM_TIMEOUT * VM_LOAD))
	fi
}

# vm_start HOST: starts its QEMU
vm_start() {
	local err
	err=$VM_DIR$(vm_name "$1")/qemu.err
	qemu_args "$1"
	if [ "$VM_MODE" = shell ]; then
		enter "$LAB_BUILD" "$VM_DIR" "$VM_HOST" "${QEMU_ARGS[@]}" \
			<&0 2>"$err" &
		VM_QEMU[$1]=$!
	else
		background enter "$LAB_BUILD" "$VM_DIR" "$VM_HOST" \
			"${QEMU_ARGS[@]}" >"$err" 2>&1
		VM_QEMU[$1]=$JOB
	fi
}

# vm_prefix HOST: passes lines on, after the host's name
vm_prefix() {
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		printf 'host%s: %s\n' "$1" "$line"
	done
}

# vm_follow HOST: shows the command's output as it comes, until QEMU ends. The
# results of a plan have the host's name already.
vm_follow() {
	local share follow=(tail -c +1 -s 0.1 -f --pid="${VM_QEMU[$1]}")
	share=$VM_DIR$(vm_name "$1")/share
	if [ "$VM_VMS" != 1 ] && [ "$VM_MODE" = command ]; then
		"${follow[@]}" "$share/out" | vm_prefix "$1" &
		VM_TAILS+=("$!")
		"${follow[@]}" "$share/err" | vm_prefix "$1" >&2 &
		VM_TAILS+=("$!")
		return
	fi
	"${follow[@]}" "$share/out" &
	VM_TAILS+=("$!")
	"${follow[@]}" "$share/err" >&2 &
	VM_TAILS+=("$!")
}

# Answers the guests until all commands have ended. Then it asks softhca for its
# counters, and writes the file "go", for which a guest waits before it powers
# off. A shell that ends need not wait for the other one.
vm_serve() {
	local host share busy=1
	while [ "$busy" = 1 ]; do
		busy=0
		sleep 0.1
		for host in $(vm_hosts); do
			share=$VM_DIR$(vm_name "$host")/share
			if [ ! -e "$share/status" ]; then
				busy=1
				softhca_answer "$share"
			elif [ "$VM_MODE" = shell ]; then
				: >"$share/go"
			fi
		done
	done
	if [ -n "$VM_SOFTHCA" ]; then
		softhca_ask stats >"$VM_DIR/softhca.stats"
	fi
	for host in $(vm_hosts); do
		: >"$VM_DIR$(vm_name "$host")/share/go"
	done
}

# vm_all FILE: is it in the folder of each guest?
vm_all() {
	local host
	for host in $(vm_hosts); do
		if [ ! -e "$VM_DIR$(vm_name "$host")/share/$1" ]; then
			return 1
		fi
	done
}

# Ends when the guests have had their time: VM_BOOT seconds until their agents
# run, on a loaded machine more, and VM_TIMEOUT seconds in all.
vm_timer() {
	local end=$((SECONDS + VM_TIMEOUT)) boot=$((VM_BOOT * VM_LOAD))
	while [ "$SECONDS" -lt "$end" ]; do
		if [ "$boot" = 0 ]; then
			sleep $((end - SECONDS))
		elif vm_all started; then
			boot=0
		elif [ "$SECONDS" -ge $((end - VM_TIMEOUT + boot)) ]; then
			return
		else
			sleep 0.5
		fi
	done
}

# vm_ended PID STATUS: notes the end of that QEMU. Where one of two ends without a
# result, the other would wait for it, so it ends as well.
vm_ended() {
	local host other
	for host in "${!VM_LEFT[@]}"; do
		if [ "${VM_LEFT[$host]:-}" != "$1" ]; then
			continue
		fi
		unset "VM_LEFT[$host]"
		VM_QEMU_STATUS[host]=$2
		if [ -e "$VM_DIR$(vm_name "$host")/share/status" ]; then
			continue
		fi
		for other in "${!VM_LEFT[@]}"; do
			end_job "${VM_LEFT[$other]}"
			unset "VM_LEFT[$other]"
			VM_QEMU_STATUS[other]=0
		done
	done
}

# Notes the end of those that "wait -n" did not tell of.
vm_reap() {
	local host pid rc
	for host in "${!VM_LEFT[@]}"; do
		pid=${VM_LEFT[$host]:-}
		if [ -n "$pid" ] && ! kill -0 "$pid" 2>/dev/null; then
			rc=0
			wait "$pid" || rc=$?
			vm_ended "$pid" "$rc"
		fi
	done
}

# Waits for the end of each QEMU, or for vm_timer's; VM_TIMEOUT of 0 is no limit.
vm_wait() {
	local timer='' ended host rc
	VM_TIMED_OUT=0 VM_QEMU_STATUS=() VM_LEFT=()
	for host in "${!VM_QEMU[@]}"; do
		VM_LEFT[host]=${VM_QEMU[$host]}
	done
	if [ "$VM_TIMEOUT" != 0 ]; then
		background vm_timer
		timer=$JOB
	fi
	while [ ${#VM_LEFT[@]} != 0 ] && [ "$VM_TIMED_OUT" = 0 ]; do
		rc=0
		wait -n -p ended "${VM_LEFT[@]}" ${timer:+"$timer"} || rc=$?
		vm_ended "${ended:-none}" "$rc"
		vm_reap
		if [ -n "$timer" ] && ! kill -0 "$timer" 2>/dev/null; then
			VM_TIMED_OUT=${#VM_LEFT[@]}
			timer=''
		fi
	done
	if [ -n "$timer" ]; then
		end_job "$timer"
	fi
	for host in "${!VM_LEFT[@]}"; do
		end_job "${VM_LEFT[$host]}"
		VM_QEMU_STATUS[host]=0
	done
	VM_TIMED_OUT=$((VM_TIMED_OUT != 0))
}

# vm_run PLAN, vm_run COMMAND...
vm_run() {
	local host server
	vm_prepare "$@"
	VM_SOFTHCA='' VM_SOFTHCA_STATUS=0 VM_QEMU=() VM_TAILS=()
	if [ "$VM_HCAS" != 0 ]; then
		softhca_start
	fi
	if [ "$VM_MODE $VM_VMS" = 'shell 2' ]; then
		panes_start
	else
		for host in $(vm_hosts); do
			vm_start "$host"
			vm_follow "$host"
		done
	fi
	background vm_serve
	server=$JOB
	vm_wait
	end_job "$server"
	# Without a name, wait would wait for softhca and forget its status.
	if [ ${#VM_TAILS[@]} != 0 ]; then
		wait "${VM_TAILS[@]}" || true
	fi
	if [ -n "$VM_SOFTHCA" ]; then
		softhca_end
	fi
	VM_END=$(now_ms)
}
