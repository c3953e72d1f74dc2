#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1 provider=both user=alice tier=long timeout=600
#
# Binds and invalidates one window 100000 times.
exec "${MLX5X_BUILD:?}/tests/system/mw_rules" cycles 100000
