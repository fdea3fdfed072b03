#!/usr/bin/env bash
# COST 16
# Seeds are added until claims are decided: at planned looks, under a budget, and for good.
. "$(dirname "$0")/lib.sh"
need jq gnuplot

# Of the learning rates 0.1 and 0.035 the first has the smaller loss; those of 0.1 and 0.12 cannot be told apart.
cat >q.json <<'END'
{
  "title": "t",
  "base": { "net": "quadratic:dim=10,noise=1", "gradients": 60, "workers": 2, "compute_s": 1, "cluster": "none", "link": "ideal" },
  "grid": { "lr": [0.035, 0.1, 0.12, 0.3], "seed": [1, 2, 3] },
  "claims": [
    { "kind": "ours", "says": "smaller", "beats": { "measure": "train_loss", "a": { "lr": 0.1 }, "b": { "lr": 0.035 } } },
    { "kind": "ours", "says": "alike", "beats": { "measure": "train_loss", "a": { "lr": 0.1 }, "b": { "lr": 0.12 } } },
    { "kind": "ours", "says": "one of two", "any_of": [
      { "beats": { "measure": "train_loss", "a": { "lr": 0.1 }, "b": { "lr": 0.3 } } },
      { "beats": { "measure": "train_loss", "a": { "lr": 0.1 }, "b": { "lr": 0.035 } } } ] } ]
}
END
dir=results/q/default
looks() { jq -c "$@" $dir/claims.json; }

expect 0 run q.json --decide --dry-run
says out "To decide its claims: at most 36 more runs; which claims are undecided"

# Claims that were judged before have the levels of the plan at all their looks.
expect 0 run q.json --quiet
is "$(looks 'map([.verdict, has("looks")])')" '[["undecided",false],["undecided",false],["undecided",false]]' "claims"
expect 0 run q.json --decide --dry-run
says out "To decide its claims: 3 undecided claims, at most 36 more runs" # of four groups, one of which all claims have
[ ! -e $dir/looks.json ] || fail "--dry-run wrote looks.json"
expect 0 run q.json --decide -v
says err 'deciding "smaller": look 2 of 5, 4 seeds, 2 more runs'
is "$(grep -c '"alike" gets no more seeds: the largest number of seeds is not expected to decide it' err)" 1 "closed claims said"
says out "holds          smaller (ours)"
says out "decided at look 3 of 5 with 6 seeds, level 0.0109; with all seeds: train_loss, lr=0.1 minus lr=0.035: -0.04572 [-0.07218, -0.01925], seeds 8 8>"
says out "undecided      alike (ours)"
says out "closed: the largest number of seeds is not expected to decide it; needs about 834 seeds, "
says out "level 0.00545, corrected for the best of 2>"
is "$(looks '.[0] | [.verdict, .interval.seeds, .looks.decided_at_look, (.looks.made | map(.seeds, .level))]')" \
	'["holds",[6,6],3,[3,0.0109,4,0.0109,6,0.0109]]' "looks"
is "$(looks '.[1] | [.verdict, .looks.closed != null, (.looks.made | length)]')" '["undecided",true,2]' "futile"
is "$(looks '.[2].looks | [.best_of, .made[0].level, .made[1].level]')" '[2,0.00545,0.00545]' "corrected"
is "$(jq -c '.groups | map([.point.lr, .seeds]) | sort' $dir/looks.json)" '[[0.035,[4,5,6,7,8]],[0.1,[4,5,6,7,8]],[0.12,[4]],[0.3,[4,5,6,7,8]]]' "seeds"

# Pages of kept results say what an open claim of a paper would take.
mkdir -p experiments/p kept/p/q
jq '.claims[1] += { "kind": "statement", "where": "here" }' q.json >experiments/p/q.json
cp $dir/{made,runs,claims,looks}.json kept/p/q
CONVOY_HOME=$PWD "$CONVOY" report --claims kept >/dev/null 2>err && CONVOY_HOME=$PWD "$CONVOY" report --md kept >/dev/null 2>err || fail "$(cat err)"
says docs/experiments.md "| undecided | about 834 seeds of 2 groups, which have 4: "
says docs/experiments/settings/p.md "convoy run p/q --decide --max-seeds 12"

