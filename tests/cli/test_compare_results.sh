# tests/build/compare_results.py finds one bit that differs, and tells words from results.
. "$(dirname "$0")/lib.sh"

python=$(python_with h5py) || exit 77
KEEP=. bash "$CONVOY_SOURCE/tests/build/compare_results.sh" "$CONVOY" "$CONVOY" slow-ship >out 2>err ||
	fail "compare_results.sh: $(cat out err)"
says out "experiments: 1; the same: 1"
new=new/tour/slow-ship/smoke

compare() {
	"$python" "$CONVOY_SOURCE/tests/build/compare_results.py" "$1" "$2" >out 2>err
	is $? "$3" "exit code of compare_results.py: $(cat err)"
}

# edit STATEMENT: of the first result of the new ones, as the open file f.
edit() {
	printf 'import glob, h5py, numpy\nwith h5py.File(sorted(glob.glob("%s"))[0], "r+") as f:\n    %s\n' \
		"$new/runs/*.h5" "$1" | "$python" - || fail "$1"
}

compare old new 0
says out "same    tour/slow-ship: 8 runs, 8 models, 4 files of tables"
says out "experiments: 1; the same: 1; different in words only: 0; in results: 0"
edit 'f["environment"].attrs.modify("wall_s", 1e9)'
compare old new 0

cp "$new/claims.json" kept
sed -i 's/slowest/slowliest/' "$new/claims.json"
compare old new 1
says out "words   tour/slow-ship"
says out "different in words only: 1; in results: 0"
mv kept "$new/claims.json"

edit 'f["nodes/wait_s"][0] = numpy.nextafter(f["nodes/wait_s"][0], 1e9)'
compare old new 1
says out "DIFFERS tour/slow-ship"
says out "nodes/wait_s: [0] "
says out "; differing: 1 result files"
edit 'f["summary"].attrs.modify("model", numpy.bytes_("abcdefabcdefabcd"))'
compare old new 1
says out "; differing: 1 models, 1 result files"
rm "$(find $new/runs -name '*.h5' | sort | tail -1)" "$new/tables/slow-ship.csv"
compare old new 1
says out "only in OLD"
compare new/none old/none 1

# A lesson explains itself before its runs, and its report's claims are not headed as a paper's.
expect 0 run slow-ship --scale smoke --seed 1 --algo allreduce --slow none --out lesson
says err "Look first at"
expect 0 run slow-ship --scale smoke --seed 1 --algo allreduce --slow none --out lesson --quiet
grep -q "Look first at" err && fail "--quiet: a lesson explains itself"
expect 0 report slow-ship --scale smoke --seed 1 --algo allreduce --slow none --out lesson
says "$(tail -1 out)" "What it teaches, and whether it held here"
finish
