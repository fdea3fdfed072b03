# Runs of a part of the grid, or of another set-up: no verdicts, and no file of the whole is replaced.
. "$(dirname "$0")/lib.sh"
need jq

cat >exp.json <<'END'
{
  "title": "t",
  "base": { "timing": true, "samples": 6400, "net": "resnet20", "workers": 2, "cluster": "power8-edr", "link": "ideal" },
  "grid": { "algo": ["allreduce", "asgd"], "slow": ["none", "0:3"] },
  "published": { "source": "by hand", "cells": [ { "algo": "asgd", "slow": "none", "time_s": 1 } ] },
  "tables": [ { "name": "t", "title": "T", "rows": "slow", "columns": "algo", "values": "time_s" } ],
  "plots": [ { "name": "one", "from": "runs", "x": "slow_factor", "y": "time_s", "series": "algo" },
             { "name": "two", "from": "runs", "x": "slow_factor", "y": "wait_share", "series": "algo" } ],
  "claims": [ { "kind": "ours", "says": "all are there", "jq": "all(.runs[]; .time_s > 0)" } ]
}
END
dir=results/exp/default
state() { (cd results && find . -type f -not -path './exp/default/runs/*' -exec cksum {} + | sort -k3); }

expect 0 run exp.json --out results
says out "paper 1"
says out "holds          all are there"
state >whole

# A part: shown as a part, not judged, not written.
expect 0 run exp.json --only slow=none --out results
says out "2 of 4 runs missing"
says out "not evaluated  all are there (ours) [2 of 4 runs missing]"
says err "not written"
state >after
cmp -s whole after || fail "--only changed files: $(diff whole after)"
expect 0 run exp.json --only slow=none --out results --json
jq -e '.claims[0] | .holds == null and .reason == "2 of 4 runs missing"' out >/dev/null ||
	fail "claims of --json with --only"
expect 0 claims exp.json --only slow=none --out results
says out "2 of 4 runs missing"
expect 1 claims exp.json --only slow=none --out results --strict
expect 0 claims exp.json --out results --strict
expect 1 plot exp.json --only slow=none --out results
says err "format term"

# A spec that has changed since: its results are other runs.
cp exp.json changed.json
expect 0 run changed.json --out results --quiet
jq '.base.samples = 3200' exp.json >changed.json
expect 1 claims changed.json --out results
says err "changed: no finished run in results/changed/default; 'convoy run' with the same settings makes them; those there have other settings than the spec has now"
rm -r results/changed

# A run that is missing without --only: tables and claims say so.
cp -r results short
rm "short/${dir#results/}/runs/$(jq -r '.[0].hash' $dir/runs.json).h5"
expect 0 claims exp.json --out short
says out "not evaluated  all are there (ours) [1 of 4 runs missing]"
expect 1 claims exp.json --out short --strict

# A run that failed: a folder stands where its file should be.
mkdir "short/${dir#results/}/runs/$(jq -r '.[0].hash' $dir/runs.json).h5"
expect 1 run exp.json --out short
says short/exp/default/tables/t.txt "1 of 4 runs missing"
jq -e '.[0].holds == null and .[0].reason == "1 of 4 runs missing"' \
	short/exp/default/claims.json >/dev/null || fail "claims.json after a failure"

# Another set-up: a folder of its own, without the published cells, and verdicts that say so.
expect 0 run exp.json --workers 4 --out results
says err "settings differ from the spec: workers=4"
says out "holds          all are there (ours; your settings)"
says out "claims by kind, at your settings   hold"
jq -e '.[0] | .your_settings and .verdict == "holds"' "$(echo results/exp/default+*)/claims.json" >/dev/null || fail "your settings in claims.json"
grep -q paper out && fail "published cells next to another set-up"
is "$(ls results/exp | grep -c '^default+[0-9a-f]\{8\}$')" 1 "folders of another set-up"
says "$(echo results/exp/default+*)/tables/t.txt" "settings differ from the spec: workers=4"
state | grep -v 'default+' >after
cmp -s whole after || fail "another set-up changed files: $(diff whole after)"
# Claims that cannot be judged on them, here for the published cells, are one line; so are those whose filters would be false without these.
jq '.claims += [{kind: "ours", says: "published", jq: ".runs[0].time_s > .published.cells[0].time_s"}, {kind: "ours", says: "two",
	jq: "[.runs[] | select(.point.workers == 2).time_s] | max > 0"}, {kind: "number", where: "Table 1", says: "met", learnt: false,
	jq: "[.tables[].rows[].cells[] | select(.relative_error != null)] | length > 0"}]' exp.json >other.json
expect 0 run other.json --workers 4 --out results
says out "not evaluated  3 claims [settings differ from the spec]"
expect 0 table exp.json --workers=4 --out results --format csv
expect 1 claims exp.json --workers 4 --out results --strict
for format in md csv latex; do
	expect 0 claims exp.json --workers 4 --out results --format $format
	says out "your settings"
done
for same in --workers=2 --set=samples=6.4k --seed=5 --backend=auto --data=cifar10:train=100 --lr=0.1; do
	expect 0 run exp.json --out results --dry-run "$same"
	says out "in $dir"
	grep -q 'default+' out && fail "$same is another set-up"
done
for other in --lr=0.2 --algo=asgd --batch=16; do
	expect 0 run exp.json --out results --dry-run "$other"
	says out "in $dir+"
done

# The folder of the data is part of nothing; another data set is in the title.
hash_of() { "$CONVOY" sim --dry-run --net mlp --data "$1" | sed -n 's/^hash *//p'; }
[ "$(hash_of cifar10:dir=/a)" ] || fail "no hash"
is "$(hash_of cifar10:dir=/a)" "$(hash_of cifar10:dir=/b,train=0)"
[ "$(hash_of cifar10:dir=/a)" = "$(hash_of cifar10:dir=/a,train=9)" ] && fail "train is not in the hash"
expect 0 run exp.json --data cifar10:train=100,dir=/nowhere --out elsewhere
says out "T; data: cifar10:train=100"
grep -q nowhere out && fail "the folder of the data is in a table"

# Filters that fail are not passed over.
jq '.claims[0].jq = ".runs[0].time_s.x"' exp.json >wrong.json
expect 1 run wrong.json --out results
says out "error          all are there"
expect 1 claims wrong.json --out results
expect 1 claims wrong.json --out results --strict

# One plot by name.
expect 0 plot exp.json --name two --out results
says out "plots/two.gp"
grep -q one. out && fail "--name two draws one"
for format in all svg term; do
	expect 1 plot exp.json --name twi --format $format --out results
	says err "unknown plot 'twi'; did you mean 'two'?"
done
finish
