#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# count.sh PROGRAM: how many instructions each of the program's cases takes,
# one call of it with an empty call subtracted; fails when one takes more than
# the program allows.
set -eu

program=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

# count CASE: instructions inside measured()
count() {
	valgrind --tool=callgrind --callgrind-out-file="$tmp/out" \
		--toggle-collect=measured "$program" "$1" >/dev/null \
		2>"$tmp/log" || {
		cat "$tmp/log" >&2
		exit 1
	}
	sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' "$tmp/out" | tail -n 1
}

"$program" >"$tmp/cases"
empty=$(count empty)
while read -r name limit; do
	cost=$(($(count "$name") - empty))
	if [ "$cost" -gt "$limit" ]; then
		verdict="MORE THAN $limit"
		status=1
	else
		verdict="at most $limit"
	fi
	echo "$name: $cost instructions, $verdict"
done <"$tmp/cases"
exit $status
