#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=stock user=root
#
# Proves that the driver can be unloaded and loaded again, several times, and
# that the device works after that. How long a load takes is printed: less than
# ten seconds on an idle host, though the driver makes thousands of memory keys
# for its cache; a busy host gets more.
set -u
here=$(dirname "$0")
# shellcheck source=tests/system/peers.sh
. "$here/peers.sh"
limit_ms=$((10000 * ${LAB_LOAD:-3}))

active() {
	ibv_devinfo 2>/dev/null | grep -q PORT_ACTIVE
}

for round in 1 2 3; do
	if ! modprobe -r mlx5_ib mlx5_core; then
		echo "FAIL reload-$round: modprobe -r failed"
		exit 1
	fi
	start=${EPOCHREALTIME/./}
	modprobe mlx5_core
	modprobe mlx5_ib
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	echo "the driver took $took ms to load"
	if [ $took -gt $limit_ms ]; then
		echo "FAIL reload-time-$round: $took ms"
		exit 1
	fi
	ip link set "$(ls /sys/bus/pci/drivers/mlx5_core/0*/net)" up
	if wait_for active; then
		echo "ok reload-$round"
	else
		echo "FAIL reload-$round: the port does not become active"
		exit 1
	fi
done
