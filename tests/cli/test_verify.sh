# `convoy verify sim`: every closed form is met, the same way every time.
. "$(dirname "$0")/lib.sh"
need jq

expect 0 verify sim
says out "Every case holds."
grep -q FAILS out && fail "$(cat out)"
is "$(grep -c ^holds out)" 29

expect 0 verify sim --json
jq -e 'length >= 18 and all(.holds)' out >/dev/null || fail "$(cat out)"
jq -e 'map(select(.random)) | length >= 10 and all(.low < .exact and .exact < .high)' out >/dev/null ||
	fail "an interval is empty, or misses what it says it holds: $(cat out)"
jq -e '[.[] | select(.random | not)] | all(.low == .high)' out >/dev/null || fail "$(cat out)"

# Other seeds, other means of the cases with chance, and of them alone.
mv out first
code=0
"$CONVOY" verify sim --seed 1000 --json >out 2>err || code=$?
[ "$code" -le 1 ] || fail "exit code $code: $(cat err)"
jq -e --slurpfile a first '[., $a[0]] | transpose |
	all((.[0].simulated == .[1].simulated) == (.[0].random | not))' out >/dev/null || fail "$(cat out)"
is "$code" "$(jq 'if all(.holds) then 0 else 1 end' out)" "the exit code says whether all hold"

expect 129 verify
says err "expected 'sim'"
expect 129 verify mpi
finish
