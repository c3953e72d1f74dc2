# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# ./lab demo: runs the demonstration in a virtual machine.

demo_main() {
	if [ $# != 0 ]; then
		die "./lab demo takes no options"
	fi
	run_options --timeout "$(limit 300)" -- bash /mnt/src/tests/system/demo.sh
	run_vm
}
