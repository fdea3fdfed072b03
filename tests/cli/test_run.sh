# QUICK
# An experiment from the spec to files: plan, runs, skips, JSON, tables.
. "$(dirname "$0")/lib.sh"
need jq

cat >exp.json <<'END'
{
  "title": "Two algorithms, one of two workers slow",
  "base": { "timing": true, "samples": 6400, "net": "resnet20", "workers": 2, "link": "ideal",
            "host_copy_s": 0, "compute-s": 0.01 },
  "grid": { "algo": ["allreduce", "asgd"], "slow": ["none", "0:3"], "seed": [1, 2] },
  "baseline": { "workers": 1, "algo": "allreduce" },
  "scales": { "smoke": { "base": { "slow": "0:3" } },
              "laptop": { "base": { "epochs": 2 } },
              "other": { "grid": [ { "algo": ["asgd"] }, { "batch": [8, 16], "seed": [7] } ] } },
  "published": { "source": "by hand", "cells": [ { "algo": "allreduce", "slow": "0:3", "speedup": 0.667 } ] },
  "tables": [ { "name": "speed", "title": "Speed", "rows": "slow", "columns": "algo",
                "values": ["time_per_epoch_s", "speedup"] } ],
  "claims": [ { "kind": "ours", "says": "a slow worker slows all", "jq": "[.runs[] | select(.point.slow == \"0:3\" and .point.algo == \"allreduce\") | .speedup < 1] | all" } ]
}
END

# The plan alone writes nothing.
expect 0 run exp.json --dry-run --out results
is "$(grep -c planned out)" 9 "runs planned"
[ -e results ] && fail "--dry-run wrote something"
"$CONVOY" run exp.json --dry-run --json --scale other | jq -c '[.runs[].point]' >points
is "$(cat points)" '[{"algo":"asgd"},{"batch":8,"seed":7},{"batch":16,"seed":7}]'
"$CONVOY" run exp.json --dry-run --json | jq -c '[.runs[].point | [.algo, .slow, .seed]][0:3]' >points
is "$(cat points)" '[["allreduce","none",1],["allreduce","none",2],["allreduce","0:3",1]]' \
	"the last key varies fastest"
"$CONVOY" run exp.json --dry-run --json --scale smoke |
	jq -c '[.runs | length, (map(.settings.slow) | unique)]' >points
is "$(cat points)" '[4,["0:3"]]' "a scale's base leaves a key of the grid with one value"
"$CONVOY" run exp.json --dry-run --json --algo asgd --set workers=4 |
	jq -c '[.runs | length, .[0].settings.workers], .baseline.settings.workers' >points
is "$(tr -d '\n' <points)" '[4,"4"]"1"' "--set, and the baseline above it"
is "$("$CONVOY" run exp.json --dry-run --only slow=none | grep -c planned)" 5 "--only"
"$CONVOY" run exp.json --dry-run --json --only slow=none --seed 1..3 --only algo=asgd | jq -c '[.runs[].point]' >points
is "$(cat points)" '[{"algo":"asgd","slow":"none","seed":1},{"algo":"asgd","slow":"none","seed":2},'\
'{"algo":"asgd","slow":"none","seed":3}]' "two --only, and a range of seeds"
# A name stands for its values with options, unless the grid has it without any.
only() { "$CONVOY" run jin2016/period --dry-run "$@" | grep -o 'algo=[^ ]*' | sort -u | tr '\n' ' '; }
is "$(only --only algo=eamsgd)" "algo=eamsgd:tau=1 algo=eamsgd:tau=10 algo=eamsgd:tau=100 "
is "$(only --only algo=eamsgd:tau=10)" "algo=eamsgd:tau=10 "
is "$(only --algo eamsgd:tau=1,eamsgd,eamsgd:tau=5 --only algo=eamsgd)" "algo=eamsgd "
is "$("$CONVOY" run exp.json --dry-run --optim sgd:momentum=0,sgd:momentum=0.5,adam --only optim=sgd --only slow=none |
	grep -o 'optim=[^ ]*' | sort -u | tr '\n' ' ')" "optim=sgd:momentum=0 optim=sgd:momentum=0.5 "