# Without -v a claim has its figure alone.
expect 0 run q.json
says out "holds          smaller (ours) {difference -0.03845 ["
grep -q "minus\|decided at" out && fail "groups and looks without -v: $(cat out)"
says out "<needs about 834 seeds, "

# Later commands keep the seeds and the verdicts, and nothing is left to decide.
cp $dir/claims.json first.json
expect 0 run q.json
says err "28 runs, 28 of them finished before"
cmp first.json $dir/claims.json || fail "a plain run changes the verdicts"
expect 0 run q.json --decide
says err "q: no undecided claim is expected to be decided by the planned looks, up to 12 seeds"
cmp first.json $dir/claims.json || fail "a second --decide changes the verdicts"
expect 0 claims q.json
says out "decided at look 3 of 5 with 6 seeds"
expect 0 report q.json
says $dir/report.html "decided at look 3 of 5 with 6 seeds"
says $dir/report.html "<figcaption>A row for each comparison, with the number of its claim"
is "$(grep -c '^[-0-9]' $dir/forest/claims.dat)" 13 "intervals of all looks"
python3 - $dir/forest/claims.svg <<'END' || fail "texts beyond the edges of the forest plot"
import html, re, sys
beyond = 0
for x, size, anchor, text in re.findall(
        r'translate\(([\d.]+),[\d.]+\)"[^>]*font-size="([\d.]+)"\s+text-anchor="(\w+)">\s*<text>(.*?)</text>',
        open(sys.argv[1]).read(), re.S):
    text = html.unescape(re.sub(r"<!\[CDATA\[|\]\]>|<.*?>", "", text))
    wide = 0.55 * float(size) * len(text)
    left = float(x) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
    if left < 0 or left + wide > 640:
        print(text, left, left + wide)
        beyond += 1
sys.exit(beyond > 0)
END

# The page has the command that makes these seeds too.
says $dir/report.html "convoy run q.json --decide --max-seeds 12"

# Seeds that another claim gets do not change a verdict: the newer means are shown next to it.
jq '.groups |= map(.seeds += [9, 10, 11, 12])' $dir/looks.json >more && mv more $dir/looks.json
expect 0 run q.json --quiet
is "$(looks '.[0] | [.verdict, .interval.seeds, .looks.decided_at_look, (.looks.now | length)]')" '["holds",[6,6],3,1]' "newer means"

