# TIMEOUT 900
# COST 150
# PROCESSORS 2
# Every algorithm that can be named, simulated: it says what it is, and repeats its bits with other threads
# and in a replay. That each ends from any budget is in engines/test_budgets.c,
# with sanitizers.
. "$(dirname "$0")/lib.sh"
need jq
. "$(dirname "$0")/algorithms.sh"

docs=$CONVOY_HOME/docs/algorithms.md
expect 0 list algos --md
if ! awk 'FNR == NR { want[n++] = $0; next } $0 == want[k] { k++ } END { exit k != n }' out "$docs"; then
	fail "docs/algorithms.md is not what 'convoy list algos --md' says"
fi
for algo in $named; do
	expect 0 show algo "$algo" --json
	cat out >>shown
done
is "$(jq -r 'select(.rule and .waits and .staleness and .messages and .memory and .cite).name' shown)" \
	"$named" "algorithms of which all is told"

# simulate SETTING...: the runs of every algorithm that are done, as lines "ALGORITHM MODEL".
simulate() {
	expect 0 sim --algo "${others// /,}" $plain $four "$@" --quiet --json
	jq -r '.runs[] | select(.status == "done") | "\(.settings.algo) \(.model)"' out
	expect 0 sim --algo "${adams// /,}" $plain $adam $four "$@" --quiet --json
	jq -r '.runs[] | select(.status == "done") | "\(.settings.algo) \(.model)"' out
}

count=$(echo $names | wc -w)
simulate --gradients 80 --threads 1 --out one | cut -d' ' -f2 >models
is "$(wc -l <models)" $count "models"
paste -d' ' <(tr ' ' '\n' <<<"$names") models >expected
expected=$PWD/expected

# simulated ALGORITHM: two threads end with the same model as one, and so does a replay.
simulated() {
	expect 0 sim --algo "$1" $task $four --gradients 80 --threads 2 --quiet --out two --trace sim.h5
	is "$1 $(field model)" "$(grep -xF "$1 $(field model)" "$expected")" "the simulator's bits"
	if shares "$1"; then
		expect 1 replay sim.h5 --quiet
		says err "$1 cannot be replayed"
	else
		expect 0 replay sim.h5 --quiet
		says out "verdict           identical"
	fi
}

each_algorithm simulated
finish
