#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root tier=long timeout=900 mem=2G
#
# Proves that 100,000 regions and 10,000 windows can live at one time, each with
# its translation in the device, and that the translations go with them.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"
regions=${1:-100000}
windows=${2:-10000}

keys=$(hca_stat translations.keys)
coproc RUN { "${MLX5X_BUILD:?}/tests/system/mr_many" "$regions" "$windows" 2>&1; }
pid=$RUN_PID
exec 3<&"${RUN[0]}" 4>&"${RUN[1]}"
live=''
last=''
while read -r -u 3 line; do
	if [ "$line" = all ]; then
		live=$(hca_stat translations.keys)
		echo >&4
	else
		echo "mr_many: $line"
		last=$line
	fi
done
if ! wait "$pid" || [ -z "$live" ]; then
	echo "FAIL mr_many: $last"
	exit 1
fi
gone=$(hca_stat translations.keys)
# The program itself has one more region.
if [ $((live - keys)) != $((regions + windows + 1)) ]; then
	echo "FAIL mr_many-live: $keys keys, then $live"
	exit 1
fi
echo "ok mr_many-live"
if [ "$gone" != "$keys" ]; then
	echo "FAIL mr_many-released: $keys keys before, $gone after"
	exit 1
fi
echo "ok mr_many-released"
