# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Scenarios of several processes, told line by line; source this file.
#
#	puppet A [USER]           start process A, as USER if given;
#	                          UID:GROUP is a user that has only a number,
#	                          and GROUP besides his own; ns:USER is root
#	                          of a user namespace that USER makes
#	start A [USER] [DEVICE]   the same, with context C, PD p and CQ c
#	tell A COMMAND...         let it do one command; prints the answer
#	want TEXT A COMMAND...    the answer must begin so; prints it
#	ok A COMMAND...           the answer must be "ok"
#	refuses ERRNO A COMMAND... it must be "err ERRNO"; '' is any
#	field NAME ANSWER         the word after NAME in an answer
#	drop A [SIGNAL]           end it: by "exit", or by the signal
#	equal A B                 the two words are the same
#	scenarios NAME...         play the functions of these names
#
# An answer or a word that is wrong ends the scenario.

: "${MLX5X_BUILD:?}"
declare -A puppet_in puppet_out puppet_pid

puppet() {
	local name=$1 user=${2:-} fifo in out
	local program=$MLX5X_BUILD/tests/system/puppet
	local -a run=("$program")

	fifo=$(mktemp -u /tmp/puppet.XXXXXX)
	mkfifo "$fifo.in" "$fifo.out"
	if [[ $user == ns:* ]]; then
		run=(setpriv --reuid "${user#ns:}" --regid "${user#ns:}"
			--init-groups unshare --user --map-root-user
			"$program")
	elif [[ $user == *:* ]]; then
		run=(setpriv --reuid "${user%:*}" --regid "${user%:*}"
			--groups "${user#*:}" "$program")
	elif [ -n "$user" ]; then
		run=(setpriv --reuid "$user" --regid "$user" --init-groups
			"$program")
	fi
	"${run[@]}" <"$fifo.in" >"$fifo.out" &
	puppet_pid[$name]=$!
	exec {in}>"$fifo.in" {out}<"$fifo.out"
	rm -f "$fifo.in" "$fifo.out"
	puppet_in[$name]=$in
	puppet_out[$name]=$out
}

tell() {
	local name=$1 reply limit=$((60 * ${LAB_LOAD:-3}))
	shift
	echo "$*" >&"${puppet_in[$name]}" || true
	if ! read -r -t "$limit" -u "${puppet_out[$name]}" reply; then
		reply="err no answer"
	fi
	echo "$reply"
}

want() {
	local expected=$1 reply
	shift
	reply=$(tell "$@")
	case "$reply" in
	"$expected"*) ;;
	*)
		echo "$1: '${*:2}' answered '$reply', not '$expected'" >&2
		exit 1
		;;
	esac
	echo "$reply"
}

ok() {
	want ok "$@" >/dev/null
}

refuses() {
	want "err $1" "${@:2}" >/dev/null
}

start() {
	puppet "$1" "${2:-}"
	# shellcheck disable=SC2086 # a word or none
	ok "$1" ctx C open ${3:-}
	ok "$1" pd p alloc C
	ok "$1" cq c create C
}

field() {
	local -a words
	local i
	read -ra words <<<"$2"
	for ((i = 0; i + 1 < ${#words[@]}; i++)); do
		if [ "${words[i]}" = "$1" ]; then
			echo "${words[i + 1]}"
			return
		fi
	done
	return 1
}

drop() {
	local name=$1 signal=${2:-} fd

	if [ -n "$signal" ]; then
		kill -"$signal" "${puppet_pid[$name]}"
	else
		tell "$name" exit >/dev/null
	fi
	wait "${puppet_pid[$name]}" 2>/dev/null || true
	fd=${puppet_in[$name]}
	exec {fd}>&-
	fd=${puppet_out[$name]}
	exec {fd}<&-
	unset "puppet_pid[$name]" "puppet_in[$name]" "puppet_out[$name]"
}

# join_qps A QA B QB [PD]: makes two QPs and connects them; A's is in that PD or
# in p
join_qps() {
	local a=$1 qa=$2 b=$3 qb=$4 sa sb

	ok "$a" qp "$qa" create "${5:-p}" c
	ok "$b" qp "$qb" create p c
	sa=$(want ok "$a" qp "$qa" show)
	sb=$(want ok "$b" qp "$qb" show)
	ok "$a" qp "$qa" connect "$(field qpn "$sb")" "$(field gid "$sb")"
	ok "$b" qp "$qb" connect "$(field qpn "$sa")" "$(field gid "$sa")"
}

equal() {
	if [ "$1" != "$2" ]; then
		echo "line ${BASH_LINENO[*]}: '$1' is not '$2'" >&2
		exit 1
	fi
}

# Each scenario is played by a process of its own, which ends at the first
# command that fails: the script runs again, with SCENARIO set. Does not return.
scenarios() {
	local name out failed=0 script
	if [ -n "${SCENARIO:-}" ]; then
		"$SCENARIO"
		exit
	fi
	script=$(basename "$0" .sh)
	for name in "$@"; do
		if out=$(SCENARIO=$name bash "$0" 2>&1); then
			echo "ok ${script//_/-}-$name"
		else
			echo "FAIL ${script//_/-}-$name: $(tail -n 1 <<<"$out")"
			failed=1
		fi
	done
	exit "$failed"
}
