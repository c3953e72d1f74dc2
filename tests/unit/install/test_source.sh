#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# test_source.sh SOURCE GENERATOR: proves that CMake refuses an rdma-core source
# for which the provider cannot be built, and says why.
set -u
source=$1 generator=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# refused NAME WORDS OPTION...: the message, lines joined, has WORDS
refused() {
	name=$1 words=$2
	shift 2
	rm -rf "$work/build"
	if cmake -G "$generator" -S "$source" -B "$work/build" -DMLX5X_SOFTHCA=OFF \
		-DMLX5X_TESTS=OFF "$@" >"$work/out" 2>&1; then
		echo "FAIL $name: not refused"
		failed=1
	elif ! tr -s ' \n' '  ' <"$work/out" |
		grep -qF -e "$words"; then
		echo "FAIL $name: no word of '$words':"
		sed 's/^/    /' "$work/out"
		failed=1
	else
		echo "ok $name"
	fi
}

# stand_in VERSION: a configured source of that version
stand_in() {
	include=$work/rdma-core/build/include
	mkdir -p "$include/infiniband" "$include/kernel-abi"
	: >"$include/infiniband/driver.h"
	: >"$include/kernel-abi/mlx5-abi.h"
	{
		echo '#define IBVERBS_PABI_VERSION 34'
		if [ -n "$1" ]; then
			echo "#define PACKAGE_VERSION \"$1\""
		fi
		echo '#define VERBS_PROVIDER_SUFFIX "-rdmav34.so"'
	} >"$include/config.h"
}

refused none 'needs -DRDMA_CORE_SOURCE=DIR'
mkdir "$work/rdma-core"
with=-DRDMA_CORE_SOURCE=$work/rdma-core
refused unconfigured 'configure rdma-core' "$with"
stand_in ''
refused no-version 'names no version' "$with"
stand_in 52.0
refused too-old 'is rdma-core 52.0: the provider needs 53 or later' "$with"
stand_in 9999.0
refused another 'is rdma-core 9999.0, but the installed libibverbs is' "$with"
exit $failed
