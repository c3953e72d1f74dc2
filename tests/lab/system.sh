# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# System tests: the scripts tests/system/*.sh that have a line "# lab:", and
# the entries of tests/system/manifest, which tells the words. They run in
# virtual machines; tests that want the same machine and provider share one.
#
# Machines run at the same time as long as each of their CPUs has one of the host
# to itself. With fewer, a guest CPU often waits for another one that the host
# has stopped, and all machines together do less than one of them alone.
#
# A test of two hosts (vms=2) runs in two machines at the same time. Both run its
# script, which knows by LAB_HOST which part it has.
#
# A test that takes longer than its time limit is a hang. vm.sh stretches the
# limits by the load.

SYSTEM_WORDS=' vms hcas provider user tier mem smp timeout cap '

# system_header NAME: sets T_* from what the test says
system_header() {
	local word words
	T_about=$("$LAB_SRC/tests/system/run" --about "$1")
	T_vms=1 T_hcas=1 T_provider=both T_user=root T_tier=short T_mem=1G
	T_smp=1 T_timeout=300 T_cap=''
	read -ra words < <(sed -n 's/^lab: *//p' <<<"$T_about")
	for word in "${words[@]}"; do
		if [[ $SYSTEM_WORDS != *" ${word%%=*} "* ]]; then
			echo "unknown word '$word' in what it says to the lab"
			return 1
		fi
		printf -v "T_${word%%=*}" '%s' "${word#*=}"
	done
	case $T_provider in
	both | mlx5x | stock) ;;
	*)
		echo "unknown provider '$T_provider'"
		return 1
		;;
	esac
}

# Adds the test's lines to the plan of its kind of machine.
system_plan() {
	local name=$1 machine plan provider
	if [ -n "$CHECK_ONLY" ] && [ "$CHECK_ONLY" != "$name" ]; then
		return
	fi
	if ! system_header "$name" >"$LAB_TMP/header"; then
		check_result FAIL "system: $name" "$(cat "$LAB_TMP/header")"
		return
	fi
	if [ "$T_tier" = long ] && [ "$CHECK_LONG" = 0 ]; then
		check_result skip "system: $name" "only in ./lab check --long"
		return
	fi
	machine=${T_vms}x$T_hcas-$T_mem-$T_smp
	for provider in stock mlx5x; do
		if [ "$T_provider" != both ] && [ "$T_provider" != $provider ]
		then
			continue
		fi
		plan=$LAB_TMP/plans/$machine-$provider${T_cap:+-$T_cap}
		echo "$name $provider $T_user $T_timeout" >>"$plan"
		sed -n 's/^lab-expect-log: *//p' <<<"$T_about" >>"$plan.expect"
		sed -n 's/^lab-allow-log: *//p' <<<"$T_about" >>"$plan.allow"
	done
}

# system_machine PLAN: runs one machine
system_machine() {
	local name provider cap
	name=$(basename "$1")
	IFS=- read -r VM_HCAS VM_MEM VM_SMP provider cap <<<"$name"
	IFS=x read -r VM_VMS VM_HCAS <<<"$VM_HCAS"
	VM_SOFTHCA_ARGS=(${cap:+--cap "$cap"})
	VM_DIR=$CHECK_LOG/vm-$name
	VM_MODE=suite VM_PROVIDER=stock VM_USER=root VM_HOST=''
	VM_EXPECT=$(sort -u "$1.expect")
	VM_ALLOW=$(sort -u "$1.allow")
	VM_TIMEOUT=$((60 + $(awk '{ s += $4 } END { print s }' "$1")))
	say "system tests over $provider, machines: $VM_VMS, each with" \
		"$VM_HCAS HCA, $VM_MEM, $VM_SMP CPUs: $(wc -l <"$1") runs"
	if check_machine "machine: $name" "$1" \
		's/^(ok|FAIL|skip) /\1 system: /'; then
		check_result ok "machine: $name: no fault of kernel or softhca"
	fi
}

# system_cpus_used: sets USED to the number of CPUs of the machines that run
system_cpus_used() {
	local pid
	USED=0
	for pid in $(jobs -rp); do
		USED=$((USED + ${SYSTEM_CPUS[$pid]:-0}))
	done
}

# system_room CPUS MEMORY: waits until there is room for one more machine, or
# until no other one runs
system_room() {
	local mem=${2%[GM]} available
	if [ "${2: -1}" = G ]; then
		mem=$((mem * 1024))
	fi
	while system_cpus_used && [ "$USED" != 0 ]; do
		available=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' \
			/proc/meminfo)
		if [ $((USED + $1)) -le "$(nproc)" ] &&
			[ "$available" -gt $((mem + 1024)) ]; then
			return
		fi
		sleep 0.5
	done
}

# system_start PLAN: starts its machine, or its two machines at the same time, as
# soon as there is room
system_start() {
	local vms mem smp
	IFS=- read -r vms mem smp _ <<<"$(basename "$1")"
	vms=${vms%x*}
	smp=$((smp * vms))
	system_room "$smp" "$((${mem%[GM]} * vms))${mem: -1}"
	system_machine "$1" &
	SYSTEM_CPUS[$!]=$smp
	SYSTEM_NAMES[$!]=$(basename "$1")
}

# system_finish: waits for all machines; each must have come to its verdict
system_finish() {
	local pid rc
	for pid in "${!SYSTEM_CPUS[@]}"; do
		rc=0
		wait "$pid" || rc=$?
		if [ "$rc" != 0 ]; then
			check_result FAIL "machine: ${SYSTEM_NAMES[$pid]}" \
				"the lab failed with status $rc"
		fi
	done
}

system_tests() {
	local name names plan
	declare -A SYSTEM_CPUS=() SYSTEM_NAMES=()
	rm -rf "$LAB_TMP/plans"
	mkdir -p "$LAB_TMP/plans"
	accel_choose
	names=$("$LAB_SRC/tests/system/run" --names)
	for name in $names; do
		system_plan "$name"
	done
	if [ -n "$CHECK_ONLY" ] && ! grep -qxF -e "$CHECK_ONLY" <<<"$names"
	then
		check_result FAIL "system: $CHECK_ONLY" "there is no such test"
	fi
	for plan in "$LAB_TMP"/plans/*; do
		case $plan in
		*'*' | *.expect | *.allow) ;;
		*) system_start "$plan" ;;
		esac
	done
	system_finish
}