# A fresh claim has the same level at each look; an interrupted experiment goes on.
jq '.claims |= .[:1] | .grid.lr = [0.035, 0.1]' q.json >fresh.json
expect 0 run fresh.json --decide --max-seeds 8 --quiet
is "$(jq -c '.[0].looks | [.looked_before, .looks, .made[0].level]' results/fresh/default/claims.json)" '[false,4,0.0134]' "fresh"
jq -c 'map(.verdict)' results/fresh/default/claims.json >verdicts
rm results/fresh/default/claims.json $(ls results/fresh/default/runs/*.h5 | tail -n 3)
expect 0 run fresh.json --decide --max-seeds 8 --quiet
is "$(jq -c 'map(.verdict)' results/fresh/default/claims.json)" "$(cat verdicts)" "verdicts of resumed looks"
mv results/fresh/default/claims.json whole
head -c 300 whole >results/fresh/default/claims.json
expect 1 run fresh.json --decide --max-seeds 8 --quiet
says err "verdicts are judged again where there is no results/fresh/default/claims.json: delete it if it is damaged"
mv whole results/fresh/default/claims.json

# Without --max-seeds its plan counts; more than the plan has is refused.
expect 0 run fresh.json --decide --quiet
expect 0 decide fresh.json --quiet
expect 0 run fresh.json --decide --dry-run
says out "no undecided claim can be decided by more seeds"
is "$(jq -c 'map(.verdict)' results/fresh/default/claims.json)" "$(cat verdicts)" "verdicts without --max-seeds"
expect 1 run fresh.json --decide --max-seeds 12 --quiet
says err "the looks were planned up to 8 seeds on "
says err "--max-seeds 12 would be more. Leave it out, give at most 8, or another --out"

# Seeds of a command line are left to it; without them the plan is there again.
expect 0 run fresh.json --seed 1..2 --quiet
expect 1 decide fresh.json --quiet
says err "fresh.json: its last results have the seeds of a command line, 1..2, but looks choose theirs; 'convoy run fresh.json --decide' takes those of the spec"
expect 0 run fresh.json --decide --quiet
is "$(jq -c 'map(.verdict)' results/fresh/default/claims.json)" "$(cat verdicts)" "verdicts after seeds of a command line"

# A filter that fails is an error, also where other claims are decided.
jq '.claims += [{ "kind": "ours", "says": "fails to run", "jq": ".runs[0].none > 1" }]' fresh.json >wrong.json
expect 1 run wrong.json --decide --max-seeds 8 --quiet
expect 1 decide wrong.json --quiet
says err 'error: wrong: the claim "fails to run" has an error: '

# One that is killed goes on, too: to the same verdicts.
cp fresh.json killed.json
"$CONVOY" run killed.json --decide --max-seeds 8 --quiet >/dev/null 2>&1 &
pid=$!
while [ ! -e results/killed/default/looks.json ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
expect 0 run killed.json --decide --max-seeds 8 --quiet
is "$(jq -c 'map(.verdict)' results/killed/default/claims.json)" "$(cat verdicts)" "verdicts after a kill"

# Two that decide the same at once lose no seed of each other, and come to the same verdicts.
cp q.json both.json
expect 0 run both.json --quiet
for i in 1 2; do
	"$CONVOY" run both.json --decide --quiet >both.$i 2>&1 &
done
wait || fail "two at once: $(cat both.1 both.2)"
is "$(jq -c 'map(.verdict)' results/both/default/claims.json)" '["holds","undecided","holds"]' "verdicts of two at once"
is "$(jq '.groups | map(.seeds | length) | add' results/both/default/looks.json)" "$(($(ls results/both/default/runs/*.h5 | wc -l) - 12))" "seeds of two at once"

# One that was stopped while another one decided everything takes over what that has added, and does not write over it.
jq '.base.gradients = 600 | .grid.lr |= .[:3] | .claims |= map(select(.beats))' q.json >late.json
"$CONVOY" run late.json --decide --max-seeds 4 --jobs 1 --quiet >late.out 2>&1 &
pid=$!
while ! ls results/late/default/runs/.sweep.*.lock >/dev/null 2>&1 && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -STOP $pid
expect 0 run late.json --decide --quiet
cp results/late/default/looks.json seeds.json
jq -c 'map(.verdict)' results/late/default/claims.json >verdicts
kill -CONT $pid
wait $pid || fail "stopped: $(cat late.out)"
is "$(jq -c .groups results/late/default/looks.json)" "$(jq -c .groups seeds.json)" "seeds after a stale process"
is "$(jq -c 'map(.verdict)' results/late/default/claims.json)" "$(cat verdicts)" "verdicts after a stale process"
is "$(cat verdicts)" '["fails","undecided"]' "verdicts of the other process"

# The budget ends it: no look begins, and no seed is left planned without its run.
cp fresh.json brief.json
expect 0 run brief.json --decide --budget 0.001s
says err "the budget is spent: no more looks are made"
is "$(jq '.groups | map(.seeds[]) | length' results/brief/default/looks.json)" 0 "seeds of a spent budget"

# What no seeds decide is named, and costs nothing; a verdict at 95 % that the level of the plan drops is named, too.
jq '.grid.lr = [0.035, 0.1] | .claims = [{ "kind": "ours", "says": "plain", "jq": "true" },
	{ "kind": "ours", "says": "smaller", "beats": { "measure": "train_loss", "a": { "lr": 0.1 }, "b": { "lr": 0.035 } } }]' q.json >plain.json
expect 0 run plain.json --quiet
jq '.[1].verdict = "holds"' results/plain/default/claims.json >was && mv was results/plain/default/claims.json
expect 0 run plain.json --decide
is "$(grep -c 'plain" gets no seeds: its filter gives no interval: use beats, within, no_worse or no_later' err)" 1 "claims without an interval"
says err "\"smaller\": 'holds' at 95 %, but undecided at the level of planned looks, 0.0109"
says err "undecided in all: $(grep -c '^undecided' out)"

# The number of test samples is that of the result: claims on a data set of any kind are decided.
cat >own.json <<'END'
{ "title": "t",
  "base": { "net": "mlp", "data": "mixture:train=256", "epochs": 2, "batch": 16, "lr": 0.1, "workers": 1, "compute_s": 1 },
  "grid": { "seed": [1, 2, 3] },
  "claims": [ { "kind": "ours", "says": "more than chance", "beats": { "a": {}, "b": 0.25 } } ] }
END
expect 0 run own.json --decide --quiet
is "$(jq -c '.[0] | [.verdict, .interval.images, (.interval.test_error > 0)]' results/own/default/claims.json)" '["holds","binomial",true]' "test samples"

# A run that fails leaves the claims that need it undecided; others go on, those of other experiments too.
jq '.grid.lr = [0.035, 0.1, 0.12, 0.04] | .claims |= map(select(.beats)) | .claims[0].says = "fails to run" | .claims[1].says = "goes on" |
	.claims[1].beats.a.lr = 0.12 | .claims[1].beats.b.lr = 0.04' q.json >broken.json
expect 0 run broken.json --quiet
hash=$("$CONVOY" run broken.json --seed 4 --dry-run --quiet | awk '/lr=0.035/ { print $1; exit }')
mkdir results/broken/default/runs/$hash.h5
cp fresh.json next.json
expect 0 run next.json --quiet
expect 1 decide broken.json next.json
says err "error: broken: the run lr=0.035 seed=4 has failed; undecided without it: \"fails to run\""
says err 'deciding "goes on": look 2 of 5'
is "$(jq -c 'map([.verdict, (.looks.made | length > 1)])' results/broken/default/claims.json)" '[["undecided",false],["holds",true]]' "the rest goes on"
is "$(jq -c 'map(.verdict)' results/next/default/claims.json)" '["holds"]' "the next experiment"
is "$(jq -c '.groups | map(select(.point.lr == 0.035).seeds)' results/broken/default/looks.json)" '[[]]' "the failed seed"
rmdir results/broken/default/runs/$hash.h5
expect 0 decide broken.json
is "$(jq -c '.[0].looks.made | length > 1' results/broken/default/claims.json)" 'true' "once it does not fail"

# All looks of a small plan are used; sides that name their seeds take no others.
cp fresh.json short.json
expect 0 run short.json --decide --max-seeds 3
expect 0 decide short.json
says err "short: 1 undecided claim has used all looks, which were planned up to 3 seeds; another --out plans more"
expect 0 decide short.json --dry-run
says out "To decide its claims: 1 undecided claim has used all looks"
jq '.claims[0].beats |= (.a.seed = [1, 2, 3] | .b.seed = [1, 2, 3])' fresh.json >sides.json
expect 0 run sides.json --decide
says err '"smaller" gets no more seeds: its sides take fewer seeds than their groups have'
says err "sides: of 1 undecided claim 0 are decided with 2 more runs; undecided in all: 1"

# A group that a filter subtracts seed by seed gets the seeds of a look too, and no other group does.
jq '.grid.lr = [0.035, 0.1, 0.12, 0.3] | .claims = [{ "kind": "ours", "says": "excess", "jq":
	". as $in | def r($lr): $in.runs[] | select(.point.lr == $lr); def over($lr): r($lr) | . as $x | .train_loss -= 2 * [r(0.12) | select(.point.seed == $x.point.seed)][0].train_loss; beats(over(0.1); over(0.035); \"train_loss\")" }]' q.json >excess.json
expect 0 run excess.json --decide
says err 'deciding "excess": look 2 of 5, 4 seeds, 1 more run'
is "$(jq -c '[.[0].verdict, (.[0].looks | .closed, (.made | length > 1))]' results/excess/default/claims.json)" '["holds",null,true]' "a filter that subtracts a group"
is "$(jq -c '.groups | map([.point.lr, (.seeds | length)]) | sort | map(.[0])' results/excess/default/looks.json)" '[0.035,0.1,0.12]' "groups with added seeds"

# Of several experiments, without their own runs.
cp fresh.json other.json
expect 1 decide other.json
expect 0 run other.json --quiet
expect 0 decide fresh.json other.json --max-seeds 8
says out "fresh, scale default"
says err "other: of 1 undecided claim 1 is decided with "
expect 0 decide other.json --max-seeds 8 --json --quiet
jq -e '.[0].looks.made | length > 1' out >/dev/null || fail "JSON"
expect 0 decide other.json --max-seeds 8 --dry-run
says out "no undecided claim can be decided by more seeds"

# Wrong input.
for wrong in 2 5 10 25; do
	expect 129 run q.json --decide --max-seeds $wrong
	says err "max-seeds"
done
expect 129 decide q.json --max-seeds 5
says err "--max-seeds 5: looks have 3, 4, 6, 8, 12, 16, 24, 32, 48 or 64 seeds; give one of these"
expect 129 run q.json --decide --budget 0
says err "--budget 0: expected a time above 0, such as 90s, 20min or 2h"
expect 129 decide q.json --budget 5weeks
expect 129 decide q.json --budget 20m
says err "--budget 20m: expected a time above 0, such as 90s, 20min or 2h"
expect 129 run q.json --budget 1h
says err "--budget is given without --decide"
expect 129 run q.json --max-seeds 12
says err "--max-seeds is given without --decide"
expect 129 run q.json --decide --only lr=0.1
expect 129 decide
expect 1 decide nothing-of-this-name
# Before the first run, not after all.
before=$(find results -name '*.h5' | wc -l)
for words in "run q.json --decide" "run q.json --decide --dry-run" "decide q.json"; do
	expect 1 $words --seed 1..6 --quiet
	is "$(cat err)" "convoy: error: q: the looks choose the seeds. Leave out the setting seed"
done
is "$(find results -name '*.h5' | wc -l)" "$before" "runs of a command that is refused"
expect 0 run q.json --seed 2 --dry-run
is "$(grep -c " finished " out)" 4 "runs of one seed"
jq 'del(.claims)' q.json >bare.json
expect 0 run bare.json --decide
says err "bare: no claim compares groups of runs: more seeds decide nothing"
expect 1 decide bare.json
says err "bare has no claims: there is nothing to decide"
echo '{"most": 12, "groups": [{"point": {"lr": 0.1}, "seeds": ["x"]}]}' >$dir/looks.json
expect 1 run q.json
says err "looks.json: a seed is no whole number from 0 on"
for wrong in '{"most": 1}' '{"most": 12, "groups": [3]}' '[' '{"most": 12, "groups": [{"point": {}, "seeds": {}}]}'; do
	echo "$wrong" >$dir/looks.json
	expect 1 run q.json
	says err "looks.json"
done
echo '{"most": 12, "claims": [[], {"says": 3}], "groups": [{"point": {"lr": 7, "net": "x"}, "seeds": [1, 2, 1e15]}]}' >$dir/looks.json
expect 0 run q.json --quiet
echo '{"most": 12, "groups": [{"point": {"lr": 0.1}, "seeds": [1, 2, 3]}]}' >$dir/looks.json
expect 0 claims q.json
