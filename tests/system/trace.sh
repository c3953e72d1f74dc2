#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# lab: hcas=1
#
# Provokes remote access errors and other errors by rc_errors, and finds in
# softhca's counters which checks failed; asks for the state of a QP; switches the
# trace on, and off again. What the trace writes is compared by unit tests.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/system/hca-objects.sh
. "$here/hca-objects.sh"

# counter NAME: its value, 0 when softhca leaves it out
counter() {
	hca_stat "$1" || echo 0
}

# answers NAME REGEX COMMAND...: the answer of softhca matches
answers() {
	local name=$1 regex=$2 answer
	shift 2
	answer=$(hca_ask "$@")
	if grep -qE -- "$regex" <<<"$answer"; then
		echo "ok trace-$name"
	else
		echo "FAIL trace-$name: $* answers: $answer"
	fi
}

access=$(counter errors.remote_access)
rights=$(counter refusals.no_right)
hca_ask trace all on
"${MLX5X_BUILD:?}/tests/system/rc_errors" | sed 's/^ok /did /; s/^FAIL /failed /'
if [ "$(counter errors.remote_access)" -gt "$access" ]; then
	echo "ok trace-errors-counted"
else
	echo "FAIL trace-errors-counted: remote_access is still $access"
fi
if [ "$(counter refusals.no_right)" -gt "$rights" ]; then
	echo "ok trace-refusals-counted"
else
	echo "FAIL trace-refusals-counted: no_right is still $rights"
fi
# QP 1 of the driver is there while the driver is.
qpn=$(hca_ask objects | sed -n 's/^hca0\.qp //p')
if [ "$qpn" -gt 0 ]; then
	echo "ok trace-driver-has-qps"
else
	echo "FAIL trace-driver-has-qps: $qpn"
fi
answers no-such-qp '^softhcactl: error no QP 0xfffffe$' qp 0xfffffe
answers no-such-hca '^softhcactl: error no HCA .hca7.; there are hca0' \
	trace hca7:all on
answers off '^$' trace all off
