# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the tests of a plan, one after the other, in one guest.
#
# A line of the plan is: NAME PROVIDER USER SECONDS. NAME is a system test, or the
# path of another script, whose last part then names it. A test writes a line
# "ok NAME", "FAIL NAME: why" or "skip NAME: why" for each thing that it tests;
# these lines, with the provider put before NAME, are the output of the suite.
# All that a test writes is kept in /mnt/lab/NAME.PROVIDER.log. A test that tests
# nothing, ends badly without a FAIL line, cannot prove who served it, or leaves
# a process running fails as a whole. SECONDS are its limit. A test multiplies
# limits of its own by LAB_LOAD.
#
# Two hosts run the same plan, and begin each test together. The results of each
# have its name.

# suite_label PROVIDER: what stands before the names of results
suite_label() {
	echo "$1${LAB_HOST:+: host$LAB_HOST}"
}

suite_results() {
	sed -nE "s/^(ok|FAIL|skip) /\1 $(suite_label "$1"): /p"
}

# suite_verdict NAME PROVIDER STATUS SECONDS LOG: what is wrong as a whole
suite_verdict() {
	local fault
	if [ "$3" = 124 ] || [ "$3" = 137 ]; then
		echo "took more than $4 s"
	elif ! grep -qE '^(ok|FAIL|skip) ' "$5"; then
		echo "tested nothing (status $3): $(tail -n 1 "$5")"
	elif [ "$3" != 0 ] && ! grep -q '^FAIL ' "$5"; then
		echo "ended with status $3: $(tail -n 1 "$5")"
	else
		fault=$(provider_fault "$2")
		if [ -n "$fault" ]; then
			echo "$fault"
		fi
	fi
}

# suite_processes: sets FOUND to the processes, without those of the agent.
# Threads of the kernel and zombies have no command line, and do not count.
suite_processes() {
	local folder name
	FOUND=()
	for folder in /proc/[0-9]*; do
		name=''
		read -r -d '' name <"$folder/cmdline"
		if [ -n "$name" ] && [ -z "${SUITE_OWN[${folder#/proc/}]:-}" ]
		then
			FOUND+=("${folder#/proc/}:${name##*/}")
		fi
	done 2>/dev/null
}

# suite_end: ends what the test has left running; sets LEFT to what that was
suite_end() {
	local try process
	LEFT=''
	for ((try = 0; try < 20 * LAB_LOAD; try++)); do
		suite_processes
		if [ ${#FOUND[@]} = 0 ]; then
			return
		fi
		sleep 0.1
	done
	LEFT="left running: ${FOUND[*]}"
	for process in "${FOUND[@]}"; do
		kill -KILL "${process%%:*}"
	done
}

# suite_one NAME PROVIDER USER SECONDS
suite_one() {
	local name=${1##*/} log status=0 verdict
	local -a command=("$1")
	if [ "$name" = "$1" ]; then
		command=(/mnt/src/tests/system/run "$1")
	fi
	log=/mnt/lab/$name.$2.log
	echo "<6>lab: test $name, provider $2" >/dev/kmsg
	find /tmp -mindepth 1 -delete
	provider_begin "$2"
	if ! hca_ensure; then
		echo "FAIL $(suite_label "$2"): $name: the HCAs do not come up"
		return
	fi
	as_user "$3" timeout -k 5 "$4" "${command[@]}" 2>&1 </dev/null |
		tee "$log" | suite_results "$2"
	status=${PIPESTATUS[0]}
	verdict=$(suite_verdict "$name" "$2" "$status" "$4" "$log")
	suite_end
	verdict=${verdict:-$LEFT}
	if [ -n "$verdict" ]; then
		echo "FAIL $(suite_label "$2"): $name: $verdict"
	fi
	cp $PROVIDER_LOG "/mnt/lab/$name.$2.verbs"
}

suite_run() {
	local name provider user seconds process
	declare -A SUITE_OWN=()
	suite_processes
	for process in "${FOUND[@]}"; do
		SUITE_OWN[${process%%:*}]=1
	done
	while read -r name provider user seconds; do
		hosts_meet "suite-${name##*/}-$provider"
		suite_one "$name" "$provider" "$user" "$seconds"
	done <"$1"
}
