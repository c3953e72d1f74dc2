#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=2 provider=mlx5x user=root timeout=600
#
# Proves what export and import refuse and with which errno, and that a refusal
# changes nothing: bad descriptors and handles, the other device, another
# user's process, a peer that locks everything, no descriptors left.
# Scenarios are called by name:
# shellcheck disable=SC2317,SC2119
set -eu
here=$(dirname "$0")
export PUPPET=${MLX5X_BUILD:?}/tests/system/sharer
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/share-lib.sh
. "$here/share-lib.sh"

# refused EXPECTED PROCESS COMMAND...: with one line in the log, no more
refused() {
	: >"$VERBS_LOG_FILE"
	equal "$(tell "${@:2}")" "err $1"
	equal "$(wc -l <"$VERBS_LOG_FILE")" 1
}

descriptors() {
	owner
	want ok P ctx C open >/dev/null
	want ok P fd closed number 999 >/dev/null
	want ok P fd pipe pipe >/dev/null
	want ok P fd null open /dev/null >/dev/null
	want ok P fd async async A >/dev/null
	want ok P ctx O open mlx5_1 >/dev/null
	want ok P fd other of O >/dev/null
	want ok P fd plain open /dev/infiniband/uverbs0 >/dev/null
	refused EBADF P pd x import C closed "$H_PD"
	refused EBADF P export closed A pd "$H_PD"
	for f in pipe null async other; do
		refused EINVAL P pd x import C "$f" "$H_PD"
		refused EINVAL P mr x import C "$f" "$H_MR"
		refused EINVAL P export "$f" A pd "$H_PD"
	done
	# The device's, but nobody's context.
	refused ENOENT P pd x import C plain "$H_PD"
	refused EXDEV P export plain A pd "$H_PD"
	want ok P pd own alloc C >/dev/null
}

handles() {
	owner
	export_all
	want ok P ctx C open >/dev/null
	refused ENOENT P pd x import C F 0xfffffff0
	refused ENOENT P mr x import C F 0xfffffff0
	refused EINVAL P pd x import C F "$H_MR"
	refused EINVAL P mr x import C F "$H_PD"
	refused ENOENT P exportto S A pd 0xfffffff0
	refused EINVAL P exportto S A pd "$H_MR"
	refused EOPNOTSUPP P exportto S A cq "$H_PD"
	# A handle that was destroyed is no longer there.
	want ok P mr n reg p 4096 >/dev/null
	n=$(field handle "$(want ok P mr n show)")
	want ok P mr n dereg >/dev/null
	refused ENOENT P mr x import C F "$n"
}

destinations() {
	owner
	want ok P ctx S open >/dev/null
	want ok P pd s alloc S >/dev/null
	want ok P cq s create S >/dev/null
	want ok P qp s create s s >/dev/null
	refused EXDEV P exportto S A pd "$H_PD"
	want ok P qp s destroy >/dev/null
	want ok P exportto S A pd "$H_PD" >/dev/null
	# a second source
	want ok P ctx B open >/dev/null
	want ok P pd b alloc B >/dev/null
	refused EXDEV P exportto S B pd \
		"$(field handle "$(want ok P pd b handle)")"
	# another process's context
	want ok P fd F of S >/dev/null
	puppet Q
	want ok Q ctx C open >/dev/null
	want ok Q fd F of C >/dev/null
	want ok P fd G listen "sharer.$$.g" >/dev/null
	want ok Q fd F send "sharer.$$.g" >/dev/null
	want ok P fd G receive >/dev/null
	refused EXDEV P export G A pd "$H_PD"
	# an importer of one source refuses another
	want ok P fd FB of B >/dev/null
	want ok P ctx C open >/dev/null
	want ok P pd c import C F "$H_PD" >/dev/null
	refused EINVAL P pd d import C FB \
		"$(field handle "$(want ok P pd b handle)")"
}

# Whoever has the device can lock what references are counted by.
locked() {
	owner
	export_all
	puppet L bob
	far_end
	consumer Q
	want ok L lock /dev/infiniband/uverbs0 $((1 << 49)) $((1 << 48)) \
		>/dev/null
	import_all Q
	connect_q Q
	traffic Q
	want ok P mr m dereg >/dev/null
	leave Q
	drop L
	want ok P pd p dealloc >/dev/null
}

# No descriptor is left for what the move needs: nothing changes.
exhausted() {
	local n
	owner
	export_all
	far_end
	consumer Q
	want ok Q channel h create C >/dev/null
	want ok Q cq c create C h >/dev/null
	for n in 0 1 2 3 4; do
		want ok Q fd - limit "$n" >/dev/null
		refused EMFILE Q pd p import C F "$H_PD"
		want ok Q fd - limit >/dev/null
		want ok Q pd mine alloc C >/dev/null
		want ok Q pd mine dealloc >/dev/null
	done
	import_all Q
	want ok R cq c create C >/dev/null
	join_pair Q p c R p c
	traffic Q
}

# What a receiver reaches by libibverbs' own imports, of another user too.
capability() {
	local other
	owner alice
	other=$(field handle "$(want ok P mr n reg p 8192)")
	export_all
	consumer Q bob
	# The descriptor opens all of its file, exported or not.
	want ok Q mr n import C F "$other" >/dev/null
	# Without it nothing: bob's own context does not know the handles.
	puppet B bob
	want ok B ctx C open >/dev/null
	want ok B fd F of C >/dev/null
	refused ENOENT B mr m import C F "$H_MR"
}

all=(descriptors handles destinations locked exhausted capability)

if [ "${1-}" = run ]; then
	"$2"
	exit 0
fi
failed=0
# The log so far says which provider serves; from here on it has refusals only,
# of every user.
ibv_devinfo >/dev/null
log=$(mktemp -d /tmp/share-log.XXXXXX)
export VERBS_LOG_FILE=$log/log VERBS_LOG_LEVEL=1
: >"$VERBS_LOG_FILE"
chmod 777 "$log"
chmod 666 "$VERBS_LOG_FILE"
for name in "${all[@]}"; do
	scenario "$name"
done
rm -r "$log"
exit $failed
