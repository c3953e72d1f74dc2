#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root timeout=900
#
# Proves that PDs and MRs exported by one process work in others. The imported
# keys move data by RDMA; CQs may be made before the import; the last holder
# destroys the objects, whatever the order of death; nothing is left behind.
# The functions of scenarios are called by name:
# shellcheck disable=SC2317,SC2119
set -eu
here=$(dirname "$0")
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
	ok Q ctx C close
	ok P mr m dereg
	ok P pd p dealloc
	ok P ctx S close
	ok P ctx A close
}

# Channel, CQ and PD made before; the CQ armed before; events by poll().
cq_before() {
	owner
	export_all
	far_end
	consumer Q
	ok Q channel h create C
	ok Q channel unused create C
	ok Q cq c create C h
	ok Q cq c arm
	ok Q pd own alloc C
	import_all Q
	join_qps Q q R q
	ok P mr m fill 0 4096 3
	ok Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
	ok Q cq c event
	ok Q cq c arm
	ok Q qp q read "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
	ok Q cq c event
	ok R mr m check 0 4096 3
	ok Q qp q destroy
	ok R qp q destroy
	join_qps Q q R q
	traffic Q
	ok Q cq late create C unused
	ok Q cq late arm
	ok Q mr n reg own 4096
	ok Q mr n dereg
	ok Q pd own dealloc
	ok Q cq late destroy
	ok Q channel unused destroy
	leave Q
	ok Q channel h destroy
}

# Another thread polls and arms the CQ during the import.
cq_busy() {
	owner
	export_all
	far_end
	consumer Q
	ok Q channel h create C
	ok Q cq c create C h
	ok Q cq c spin
	import_all Q
	ok Q cq c still
	join_qps Q q R q
	ok P mr m fill 0 4096 3
	ok Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
	ok Q cq c event
	traffic Q
	leave Q
	ok Q channel h destroy
}

# A CQ that was used before the import starts anew.
cq_used() {
	owner
	export_all
	far_end
	consumer Q
	ok Q pd old alloc C
	ok Q cq c create C
	mr=$(want ok Q mr n reg old 4096)
	join_qps Q q R q old
	for _ in 1 2 3; do
		ok Q qp q write "$(field addr "$mr")"/"$(field lkey "$mr")" \
			4096 "$R_ADDR" "$R_RKEY"
	done
	ok Q qp q destroy
	ok Q mr n dereg
	ok R qp q destroy
	import_all Q
	join_qps Q q R q
	traffic Q
}

# A context that has a QP cannot change; the QP works on.
qp_before() {
	local mr
	owner
	export_all
	far_end
	consumer Q
	ok Q pd own alloc C
	ok Q cq c create C
	mr=$(want ok Q mr n reg own 4096)
	join_qps Q q R q own
	refuses EBUSY Q pd p import C F "$H_PD"
	ok Q mr n fill 0 4096 4
	ok Q qp q write "$(field addr "$mr")"/"$(field lkey "$mr")" 4096 \
		"$R_ADDR" "$R_RKEY"
	ok R mr m check 0 4096 4
}

# The descriptor is the source context's own, nothing was exported.
no_export() {
	owner
	ok P fd F of A
	far_end
	consumer Q
	import_all Q
	connect_q Q
	traffic Q
	leave Q
	ok P mr m check 0 4096 13
	ok P mr m dereg
	ok P pd p dealloc
}

# The source is served by libmlx5, which does not count holders. One can import
# from it, but it cannot export. Its objects are borrowed.
stock_source() {
	IBV_DRIVERS='' owner
	ok P fd F of A
	refuses EOPNOTSUPP P exportto A A mr "$H_MR"
	far_end
	consumer Q
	import_all Q
	connect_q Q
	traffic Q
	# An importer does not become the owner by passing it on.
	equal "$(want ok Q exportto C C mr "$H_MR")" "ok handle $H_MR"
	equal "$(want ok Q exportto C C pd "$H_PD")" "ok handle $H_PD"
	leave Q
	ok Q ctx C close
	ok P mr m check 0 4096 13
	ok P mr m dereg
	ok P pd p dealloc
}

