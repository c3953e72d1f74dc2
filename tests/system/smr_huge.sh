#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=root timeout=500
#
# Proves which pages the library allocates for memory, shared or not, under each
# MLX_MR_ALLOC_TYPE and block size, with and without huge pages in the system
# and the permission to use them. Proves also that a limit of locked memory
# leads to a clean refusal.
# The functions of scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"

vm=/proc/sys/vm
shared=lw,rr,rw,ur,uw

# start_with TYPE PROCESS USER: starts it with that MLX_MR_ALLOC_TYPE
start_with() {
	export MLX_MR_ALLOC_TYPE=$1
	start "$2" "$3"
	unset MLX_MR_ALLOC_TYPE
}

# huge_pages N: gives the system that many
huge_pages() {
	echo 1 >"$vm"/compact_memory
	echo "$1" >"$vm"/nr_hugepages
	equal "$(cat "$vm"/nr_hugepages)" "$1"
}

free_pages() {
	sed -n 's/^HugePages_Free: *//p' /proc/meminfo
}

# page_size PROCESS MR-LINE: prints the kB of the pages where the MR is mapped
page_size() {
	local addr
	addr=$(field addr "$2")
	awk -v "at=${addr#0x}" '
		/^[0-9a-f]+-[0-9a-f]+ / { here = index($1, at "-") == 1 }
		here && /^KernelPageSize:/ { print $2 }' \
		"/proc/${puppet_pid[$1]}/smaps"
}

# makes PROCESS PAGE-KB SIZE ACCESS: it can make and use an MR of such pages
makes() {
	local reply
	reply=$(want ok "$1" mr m create p "$3" "$4")
	equal "$(page_size "$1" "$reply")" "$2"
	equal "$(field length "$reply")" "$(numfmt --from=iec "$3")"
	ok "$1" mr m fill 0 "$3" 5
	ok "$1" mr m check 0 "$3" 5
	ok "$1" mr m dereg
}

# Each type when there are huge pages, for requests that are large enough and
# for some that are smaller than a page.
types() {
	local type
	huge_pages 8
	for type in ALL PREFER_HUGE prefer_contig nonsense; do
		start_with "$type" A root
		makes A 2048 2M "$shared"
		makes A 2048 4M lw
		makes A 4 1M "$shared"
		drop A
	done
	for type in CONTIG huge; do
		start_with "$type" A root
		makes A 2048 4M "$shared"
		makes A 2048 4K "$shared"
		makes A 2048 4K lw
		drop A
	done
	start_with ANON A root
	makes A 4 4M "$shared"
	makes A 4 4M lw
	drop A
	equal "$(free_pages)" 8
}

# Without huge pages: refused if they are demanded, else plain pages.
none_there() {
	local type
	huge_pages 0
	for type in ALL PREFER_HUGE PREFER_CONTIG ANON; do
		start_with "$type" A root
		makes A 4 4M "$shared"
		makes A 4 4M lw
		drop A
	done
	for type in HUGE CONTIG; do
		start_with "$type" A root
		refuses ENOMEM A mr m create p 4M "$shared"
		refuses ENOMEM A mr m create p 4M lw
		ok A mr n reg p 4M lw
		drop A
	done
}

# The window of block sizes leaves huge pages in or out.
block_sizes() {
	local page
	huge_pages 4
	for page in '21 23 2048' '12 21 2048' '22 23 4' '12 20 4' \
		'12 23 2048' '99 1 2048' 'x y 2048'; do
		read -r MLX_MR_MIN_LOG2_CONTIG_BSIZE \
			MLX_MR_MAX_LOG2_CONTIG_BSIZE page <<<"$page"
		export MLX_MR_MIN_LOG2_CONTIG_BSIZE MLX_MR_MAX_LOG2_CONTIG_BSIZE
		start_with ALL A root
		makes A "$page" 4M "$shared"
		drop A
	done
	MLX_MR_MIN_LOG2_CONTIG_BSIZE=22 MLX_MR_MAX_LOG2_CONTIG_BSIZE=23
	start_with CONTIG A root
	refuses ENOMEM A mr m create p 4M "$shared"
	drop A
}

