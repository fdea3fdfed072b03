# convoy tune: the order of Omnivore's search, what it chooses and costs, and what it finds again.
. "$(dirname "$0")/lib.sh"
need jq

toy="--net quadratic:dim=20 --workers 8 --batch 32 --compute-s 1 --threads 1 --quiet --json"
lists="--rates 1/0.1 --momenta 0/0.5/0.9"

# holds FILTER: is true of a search; best, of a list of attempts; at($g), its probes of g groups.
holds() {
	is "$(jq "def best: map(select(.loss)) | min_by(.loss);
		def at(\$g): [.runs[] | select(.phase == \"cold\" and .groups == \$g)];
		$1" out)" true "$1"
}

# The search costs far less than all combinations, and is at most a step away from their best.
judged() {
	expect 0 tune $toy $lists --budget 40 --probe 0.1 --exhaustive "$@"
	holds '.exhaustive.best == ([.runs[] | select(.phase == "exhaustive")] | best)'
	holds '.chosen.groups / .exhaustive.best.groups | . >= 0.5 and . <= 2'
	holds '.exhaustive.search_share_of_seconds < 0.2 and .exhaustive.search_share_of_samples < 0.2'
	holds '.exhaustive.cost.runs == 24 and .exhaustive.cost.seconds <= 24 * 40'
}
judged --link nic:bandwidth_GBps=3e-3 --rounds 0
holds '.hardware | map(.tried) == [true, false, false, false]'
few=$(jq .chosen.groups out)
steady="--link nic:bandwidth_GBps=1e-6 --rounds 1 --algo groups:groups=8 --lr 0.02
	--optim sgd:momentum=0.5,nesterov=false"
judged $steady
cp out before
[ "$few" -lt "$(jq .chosen.groups out)" ] || fail "both networks alike"

# One group: the highest momentum, all learning rates. More: the best so far and a tenth of it, with no
# momentum above it at the same learning rate, none below it at the lower one.
around='def around($p): [($p.lr, $p.lr / 10) as $lr | (0, 0.5, 0.9) as $m |
	select(if $lr == $p.lr then $m <= $p.momentum else $m >= $p.momentum end) | [$lr, $m]];'
holds 'at(1) | map([.lr, .momentum]) == [[1, 0.9], [0.1, 0.9]]'
holds 'at(2) | length > 3'
for g in 2 4 8; do
	holds "$around (at($g) | length) == 0 or (at($g) | map([.lr, .momentum])) == around(at($g / 2) | best)"
done
holds '.chosen == ([.runs[] | select(.phase == "cold")] | best)'
holds '[.runs[] | select(.phase == "tuned" or .phase == "untuned") | [.groups, .lr, .momentum]] ==
	[[.chosen.groups, .chosen.lr, .chosen.momentum], [8, 0.02, 0.5]]'
holds '([.runs[] | select(.phase == "cold")] | length) as $n | .cost.runs == $n'
holds '([.runs[].groups] | unique | length) as $n | .cost.timing_runs >= 1 and .cost.timing_runs <= $n + 4'
holds '.tuned_s > 0 and (.factor - .untuned_s / .tuned_s | fabs) < 1e-9'
python_on "$(jq -r .chosen.file out)" <<'EOF' || fail "the score is not the mean of the last ten rows"
import json
score = json.load(open("out"))["chosen"]["loss"]
sys.exit(0 if abs(f["train/loss"][-10:].mean() - score) < 1e-12 else 1)
EOF

# Steady state: from the kept model on, as many groups as are worth it; and all of it is found again.
holds '([.hardware[] | {(.groups | tostring): .update_s}] | add) as $update |
	[.runs[] | select(.phase == "steady")] as $s | [.hardware[] | select(.tried).groups][-1] as $most |
	$s[0].groups == $most and all($s[]; .time_s >= 20 * .groups * $update[.groups | tostring] - 1e-9) and .steady.phase == "steady-run"'
preferred='.steady as $c | [.runs[] | select(.phase == "steady" and .groups == $c.groups)] as $s |
	[$s[] | select(.loss and .loss <= ($s | best.loss * 1.01))] | max_by([.lr, .momentum]) |
	[.lr, .momentum] == [$c.lr, $c.momentum]'
holds "$preferred"
expect 0 tune ${toy/--json/} $lists --budget 40 --probe 0.1 ${steady/rounds 1/rounds 2}
says out " after another 80 s"
find results -type f -exec stat -c '%n %y %i' {} + | sort >files
expect 0 tune $toy $lists --budget 40 --probe 0.1 --exhaustive $steady
find results -type f -exec stat -c '%n %y %i' {} + | sort | cmp -s - files || fail "runs were made again"
is "$(jq 'del(.wall_s, .finished_before)' out | cksum)" "$(jq 'del(.wall_s, .finished_before)' before | cksum)" "the same search"

# --dry-run: what is tried first, how much at most, what it takes, of what is not there; it makes
# nothing. By hand: two learning rates, then for each of three doublings three momenta and one of them
# with the other learning rate; of the steady state this for four numbers of groups, and a run.
dry="--budget 40 --probe 0.1 --exhaustive --refine --dry-run"
first='.first == [{"groups": 1, "momentum": 0.9, "lr": 1}, {"groups": 1, "momentum": 0.9, "lr": 0.1}]'
expect 0 tune $toy $lists $dry $steady --out none
holds '[.groups, .rates, .momenta, .budget_s] == [[1, 2, 4, 8], [1, 0.1], [0, 0.5, 0.9], 40]'
holds "$first"
holds '[.timing_runs, .timing_finished, .estimate.unknown_runs] == [8, 0, 2]'
holds '.at_most == {"cold": 14, "refined": 4, "tuned": 2, "steady": 17, "exhaustive": 24, "all": 61}'
expect 0 tune $toy $lists --dry-run $steady --out none
holds '.budget_s == null and .at_most.all == 33'
expect 0 tune ${toy% --json} --groups 1..2 --dry-run --out none
says out "runs of 1000 and probes of 200 updates of the fewest groups"
says out "numbers of groups: 1 2"
[ -e none ] && fail "--dry-run wrote something"
expect 0 tune $toy $lists $dry $steady
holds "$first"
holds '[.timing_finished, .estimate.known_runs, .estimate.unknown_runs] == [8, 0, 0]'
for phase in cold exhaustive steady; do
	most=$(jq ".at_most.$phase" out)
	[ "$(jq "[.runs[] | select(.phase | startswith(\"$phase\"))] | length" before)" -le "$most" ] ||
		fail "more than $most probes: $phase"
done
expect 0 tune $toy --rates 1/0.1/0.01 --momenta 0/0.5/0.9 $dry $steady
holds '.estimate | .known_runs == 1 and .unknown_runs == 0 and .results > 0'
expect 0 tune ${toy% --json} --rates 1/0.1/0.01 --momenta 0/0.5/0.9 $dry $steady
says out "runs of 40 and probes of 4 simulated seconds"
says out "8 timing-only runs, 8 of them finished"
says out "these probes: about "
grep -qE '^compute_s +[^ ]+ +given$' out || fail "no source of compute_s: $(grep ^compute_s out)"
says out "at most 74 training runs: cold start 15, refined 4, tuned and untuned 2, steady state 17, exhaustive 36"
find results -type f -exec stat -c '%n %y %i' {} + | sort | cmp -s - files || fail "--dry-run made runs"

# Seconds of an update: a worker's share of the batch, and the way to the server and back. Around
# the best momentum, a tenth apart; nothing above what diverged.
expect 0 tune $toy --rates 0.1 --momenta 0/0.6 --budget 10 --groups 1..2 --refine --rounds 0 \
	--link nic:latency_s=0.25,bandwidth_GBps=1e9
holds '[.hardware[].update_s] | (.[0] - (1 / 8 + 0.5) | fabs) < 1e-6 and
	(.[1] - (1 / 4 + 0.5) / 2 | fabs) < 1e-6'
holds '(.runs | map(select(.phase == "cold")) | best).momentum as $m | [.runs[] |
	select(.phase == "refined").momentum] == (if $m == 0 then [0.1, 0.2] else [0.4, 0.5] end)'
expect 0 tune $toy --rates 1.3 --momenta 0/0.5/0.9 --budget 300 --probe 1 --groups 1..2 --rounds 0 \
	--link nic:bandwidth_GBps=1e-6
holds 'at(2) | map([.lr, .momentum, .loss == null]) == [[1.3, 0, true], [0.13, 0.9, false]]'

# Within 1 % of the least loss the highest learning rate is preferred.
expect 0 tune --net logistic --workers 4 --batch 32 --compute-s 1 --threads 1 --quiet --json --rates 0.1 \
	--momenta 0/0.5/0.9 --groups 1..1 --budget 100 --seed 3
holds '[.runs[] | select(.phase == "steady")] as $s | ($s | best.lr) == 0.01 and .steady.lr == 0.1'
holds "$preferred"

# Without noise, a run in two halves is the run, if it goes on from the model.
half="--algo asgd --workers 1 --net quadratic:dim=10,noise=0 --optim sgd:momentum=0 --lr 0.01 --quiet"
expect 0 sim $half --gradients 40
whole=$(field model)
expect 0 sim $half --gradients 20 --keep-model
is "$(field model | grep -c "$whole")" 0
expect 0 sim $half --gradients 20 --init "$(field file)"
is "$(field model)" "$whole" "two halves"
first=$(field hash)
cp "$(field file)" here.h5
expect 0 sim $half --gradients 10 --keep-model
cp "$(field file)" there.h5
expect 0 sim $half --gradients 20 --init ./there.h5
other=$(field hash)
cp there.h5 here.h5
expect 0 sim $half --gradients 20 --init ./here.h5
is "$(field hash)" "$other" "a run is named by the model that it begins at, not by the file"
is "$(field hash | grep -c "$first")" 0
kept=$(jq -r '.runs[] | select(.phase == "tuned").file' before)
expect 1 sim $half --gradients 20 --init "$kept"
says err "has no model of 10 parameters"

refused() {
	expect 1 tune --net quadratic:dim=20 --workers 8 --batch 32 --quiet "${@:2}"
	says err "$1"
	one_line
}
refused "algo asgd: compute groups are tuned" --algo asgd
refused "epochs: not for tune: --budget" --epochs 2
refused "net bytes: only the size of its layers is known, so it cannot be trained, and tune compares training losses" --net bytes:1e6 --compute-s 1
refused "optim adam has no momentum to tune" --optim adam
refused "--groups '3': expected FROM..TO" --groups 3
refused "a batch of 1: no number of groups from 1 to 2, by doubling, gives equal groups that split it evenly. 8 do: --groups 8..8" \
	--batch 1 --groups 1..2
refused "the untuned run's number of groups, 1, gives no equal groups that split it evenly. 3 do: --algo groups:groups=3" \
	--workers 6 --batch 16 --groups 3..6
refused "a learning rate must be above 0" --rates 0.1/0
refused "algo asgd: compute groups are tuned" --algo asgd --dry-run
expect 1 tune $toy --rates 1e15 --groups 1..1 --budget 100
says err "every probe diverged: lower --rates"
# A run of the chosen settings that diverges, as its short probe did not, is no choice.
bowl="tune --net quadratic:dim=16,cond=10,noise=0.1 --workers 2 --compute-s 1 --groups 1..1 --momenta 0 --batch 500 --quiet --out bowl"
expect 1 $bowl --budget 12345 --probe 0.002 --rates 3
says out "runs of 12345 and probes of"
grep -qE '^search: .* gradients, [0-9]{5} samples' out || fail "totals are not in full: $(cat out)"
says out "in the end: tuned diverged, untuned "
says err "the run with the chosen settings diverged, as no probe of them did"
grep -q '[^a-z]inf' out && fail "infinite numbers: $(cat out)"
expect 1 $bowl --budget 12345 --probe 0.002 --rates 3 --json
# What is found again took no time here.
expect 0 $bowl --budget 40 --rates 0.01 --out again
says out "; all took "
sleep 1.1
expect 0 $bowl --budget 40 --rates 0.01 --out again
grep -q '; [0-9]* results of earlier commands used, the rest took [0-9.e-]* s here' out || fail "found again: $(cat out)"
for momenta in 1e19 0.5/1 -1; do
	expect 1 tune $toy --momenta $momenta
	says err "is no momentum of sgd (expected -0.999999 to 0.999999)"
done
expect 1 tune $toy --rates 0.1/1e300
says err "--rates: a learning rate must be at most 1e+15"
expect 129 tune slow-worker
says err "tune accepts options only"
finish
