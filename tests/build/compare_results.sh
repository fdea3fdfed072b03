#!/bin/bash
# compare_results.sh OLD NEW [EXPERIMENT...]: whether two versions give the same results, bit for bit, at scale smoke.
# Run by hand after a change that must not change results; takes three minutes on two idle cores.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

usage() {
	cat <<-END
	usage: tests/build/compare_results.sh OLD NEW [EXPERIMENT...]

	OLD and NEW are each a build folder, a program, or a commit, which is built in
	build/compare/COMMIT. Both run every built-in experiment (or those named) at scale smoke, at
	the same time, each its own version of it (with CONVOY_HOME in the environment: both the
	version there). Then tables, claims, data of plots and result files are compared: one line
	for each experiment, and its first differences. What is not compared is listed, with the
	reason, in compare_results.py.

	Exit status: 0 all equal; 1 something differs or a run failed; 2 wrong arguments.

	  KEEP=FOLDER      the results of both, which are otherwise removed, stay in FOLDER
	END
}

fail() {
	echo "compare_results: $*" >&2
	exit 2
}

# program_of WORD: prints the program that an argument names, and builds a commit's.
program_of() {
	local commit folder
	if [ -d "$1" ]; then
		[ -x "$1/convoy" ] || fail "$1: no program 'convoy' in this folder. Build it first"
		realpath "$1/convoy"
	elif [ -f "$1" ] && [ -x "$1" ]; then
		realpath "$1"
	else
		commit=$(git -C "$top" rev-parse -q --verify "$1^{commit}") ||
			fail "$1: neither a build folder, a program nor a commit"
		folder=$top/build/compare/$commit
		build_commit "$commit" "$folder"
		echo "$folder/build/convoy"
	fi
}

# build_commit COMMIT FOLDER: unpacks and builds it there, if that was not done before.
build_commit() {
	[ ! -x "$2/build/convoy" ] || return 0
	echo "compare_results: building $1" >&2
	mkdir -p "$2"
	git -C "$top" archive "$1" | tar -x -C "$2"
	cmake -S "$2" -B "$2/build" -G Ninja -DCONVOY_TESTS=OFF >"$2/log" 2>&1 &&
		cmake --build "$2/build" >>"$2/log" 2>&1 || fail "$1: building failed: see $2/log"
}

python_with_h5py() {
	local python
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import h5py' 2>/dev/null && echo "$python" && return
	done
	return 1
}

# run_all SIDE PROGRAM: runs the experiments into results/SIDE; a run that fails is a difference.
run_all() {
	"$2" run "${experiments[@]}" --scale smoke --jobs 1 --threads 1 --out "$results/$1" --quiet --json \
		>"$results/$1.log" 2>&1 && return
	echo "FAILED: $2 run ${experiments[*]} --scale smoke: exit code $?"
	tail -5 "$results/$1.log"
	return 1
}

case ${1:-} in
-h | --help) usage && exit ;;
esac
[ $# -ge 2 ] || { usage >&2; exit 2; }
python=$(python_with_h5py) || fail "no Python with h5py. Install python3-h5py"
old=$(program_of "$1")
new=$(program_of "$2")
shift 2
experiments=("$@")
[ $# -gt 0 ] || experiments=(--all)
if [ -n "${KEEP:-}" ]; then
	mkdir -p "$KEEP"
	results=$(realpath "$KEEP")
	[ ! -e "$results/old" ] && [ ! -e "$results/new" ] ||
		fail "$KEEP: has results already. Name another folder"
else
	results=$(mktemp -d)
fi
clean_up() {
	kill $(jobs -p) 2>/dev/null || true
	wait
	[ -n "${KEEP:-}" ] || rm -rf "$results"
}
trap clean_up EXIT

code=0
run_all old "$old" &
run_all new "$new" || code=1
wait $! || code=1
"$python" "$here/compare_results.py" "$results/old" "$results/new" || code=1
exit $code
