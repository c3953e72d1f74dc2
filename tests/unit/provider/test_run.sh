#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# test_run.sh FOLDER: proves that mlx5x-run of the build FOLDER preloads our
# library, keeps arguments, other preloads and the program's status, finds the
# program that exec would, and says clearly what it cannot run.
set -eu
dir=$1
run=$dir/mlx5x-run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

check() {
	name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "FAIL $name"
		failed=1
	fi
}

# shellcheck disable=SC2317 # called by check
status() {
	want=$1
	shift
	got=0
	"$@" >"$work/out" 2>"$work/err" || got=$?
	[ "$got" = "$want" ]
}

cat >"$work/args" <<'SCRIPT'
#!/bin/sh
echo "$LD_PRELOAD"
for a; do echo "<$a>"; done
exit 7
SCRIPT
chmod +x "$work/args"

check status status 7 env -u LD_PRELOAD "$run" "$work/args" one 'two  2' ''
check preload grep -qx "$(readlink -f "$dir")/libmlx5x-preload.so" "$work/out"
check arguments grep -qxF '<two  2>' "$work/out"
check empty-argument grep -qxF '<>' "$work/out"
ln -s "$(readlink -f "$run")" "$work/link"
check by-link status 7 "$work/link" "$work/args"
check by-link-preload grep -q '/libmlx5x-preload.so' "$work/out"
check keeps-preloads status 7 env LD_PRELOAD=libc.so.6 "$run" "$work/args"
check keeps-preloads-too grep -q 'preload.so:libc.so.6$' "$work/out"

for word in true test die usage number; do
	# words of the shell or of mlx5x-run
	cp "$work/args" "$work/$word"
	check "named-$word" status 7 env PATH="$work:$PATH" "$run" $word
done
check true status 0 "$run" true
check dashes status 7 "$run" -- "$work/args" --
check signal status 143 sh -c "'$run' sh -c 'kill -TERM \$\$'"
mkdir -p "$work/dir/args" "$work/plain"
echo >"$work/plain/args"
check skips status 7 env PATH="$work/dir:$work/plain:$work:$PATH" "$run" args
check directory status 126 "$run" "$work/dir"
check directory-line grep -q 'is a directory' "$work/err"
check no-program status 126 "$run" "$work/plain/args"
check no-program-line grep -q 'is not executable' "$work/err"
cat >"$work/static.c" <<'END'
int main(void)
{
	return 9;
}
END
if cc -static "$work/static.c" -o "$work/static" 2>/dev/null; then
	check static status 9 "$run" "$work/static"
	check static-line grep -q 'statically linked' "$work/err"
fi
cc "$work/static.c" -o "$work/dynamic"
check dynamic status 9 "$run" "$work/dynamic"
check dynamic-silent test ! -s "$work/err"

check usage status 2 "$run"
check unknown-option status 2 "$run" --unknown
check help status 0 "$run" --help
check help-says grep -q '^usage: ' "$work/out"
check version status 0 "$run" --version
check not-found status 127 "$run" "$work/nothing"
check not-found-line grep -q 'not found' "$work/err"
cp "$work/args" "$work/suid"
chmod u+s "$work/suid"
check setuid status 126 "$run" "$work/suid"
check setuid-line grep -q 'setuid' "$work/err"
cp "$work/args" "$work/sgid"
chmod g+s "$work/sgid"
check setgid status 126 "$run" "$work/sgid"
exit $failed