# At an address of the program's choice: huge pages if they fit there.
at_address() {
	local reply
	huge_pages 4
	start_with ALL A root
	reply=$(want ok A mr m create p 4M "$shared" 0x600000000000)
	equal "$(page_size A "$reply")" 2048
	equal "$(field addr "$reply")" 0x600000000000
	ok A mr m dereg
	reply=$(want ok A mr m create p 4M "$shared" 0x600000001000)
	equal "$(page_size A "$reply")" 4
	equal "$(field addr "$reply")" 0x600000001000
	ok A mr m dereg
	drop A
	start_with HUGE A root
	refuses '' A mr m create p 4M "$shared" 0x600000001000
	drop A
}

# Two processes share huge pages and move data; the pages come free at the end.
shared_by_two() {
	local a b
	huge_pages 8
	start_with HUGE A root
	start B root
	a=$(want ok A mr m create p 6M "$shared")
	equal "$(free_pages)" 5
	b=$(want ok B mr m attach p "$(field number "$a")" lw,rr,rw)
	equal "$(page_size B "$b")" 2048
	equal "$(free_pages)" 5
	ok B mr c reg p 64K lw
	ok B mr c fill 0 64K 6
	join_qps B qb A qa
	ok B qp qb write c+0 65536 "$(field addr "$a")" "$(field rkey "$a")"
	ok B mr m check 0 64K 6
	drop A KILL
	equal "$(free_pages)" 5
	ok B mr m check 0 64K 6
	ok B mr m dereg
	equal "$(free_pages)" 8
	drop B
}

# entries: prints how many translation entries the device has for all keys
entries() {
	hca_ask stats | sed -n 's/^hca0\.translations\.mtt //p'
}

# entries_of TYPE: prints how many it has for 8 MiB
entries_of() {
	local before
	start_with "$1" A root
	before=$(entries)
	ok A mr m create p 8M "$shared"
	echo $(($(entries) - before))
	drop A
}

# The device translates by huge pages.
translations() {
	local huge plain
	huge_pages 4
	huge=$(entries_of HUGE)
	plain=$(entries_of ANON)
	echo "entries: $huge with huge pages, $plain with plain ones"
	[ "$huge" -ge 1 ]
	[ "$huge" -le 4 ]
	[ "$plain" -gt "$huge" ]
}

# An ordinary user with little memory to lock may have huge pages only as member
# of a group. Another user may attach to what a member makes.
group() {
	local a
	huge_pages 8
	echo 0 >"$vm"/hugetlb_shm_group
	start_with HUGE A alice
	prlimit --pid "${puppet_pid[A]}" --memlock=1048576
	refuses EPERM A mr m create p 4M "$shared"
	drop A
	id -g alice >"$vm"/hugetlb_shm_group
	start_with HUGE A alice
	start B bob
	a=$(want ok A mr m create p 4M "$shared,or,ow")
	equal "$(page_size A "$a")" 2048
	a=$(want ok B mr m attach p "$(field number "$a")" lw,rw)
	equal "$(page_size B "$a")" 2048
	ok B mr m fill 0 4M 7
	ok A mr m check 0 4M 7
	drop B
	drop A
	echo 0 >"$vm"/hugetlb_shm_group
}

# RLIMIT_MEMLOCK makes creation and attachment fail with ENOMEM; both can go on.
locked_memory() {
	local a before names
	huge_pages 0
	before=$(ipcs -m)
	# Names of processes that were killed.
	names=$(ls /dev/shm/mlx5x_smr.* 2>/dev/null || true)
	start A alice
	start B alice
	prlimit --pid "${puppet_pid[A]}" --memlock=1048576
	refuses ENOMEM A mr m create p 4M "$shared"
	refuses ENOMEM A mr m create p 4M lw
	equal "$(ipcs -m)" "$before"
	equal "$(ls /dev/shm/mlx5x_smr.* 2>/dev/null)" "$names"
	prlimit --pid "${puppet_pid[A]}" --memlock=16777216
	a=$(want ok A mr m create p 4M "$shared")
	prlimit --pid "${puppet_pid[B]}" --memlock=1048576
	refuses ENOMEM B mr m attach p "$(field number "$a")" lw
	equal "$(grep -c SYSV "/proc/${puppet_pid[B]}/smaps")" 0
	ok B mr m attach p "$(field number "$a")" lw,nordma
	ok B mr m fill 0 4M 3
	ok A mr m check 0 4M 3
	drop B
	ok A mr m dereg
	drop A
	equal "$(ipcs -m)" "$before"
}

if [ -z "${SCENARIO:-}" ]; then
	trap 'echo 0 >"$vm"/nr_hugepages' EXIT
fi
scenarios types none_there block_sizes at_address shared_by_two translations \
	group locked_memory