# Export to the source context itself.
to_itself() {
	owner
	equal "$(want ok P exportto A A pd "$H_PD")" "ok handle $H_PD"
	equal "$(want ok P exportto A A mr "$H_MR")" "ok handle $H_MR"
	ok P fd F of A
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
	ok P mr m fill 0 4096 5
	ok P mr m dereg
	ok P pd p dealloc
	ok P ctx S close
	ok Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
	ok R qp q write "$R_ADDR/$R_LKEY" 4096 "$MR_ADDR" "$MR_RKEY"
	ok Q mr m dereg
	new=$(tell Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY")
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
	ok Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
	ok R qp q write "$R_ADDR/$R_LKEY" 4096 "$MR_ADDR" "$MR_RKEY"
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
	ok P ctx S close
	ok P mr m dereg
	# The dead process's QP stays in the shared file until that closes.
	refuses EBUSY P pd p dealloc
	ok P ctx A close
}

# Each object is imported twice; it goes with the second import.
double_import() {
	owner
	export_all
	far_end
	consumer Q
	import_all Q
	ok Q pd p2 import C F "$H_PD"
	ok Q mr m2 import C F "$H_MR"
	ok P mr m dereg
	ok P pd p dealloc
	ok P ctx S close
	ok P ctx A close
	ok Q mr m2 dereg
	connect_q Q
	ok Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
	ok Q qp q destroy
	ok Q mr m dereg
	refuses ENOENT Q mr x import C F "$H_MR"
	ok Q pd p2 dealloc
	ok Q cq c destroy
	ok Q pd p dealloc
	refuses ENOENT Q pd x import C F "$H_PD"
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
	ok P mr m dereg
	ok P pd p dealloc
	ok P ctx S close
	mrs=$(rdma resource show mr | grep -c 'mrlen 1048576')
	equal "$mrs" 1
	for i in $order; do
		equal "$(rdma resource show mr | grep -c 'mrlen 1048576')" 1
		if [ $((i % 3)) = 0 ] && [ "$i" != "${order##*$'\n'}" ]; then
			drop "Q$i" KILL
		else
			ok "Q$i" mr m dereg
			ok "Q$i" pd p dealloc
		fi
	done
	if rdma resource show mr | grep -q 'mrlen 1048576'; then
		echo "order ${order//$'\n'/ }: the MR is still there" >&2
		exit 1
	fi
}

# A child has the descriptor by fork, and its parent ends.
by_fork() {
	local fifo pid in out
	owner
	export_all
	fifo=$(mktemp -u /tmp/puppet.XXXXXX)
	mkfifo "$fifo.in" "$fifo.out"
	pid=$(field pid "$(want ok P fork "$fifo.in" "$fifo.out")")
	exec {in}>"$fifo.in" {out}<"$fifo.out"
	rm -f "$fifo.in" "$fifo.out"
	puppet_in[Q]=$in puppet_out[Q]=$out puppet_pid[Q]=$pid
	far_end
	ok Q ctx C open
	ok Q pd q import C F "$H_PD"
	equal "$(field lkey "$(want ok Q mr q import C F "$H_MR")")" "$MR_LKEY"
	ok P mr m fill 0 4096 9
	ok P ctx S close
	drop P
	ok Q cq c create C
	join_qps Q q R q q
	ok Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
	ok R mr m check 0 4096 9
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
	ok P mr m dereg
	ok P pd p dealloc
	ok P ctx S close
	leave Q
}

# When one of two that share closes, what it made is freed.
close_sweeps() {
	local before
	owner
	export_all
	far_end
	before=$(objects)
	consumer Q
	import_all Q
	connect_q Q
	ok Q mr n reg p 4096
	ok Q ctx C close
	ok R qp q destroy
	equal "$(objects)" "$before"
	ok P mr m dereg
	ok P ctx S close
	ok P pd p dealloc
}

scenarios usual_flow cq_before cq_busy cq_used qp_before no_export \
	stock_source to_itself owner_first owner_killed consumer_killed \
	double_import eight_importers by_fork other_user close_sweeps \
	nothing_left
