# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Time limits that fit the machine's load.
#
# A limit is there to find a hang, not a slow machine. So the limits in the lab
# say what is ample on a machine that has nothing else to do, and are stretched
# by the load at the time: by 3 at least, since other work may begin later.

# load_factor: twice the number of running processes for each CPU, from 3 to 12
load_factor() {
	local recent running factor cpus
	read -r recent _ _ running _ </proc/loadavg
	recent=${recent%.*}
	running=${running%/*}
	if [ "$recent" -gt "$running" ]; then
		running=$recent
	fi
	cpus=$(nproc)
	factor=$(((2 * running + cpus - 1) / cpus))
	echo $((factor < 3 ? 3 : factor > 12 ? 12 : factor))
}

# limit SECONDS: SECONDS, stretched by the load
limit() {
	echo $(($1 * $(load_factor)))
}
