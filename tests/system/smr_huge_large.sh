#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root tier=long mem=3G
#
# Proves that a process that attaches to a segment of huge pages, large enough
# to fill a page table, uses the creator's page table and pages, and faults none
# in.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
gib=$((1 << 30))

say_fail() {
	echo "FAIL smr-huge-table: $*"
	exit 1
}

# own_pages PROCESS: prints the kB of huge pages in page tables of its own
own_pages() {
	sed -nE 's/^HugetlbPages:[^0-9]*([0-9]+) kB/\1/p' \
		"/proc/${puppet_pid[$1]}/status"
}

echo 1 >/proc/sys/vm/compact_memory
echo 520 >/proc/sys/vm/nr_hugepages
if [ "$(cat /proc/sys/vm/nr_hugepages)" != 520 ]; then
	say_fail "no 520 huge pages"
fi
export MLX_MR_ALLOC_TYPE=HUGE
start A
start B
a=$(want ok A mr m create p 1024M lw,rr,rw,ur,uw)
b=$(want ok B mr m attach p "$(field number "$a")" lw,rr,rw)
for line in "$a" "$b"; do
	if [ $(($(field addr "$line") % gib)) != 0 ]; then
		say_fail "at $(field addr "$line")"
	fi
done
if [ "$(own_pages B)" != 0 ]; then
	say_fail "$(own_pages B) kB were mapped by the one who attached"
fi
if [ "$(sed -n 's/^HugePages_Free: *//p' /proc/meminfo)" != 8 ]; then
	say_fail "$(grep HugePages_Free /proc/meminfo)"
fi
ok B mr m fill 1023M 1M 5
ok A mr m check 1023M 1M 5
# A process that may only read cannot share a table of writable pages.
b=$(want ok B mr r attach p "$(field number "$a")" rr)
ok B mr r check 1023M 1M 5
refuses EACCES B mr r rights lw,rw
drop A
ok B mr m check 1023M 1M 5
drop B
if [ "$(sed -n 's/^HugePages_Free: *//p' /proc/meminfo)" != 520 ]; then
	say_fail "$(grep HugePages_Free /proc/meminfo)"
fi
echo "ok smr-huge-table"
