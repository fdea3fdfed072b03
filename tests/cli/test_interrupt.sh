# Runs that are killed or interrupted: no result is counted, whole files stay, a rerun completes.
# The runs train, since a run without gradients writes no file in its first seconds.
. "$(dirname "$0")/lib.sh"
export MALLOC_ARENA_MAX=1

cat >exp.json <<'END'
{
  "title": "One short run and three of a few seconds",
  "base": { "net": "quadratic:dim=4", "workers": 2, "link": "ideal", "compute_s": 0.1, "epochs": 0, "gradients": 1000 },
  "grid": { "seed": [1, 2, 3, 4] },
  "scales": { "long": { "base": { "gradients": 1e12 } }, "short": {},
              "mixed": { "grid": [ { "gradients": [1000, 1e12, 2e12, 3e12] } ] } }
}
END

parts() { [ "$(find results/exp/long/runs -name '*.part' 2>/dev/null | wc -l)" -ge "$1" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# heeds PID: it is convoy by now, no copy of the shell, and no longer ignores Ctrl-C, as what a shell
# starts in the background does at first.
heeds() {
	[ "/proc/$1/exe" -ef "$CONVOY" ] &&
		(((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' "/proc/$1/status") & 2) == 0))
}

# children PID: the processes it started.
children() { cat "/proc/$1/task/$1/children" 2>/dev/null; }

start() {
	rm -f results/exp/long/runs/*.part
	launch run exp.json --scale long --jobs 2 --out results "$@"
	await parts 2
	sleep 0.2
}

# Ctrl-C: 130, nothing remains but readable .part files, which are not results.
start
kids=$(children $pid)
ends 130 INT
for kid in $kids; do gone "$kid" || fail "child $kid lives on"; done
is "$(find results -name '*.h5' | wc -l)" 0 "results of interrupted runs"
says err "the same command resumes"
expect 0 run exp.json --scale long --out results --dry-run
is "$(grep -c planned out)" 4 "runs to do after Ctrl-C"

# Ctrl-C while the last run ends: what is left comes after the runs.
gradients=1M
[ -z "${CONVOY_LONG:-}" ] || gradients=100k     # a sanitized process takes ten times as long
launch run exp.json --scale short --seed 1 --gradients $gradients --out last
child() { [ -n "$(children $pid)" ] && there "last/exp/*/runs/*.part"; }
await child
kill -STOP $pid
await there "last/exp/*/runs/*.h5"
kill -INT $pid
ends 130 CONT
says err "all runs are finished; the same command does the rest"
grep -qE "(is|are) left" err && fail "runs are left: $(cat err)"
expect 0 run exp.json --scale short --seed 1 --gradients $gradients --out last
says err "1 run, 1 of them finished before"

# Ctrl-C while claims are judged: a filter that does not end is not waited for, and nothing is written.
cat >claim.json <<'END'
{ "title": "t", "base": { "net": "quadratic:dim=4", "workers": 2, "gradients": 10 }, "grid": { "seed": [1] },
  "claims": [ { "says": "never", "kind": "ours", "jq": "last(range(1e15)) > 3" },
              { "says": "never either", "kind": "ours", "jq": "last(range(1e15)) > 4" } ] }
END
launch run claim.json --out judged --quiet
judging() { [ -n "$(children $pid)" ] && ls judged/claim/default/runs/*.h5 2>/dev/null; }
await judging
sleep 1
since=$SECONDS
ends 130 INT
[ $((SECONDS - since)) -lt 5 ] || fail "a filter was waited for: $((SECONDS - since)) s"
says err "interrupted while claims were judged: nothing is written"
is "$(ls judged/claim/default)" runs "files of a command that was interrupted"

# SIGTERM: 143.
start
ends 143 TERM

# A killed child is reported, the rest goes on; then everything is killed by fail-fast.
start --fail-fast
set -- $(children $pid)
kill -KILL "$1"
ends 1
says err "killed by signal 9"
is "$(find results -name '*.h5' | wc -l)" 0 "results of killed runs"

# The parent is killed: the children end by themselves.
start
kids=$(children $pid)
kill -KILL $pid
wait $pid 2>/dev/null
for kid in $kids; do await gone "$kid"; done
is "$(find results -name '*.h5' | wc -l)" 0 "results of an orphaned run"

# A series: what was finished is done, what was interrupted or not reached is left, nothing failed.
series() {
	launch run exp.json next.json --scale mixed --jobs 1 --out results "$@"
	await begun
	sleep 0.2
}
newer() { find results/exp/mixed/runs -name "$1" -newer mark 2>/dev/null | wc -l; }
begun() { [ "$(newer '*.h5') $(newer '*.part')" = "1 1" ]; }
cp exp.json next.json
touch mark
series --json
ends 130 INT
says err "1 of the runs are finished, 3 are left; the same command resumes"
is "$(jq -c '.summary[] | [.experiment, .done, .failed, .left]' out | tr '\n' ' ')" \
	'["exp",1,0,3] ["next",0,0,4] ' "the summary of an interrupted series"

# --again starts over each time; what it has made so far stays, as the others' old results do.
touch mark
series --again
ends 130 INT
says err "1 of the runs are repeated, 3 are left; the same command repeats all of them; without --again, only those"
grep -q resumes err && fail "--again does not resume"
expect 0 run exp.json --scale mixed --out results --dry-run
says out "3 runs to do, 1 finished"

# A second Ctrl-C kills, which is no failure of the run either.
touch mark
rm results/exp/mixed/runs/*
series
child=$(children $pid)
kill -STOP $child
kill -INT $pid
await grep -q "press Ctrl-C again to kill" err
ends 130 INT
grep -qE '^together +1 +0 +7 +0 ' out || fail "the sums of a killed series: $(cat out)"

all_made() { [ "$(find results/slow/short/runs -name '*.h5' 2>/dev/null | wc -l)" = 4 ]; }

# Ctrl-C while tables and claims are made leaves the next experiment.
sed '0,/"grid"/s|"grid"|"claims": [ { "kind": "ours", "says": "slow", "jq": "[limit(2000000; repeat(1))] \| length > 0" } ], &|' \
	exp.json >slow.json
launch run slow.json next.json --scale short --out results
await all_made
sleep 0.5
ends 130 INT
grep -qE '^next +short +0 +0 +4 ' out || fail "the experiment that was not reached: $(cat out)"

# A data set that is not there fails its runs: none of them is left.
expect 1 run exp.json next.json --scale short --net mlp \
	--data mnist:dir=nowhere --out results
grep -qE '^together +0 +8 +0 ' out || fail "runs without data: $(cat out)"

# sim alone.
launch sim --timing --samples 64000 --gradients 1e12 --out results
await test -e results/sim
await heeds $pid
ends 130 INT
is "$(find results/sim -name '*.h5' | wc -l)" 0 "results of an interrupted sim"

# What only reads, or writes files that are whole or not there, ends at the first signal.
launch verify sim
await heeds $pid
kill -INT $pid
await gone $pid
ends 130
cat >plots.json <<'END'
{ "title": "P", "base": { "timing": true, "net": "lenet", "gradients": 100, "algo": "asgd" },
  "grid": { "workers": [1, 2] },
  "plots": [ { "name": "p", "title": "P", "from": "runs", "x": "workers", "y": "time_s", "series": "algo" } ] }
END
expect 0 run plots.json --out pictures --quiet
mkdir -p kept/a/b/plots
for k in $(seq 60); do
	sed "s/\"p\"/\"p$k\"/" pictures/plots/default/plots/p.json >kept/a/b/plots/p$k.json
done
if command -v gnuplot >/dev/null; then
	launch report --plots kept
	await test -s kept/a/b/plots/p10.svg
	ends 143 TERM
	[ "$(ls kept/a/b/plots/*.svg | wc -l)" -lt 60 ] || fail "report went on after SIGTERM"
	for file in kept/a/b/plots/*.svg; do
		await grep -q '</svg>' "$file"
	done
fi

# Ctrl-C while a run's plots are drawn: it ends soon, and leaves no half of a picture.
mkdir bin
printf '#!/bin/sh\necho "<svg>" >p.svg\nexec sleep 60\n' >bin/gnuplot
chmod +x bin/gnuplot
# stopped WHAT PICTURE ARGUMENT...: convoy ends within 20 s of the signal, without the picture.
stopped() {
	local what=$1 picture=$2
	shift 2
	rm -f "$picture"
	PATH=$here/bin:$PATH launch "$@"
	await test -s "$picture"
	kill -INT $pid
	await gone $pid
	ends 130
	[ -e "$picture" ] && fail "$what left half a picture"
	[ -s "${picture%.svg}.gp" ] || fail "$what left no script"
}
stopped run pictures/plots/default/plots/p.svg run plots.json --out pictures --quiet
says err "the same command draws them"
stopped sim p.svg sim --timing --algo asgd --workers 2,4 --samples 6400 --out pictures --quiet --plot p.svg
stopped timeline p.svg sim --timing --algo asgd --workers 2 --gradients 40 --out pictures --quiet --timeline p.svg
if command -v gnuplot >/dev/null; then
	expect 0 run plots.json --out pictures --quiet
	says pictures/plots/default/plots/p.svg '</svg>'
fi

# Failed runs are reported and counted; the others are done and stay.
expect 0 run exp.json --scale short --out results
is "$(find results/exp/short/runs -name '*.h5' | wc -l)" 4
file=$(find results/exp/short/runs -name '*.h5' | head -n 1)
rm "$file" && mkdir "$file" && touch "$file/x"
expect 1 run exp.json --scale short --out results
says err "1 run without a result"
rm -r "$file"
expect 0 run exp.json --scale short --out results
says err "3 of them finished"
finish
