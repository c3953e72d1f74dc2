#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root timeout=900
#
# Proves that PDs and MRs exported by one process work in others: data by RDMA
# with the imported keys, CQs that were made before the import, destruction by
# the last holder in any order of death, no object left behind.
# Scenarios are called by name:
# shellcheck disable=SC2317,SC2119
set -eu
here=$(dirname "$0")
export PUPPET=${MLX5X_BUILD:?}/tests/system/sharer
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/share-lib.sh
. "$here/share-lib.sh"

# Export, send, import, move data, destroy: nothing is left.
usual_flow() {
	owner alice
	export_all
	far_end alice
	consumer Q alice
	import_all Q
	connect_q Q
	traffic Q
	leave Q
	want ok Q ctx C close >/dev/null
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
	want ok P ctx S close >/dev/null
	want ok P ctx A close >/dev/null
}

# Channel, CQ and PD made before; the CQ armed before; events by poll().
cq_before() {
	owner
	export_all
	far_end
	consumer Q
	want ok Q channel h create C >/dev/null
	want ok Q channel unused create C >/dev/null
	want ok Q cq c create C h >/dev/null
	want ok Q cq c arm >/dev/null
	want ok Q pd own alloc C >/dev/null
	import_all Q
	want ok R cq c create C >/dev/null
	join_pair Q p c R p c
	want ok P mr m fill 0 4096 3 >/dev/null
	want ok Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
	want ok Q cq c event >/dev/null
	want ok Q cq c arm >/dev/null
	want ok Q qp q read "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
	want ok Q cq c event >/dev/null
	want ok R mr m check 0 4096 3 >/dev/null
	want ok Q qp q destroy >/dev/null
	want ok R qp q destroy >/dev/null
	join_pair Q p c R p c
	traffic Q
	want ok Q cq late create C unused >/dev/null
	want ok Q cq late arm >/dev/null
	want ok Q mr n reg own 4096 >/dev/null
	want ok Q mr n dereg >/dev/null
	want ok Q pd own dealloc >/dev/null
	want ok Q cq late destroy >/dev/null
	want ok Q channel unused destroy >/dev/null
	leave Q
	want ok Q channel h destroy >/dev/null
}

# Another thread polls and arms the CQ all the time of the import.
cq_busy() {
	owner
	export_all
	far_end
	consumer Q
	want ok Q channel h create C >/dev/null
	want ok Q cq c create C h >/dev/null
	want ok Q cq c spin >/dev/null
	import_all Q
	want ok Q cq c still >/dev/null
	want ok R cq c create C >/dev/null
	join_pair Q p c R p c
	want ok P mr m fill 0 4096 3 >/dev/null
	want ok Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
	want ok Q cq c event >/dev/null
	traffic Q
	leave Q
	want ok Q channel h destroy >/dev/null
}

# A CQ that was used before the import starts anew.
cq_used() {
	owner
	export_all
	far_end
	consumer Q
	want ok Q pd old alloc C >/dev/null
	want ok Q cq c create C >/dev/null
	want ok R cq c create C >/dev/null
	mr=$(want ok Q mr n reg old 4096)
	join_pair Q old c R p c
	for _ in 1 2 3; do
		want ok Q qp q write "$(field addr "$mr")" 4096 \
			"$(field lkey "$mr")" "$R_ADDR" "$R_RKEY" >/dev/null
	done
	want ok Q qp q destroy >/dev/null
	want ok Q mr n dereg >/dev/null
	want ok R qp q destroy >/dev/null
	import_all Q
	join_pair Q p c R p c
	traffic Q
}

# A context that has a QP cannot change; the QP works on.
qp_before() {
	local mr
	owner
	export_all
	far_end
	consumer Q
	want ok Q pd own alloc C >/dev/null
	want ok Q cq c create C >/dev/null
	want ok R cq c create C >/dev/null
	mr=$(want ok Q mr n reg own 4096)
	join_pair Q own c R p c
	equal "$(tell Q pd p import C F "$H_PD")" 'err EBUSY'
	want ok Q mr n fill 0 4096 4 >/dev/null
	want ok Q qp q write "$(field addr "$mr")" 4096 "$(field lkey "$mr")" \
		"$R_ADDR" "$R_RKEY" >/dev/null
	want ok R mr m check 0 4096 4 >/dev/null
}

# The descriptor is the source context's own, nothing was exported.
no_export() {
	owner
	want ok P fd F of A >/dev/null
	far_end
	consumer Q
	import_all Q
	connect_q Q
	traffic Q
	leave Q
	want ok P mr m check 0 4096 13 >/dev/null
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
}

# The source is served by libmlx5, which counts nobody: it can be imported
# from, not exported.  Its objects are borrowed.
stock_source() {
	IBV_DRIVERS='' owner
	want ok P fd F of A >/dev/null
	equal "$(tell P exportto A A mr "$H_MR")" 'err EOPNOTSUPP'
	far_end
	consumer Q
	import_all Q
	connect_q Q
	traffic Q
	# An importer does not become the owner by passing it on.
	equal "$(want ok Q exportto C C mr "$H_MR")" "ok handle $H_MR"
	equal "$(want ok Q exportto C C pd "$H_PD")" "ok handle $H_PD"
	leave Q
	want ok Q ctx C close >/dev/null
	want ok P mr m check 0 4096 13 >/dev/null
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
}

# Export to the source context itself.
to_itself() {
	owner
	equal "$(want ok P exportto A A pd "$H_PD")" "ok handle $H_PD"
	equal "$(want ok P exportto A A mr "$H_MR")" "ok handle $H_MR"
	want ok P fd F of A >/dev/null
	far_end
	consumer Q
	import_all Q
	connect_q Q
	traffic Q
}

