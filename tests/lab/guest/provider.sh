# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Chooses the provider that serves a command, and proves that it did.
#
# For "mlx5x" the environment makes libibverbs load our plugin and write its log
# to a file, where the plugin says which devices it serves. A probe in the kernel
# counts how often any provider opened a verbs device.

PROVIDER_LOG=/run/lab/verbs.log
PROVIDER_TRACING=/sys/kernel/tracing

provider_setup() {
	if [ "$LAB_HCAS" != 0 ]; then
		echo 'p:lab/open ib_uverbs:ib_uverbs_open' \
			>$PROVIDER_TRACING/kprobe_events
		echo 1 >$PROVIDER_TRACING/events/lab/open/enable
	fi
}

# provider_begin NAME: clears log and counter, and sets the environment
provider_begin() {
	(umask 0 && : >$PROVIDER_LOG)
	: >$PROVIDER_TRACING/trace
	export MLX5X_BUILD=/mnt/build MLX5X_TEST_PROVIDER=$1
	unset IBV_DRIVERS VERBS_LOG_FILE VERBS_LOG_LEVEL
	if [ "$1" = mlx5x ]; then
		export IBV_DRIVERS=/mnt/build/providers/mlx5x/libmlx5x
		export VERBS_LOG_FILE=$PROVIDER_LOG VERBS_LOG_LEVEL=3
	fi
}

provider_opens() {
	grep -c -v '^#' $PROVIDER_TRACING/trace
}

provider_ours() {
	grep -acE 'mlx5x: .* serves ' $PROVIDER_LOG
}

# provider_fault NAME: prints what is wrong with the proof; nothing if it holds
provider_fault() {
	local opens ours
	opens=$(provider_opens)
	ours=$(provider_ours)
	if [ "$1" = mlx5x ] && [ "$opens" != 0 ] && [ "$ours" = 0 ]; then
		echo "nothing proves that mlx5x served: devices opened $opens times"
	elif [ "$1" = stock ] && [ "$ours" != 0 ]; then
		echo "mlx5x served although stock was asked for"
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