expect 1 run jin2016/period --dry-run --only algo=eamsg
says err "no run has algo=eamsg; did you mean 'eamsgd:tau=1'?"
expect 1 run exp.json --dry-run --only slow=none --only algo=agsd
says err "exp: no run has algo=agsd; did you mean 'asgd'?"
expect 1 run exp.json --dry-run --scale other --only batch=8 --only algo=asgd
says err "exp: no run has batch=8 and algo=asgd"
expect 129 run exp.json --dry-run --only slow=none --only asgd
says err "--only 'asgd': expected KEY=VALUE"
is "$("$CONVOY" run exp.json --dry-run --json --workers 3 --workers 5 | jq -r '.runs[0].settings.workers')" 5 \
	"the last of two"

# Run: stdout has the answer alone, the files are there.
expect 0 run exp.json --out results
says out "Speed"
says out "holds"
says err "9 runs, 0 of them finished"
dir=results/exp/laptop
is "$(find $dir/runs -name '*.h5' | wc -l)" 9 "result files"
is "$(find $dir -name '*.part' -o -name '*.new' | wc -l)" 0 "files left aside"
for file in tables/speed.txt tables/speed.md tables/speed.csv tables/speed.json claims.json runs.json; do
	[ -s $dir/$file ] || fail "$file is missing"
done

# 200 batches of 32: 100 rounds of 0.01 s with two workers, 0.03 s with a slow one.
"$CONVOY" run exp.json --out results --json >out 2>err || fail "second run"
says err "9 of them finished"
jq -e '.runs | length == 8' out >/dev/null || fail "runs in --json"
jq -e '[.runs[] | has("experiment", "algo", "workers", "seed", "status", "end", "time_s", "epochs",
	"time_per_epoch_s", "speedup", "wait_share", "bytes_sent", "staleness_mean", "train_loss",
	"test_accuracy", "file")] | all' <(jq -c . out) >/dev/null 2>&1 ||
	jq -e '[.runs[] | . as $r | ("experiment", "algo", "workers", "seed", "status", "end", "time_s",
	"epochs", "time_per_epoch_s", "speedup", "wait_share", "bytes_sent", "staleness_mean",
	"train_loss", "test_accuracy", "file") | in($r)] | all' out >/dev/null || fail "keys of a run"
jq -e 'def near($a; $b): (($a - $b) | fabs) < 1e-9;
	def t($a; $s): first(.runs[] | select(.algo == $a and .point.slow == $s)).time_per_epoch_s;
	near(t("allreduce"; "none"); 1) and near(t("allreduce"; "0:3"); 3)' out >/dev/null ||
	fail "times of allreduce: $(jq -c '[.runs[].time_per_epoch_s]' out)"
jq -e '[.tables[0].rows[].cells[] | select(.published != null)] | length == 1 and
	(.[0].relative_error | fabs) < 0.01' out >/dev/null || fail "the published cell"
jq -e '.claims[0].holds == true and .baseline.workers == 1' out >/dev/null || fail "claims in --json"

# The same numbers without running; formats.
expect 0 table exp.json --out results --format csv
cmp -s out $dir/tables/speed.csv || fail "table --format csv is not the file"
expect 0 table exp.json --out results --format json
jq -e '.[0].name == "speed"' out >/dev/null || fail "table --format json"
expect 0 claims exp.json --out results --json
jq -e '.[0].holds' out >/dev/null || fail "claims --json"
expect 1 plot exp.json --out results
says err "no plots"

# A part of the runs is missing: named, and what is there is shown.
rm "$(jq -r '.[0].file' $dir/runs.json)"
expect 0 table exp.json --out results
says err "no result yet: exp algo=allreduce slow=none seed=1"
says err "1 of 9 runs"

# A file that is not whole is not a result.
file=$(jq -r '.[3].file' $dir/runs.json)
head -c 3000 "$file" >cut && mv cut "$file"
"$CONVOY" run exp.json --dry-run --out results >out
is "$(grep -c planned out)" 2 "runs to do after one was removed and one cut"
expect 0 run exp.json --out results --quiet
says err "'$file' is not a whole result of convoy"
one_line
expect 0 run exp.json --out results --quiet
is "$(wc -c <err)" 0 "stderr of --quiet"

