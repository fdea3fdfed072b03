#!/usr/bin/env bash
# The index of all results: those of settings that are not the spec's are in it, and marked.
. "$(dirname "$0")/lib.sh"

mkdir -p experiments/p
export CONVOY_HOME=$here
cat >experiments/p/mine.json <<'SPEC'
{ "title": "T", "base": { "net": "quadratic", "gradients": 40, "lr": 0.02, "workers": 1 },
  "grid": { "algo": ["asgd"], "seed": [1, 2] }, "scales": { "small": {}, "large": {} },
  "tables": [ { "name": "t", "rows": "algo", "values": ["time_s"] } ],
  "claims": [ { "says": "They take time.", "kind": "ours", "learnt": false, "jq": "all(.runs[]; .time_s > 0)" } ] }
SPEC
sed 's/"scales.*} },//' experiments/p/mine.json >experiments/p/other.json

# pages: those that the index links to, in its order, without the folder's digits.
pages() { grep -o 'href="p[^"]*' results/index.html | sed 's/href="//; s/+[0-9a-f]*/+/' | paste -sd ' '; }

expect 0 run mine --quiet --scale small
expect 0 run other --quiet
expect 0 run mine --quiet --scale small --set lr=0.01 --seed 3..5:1
expect 0 run mine --quiet --scale large --set "lr=0.03" --set "slow=0:2"
expect 0 run other --quiet --workers 2
changed=$(echo results/p/mine/small+*)
is "$(jq -c . "$changed/settings.json")" '{"lr":"0.01","seed":"3..5:1"}'
[ ! -e results/p/mine/small/settings.json ] || fail "settings of runs that are the spec's own"

expect 0 report --all
is "$(wc -c <err)" 0 "nothing to complain of"
is "$(pages)" "p/mine/small/report.html p/mine/small+/report.html p/mine/large+/report.html p/other/default/report.html p/other/default+/report.html"
is "$(grep -c 'class="changed"' results/index.html)" 3 "entries that are marked"
says results/index.html '<p class="changed">Settings differ from the spec: lr=0.01</p>'
says results/index.html '<p class="changed">Settings differ from the spec: lr=0.03 slow=0:2</p>'
says "$changed/report.html" 'Settings differ from the spec: lr=0.01'
says "$changed/report.html" '<h2>Claims, at your settings</h2>'
says "$changed/report.html" 'convoy report p/mine --scale small --lr=0.01 --seed=3..5:1'
if grep -q 'missing' "$changed/report.html"; then fail "runs of other seeds are missed"; fi

# With settings, those alone.
expect 0 report --all --set lr=0.01 --set seed=3..5:1
is "$(pages)" "p/mine/small+/report.html"
expect 1 report --all --set lr=0.5
says err "no finished run"

# Seeds of the command line make no folder of their own.
expect 0 run mine --quiet --scale large --seed 7
expect 0 report --all
says out results/p/mine/large/report.html
says results/p/mine/large/report.html '--seed=7'
expect 0 run mine --quiet --scale large
[ ! -e results/p/mine/large/settings.json ] || fail "settings that are those of no run"

# A folder that does not say whose it is, or that the spec no longer has.
mv "$changed/settings.json" kept.json
expect 0 report --all
says err "$changed is left out"
if grep -qF "$(basename "$changed")" results/index.html; then fail "a folder of unknown settings is listed"; fi
echo '{"lr":0.01}' >"$changed/settings.json"
expect 0 report --all
says err "$changed/settings.json: settings and their texts are expected"
expect 1 report mine
says err "$changed/settings.json: settings and their texts are expected"
one_line
echo '{"rate":"1"}' >"$changed/settings.json"
expect 0 report --all
says err "$changed/settings.json: settings and their texts are expected"
echo '{"lr":"0.04"}' >"$changed/settings.json"
expect 0 report --all
says err "$changed is left out"
echo '{"lr":"fast"}' >"$changed/settings.json"
expect 1 report --all
says err "$changed: "
says out results/index.html
expect 1 report mine
says err "$changed/settings.json: lr must be a number"
one_line
mv kept.json "$changed/settings.json"
mkdir "$changed.old" results/p/mine/small+0123456
expect 0 report --all
is "$(wc -c <err)" 0 "folders of other names"

# A spec that is not built in is in the index too, from wherever that is asked; of one that is gone
# a word is said. Another spec of its name replaces its tables with a warning that names both; a copy does not.
mkdir a b c
sed 's/"T"/"Own"/' experiments/p/other.json >a/own.json
sed 's/0.02/0.03/' a/own.json >b/own.json
cp a/own.json c/own.json
expect 0 run a/own.json --quiet
is "$(wc -c <err)" 0 "nothing to warn of: $(cat err)"
is "$(cat results/own/default/spec.path)" "$PWD/a/own.json"
cd a || exit 2
expect 0 report --all --out ../results
cd .. || exit 2
grep -q 'href="own/default/report.html"' results/index.html || fail "the user's own experiment is not in the index"
expect 0 run c/own.json --quiet
is "$(wc -c <err)" 0 "a copy is the same: $(cat err)"
expect 0 run b/own.json --quiet
says err "warning: results/own/default has the tables and claims of $PWD/c/own.json, and those of $PWD/b/own.json replace"
rm b/own.json
expect 0 report --all
says err "the spec $PWD/b/own.json is not there any more"
finish
