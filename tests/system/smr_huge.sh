#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=root timeout=500
#
# Proves which pages the memory has that the library allocates, shared or not,
# under each MLX_MR_ALLOC_TYPE and block size, with and without huge pages in
# the system and permission to use them; and that a limit of locked memory
# refuses cleanly.
# Scenarios are called by name:
# shellcheck disable=SC2317
set -eu
here=$(dirname "$0")
export PUPPET=${MLX5X_BUILD:?}/tests/system/puppet
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"

vm=/proc/sys/vm
shared=lw,rr,rw,ur,uw

start() {
	puppet "$1" "$2"
	want ok "$1" open >/dev/null
}

# start_with TYPE PROCESS USER: with MLX_MR_ALLOC_TYPE
start_with() {
	export MLX_MR_ALLOC_TYPE=$1
	start "$2" "$3"
	unset MLX_MR_ALLOC_TYPE
}

equal() {
	if [ "$1" != "$2" ]; then
		echo "line ${BASH_LINENO[*]}: '$1' is not '$2'" >&2
		exit 1
	fi
}

# huge_pages N: the system has that many, once those in use come free
huge_pages() {
	echo 1 >"$vm"/compact_memory
	echo "$1" >"$vm"/nr_hugepages
	equal "$(cat "$vm"/nr_hugepages)" "$1"
}

free_pages() {
	sed -n 's/^HugePages_Free: *//p' /proc/meminfo
}

# page_size PROCESS MR-LINE: kB of the pages where the MR is mapped
page_size() {
	local addr
	addr=$(field addr "$2")
	awk -v "at=${addr#0x}" '
		/^[0-9a-f]+-[0-9a-f]+ / { here = index($1, at "-") == 1 }
		here && /^KernelPageSize:/ { print $2 }' \
		"/proc/${puppet_pid[$1]}/smaps"
}

# makes PROCESS PAGE-KB SIZE ACCESS: an MR of pages of that size, usable
makes() {
	local reply
	reply=$(want ok "$1" mr m create "$3" "$4")
	equal "$(page_size "$1" "$reply")" "$2"
	equal "$(field length "$reply")" "$(numfmt --from=iec "$3")"
	want ok "$1" mr m fill 0 "$3" 5 >/dev/null
	want ok "$1" mr m check 0 "$3" 5 >/dev/null
	want ok "$1" mr m dereg >/dev/null
}

# Each type with huge pages at hand: of a request that is large enough, and of
# one that is smaller than a page.
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

# Without any in the system: demanded, or else plain pages.
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
		want 'err ENOMEM' A mr m create 4M "$shared" >/dev/null
		want 'err ENOMEM' A mr m create 4M lw >/dev/null
		want ok A mr n reg 4M lw >/dev/null
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
	want 'err ENOMEM' A mr m create 4M "$shared" >/dev/null
	drop A
}

# An address of one's own: huge pages if they fit it, else plain ones.
at_address() {
	local reply
	huge_pages 4
	start_with ALL A root
	reply=$(want ok A mr m create 4M "$shared" 0x600000000000)
	equal "$(page_size A "$reply")" 2048
	equal "$(field addr "$reply")" 0x600000000000
	want ok A mr m dereg >/dev/null
	reply=$(want ok A mr m create 4M "$shared" 0x600000001000)
	equal "$(page_size A "$reply")" 4
	equal "$(field addr "$reply")" 0x600000001000
	want ok A mr m dereg >/dev/null
	drop A
	start_with HUGE A root
	want err A mr m create 4M "$shared" 0x600000001000 >/dev/null
	drop A
}