# So do commands that make one run, and those that plan runs of their own.
quadratic="--net quadratic --lr 0.001 --gradients 200 --quiet --out one"
for command in "sim --algo asgd $quadratic" "tune --net quadratic --workers 2 --compute-s 1 --budget 20 --rates 0.01 \
	--momenta 0 --groups 1..1 --rounds 0 --quiet --out one" "train -n 2 --algo allreduce $quadratic"; do
	case $command in train*) has_mpi || continue ;; esac
	rm -rf one
	expect 0 $command
	file=$(ls one/*/*.h5 | head -1)
	: >"$file"
	expect 0 $command
	is "$(grep -c "warning: '$file' .*; ignored, the run will be repeated" err)" 1 "warnings of ${command%% *}: $(cat err)"
	printf x | dd of="$file" bs=1 seek=2000 conv=notrunc 2>/dev/null
	expect 0 $command
	says err "'$file' is damaged: its checksum is wrong; ignored, the run will be repeated"
	expect 0 $command
	is "$(grep -c repeated err)" 0 "warnings of a whole result"
done

# --again: of the runs of one process the first fails, its old result is kept, the next is made all the same.
set -- $(jq -r '.[:2][].file' $dir/runs.json)
folders=$(echo "$1.new"; seq -f "$1.%g.new" 63)         # all names of temporary files
mkdir $folders
touch mark
expect 1 run exp.json --out results --again --jobs 1 --quiet
says err "exp: 1 run without a result"
[ -s "$1" ] && ! [ "$1" -nt mark ] || fail "the old result of a run that failed"
[ "$2" -nt mark ] || fail "the run after one that failed was not made again"
rmdir $folders

# The first 16 of 32 gradients come in rounds of 3 s, the last in rounds of 1 s: 8 s, of 0.08 epochs.
warm() {
	"$CONVOY" sim --timing --samples 6400 --workers 2 --link ideal --host-copy-s 0 --compute-s 1 \
		--gradients 32 --slow 0:3@0-24 --out warm --quiet "$@"
}
warm >out || fail "without time-from"
is "$(field time_s) $(field time_per_epoch_s)" "32 200" "all of a run"
warm --time-from 16 >out || fail "with time-from"
is "$(field time_s) $(field time_per_epoch_s)" "32 100" "after the warm-up"
is "$(warm --dry-run | head -n 1)" "$(warm --time-from 0 --dry-run | head -n 1)" "the hash of time_from 0"
warm --time-from 32 2>err && fail "nothing remains after the warm-up"
says err "time_from 32"

# Where the real clock is shown, runs that learn go one at a time; a gradient has the threads that
# its run asks for, and what the clock said is in the tables and not in the JSON of the runs.
cat >real.json <<'END'
{
  "title": "Real times",
  "base": { "net": "logistic:samples=64", "workers": 1, "batch": 8, "gradients": 4, "eval_every": 0 },
  "grid": { "compute_threads": [1, 2] },
  "tables": [ { "name": "rate", "title": "Rate", "rows": "compute_threads", "values": ["gradient_wall_s", "samples_per_wall_s"] } ],
  "claims": [ { "kind": "construction", "says": "a rate is a batch over its time", "jq": "all(.runs[]; .samples_per_wall_s * .gradient_wall_s | . > 7.99 and . < 8.01)" } ]
}
END
"$CONVOY" run real.json --jobs 2 --out results --json >out 2>err || fail "real times"
says err "running 2, 1 at once"
is "$(jq '[.tables[0].rows[].cells[0].measured > 0] | all' out)" true "seconds of a gradient"
is "$(jq '.claims[0].holds' out)" true "a rate is a batch over its time"
is "$(jq -c '[.runs[] | has("gradient_wall_s"), .settings.compute_threads]' out)" '[false,"1",false,"2"]'

# One run from flags: the same result is read, not made again.
expect 0 sim --timing --samples 6400 --workers 2 --link ideal --compute-s 0.01 --out results --json
file=$(jq -r .file out)
[ -s "$file" ] || fail "sim --json names its file"
expect 0 sim --timing --samples 6400 --workers 2 --link ideal --compute-s 0.01 --out results
says err "finished before"
CONVOY_RESULTS=env "$CONVOY" sim --timing --samples 6400 --quiet >out || fail "CONVOY_RESULTS"
is "$(find env -name '*.h5' | wc -l)" 1 "files in \$CONVOY_RESULTS"
finish
