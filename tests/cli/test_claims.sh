#!/usr/bin/env bash
# Claims without a verdict say why, and what a filter or a "where" misspells is named.
. "$(dirname "$0")/lib.sh"
need jq

cat >exp.json <<'END'
{
  "title": "t",
  "base": { "timing": true, "samples": 640, "net": "resnet20", "workers": 2, "cluster": "power8-edr", "link": "ideal" },
  "grid": { "algo": ["allreduce", "asgd"] },
  "claims": [
    { "kind": "ours", "says": "sums", "jq": "[.runs[] | .tmie_s] | add", "shows": "[.runs[].point.agol]" },
    { "kind": "ours", "says": "elsewhere", "jq": "if .scale == \"paper\" then false else null end" },
    { "kind": "ours", "says": "time passes", "jq": "all(.runs[]; .time_s > 0 and .faults == null)",
      "shows": "[.runs[] | .settings.lr, .eval.epoch, {a: .algo}] | [.[3].a?]" } ]
}
END
expect 0 run exp.json --quiet
says out "not evaluated  sums (ours): [null, null] [not evaluated at this scale (its filter yields null)]"
says out "not evaluated  elsewhere (ours) [not evaluated at this scale (its filter yields null)]"
says out "holds          time passes"
says err "exp.json: claims[0]: jq: no run has 'tmie_s', which is null then; did you mean 'time_s'?"
says err "exp.json: claims[0]: shows: no run has 'agol', which is null then; did you mean 'algo'?"
is "$(grep -c 'no run has' err)" 2 "warnings"
jq -e '.[0] == {says: "sums", kind: "ours", where: "", verdict: "not evaluated", holds: null,
	reason: "not evaluated at this scale (its filter yields null)", shows: [null, null]} and (.[2] | has("reason") | not)' results/exp/default/claims.json \
	>/dev/null || fail "claims.json: $(cat results/exp/default/claims.json)"
expect 0 claims exp.json --format md
says out "| not evaluated | ours | elsewhere |  |  |  |  | not evaluated at this scale (its filter yields null) |"
expect 0 report exp.json
says results/exp/default/report.html '<p class="dim">not evaluated at this scale (its filter yields null)</p>'

# What does not apply does not fail.
expect 0 claims exp.json --strict

# A side without runs, here of a misspelt algorithm, is no claim for another scale.
jq '.claims = [{kind: "ours", says: "alike", jq: "within(.runs[] | select(.algo == \"asgd\"); .runs[] | select(.algo == \"allredcue\"); 2; \"time_s\")"}]' \
	exp.json >empty.json
expect 0 run empty.json --quiet
says out "not evaluated  alike (ours) [within: the second side has no runs]"
says err "empty.json: claims[0]: within: the second side has no runs. Correct the filter, or let it yield null at this scale"
expect 1 claims empty.json --strict

# Before anything runs.
jq '.tables = [{name: "t", rows: "algo", values: "time_s", where: {algo: ["asgd", "allreduc"]}}] |
	.plots = [{name: "p", from: "runs", x: "workers", y: "time_s", where: {workers: 4}}]' \
	exp.json >where.json
expect 0 run where.json --dry-run
says err "where.json: tables[0]: where: no run has algo=allreduc; did you mean 'allreduce'?"
says err "where.json: plots[0]: where: no run has workers=4; known: 2"
is "$(grep -c where: err)" 2 "warnings"
# A processor without instructions for bf16 computes in f32, and so does convoy without onednn; a
# claim can ask.
cat >half.json <<'END'
{
  "title": "In what was it computed?",
  "base": { "net": "mlp", "data": "shapes:train=64,test=16", "workers": 1, "batch": 8, "gradients": 2, "algo": "asgd" },
  "grid": { "precision": ["f32", "bf16"] },
  "claims": [ { "kind": "ours", "says": "as asked", "jq": "all(.runs[]; .computed_in == .point.precision)", "shows": "[.runs[].computed_in]" } ]
}
END
ONEDNN_MAX_CPU_ISA=AVX2 expect 0 run half.json --out half
says err "computing in f32"
is "$(jq -c '.[0] | [.holds, .shows]' half/half/default/claims.json)" '[false,["f32","f32"]]'
finish