# The owner destroys first: the keys stay until the last holder lets go.
owner_first() {
	local new
	owner
	export_all
	far_end
	consumer Q
	import_all Q
	connect_q Q
	want ok P mr m fill 0 4096 5 >/dev/null
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
	want ok P ctx S close >/dev/null
	want ok Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
	want ok R qp q write "$R_ADDR" 4096 "$R_LKEY" "$MR_ADDR" "$MR_RKEY" \
		>/dev/null
	want ok Q mr m dereg >/dev/null
	new=$(tell Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY")
	equal "$new" 'err wc local protection error'
}

owner_killed() {
	owner
	export_all
	far_end
	consumer Q
	import_all Q
	connect_q Q
	drop P KILL
	want ok Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
	want ok R qp q write "$R_ADDR" 4096 "$R_LKEY" "$MR_ADDR" "$MR_RKEY" \
		>/dev/null
	leave Q
}

consumer_killed() {
	owner
	export_all
	far_end
	consumer Q
	import_all Q
	connect_q Q
	drop Q KILL
	want ok P ctx S close >/dev/null
	want ok P mr m dereg >/dev/null
	# The dead one's QP stays in the shared file until that closes.
	equal "$(tell P pd p dealloc)" 'err EBUSY'
	want ok P ctx A close >/dev/null
}

# Two of each: the object goes with the second.
double_import() {
	owner
	export_all
	far_end
	consumer Q
	import_all Q
	want ok Q pd p2 import C F "$H_PD" >/dev/null
	want ok Q mr m2 import C F "$H_MR" >/dev/null
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
	want ok P ctx S close >/dev/null
	want ok P ctx A close >/dev/null
	want ok Q mr m2 dereg >/dev/null
	connect_q Q
	want ok Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
	want ok Q qp q destroy >/dev/null
	want ok Q mr m dereg >/dev/null
	equal "$(tell Q mr x import C F "$H_MR")" 'err ENOENT'
	want ok Q pd p2 dealloc >/dev/null
	want ok Q cq c destroy >/dev/null
	want ok Q pd p dealloc >/dev/null
	equal "$(tell Q pd x import C F "$H_PD")" 'err ENOENT'
}

# Eight importers leave in any order; the objects go with the last.
eight_importers() {
	local i order mrs
	owner
	export_all
	order=$(shuf -e 1 2 3 4 5 6 7 8)
	for i in 1 2 3 4 5 6 7 8; do
		consumer "Q$i"
		import_all "Q$i"
	done
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
	want ok P ctx S close >/dev/null
	mrs=$(rdma resource show mr | grep -c 'mrlen 1048576')
	equal "$mrs" 1
	for i in $order; do
		equal "$(rdma resource show mr | grep -c 'mrlen 1048576')" 1
		if [ $((i % 3)) = 0 ] && [ "$i" != "${order##*$'\n'}" ]; then
			drop "Q$i" KILL
		else
			want ok "Q$i" mr m dereg >/dev/null
			want ok "Q$i" pd p dealloc >/dev/null
		fi
	done
	if rdma resource show mr | grep -q 'mrlen 1048576'; then
		echo "order ${order//$'\n'/ }: the MR is still there" >&2
		exit 1
	fi
}

# A child has the descriptor by fork; its parent goes.
by_fork() {
	local fifo pid in out
	owner
	export_all
	fifo=$(mktemp -u /tmp/sharer.XXXXXX)
	mkfifo "$fifo.in" "$fifo.out"
	pid=$(field pid "$(want ok P fork "$fifo.in" "$fifo.out")")
	exec {in}>"$fifo.in" {out}<"$fifo.out"
	rm -f "$fifo.in" "$fifo.out"
	puppet_in[Q]=$in puppet_out[Q]=$out puppet_pid[Q]=$pid
	far_end
	want ok Q ctx C open >/dev/null
	want ok Q pd q import C F "$H_PD" >/dev/null
	equal "$(field lkey "$(want ok Q mr q import C F "$H_MR")")" "$MR_LKEY"
	want ok P mr m fill 0 4096 9 >/dev/null
	want ok P ctx S close >/dev/null
	drop P
	want ok Q cq c create C >/dev/null
	want ok R cq c create C >/dev/null
	join_pair Q q c R p c
	want ok Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
	want ok R mr m check 0 4096 9 >/dev/null
	drop Q
}

other_user() {
	owner alice
	export_all
	far_end bob
	consumer Q bob
	import_all Q
	connect_q Q
	traffic Q
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
	want ok P ctx S close >/dev/null
	leave Q
}

# Closing one of two that share frees what that one made.
close_sweeps() {
	local before
	owner
	export_all
	far_end
	before=$(objects)
	consumer Q
	import_all Q
	connect_q Q
	want ok Q mr n reg p 4096 >/dev/null
	want ok Q ctx C close >/dev/null
	want ok R qp q destroy >/dev/null
	want ok R cq c destroy >/dev/null
	equal "$(objects)" "$before"
	want ok P mr m dereg >/dev/null
	want ok P ctx S close >/dev/null
	want ok P pd p dealloc >/dev/null
}

all=(usual_flow cq_before cq_busy cq_used qp_before no_export
	stock_source to_itself owner_first owner_killed consumer_killed double_import eight_importers by_fork
	other_user close_sweeps)

if [ "${1-}" = run ]; then
	"$2"
	exit 0
fi
failed=0
start=$(objects)
for name in "${all[@]}"; do
	scenario "$name"
done
if [ "$(objects)" = "$start" ]; then
	echo "ok share-nothing-left"
else
	echo "FAIL share-nothing-left: $(objects | tr '\n' ' ')"
	failed=1
fi
exit $failed
