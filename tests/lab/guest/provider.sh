# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Which provider serves the command, and the proof of it.
#
# Under "mlx5x" libibverbs loads our plugin and writes its log to a file; the
# plugin says there which device it serves. The kernel's tracing tells how many
# verbs devices were opened, by whichever provider.

PROVIDER_LOG=/run/lab/verbs.log

provider_setup() {
	local tracing=/sys/kernel/tracing
	ulimit -l unlimited
	: >$PROVIDER_LOG
	chmod 666 $PROVIDER_LOG
	PATH=/mnt/build/bin:/mnt/src/tests/lab/guest/bin:$PATH
	if [ "$LAB_PROVIDER" = mlx5x ]; then
		export IBV_DRIVERS=/mnt/build/providers/mlx5x/libmlx5x
		export VERBS_LOG_FILE=$PROVIDER_LOG VERBS_LOG_LEVEL=3
	fi
	if [ "$LAB_HCAS" != 0 ]; then
		echo 'p:lab/open ib_uverbs:ib_uverbs_open' \
			>$tracing/kprobe_events
		echo 1 >$tracing/events/lab/open/enable
	fi
}

provider_finish() {
	cp $PROVIDER_LOG /mnt/lab/verbs.log
	if [ "$LAB_HCAS" != 0 ]; then
		grep -v '^#' /sys/kernel/tracing/trace >/mnt/lab/opens
	fi
}

# as_user NAME COMMAND...
as_user() {
	local name=$1
	shift
	if [ "$name" = root ]; then
		"$@"
		return
	fi
	env HOME="/home/$name" USER="$name" LOGNAME="$name" \
		setpriv --reuid "$name" --regid "$name" --init-groups "$@"
}
