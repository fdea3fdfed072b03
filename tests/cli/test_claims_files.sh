#!/usr/bin/env bash
# Claims read files next to the results: absent, present, torn, and as training results.
. "$(dirname "$0")/lib.sh"
need jq

cat >exp.json <<'END'
{
  "title": "t",
  "base": { "net": "quadratic:dim=4", "workers": 2, "algo": "asgd", "gradients": 20, "link": "ideal", "compute_s": 1 },
  "grid": { "lr": [0.0001, 0.01], "seed": [1, 2, 3] },
  "reads": ["choice.json"],
  "claims": [
    { "kind": "ours", "says": "chosen", "shows": ".files[\"choice.json\"].lr",
      "jq": ". as $in | if .files[\"choice.json\"] then .files[\"choice.json\"].lr as $lr | beats($in.runs[] | select(.point.lr == $lr); $in.runs[] | select(.point.lr != $lr); \"train_loss\") else null end" },
    { "kind": "ours", "says": "plain", "jq": ".files[\"choice.json\"] | if . then .lr == 0.01 else null end" } ]
}
END
expect 0 run exp.json --quiet
says out 'not evaluated  chosen (ours) [there is no choice.json next to the results]'

# The same finished runs are judged by what the file says now.
echo '{ "lr": 0.01 }' >results/exp/default/choice.json
expect 0 claims exp.json
says out 'holds          chosen (ours): 0.01'
says out 'undecided      plain (ours)'
echo '{ "lr": 0.0001 }' >results/exp/default/choice.json
expect 0 claims exp.json
says out 'FAILS          chosen (ours): 0.0001'

echo '{ "lr": ' >results/exp/default/choice.json
expect 1 claims exp.json
says err 'results/exp/default/choice.json:2:1:'

jq '.reads = ["../choice.json"]' exp.json >bad.json
expect 1 run bad.json --dry-run
says err 'bad.json: reads[0] must be the name of a JSON file in the folder of results'
finish
