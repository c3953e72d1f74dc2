#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=root timeout=600
#
# Proves the import verbs of libibverbs, in one process and in two. Imported
# keys move data; unimport leaves the objects; destruction reaches everybody;
# errors are reported. The provider under test imports from the other provider,
# and the other way round.
# The functions of scenarios are called by name:
# shellcheck disable=SC2317,SC2119
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/share-lib.sh
. "$here/share-lib.sh"

# import2_all Q: Q imports the PD and the MR; C is ibv_import_device of F
import2_all() {
	local mr
	ok "$1" ctx C device F
	ok "$1" pd p import2 C "$H_PD"
	mr=$(want ok "$1" mr m import2 p "$H_MR")
	equal "$(field lkey "$mr")" "$MR_LKEY"
	equal "$(field rkey "$mr")" "$MR_RKEY"
	equal "$(field length "$mr")" 1048576
	equal "$(field addr "$mr")" 0
}

importer() {
	puppet Q "${1:-}"
	pass P F Q
	import2_all Q
	connect_q Q
	traffic Q
	ok Q qp q destroy
	ok Q cq c destroy
	ok Q mr m unimport
	ok Q pd p unimport
	ok Q ctx C close
	ok P mr m dereg
	ok P pd p dealloc
	ok P ctx A close
}

two_processes() {
	owner
	ok P fd F of A
	far_end
	importer
}

other_user() {
	owner alice
	ok P fd F of A
	far_end bob
	importer bob
}

# other COMMAND...: runs it under the provider that is not under test
other() {
	local drivers=/mnt/build/providers/mlx5x/libmlx5x
	if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
		IBV_DRIVERS='' "$@"
	else
		IBV_DRIVERS=$drivers "$@"
	fi
}

# served PROCESS: prints which provider serves it
served() {
	if grep -q 'libmlx5x-rdmav' "/proc/${puppet_pid[$1]}/maps"; then
		echo mlx5x
	else
		echo stock
	fi
}

# differ PROCESS: checks that the provider under test does not serve it
differ() {
	if [ "$(served "$1")" = "$MLX5X_TEST_PROVIDER" ]; then
		echo "$1 is served by $MLX5X_TEST_PROVIDER too" >&2
		exit 1
	fi
}

other_imports() {
	owner
	ok P fd F of A
	far_end
	other puppet Q
	pass P F Q
	import2_all Q
	differ Q
	equal "$(served P)" "$MLX5X_TEST_PROVIDER"
	connect_q Q
	traffic Q
	ok Q qp q destroy
	ok Q mr m unimport
	drop Q
	ok P mr m dereg
	ok P pd p dealloc
}

other_owns() {
	other owner
	differ P
	ok P fd F of A
	far_end
	importer
}

one_process() {
	owner
	ok P fd F of A
	ok P ctx C device F
	ok P pd q import2 C "$H_PD"
	ok P mr q import2 q "$H_MR"
	far_end
	ok P cq c create C
	join_qps P q R q q
	traffic P
	# Unimport does not destroy the owner's object.
	ok P mr q unimport
	traffic P
	ok P qp q destroy
	ok P cq c destroy
	ok P pd q unimport
	ok P ctx C close
	ok P mr n reg p 4096
}

# Destruction of an imported object reaches everybody at once.
destroyed_for_all() {
	owner
	ok P fd F of A
	puppet Q
	pass P F Q
	import2_all Q
	ok Q mr m dereg
	refuses ENOENT P mr m dereg
	equal "$(tell P pd p dealloc)" ok
	refuses ENOENT Q pd p dealloc
}

errors() {
	owner
	ok P fd F of A
	ok P ctx C device F
	refuses ENOENT P pd x import2 C 0xfffffff0
	refuses EINVAL P pd x import2 C "$H_MR"
	ok P pd q import2 C "$H_PD"
	refuses ENOENT P mr x import2 q 0xfffffff0
	refuses EINVAL P mr x import2 q "$H_PD"
	ok P mr q import2 q "$H_MR"
	# IBV_REREG_MR_ERR_INPUT
	[[ $(tell P mr q rights none) == "err "*" rereg -1" ]]
	ok P fd pipe pipe
	refuses EINVAL P ctx x device pipe
	ok P fd null open /dev/null
	refuses ENODEV P ctx x device null
	ok P fd plain open /dev/infiniband/uverbs0
	refuses EINVAL P ctx x device plain
}

# The device has no device memory to import.
no_dm() {
	owner
	if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
		refuses EOPNOTSUPP P dm A 1
	fi
}

# The context that objects were exported to can be imported as a whole.
of_export() {
	if [ "${MLX5X_TEST_PROVIDER:?}" != mlx5x ]; then
		return
	fi
	owner
	export_all
	far_end
	puppet Q
	pass P F Q
	import2_all Q
	connect_q Q
	traffic Q
	# A context that was imported can be the destination of imports.
	ok Q mr n import C F "$H_MR"
	ok Q mr n dereg
	ok P mr m show
}

killed() {
	owner
	ok P fd F of A
	far_end
	puppet Q
	pass P F Q
	import2_all Q
	connect_q Q
	drop P KILL
	ok Q qp q write "$MR_ADDR/$MR_LKEY" 4096 "$R_ADDR" "$R_RKEY"
}

scenarios two_processes other_user other_imports other_owns one_process \
	destroyed_for_all errors no_dm of_export killed nothing_left
