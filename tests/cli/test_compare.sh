#!/usr/bin/env bash
# Two results side by side: what counts as a file, a folder and an experiment.
. "$(dirname "$0")/lib.sh"

mkdir -p experiments/p x.json.d y.json void
export CONVOY_HOME=$here
cat >experiments/p/mine.json <<'SPEC'
{ "title": "T", "base": { "net": "quadratic", "gradients": 40, "lr": 0.02, "workers": 2 },
  "grid": { "algo": ["asgd", "allreduce"] } }
SPEC
expect 0 run mine --quiet
files=(results/p/mine/default/runs/*.h5)
is ${#files[@]} 2 "results"
cp "${files[0]}" x.json.d/a.h5
cp "${files[1]}" x.json.d/b.json.h5
cp "${files[0]}" x.json.d/plain
cp "${files[0]}" y.json/

# Whatever the folders above it are called, and whatever stands within its name.
expect 0 compare "${files[0]}" "${files[1]}" --format csv
cp out want
for pair in "a.h5 b.json.h5" "plain b.json.h5"; do
	set -- $pair
	expect 0 compare "x.json.d/$1" "x.json.d/$2" --format csv
	cmp out want || fail "$pair: another comparison than that of the files they are copies of"
done
expect 0 compare y.json x.json.d/a.h5
expect 0 compare mine experiments/p/mine.json
expect 0 compare mine results/p/mine/default

# A spec's last results are meant, at whichever scale and with whichever settings they were made.
sed 's/"T", /&"scale": "small", "scales": { "small": {}, "large": { "base": { "gradients": 80 } } }, /' experiments/p/mine.json >own.json
expect 1 compare ./own.json:algo=asgd ./own.json:algo=allreduce
says err "own: no finished run in results/own/small; 'convoy run' with the same settings makes them"
expect 0 run ./own.json --scale large --workers 3 --quiet
for own in own.json ./own.json; do
	expect 0 compare "$own:algo=asgd" "$own:algo=allreduce"
	says err "the last results are in results/own/large+"
	grep -q '^algo ' out || fail "$own: $(cat out)"
done

# What an unfinished run left is compared with a warning.
expect 1 sim --algo allreduce --workers 2 --timing --samples 6400 --compute-s 0.01 --faults 0:leave@0.2
expect 0 compare results/sim/*.part "${files[0]}"
says err ".part: the run did not finish (stalled); its measures are of the part that was made"
expect 0 compare "${files[0]}" "${files[1]}"
is "$(cat err)" "" "warnings of finished runs"

# A file that is not there is no experiment.
expect 1 compare nowhere.h5 mine
one_line
says err "nowhere.h5"
if grep -q experiment err; then fail "a result's name was taken for an experiment"; fi
expect 1 compare mine nowhere.json
says err "cannot read 'nowhere.json'"
expect 1 compare void mine
says err "void: no result file there"

# A part of a result: two algorithms of one experiment, over its seeds.
cat >experiments/p/many.json <<'SPEC'
{ "title": "T", "base": { "net": "quadratic", "gradients": 40, "lr": 0.02 },
  "grid": { "algo": ["asgd", "eamsgd:tau=4", "eamsgd:tau=2"], "workers": [2, 4], "seed": [1, 2, 3] },
  "tables": [ { "name": "t", "rows": "algo", "values": "train_loss", "where": { "workers": 2 } } ] }
SPEC
expect 0 run many --quiet
expect 0 compare many:algo=asgd many:algo=eamsgd:tau=4 --format json
judge='(.pairs | map(.runs) == ["workers=2", "workers=4"] and all(.measures[0].a.n == 3 and .measures[0].b.n == 3))
	and .only_a == [] and .only_b == [] and (.settings | map(.setting) | contains(["algo"])) and
	.a == "many:algo=asgd" and (.settings[] | select(.setting == "algo").b | contains("tau=4"))'
if command -v jq >/dev/null; then
	jq -e "$judge" out >/dev/null || fail "two algorithms: $(cat out)"
fi
expect 0 compare results/p/many/default:algo=asgd,lr=2e-2,workers=2 many:workers=4,algo=asgd --format csv
says out 'runs,measure,a_measured,a_deviation,a_n,b_measured'
expect 0 compare many:algo=eamsgd many:algo=asgd --values time_s
says out 'tau=2'

# A mean over seeds is written as in a table.
expect 0 table many
cell=$(grep asgd out | grep -o '[0-9.]* ± [0-9.]*')
[ -n "$cell" ] || fail "no deviation in the table: $(cat out)"
expect 0 compare many:algo=asgd,workers=2 many:algo=eamsgd:tau=4 --values train_loss
says out "$cell (3)"
# So is the interval: times without a deviation differ by just as much with any seed.
expect 0 compare many:algo=asgd,workers=2 many:algo=asgd,workers=4 --values time_s
grep -qE ' (-[0-9.]+) +[0-9.]+ +yes \(\1 to \1\)$' out || fail "the interval leaves out the difference: $(cat out)"

expect 1 compare many:algo=asdg many
one_line
says err "many: no run has algo=asdg; did you mean 'asgd'?"
expect 1 compare many:algo=eamsgd:tau=3 many
says err "many: no run has algo=eamsgd:tau=3; "
expect 1 compare many:algo=asgd,workers=3 many
says err "many: no run has workers=3; known: 2, 4"
expect 1 compare many:aglo=asgd many
says err "many:aglo=asgd: unknown setting 'aglo'; did you mean 'algo'?"
expect 1 compare many:batch=x many
says err "many:batch=x: batch must be a whole number"
expect 1 compare many:lr=0.02,algo many
says err "no run has algo="
cp "${files[0]}" odd:lr=1.h5
expect 0 compare odd:lr=1.h5 "${files[0]}"
says out "The settings are the same."
# Several pairs, none of which has the settings of the other: that of the slow workers, and what is left over.
expect 0 compare many:algo=asgd many:algo=eamsgd
! grep -q "settings are the same" out || fail "asgd, eamsgd: $(head -5 out)"

# Runs that diverged: said in the table, on the page and here, and no difference is made of their time.
cat >experiments/p/far.json <<'SPEC'
{ "title": "T", "base": { "net": "quadratic:dim=1", "gradients": 2000, "delay": "exponential", "workers": 8,
    "algo": "asgd", "optim": "sgd:momentum=0" },
  "grid": { "lr": [0.01, 1.6], "seed": [1, 2, 3] },
  "tables": [ { "name": "t", "rows": "lr", "values": ["time_s", "train_loss"] } ] }
SPEC
expect 0 run far --quiet
grep -qE '^1.6 .* ± .*\(3 of 3 diverged\) +∞ +\(3 of 3 diverged\)$' out || fail "the table: $(cat out)"
says out "note: 3 of 6 runs diverged (a loss was not finite): 1.6 (3 of 3)"
expect 0 report far
says results/p/far/default/report.html "<small>3 of 3 diverged</small>"
says results/p/far/default/report.html "3 of 6 runs diverged"
expect 0 compare far:lr=0.01 far:lr=1.6
says err "warning: far:lr=1.6: 3 of 3 runs diverged"
one_line
says out "∞ (3 of 3 diverged)"
if grep -q yes out; then fail "a difference to runs that diverged: $(cat out)"; fi

# The folder that --out was given, where sim writes into its folder sim.
for batch in 1 2; do
	expect 0 sim --timing --algo allreduce --workers 2 --net bytes:1e6 --compute-s 0.1 --link ideal --gradients 40 --batch $batch \
		--quiet --out single$batch
done
expect 0 compare single1 single2
grep -qE '^batch +1 +2$' out || fail "no difference of the batches: $(cat out)"
mkdir -p empty/sim
expect 1 compare empty single2
says err "empty: no result file there"
finish
