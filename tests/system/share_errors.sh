#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=2 provider=mlx5x user=root timeout=600
#
# Proves what export and import refuse, with which errno, and that a refusal
# changes nothing: bad descriptors and handles, the other device, another
# user's process. They work though a peer locks everything; if no descriptors
# are left, nothing changes.
# The functions of scenarios are called by name:
# shellcheck disable=SC2317,SC2119
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/share-lib.sh
. "$here/share-lib.sh"

# refused ERRNO PROCESS COMMAND...: refused with exactly one line in the log
refused() {
	: >"$VERBS_LOG_FILE"
	equal "$(tell "${@:2}")" "err $1"
	equal "$(wc -l <"$VERBS_LOG_FILE")" 1
}

descriptors() {
	owner
	ok P ctx C open
	ok P fd closed number 999
	ok P fd pipe pipe
	ok P fd null open /dev/null
	ok P fd async async A
	ok P ctx O open mlx5_1
	ok P fd other of O
	ok P fd plain open /dev/infiniband/uverbs0
	refused EBADF P pd x import C closed "$H_PD"
	refused EBADF P export closed A pd "$H_PD"
	for f in pipe null async other; do
		refused EINVAL P pd x import C "$f" "$H_PD"
		refused EINVAL P mr x import C "$f" "$H_MR"
		refused EINVAL P export "$f" A pd "$H_PD"
	done
	# A descriptor of the device, but of no context.
	refused ENOENT P pd x import C plain "$H_PD"
	refused EXDEV P export plain A pd "$H_PD"
	ok P pd own alloc C
}

handles() {
	owner
	export_all
	ok P ctx C open
	refused ENOENT P pd x import C F 0xfffffff0
	refused ENOENT P mr x import C F 0xfffffff0
	refused EINVAL P pd x import C F "$H_MR"
	refused EINVAL P mr x import C F "$H_PD"
	refused ENOENT P exportto S A pd 0xfffffff0
	refused EINVAL P exportto S A pd "$H_MR"
	refused EOPNOTSUPP P exportto S A cq "$H_PD"
	# A handle that was destroyed is no longer there.
	ok P mr n reg p 4096
	n=$(field handle "$(want ok P mr n show)")
	ok P mr n dereg
	refused ENOENT P mr x import C F "$n"
}

destinations() {
	owner
	ok P ctx S open
	ok P pd s alloc S
	ok P cq s create S
	ok P qp s create s s
	refused EXDEV P exportto S A pd "$H_PD"
	ok P qp s destroy
	ok P exportto S A pd "$H_PD"
	# a second source
	ok P ctx B open
	ok P pd b alloc B
	refused EXDEV P exportto S B pd \
		"$(field handle "$(want ok P pd b handle)")"
	# another process's context
	ok P fd F of S
	puppet Q
	ok Q ctx C open
	ok Q fd F of C
	ok P fd G listen "share.$$.g"
	ok Q fd F send "share.$$.g"
	ok P fd G receive
	refused EXDEV P export G A pd "$H_PD"
	# an importer of one source refuses another
	ok P fd FB of B
	ok P ctx C open
	ok P pd c import C F "$H_PD"
	refused EINVAL P pd d import C FB \
		"$(field handle "$(want ok P pd b handle)")"
}

# Any process that has the device can lock what references are counted by.
locked() {
	owner
	export_all
	puppet L bob
	far_end
	consumer Q
	ok L lock /dev/infiniband/uverbs0 $((1 << 49)) $((1 << 48))
	import_all Q
	connect_q Q
	traffic Q
	ok P mr m dereg
	leave Q
	drop L
	ok P pd p dealloc
}

# Without descriptors for the import nothing changes.
exhausted() {
	local n
	owner
	export_all
	far_end
	consumer Q
	ok Q channel h create C
	ok Q cq c create C h
	for n in 0 1 2 3 4; do
		ok Q limit "$n"
		refused EMFILE Q pd p import C F "$H_PD"
		ok Q limit
		ok Q pd mine alloc C
		ok Q pd mine dealloc
	done
	import_all Q
	join_qps Q q R q
	traffic Q
}

# What another user reaches who has received the descriptor.
capability() {
	local other
	owner alice
	other=$(field handle "$(want ok P mr n reg p 8192)")
	export_all
	consumer Q bob
	# By the descriptor all objects of its file, exported or not.
	ok Q mr n import C F "$other"
	# Without it none: bob's own context does not know the handles.
	puppet B bob
	ok B ctx C open
	ok B fd F of C
	refused ENOENT B mr m import C F "$H_MR"
}

if [ -z "${SCENARIO:-}" ]; then
	# The log so far says which provider serves; from here on it has
	# refusals only, of every user.
	ibv_devinfo >/dev/null
	log=$(mktemp -d /tmp/share-log.XXXXXX)
	trap 'rm -r "$log"' EXIT
	export VERBS_LOG_FILE=$log/log VERBS_LOG_LEVEL=1
	: >"$VERBS_LOG_FILE"
	chmod 777 "$log"
	chmod 666 "$VERBS_LOG_FILE"
fi
scenarios descriptors handles destinations locked exhausted capability
