# lib.sh - for the tests of the program: a folder of their own, and what they assert.
set -u
: "${CONVOY:?the program to test}"
here=$(mktemp -d)
failed=$here.failed             # a file, because a subshell or a pipe may find the failure
trap end_test EXIT
cd "$here" || exit 2
# Named, the kernels need no second loading of OpenBLAS in each command (core/math/matrix.c).
[ ! -s "${CONVOY_BUILD:-}/tests/kernels" ] ||
	export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE-$(<"$CONVOY_BUILD/tests/kernels")}"

fail() {
	echo "FAIL: $*" >&2
	echo "$*" >>"$failed"
}

# What a test leaves that must end with it; tests have functions of their own of this name.
cleanup() { :; }

# A failure is the test's, wherever it was found and however the test ends.
end_test() {
	local code=$?
	cleanup
	rm -rf "$here"
	[ ! -e "$failed" ] || code=1
	rm -f "$failed"
	exit $code
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

# resumes ARGUMENT...: convoy succeeds, begun again where it asks for that: a library of MPI may have
# put something where the memory of a checkpoint was.
resumes() {
	local k
	for k in 1 2 3; do
		"$CONVOY" "$@" >out 2>err && return
		grep -qF "Start again" err || break
	done
	fail "convoy $*: exit code not 0"
	cat out err
}

# says FILE TEXT: the file holds the text.
says() {
	grep -qF -- "$2" "$1" || {
		fail "$1 does not say: $2"
		cat "$1"
	}
}

# labelled_ticks FILE end|middle: how many ticks of the y axis, or of x, of an SVG have different texts.
labelled_ticks() {
	awk -v anchor="text-anchor=\"$2\"" 'index($0, "fill=\"rgb(64,64,64)\"") && index($0, anchor) {
		text = ""
		while ((getline line) > 0 && line !~ /<\/g>/) { gsub(/<[^>]*>|[ \t]/, "", line); text = text line }
		if (text != "" && !(text in seen)) { seen[text] = 1; n++ } } END { print n + 0 }' "$1"
}

is() {
	[ "$1" = "$2" ] || fail "'$1' is not '$2'${3:+ ($3)}"
}

# await COMMAND...: until it succeeds, a minute at most.
await() {
	local k
	for k in $(seq 1200); do
		"$@" && return
		sleep 0.05
	done
	fail "waited a minute for: $*"
}

# there PATTERN: some file has such a path.
there() { compgen -G "$1" >/dev/null; }

# launch ARGUMENT...: convoy in the background, as the process $pid; its streams are in out and err.
launch() {
	"$CONVOY" "$@" >out 2>err &
	pid=$!
}

# ends CODE [SIGNAL]: $pid does, by that signal.
ends() {
	[ -z "${2:-}" ] || kill "-$2" $pid
	wait $pid
	is $? "$1" "exit code${2:+ after $2}: $(cat err)"
}

# interrupted FILES ARGUMENT...: convoy, by Ctrl-C soon after such a file is there.
interrupted() {
	local files=$1
	shift
	launch "$@"
	await there "$files"
	sleep 0.1
	ends 130 INT
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

# True when the backend onednn is built in.
has_onednn() {
	"$CONVOY" doctor | grep -q '^backends.* onednn'
}

# True when real ranks can be started: by the launcher of convoy's MPI, which is in mpi_launcher.
has_mpi() {
	mpi_launcher=$("$CONVOY" doctor | sed -n 's/^mpirun  *//p')
	[ "$mpi_launcher" != none ]
}

need_mpi() {
	has_mpi || {
		echo "skipped: built without MPI, or there is no launcher of it"
		exit 77
	}
}

# is_mpi NAME: the MPI library of convoy is Open MPI, MPICH, ...
is_mpi() {
	"$CONVOY" version | grep -q "^MPI  *$1"
}

# mpi_by_hand N COMMAND...: as a user starts it, with more ranks than cores.
mpi_by_hand() {
	local n=$1
	shift
	! is_mpi "Open MPI" || set -- --oversubscribe --allow-run-as-root --bind-to none "$@"
	"$mpi_launcher" -n "$n" "$@"
}

# field NAME [FILE]: what a run's summary says of it.
field() { sed -n "s/^$1 *//p" "${2:-out}"; }

# in_long WORD...: the words, in ./dev test long; nothing daily, when fewer of like cases are run.
in_long() { [ -z "${CONVOY_LONG:-}" ] || echo "$@"; }

# long COMMAND...: does it in ./dev test long.
long() { [ -z "${CONVOY_LONG:-}" ] || "$@"; }

# same_bits ALGO WORKERS ARGUMENT...: both engines end with the same model.
same_bits() {
	local algo=$1 workers=$2 real
	shift 2
	expect 0 train --algo "$algo" --workers "$workers" "$@" --quiet
	real=$(field model)
	is "${#real}" 16 "digest of $algo"
	expect 0 sim --algo "$algo" --workers "$workers" "$@" --quiet
	is "$real" "$(field model)" "models of $algo with $workers workers"
}

# python_with MODULE...: prints the name of a Python that has them; fails where there is none.
python_with() {
	local python
	for python in python3 /usr/bin/python3; do
		"$python" -c "import $(tr ' ' , <<<"$*")" 2>/dev/null && echo "$python" && return
	done
	echo "not checked: no Python with $*" >&2
	return 1
}

# python_on FILE [WORD]...: a script over the open result; skipped where there is no h5py.
python_on() {
	local python code
	{
		printf 'import sys\ntry:\n    import h5py\nexcept ImportError:\n    sys.exit(78)\nf = h5py.File(sys.argv[1], "r")\n'
		cat
	} >judge.py
	for python in /usr/bin/python3 python3; do
		code=78
		! command -v "$python" >/dev/null || { "$python" judge.py "$@"; code=$?; }
		[ $code = 78 ] || return $code
	done
	echo "not checked: no Python with h5py" >&2
}

# same_numbers FILE FILE: every dataset of the two results is the same, but for those of the
# environment; what differs is in `differ`.
same_numbers() {
	python_on "$1" "$2" >differ <<'END'
def columns(f):
    found = {}
    f.visititems(lambda name, x: found.update({name: x[()].tobytes()})
                 if isinstance(x, h5py.Dataset) and "environment" not in name else None)
    return found

a, b = columns(f), columns(h5py.File(sys.argv[2], "r"))
differ = [k for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)]
print(len(a), "datasets; differing:", differ)
sys.exit(1 if differ or len(a) < 10 else 0)
END
}

finish() {
	[ -e "$failed" ] || echo ok
	exit 0
}
