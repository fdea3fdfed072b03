#!/usr/bin/env bash
# Claims know their kind, when their criterion was set, and how sure their verdict is.
. "$(dirname "$0")/lib.sh"
need jq

cat >exp.json <<'END'
{
  "title": "t",
  "base": { "net": "mlp", "data": "shapes:train=256,test=100", "workers": 2, "batch": 16, "epochs": 2, "eval_every": 1,
            "lr": 0.02, "optim": "sgd:momentum=0", "compute_s": 0.01, "host_copy_s": 0, "link": "ideal" },
  "grid": { "algo": ["allreduce", "asgd"], "seed": [1, 2] },
  "claims": [
    { "says": "as good", "kind": "statement", "where": "Table 9", "quote": "equal",
      "criterion": { "since": "2999-01-31", "was": [ { "says": "better", "since": "2001-02-03", "verdict": "fails" } ] },
      "jq": "within(.runs[] | select(.point.algo == \"asgd\"); .runs[] | select(.point.algo == \"allreduce\"); 99)",
      "shows": "by_run(.runs[]; .test_accuracy)", "quantity": "test accuracy (share of 1)" },
    { "says": "by the best", "kind": "number", "where": "Table 9", "criterion": { "since": "2001-02-03" },
      "jq": "([.runs[].test_accuracy] | max) >= 0" },
    { "says": "time passes", "kind": "ours", "learnt": false, "timed": false, "jq": "all(.runs[]; .time_s > 0)" } ]
}
END

# Bad input.
jq 'del(.claims[0].kind)' exp.json >bad.json
expect 1 run bad.json
says err "bad.json: claims[0]: 'kind' is missing (number, statement, theory, ours or construction). Say what the claim is"
jq '.claims[1].kind = "numbr"' exp.json >bad.json
expect 1 run bad.json
says err "bad.json: claims[1]: unknown kind 'numbr'; did you mean 'number'?"
! grep -q "construction.*construction" err || fail "the kinds are listed twice: $(cat err)"
jq 'del(.claims[0].where)' exp.json >bad.json
expect 1 run bad.json
says err "bad.json: claims[0]: kind 'statement' needs 'where' (the section, table or figure of the paper)"
jq '.claims[0].criterion.since = "last May"' exp.json >bad.json
expect 1 run bad.json
says err "bad.json: claims[0]: criterion: since must be a date (such as 2024-01-31)"

# Two seeds decide nothing that was learnt, whatever they are; what is simulated is decided.
expect 0 run exp.json --quiet -v
says out "undecided      as good (statement; Table 9): test accuracy (share of 1): {algo=allreduce: ["
says out "seeds 2 2, test images in pairs (2 seeds; at least 3 decide)}"
says out '<criterion set 2999-01-31; before, from 2001-02-03: "better": fails>'
says out "undecided      by the best (number; Table 9) [its filter gives no interval: use beats, within, no_worse or no_later, or say \"learnt\": false,"
says out "holds          time passes (ours)"
says out "together, of the paper   0      0      2           0"
says err "exp.json: claims[0]: the criterion was set on 2999-01-31, after its runs began on "
is "$(grep -c 'criterion was set' err)" 1 "warnings"
kept=results/exp/default/claims.json
is "$(jq -c 'map(.verdict)' $kept)" '["undecided","undecided","holds"]' "verdicts"
jq -e '.[0] | .holds == null and (.warning | length > 0) and .interval.seeds == [2, 2] and
	(.interval.interval | .[0] < .[1]) and .quote == "equal"' $kept >/dev/null || fail "$(cat $kept)"
jq -e '.[1].by_means == "holds"' $kept >/dev/null || fail "what the means say"
expect 1 claims exp.json --strict
expect 0 claims exp.json --format md
says out "| undecided | statement | as good | Table 9 | set 2999-01-31; before"
expect 0 report exp.json
says results/exp/default/report.html "1 holds, 0 fail, 2 undecided, 0 not evaluated"
says results/exp/default/report.html "<q>equal</q>"

# With a third seed the same filter decides.
jq '.grid.seed = [1, 2, 3]' exp.json >three.json
expect 0 run three.json --quiet
is "$(jq -c '.[0] | [.verdict, .interval.seeds]' results/three/default/claims.json)" '["holds",[3,3]]' "three seeds"

