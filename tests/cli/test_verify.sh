# `convoy verify sim`: every closed form is met, the same way every time.
. "$(dirname "$0")/lib.sh"
need jq

expect 0 verify sim --json
jq -e 'length == 29 and all(.holds)' out >/dev/null || fail "$(cat out)"
jq -e 'map(select(.random)) | length >= 10 and all(.low < .exact and .exact < .high)' out >/dev/null ||
	fail "an interval is empty, or misses what it says it holds: $(cat out)"
jq -e '[.[] | select(.random | not)] | all(.low == .high)' out >/dev/null || fail "$(cat out)"
jq -r '.[] | "\(.name)|\(.simulated)|\(.random)"' out >first

expect 129 verify
says err "expected 'sim'"
expect 129 verify mpi
[ -n "${CONVOY_LONG:-}" ] || finish

# The table, of other seeds: other means of the cases with chance, and of them alone.
code=0
"$CONVOY" verify sim --seed 1000 >out 2>err || code=$?
[ "$code" -le 1 ] || fail "exit code $code: $(cat err)"
is "$(grep -c '^holds\|^FAILS' out)" 29 "lines of: $(cat out)"
is "$code" "$(($(grep -c ^FAILS out) > 0))" "the exit code says whether all hold"
is "$(grep -c '^Every case holds\.$' out)" $((1 - code)) "$(cat out)"
awk -F'[|]|  +' 'FNR == NR { simulated[$1] = sprintf("%.7g", $2); random[$1] = $3 == "true"; next }
	/^(holds|FAILS)/ {
		wrong += !($2 in random) || ($3 + 0 == simulated[$2] + 0) == random[$2]
		n++
	}
	END { exit !(n == 29 && !wrong) }' first out || fail "$(cat first out)"
finish
