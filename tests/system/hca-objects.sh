# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Source this file.

# hca_ask COMMAND [ARGUMENT...]: prints the answer of softhca, which the lab asks
# by softhcactl
hca_ask() {
	local i limit=$((300 * ${LAB_LOAD:-3}))
	rm -f /mnt/lab/answer
	echo "$*" >/mnt/lab/ask.new
	mv /mnt/lab/ask.new /mnt/lab/ask
	for ((i = 0; i < limit; i++)); do
		if [ -e /mnt/lab/answer ]; then
			cat /mnt/lab/answer
			return 0
		fi
		sleep 0.1
	done
	echo "no answer from the lab" >&2
	return 1
}

# Prints the live objects of the device, as softhca counts them.
hca_objects() {
	hca_ask objects
}

# hca_commands REGEX: prints how many commands of these names it has executed
hca_commands() {
	hca_ask stats | awk -v re="^hca[0-9]+\\.commands\\.($1)\$" \
		'$1 ~ re { n += $2 } END { print n + 0 }'
}

# hca_stat NAME: prints one counter of the first device
hca_stat() {
	hca_ask stats | awk -v name="hca0.$1" '
		$1 == name { print $2; found = 1 }
		END { exit !found }'
}