# Two processes, one of them moved by RDMA; the pages return at the end.
shared_by_two() {
	local a b
	huge_pages 8
	start_with HUGE A root
	start B root
	a=$(want ok A mr m create 6M "$shared")
	equal "$(free_pages)" 5
	b=$(want ok B mr m attach "$(field handle "$a")" lw,rr,rw)
	equal "$(page_size B "$b")" 2048
	equal "$(free_pages)" 5
	want ok B mr c reg 64K lw >/dev/null
	want ok B mr c fill 0 64K 6 >/dev/null
	join_qps B qb A qa
	want ok B qp qb write c 0 65536 "$(field addr "$a")" \
		"$(field rkey "$a")" >/dev/null
	want ok B qp qb poll >/dev/null
	want ok B mr m check 0 64K 6 >/dev/null
	drop A KILL
	equal "$(free_pages)" 5
	want ok B mr m check 0 64K 6 >/dev/null
	want ok B mr m dereg >/dev/null
	equal "$(free_pages)" 8
	drop B
}

# The translation entries that the device has for all live keys.
entries() {
	hca_ask stats | sed -n 's/^hca0\.translations\.mtt //p'
}

# entries_of TYPE: for 8 MiB
entries_of() {
	local before
	start_with "$1" A root
	before=$(entries)
	want ok A mr m create 8M "$shared" >/dev/null
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

# An ordinary user, with little memory to lock: huge pages are for the members
# of a group. What a member makes, another user may attach to all the same.
group() {
	local a
	huge_pages 8
	echo 0 >"$vm"/hugetlb_shm_group
	start_with HUGE A alice
	prlimit --pid "${puppet_pid[A]}" --memlock=1048576
	want 'err EPERM' A mr m create 4M "$shared" >/dev/null
	drop A
	id -g alice >"$vm"/hugetlb_shm_group
	start_with HUGE A alice
	start B bob
	a=$(want ok A mr m create 4M "$shared,or,ow")
	equal "$(page_size A "$a")" 2048
	a=$(want ok B mr m attach "$(field handle "$a")" lw,rw)
	equal "$(page_size B "$a")" 2048
	want ok B mr m fill 0 4M 7 >/dev/null
	want ok A mr m check 0 4M 7 >/dev/null
	drop B
	drop A
	echo 0 >"$vm"/hugetlb_shm_group
}

# RLIMIT_MEMLOCK: ENOMEM for who makes and for who attaches; both can go on.
locked_memory() {
	local a before names
	huge_pages 0
	before=$(ipcs -m)
	# Of another user, who was killed.
	names=$(ls /dev/shm/mlx5x_smr.* 2>/dev/null || true)
	start A alice
	start B alice
	prlimit --pid "${puppet_pid[A]}" --memlock=1048576
	want 'err ENOMEM' A mr m create 4M "$shared" >/dev/null
	want 'err ENOMEM' A mr m create 4M lw >/dev/null
	equal "$(ipcs -m)" "$before"
	equal "$(ls /dev/shm/mlx5x_smr.* 2>/dev/null)" "$names"
	prlimit --pid "${puppet_pid[A]}" --memlock=16777216
	a=$(want ok A mr m create 4M "$shared")
	prlimit --pid "${puppet_pid[B]}" --memlock=1048576
	want 'err ENOMEM' B mr m attach "$(field handle "$a")" lw >/dev/null
	equal "$(grep -c SYSV "/proc/${puppet_pid[B]}/smaps")" 0
	want ok B mr m attach "$(field handle "$a")" lw,nordma >/dev/null
	want ok B mr m fill 0 4M 3 >/dev/null
	want ok A mr m check 0 4M 3 >/dev/null
	drop B
	want ok A mr m dereg >/dev/null
	drop A
	equal "$(ipcs -m)" "$before"
}

if [ "${1:-}" = run ]; then
	"$2"
	exit
fi

failed=0
for s in types none_there block_sizes at_address shared_by_two \
	translations group locked_memory; do
	if out=$(bash "$0" run "$s" 2>&1); then
		echo "ok smr-huge-$s"
	else
		echo "FAIL smr-huge-$s: $(echo "$out" | tail -n 1)"
		failed=1
	fi
done
echo 0 >"$vm"/nr_hugepages
exit $failed
