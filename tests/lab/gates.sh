# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Gates: rules for the form of the code and for the binaries.
#
# A gate is a program in tests/lab/gates. It runs in the root tree, in the
# checkout's top folder. LAB_FILES names a file that lists the checkout's files;
# LAB_BUILD is the folder of the build. The status is 0 if the rule holds and 77
# if there is nothing to judge. With any other status the gate has printed what
# is wrong.

# Lists the checkout's files: those that git knows or would add. Without git it
# lists all files outside build/.
gates_files() {
	if ! git -C "$LAB_SRC" -c safe.directory="$LAB_SRC" ls-files \
		--cached --others --exclude-standard 2>/dev/null; then
		(cd "$LAB_SRC" && find . -type f -not -path './build/*' \
			-not -path './.git/*' -printf '%P\n')
	fi | sort | while read -r file; do
		if [ -f "$LAB_SRC/$file" ]; then
			echo "$file"
		fi
	done
}

# gates_list: makes the list $LAB_TMP/gates/files if it is not there yet
gates_list() {
	mkdir -p "$LAB_TMP/gates"
	if [ ! -e "$LAB_TMP/gates/files" ]; then
		gates_files >"$LAB_TMP/gates/files"
	fi
}

# gates_run NAME LOG: runs one gate
gates_run() {
	gates_list
	(enter "$LAB_BUILD" "$LAB_TMP/gates" '' env LAB_BUILD=/mnt/build \
		LAB_FILES=/mnt/lab/files sh -c "cd /mnt/src && exec $1") \
		</dev/null >"$2" 2>&1
}
