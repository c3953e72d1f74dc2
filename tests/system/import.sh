#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=root timeout=600
#
# Proves the import verbs of libibverbs in one process and in two: data with
# imported keys, unimport that leaves the objects, destruction that reaches
# everybody, errors; and the provider under test on one side with the other
# provider on the other, both ways.
# Scenarios are called by name:
# shellcheck disable=SC2317,SC2119
set -eu
here=$(dirname "$0")
export PUPPET=${MLX5X_BUILD:?}/tests/system/sharer
# shellcheck source=tests/system/puppet.sh
. "$here/puppet.sh"
# shellcheck source=tests/system/share-lib.sh
. "$here/share-lib.sh"

# import2_all Q: C is ibv_import_device of F
import2_all() {
	local mr
	want ok "$1" ctx C device F >/dev/null
	want ok "$1" pd p import2 C "$H_PD" >/dev/null
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
	want ok Q qp q destroy >/dev/null
	want ok Q cq c destroy >/dev/null
	want ok Q mr m unimport >/dev/null
	want ok Q pd p unimport >/dev/null
	want ok Q ctx C close >/dev/null
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
	want ok P ctx A close >/dev/null
}

two_processes() {
	owner
	want ok P fd F of A >/dev/null
	far_end
	importer
}

other_user() {
	owner alice
	want ok P fd F of A >/dev/null
	far_end bob
	importer bob
}

# other COMMAND...: under the provider that is not under test
other() {
	local drivers=/mnt/build/providers/mlx5x/libmlx5x
	if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
		IBV_DRIVERS='' "$@"
	else
		IBV_DRIVERS=$drivers "$@"
	fi
}

# served PROCESS: by which provider
served() {
	if grep -q 'libmlx5x-rdmav' "/proc/${puppet_pid[$1]}/maps"; then
		echo mlx5x
	else
		echo stock
	fi
}

# differ PROCESS: it is not served by the provider under test
differ() {
	if [ "$(served "$1")" = "$MLX5X_TEST_PROVIDER" ]; then
		echo "$1 is served by $MLX5X_TEST_PROVIDER too" >&2
		exit 1
	fi
}

other_imports() {
	owner
	want ok P fd F of A >/dev/null
	far_end
	other puppet Q
	pass P F Q
	import2_all Q
	differ Q
	equal "$(served P)" "$MLX5X_TEST_PROVIDER"
	connect_q Q
	traffic Q
	want ok Q qp q destroy >/dev/null
	want ok Q mr m unimport >/dev/null
	drop Q
	want ok P mr m dereg >/dev/null
	want ok P pd p dealloc >/dev/null
}

other_owns() {
	other owner
	differ P
	want ok P fd F of A >/dev/null
	far_end
	importer
}

one_process() {
	owner
	want ok P fd F of A >/dev/null
	want ok P ctx C device F >/dev/null
	want ok P pd q import2 C "$H_PD" >/dev/null
	want ok P mr q import2 q "$H_MR" >/dev/null
	far_end
	want ok P cq c create C >/dev/null
	want ok R cq c create C >/dev/null
	join_pair P q c R p c
	traffic P
	# Unimport leaves the owner's object.
	want ok P mr q unimport >/dev/null
	traffic P
	want ok P qp q destroy >/dev/null
	want ok P cq c destroy >/dev/null
	want ok P pd q unimport >/dev/null
	want ok P ctx C close >/dev/null
	want ok P mr n reg p 4096 >/dev/null
}

# Destruction of an imported object reaches everybody at once.
destroyed_for_all() {
	owner
	want ok P fd F of A >/dev/null
	puppet Q
	pass P F Q
	import2_all Q
	want ok Q mr m dereg >/dev/null
	equal "$(tell P mr m dereg)" 'err ENOENT'
	equal "$(tell P pd p dealloc)" ok
	equal "$(tell Q pd p dealloc)" 'err ENOENT'
}

errors() {
	owner
	want ok P fd F of A >/dev/null
	want ok P ctx C device F >/dev/null
	equal "$(tell P pd x import2 C 0xfffffff0)" 'err ENOENT'
	equal "$(tell P pd x import2 C "$H_MR")" 'err EINVAL'
	want ok P pd q import2 C "$H_PD" >/dev/null
	equal "$(tell P mr x import2 q 0xfffffff0)" 'err ENOENT'
	equal "$(tell P mr x import2 q "$H_PD")" 'err EINVAL'
	want ok P mr q import2 q "$H_MR" >/dev/null
	# IBV_REREG_MR_ERR_INPUT
	equal "$(tell P mr q rereg)" 'ok -1'
	want ok P fd pipe pipe >/dev/null
	equal "$(tell P ctx x device pipe)" 'err EINVAL'
	want ok P fd null open /dev/null >/dev/null
	equal "$(tell P ctx x device null)" 'err ENODEV'
	want ok P fd plain open /dev/infiniband/uverbs0 >/dev/null
	equal "$(tell P ctx x device plain)" 'err EINVAL'
}

# There is no device memory on this device to import.
no_dm() {
	owner
	if [ "${MLX5X_TEST_PROVIDER:?}" = mlx5x ]; then
		equal "$(tell P dm A 1)" 'err EOPNOTSUPP'
	fi
}

# The destination of an export is a context that can be imported as a whole.
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
	want ok Q mr n import C F "$H_MR" >/dev/null
	want ok Q mr n dereg >/dev/null
	want ok P mr m show >/dev/null
}

killed() {
	owner
	want ok P fd F of A >/dev/null
	far_end
	puppet Q
	pass P F Q
	import2_all Q
	connect_q Q
	drop P KILL
	want ok Q qp q write "$MR_ADDR" 4096 "$MR_LKEY" "$R_ADDR" "$R_RKEY" \
		>/dev/null
}

all=(two_processes other_user other_imports other_owns one_process
	destroyed_for_all errors no_dm of_export killed)

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
	echo "ok import-nothing-left"
else
	echo "FAIL import-nothing-left: $(objects | tr '\n' ' ')"
	failed=1
fi
exit $failed
