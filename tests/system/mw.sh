#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both
#
# Runs the programs for memory windows, as root, who may pin 5 GiB.
exec "${MLX5X_BUILD:?}/tests/system/mw"
