# lib.sh - for the tests of the program: a folder of their own, and what they assert.
set -u
: "${CONVOY:?the program to test}"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 2
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# expect CODE ARGUMENT...: runs convoy; its streams are left in the files out and err.
expect() {
	local want=$1 got
	shift
	"$CONVOY" "$@" >out 2>err
	got=$?
	[ "$got" = "$want" ] || {
		fail "convoy $*: exit code $got, not $want"
		cat out err
	}
}

# says FILE TEXT: the file holds the text.
says() {
	grep -qF -- "$2" "$1" || {
		fail "$1 does not say: $2"
		cat "$1"
	}
}

is() {
	[ "$1" = "$2" ] || fail "'$1' is not '$2'${3:+ ($3)}"
}

one_line() {
	is "$(wc -l <err)" 1 "lines of: $(cat err)"
}

need() {
	command -v "$1" >/dev/null || {
		echo "skipped: no $1"
		exit 77
	}
}

# python_on FILE: a script over the open result; skipped where there is no h5py.
python_on() {
	local python
	for python in python3 /usr/bin/python3; do
		$python -c 'import h5py' 2>/dev/null || continue
		{ printf 'import sys, h5py\nf = h5py.File(sys.argv[1], "r")\n'; cat; } >judge.py
		$python judge.py "$1"
		return
	done
	cat >/dev/null
}

finish() {
	[ "$failures" = 0 ] && echo ok
	exit $((failures > 0))
}
