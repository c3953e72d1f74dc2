# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Scenarios of several processes, told line by line; source this file.
#
#	puppet A [USER]           start process A, as USER if given;
#	                          UID:GROUP is a user that has only a number,
#	                          and GROUP besides his own
#	tell A COMMAND...         let it do one command; prints the answer
#	want ok A COMMAND...      the answer must begin with that text
#	field NAME ANSWER         the word after NAME in an answer
#	drop A [SIGNAL]           end it: by "exit", or by the signal
#
# PUPPET is the program.  A failed "want" ends the script.

: "${PUPPET:?}"
declare -A puppet_in puppet_out puppet_pid

puppet() {
	local name=$1 user=${2:-} fifo in out
	local -a run=("$PUPPET")

	fifo=$(mktemp -u /tmp/puppet.XXXXXX)
	mkfifo "$fifo.in" "$fifo.out"
	if [[ $user == *:* ]]; then
		run=(setpriv --reuid "${user%:*}" --regid "${user%:*}"
			--groups "${user#*:}" "$PUPPET")
	elif [ -n "$user" ]; then
		run=(setpriv --reuid "$user" --regid "$user" --init-groups
			"$PUPPET")
	fi
	"${run[@]}" <"$fifo.in" >"$fifo.out" &
	puppet_pid[$name]=$!
	exec {in}>"$fifo.in" {out}<"$fifo.out"
	rm -f "$fifo.in" "$fifo.out"
	puppet_in[$name]=$in
	puppet_out[$name]=$out
}

tell() {
	local name=$1 reply
	shift
	echo "$*" >&"${puppet_in[$name]}" || true
	if ! read -r -t 60 -u "${puppet_out[$name]}" reply; then
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

# Two QPs, each of a process, to each other.
join_qps() {
	local a=$1 qa=$2 b=$3 qb=$4 sa sb

	want ok "$a" qp "$qa" create >/dev/null
	want ok "$b" qp "$qb" create >/dev/null
	sa=$(want ok "$a" qp "$qa" show)
	sb=$(want ok "$b" qp "$qb" show)
	want ok "$a" qp "$qa" connect "$(field qpn "$sb")" \
		"$(field gid "$sb")" >/dev/null
	want ok "$b" qp "$qb" connect "$(field qpn "$sa")" \
		"$(field gid "$sa")" >/dev/null
}
