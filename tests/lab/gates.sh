# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Gates: what must hold of the code's form and of the binaries.
#
# A gate is a program in tests/lab/gates that runs in the root tree, in the
# checkout; LAB_FILES names a file that lists the checkout's files, LAB_BUILD
# the build. It ends with 0 (holds), 77 (nothing to judge) or else, having
# printed what is wrong.

# The files that git knows or would know; without git, all but the build.
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

# Lists them once, in $LAB_TMP/gates/files.
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