# Kept verdicts that say true or false alone are judged again without their runs.
export CONVOY_HOME=$here
mkdir -p experiments/paper kept/paper/exp/tables kept/paper/exp-runs kept/paper/exp-alone
jq '.claims |= map(del(.criterion))' exp.json >experiments/paper/exp.json
echo '[{"says": "as good", "where": "", "holds": true, "shows": [0.5]},
	{"says": "by the best", "where": "", "holds": false, "shows": null},
	{"says": "time passes", "where": "", "holds": true, "shows": null}]' >kept/paper/exp/claims.json
cp results/exp/default/runs.json kept/paper/exp-runs
cp results/exp/default/claims.json kept/paper/exp-alone
expect 0 report --claims kept
says out "kept/paper/exp/claims.json"
is "$(jq -c 'map([.kind, .verdict, .by_means, .former])' kept/paper/exp/claims.json)" \
	'[["statement","undecided","holds",true],["number","undecided","fails",true],["ours","holds",null,true]]' "former"
is "$(jq -c 'map([.verdict, .former])' kept/paper/exp-runs/claims.json)" \
	'[["undecided",null],["undecided",null],["holds",null]]' "judged from kept runs"
is "$(jq -c 'map([.verdict, .former])' kept/paper/exp-alone/claims.json)" \
	'[["undecided",true],["undecided",true],["holds",true]]' "taken over without runs"
rm -r kept/paper/exp-alone
jq -e '.[0].interval.seeds == [2, 2]' kept/paper/exp-runs/claims.json >/dev/null || fail "no interval"
cp kept/paper/exp/claims.json once
expect 0 report --claims kept
cmp once kept/paper/exp/claims.json || fail "judged twice is not as judged once"
expect 0 report --md kept
says docs/experiments.md "| [paper/exp](experiments/paper.md#paperexp) | t |  | 1 | 0 | 2 | 0 |"
says docs/experiments.md "| together, of the paper | 0 | 0 | 2 | 0 |"
is "$(sed '1,/^## Open claims/d' docs/experiments.md | grep -c '^| \[')" 2 "open claims of the paper"
says docs/experiments.md "| as good | undecided | at least three seeds |"
says docs/experiments.md "| by the best | undecided | its filter gives no interval: use beats"
expect 1 report --claims nowhere

# Results that keep made.json say when they were made, and which criteria are newer.
jq '.claims[2].criterion.since = "2999-02-01"' exp.json >experiments/paper/exp.json
cp results/exp/default/made.json kept/paper/exp-runs
is "$(jq -r '[.runs, .scale, .seeds] | join(" | ")' results/exp/default/made.json)" \
	"4 | default | 1, 2" "made"
expect 0 report --claims kept
says err "claims[2]: the criterion was set on 2999-02-01, after its runs began on $(date -u +%Y)"
is "$(jq -c 'map(has("warning"))' kept/paper/exp-runs/claims.json)" '[true,false,true]' "warnings"
expect 0 report --md kept
says docs/experiments/settings/paper.md "4 runs of scale default, made $(date -u +%Y)"
says docs/experiments/settings/paper.md "  - the paper's words: equal"
says docs/experiments/paper.md "  - warning: the criterion was set on 2999-02-01"
for kept in kept/paper/*/claims.json; do
	jq '.[2].kind = "construction"' $kept >constructed && mv constructed $kept
done
expect 0 report --md kept
grep -q "set on 2999-02-01" docs/experiments/paper.md && fail "a warning of a construction: $(grep -B1 'warning' docs/experiments/paper.md)"

# What an open claim would take: a scale that judges it, not one in between.
jq '.scale = "now" | .scales = { now: { time: "1 s", about: "a" }, middle: { time: "3 min", about: "b" }, large: { time: "years", about: "c" } } |
	.claims += [{ says: "elsewhere", kind: "statement", where: "here", criterion: { since: "2999-02-03" }, only_at: "large", jq: "true" }]' \
	exp.json >experiments/paper/exp.json
cp kept/paper/exp-runs/* kept/paper/exp
rm -r kept/paper/exp-runs
jq '.scale = "now"' results/exp/default/made.json >kept/paper/exp/made.json
expect 0 report --claims kept
is "$(jq '.[3].warning' kept/paper/exp/claims.json)" null "a warning of a claim that these runs do not judge"
expect 0 report --md kept
says docs/experiments.md "| elsewhere | not evaluated | scale \`large\`: years |"
finish
