# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The shells of two machines: tmux shows them in two panes, each of which is the
# terminal of one QEMU. The client of tmux stands for both QEMUs then: it ends
# when the last pane does. If the user detaches it, the run ends, too.

# panes_ready: installs tmux if the host does not have it
panes_ready() {
	HOST_MISSING=()
	host_needs tmux tmux
	if [ ${#HOST_MISSING[@]} != 0 ]; then
		say "installing on this host: tmux"
		step "tmux" "$(log_file host-packages)" host_install tmux ||
			die "tmux cannot be installed"
	fi
}

# panes_script HOST: writes the program of the host's pane. A pane is a child of
# tmux's server, so what the lab knows must be written down.
panes_script() {
	local script=$LAB_TMP/host$1
	qemu_args "$1"
	{
		echo '#!/bin/bash'
		declare -f enter_mounts enter
		printf '%s=%q\n' TREE "$TREE" LAB_SRC "$LAB_SRC"
		printf '%q ' enter "$LAB_BUILD" "$VM_DIR" "$VM_HOST" \
			"${QEMU_ARGS[@]}"
		printf '2>%q\n' "$VM_DIR$(vm_name "$1")/qemu.err"
	} >"$script"
	chmod 755 "$script"
}

panes_start() {
	panes_script 1
	panes_script 2
	printf '%s\n' 'set -g status off' 'set -g escape-time 0' \
		'set -g default-terminal screen' 'set -g mouse on' \
		>"$LAB_TMP/tmux.conf"
	env -u TMUX TMUX_TMPDIR="$LAB_TMP" tmux -u -f "$LAB_TMP/tmux.conf" \
		new-session "$LAB_TMP/host1" \; \
		split-window -h "$LAB_TMP/host2" \; \
		select-pane -L <&0 2>"$VM_DIR/tmux.err" &
	VM_QEMU=([1]=$!)
}
