# `run --all` killed at a random moment: it resumes to the same files, byte for byte. Files that are
# no results of theirs are named, and their runs made again.
. "$(dirname "$0")/lib.sh"
export MALLOC_ARENA_MAX=1 CONVOY_HOME=$here/home
mkdir -p home/experiments/ours

# Two experiments that alone have the scale "minute": of a clock, and of a small problem that learns.
cat >home/experiments/ours/clock.json <<'END_OF_SPEC'
{
  "title": "A clock",
  "base": { "timing": true, "samples": 64000, "workers": 2, "cluster": "power8-edr", "link": "ideal", "gradients": 30000 },
  "grid": { "algo": ["allreduce", "asgd", "ad-psgd"], "seed": [1, 2] },
  "baseline": { "workers": 1, "algo": "allreduce" },
  "scales": { "minute": { "time": "a second" } },
  "tables": [ { "name": "speed", "rows": "algo", "values": ["time_per_epoch_s", "speedup"] } ],
  "claims": [ { "kind": "ours", "says": "they take time", "learnt": false, "jq": ".runs | all(.time_s > 0)" },
              { "kind": "ours", "says": "none takes time", "learnt": false, "jq": ".runs | any(.time_s > 0) | not" } ]
}
END_OF_SPEC
sed -e 's/"title": "A clock"/"title": "A slope"/' -e 's/"timing": true, "samples": 64000,/"net": "quadratic", "lr": 0.01,/' \
	-e 's/30000/2000/' -e 's/"time_per_epoch_s", "speedup"/"train_loss"/' \
	-e '/baseline/d' home/experiments/ours/clock.json >home/experiments/ours/slope.json

everything() { "$CONVOY" run --all --scale minute --jobs 2 --out "$1" "${@:2}" >out 2>err; }

# What is made of the runs; their own files, and made.json, say when and how fast they were made.
made_of() {
	(cd "$1" && find . -type f ! -path '*/runs/*' ! -name made.json | sort | xargs cksum)
}

began=$(date +%s%N)
everything results || fail "the whole: $(cat err)"
took=$((($(date +%s%N) - began) / 1000000))
made_of results >whole
mv results unbroken
is "$(grep -c . whole)" 13 "files made of the runs"
says out "together"
set -- $(grep '^ours/clock' out)
is "$2 $3 $4 $5 $6 $7 $8" "minute 7 0 0 1 1 0" "summary of the clock"
set -- $(grep '^together' out)
is "$2 $3 $4 $5 $6 $7" "13 0 0 2 2 0" "summary of both"

# Killed at a random moment, run again.
after=$((RANDOM % took))
echo "killed after $after of $took ms"
"$CONVOY" run --all --scale minute --jobs 2 --out results >out 2>err &
sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
kill -KILL $! 2>/dev/null
wait 2>/dev/null
everything results || fail "after the kill: $(cat err)"
made_of results >resumed
cmp whole resumed || diff whole resumed

# Truncated, one bit flipped, empty, another run's, another program's.
set -- results/ours/slope/minute/runs/*.h5
is $# 6 "results of the slope"
for i in 1 2 3 4 5; do cp "${!i}" "before.$i"; done
head -c 3000 before.1 >"$1"
size=$(stat -c %s "$2") middle=$((RANDOM % $(stat -c %s "$2")))
byte=$(od -An -tu1 -j $middle -N 1 "$2")
printf "$(printf '\\%03o' $((byte ^ 1 << RANDOM % 8)))" | dd of="$2" bs=1 seek=$middle conv=notrunc 2>dd
: >"$3"
cp "$6" "$4"
echo "not HDF5 at all, but of some length that a result might have" >"$5"
everything results --quiet || fail "with files that are no results: $(cat err)"
is "$(wc -l <err)" 5 "lines of: $(cat err)"
for file in "$1" "$2" "$3" "$4" "$5"; do says err "'$file'"; done
says err "is the result of another run"
cmp whole <(made_of results) || fail "tables differ after the byte $middle of $size"
everything results || fail "once more"
is "$(grep -c 'of them finished before' err)" 2
says err "6 runs, 6 of them finished before"

# --again makes all once more, and a result is there meanwhile; --only and a list of seeds.
stamp=$(stat -c %Y.%i "$6")
expect 0 run slope --scale minute --out results --again --quiet
[ "$(stat -c %Y.%i "$6")" != "$stamp" ] || fail "--again made nothing"
cmp whole <(made_of results) || fail "tables differ after --again"
expect 0 run slope --scale minute --out results --no-resume --dry-run
is "$(grep -c planned out)" 6 "runs that --no-resume would make"
says out "(from 6 results), memory about"
expect 0 run clock --scale minute --out empty --dry-run --json
says out '"unknown_runs":	7'
expect 0 run slope --scale minute --dry-run --seed 3..5:1
is "$(grep -c 'seed=[345]$' out)" 9 "runs of three seeds"

# What is asked for wrongly; an experiment that cannot run leaves the others alone.
expect 129 run --all slope
expect 1 run --all --scale minuet --out results
says err "no experiment has the scale 'minuet'"
echo '{ "title": "Bad", "base": { "net": "nonet" }, "scales": { "minute": {} } }' >home/experiments/ours/bad.json
everything results --json && fail "a spec with an unknown net passed"
tail -n 200 out | grep -q '"summary"' || fail "no summary in --json"
is "$(grep -c '"done":' out)" 3 "experiments in the summary"
finish
