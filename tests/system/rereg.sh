#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice
#
# Runs the program for re-registration by the experimental call.
exec "${MLX5X_BUILD:?}/tests/system/rereg"
