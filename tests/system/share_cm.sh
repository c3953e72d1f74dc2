#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=mlx5x user=root
#
# Proves that an rdma_cm_id works with an imported PD and MR.
set -eu
ip=$(ip -br -4 addr show scope global | awk '{ print $3; exit }')
program=${MLX5X_BUILD:?}/tests/system/share_cm
limit=$((60 * ${LAB_LOAD:-3}))
if out=$(timeout $limit "$program" "${ip%/*}" 7471 2>&1); then
	echo "ok share-rdma_cm"
else
	echo "FAIL share-rdma_cm: $(tail -n 1 <<<"$out")"
	exit 1
fi
