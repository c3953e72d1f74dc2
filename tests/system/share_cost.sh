#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root tier=long timeout=900 mem=2G
#
# Measures what 1 GiB costs that 16 processes use, if they import it from one of
# them and if each registers it: entries of the device's translations, pinned
# memory, and the time until each has its first bytes. The imported region must
# be in the device once and pinned once, the other one 16 times.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"
program=${MLX5X_BUILD:?}/tests/system/share_cost
n=${1:-16}
mib=${2:-1024}
pages=$((mib * 256))

# measure HOW: sets MTT (entries more than before), PIN (MiB, of all), FIRST and
# KEYS (mean of processes 2 to n, us)
measure() {
	local before now line out='' number us key pin of pid all=0
	before=$(hca_stat translations.mtt)
	coproc RUN { "$program" "$1" "$n" "$mib" 2>&1; }
	pid=$RUN_PID
	exec 3<&"${RUN[0]}" 4>&"${RUN[1]}"
	MTT='' PIN=0 FIRST=0 KEYS=0
	while read -r -u 3 line; do
		out+=$line$'\n'
		if [ "$line" = all ]; then
			all=1
			now=$(hca_stat translations.mtt)
			MTT=$((now - before))
			echo >&4
			break
		fi
	done
	exec 4>&-
	if [ $all = 0 ] || ! wait "$pid"; then
		echo "FAIL share_cost-$1: $(tail -n 1 <<<"$out")"
		exit 1
	fi
	while read -r number key us pin; do
		PIN=$((PIN + pin))
		if [ "$number" = 1 ]; then
			continue
		fi
		KEYS=$((KEYS + key))
		FIRST=$((FIRST + us))
	done < <(sed -nE 's/^process ([0-9]+): keys ([0-9]+) first-byte ([0-9]+) pin ([0-9]+)$/\1 \2 \3 \4/p' \
		<<<"$out")
	of=$(grep -c '^process ' <<<"$out")
	if [ "$of" != "$n" ]; then
		echo "FAIL share_cost-$1: $of of $n processes"
		exit 1
	fi
	PIN=$((PIN / 1024))
	KEYS=$((KEYS / (n - 1)))
	FIRST=$((FIRST / (n - 1)))
	echo "share_cost $1: $n processes, $mib MiB: $MTT page entries," \
		"$PIN MiB pinned; processes 2 to $n: keys after $KEYS us," \
		"first byte after $FIRST us"
}

# times A B: A / B with one digit
times() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'
}

measure import
mtt=$MTT pin=$PIN first=$FIRST keys=$KEYS
measure register
echo "share_cost ratios, registered to imported: page entries" \
	"$(times "$MTT" "$mtt"), pinned $(times "$PIN" "$pin"), keys" \
	"$(times "$KEYS" "$keys"), first byte $(times "$FIRST" "$first")"

failed=0
# near NAME VALUE WANTED: WANTED, and for each process at most a page or a MiB
# more, since its own queues and buffer take a little besides
near() {
	if [ "$2" -ge "$3" ] && [ "$2" -le $(($3 + n)) ]; then
		echo "ok share_cost-$1"
	else
		echo "FAIL share_cost-$1: $2 for $3"
		failed=1
	fi
}
near translations-imported "$mtt" "$pages"
near translations-registered "$MTT" $((n * pages))
near pinned-imported "$pin" "$mib"
near pinned-registered "$PIN" $((n * mib))
exit $failed
