#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both
#
# Runs the program for what ibv_exp_query_device reports, as root, who may take
# the port down.
exec "${MLX5X_BUILD:?}/tests/system/exp_device"
