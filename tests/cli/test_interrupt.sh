# Runs that are killed or interrupted: no result is counted, whole files stay, a rerun completes.
. "$(dirname "$0")/lib.sh"
export MALLOC_ARENA_MAX=1

cat >exp.json <<'END'
{
  "title": "One short run and three of a few seconds",
  "base": { "timing": true, "samples": 64000, "workers": 2, "link": "ideal", "epochs": 0, "gradients": 1000 },
  "grid": { "seed": [1, 2, 3, 4] },
  "scales": { "long": { "base": { "gradients": 1e12 } }, "short": {} }
}
END

# Waits until a command succeeds, 20 s at most.
await() {
	for _ in $(seq 400); do
		"$@" && return
		sleep 0.05
	done
	fail "waited in vain: $*"
}

parts() { [ "$(find results/exp/long/runs -name '*.part' 2>/dev/null | wc -l)" -ge "$1" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# children PID: the processes it started.
children() { cat "/proc/$1/task/$1/children" 2>/dev/null; }

start() {
	"$CONVOY" run exp.json --scale long --jobs 2 --out results "$@" >out 2>err &
	pid=$!
	await parts 2
	sleep 0.2
}

# Ctrl-C: 130, nothing left behind but readable .part files, which are not results.
start
kids=$(children $pid)
kill -INT $pid
wait $pid
is $? 130 "exit code after Ctrl-C"
for kid in $kids; do gone "$kid" || fail "child $kid lives on"; done
is "$(find results -name '*.h5' | wc -l)" 0 "results of interrupted runs"
says err "the same command resumes"
expect 0 run exp.json --scale long --out results --dry-run
is "$(grep -c planned out)" 4 "runs to do after Ctrl-C"

# SIGTERM: 143.
start
kill -TERM $pid
wait $pid
is $? 143 "exit code after SIGTERM"

# A killed child is reported, the rest goes on; then everything is killed by fail-fast.
start --fail-fast
set -- $(children $pid)
kill -KILL "$1"
wait $pid
is $? 1 "exit code when a child was killed"
says err "killed by signal 9"
is "$(find results -name '*.h5' | wc -l)" 0 "results of killed runs"

# The parent is killed: the children end by themselves.
start
kids=$(children $pid)
kill -KILL $pid
wait $pid 2>/dev/null
for kid in $kids; do await gone "$kid"; done
is "$(find results -name '*.h5' | wc -l)" 0 "results of an orphaned run"

# sim alone.
"$CONVOY" sim --timing --samples 64000 --gradients 1e12 --out results >out 2>err &
pid=$!
await test -e results/sim
sleep 0.3
kill -INT $pid
wait $pid
is $? 130 "sim after Ctrl-C"
is "$(find results/sim -name '*.h5' | wc -l)" 0 "results of an interrupted sim"

# Failed runs are reported and counted; the others are done and stay.
expect 0 run exp.json --scale short --out results
is "$(find results/exp/short/runs -name '*.h5' | wc -l)" 4
file=$(find results/exp/short/runs -name '*.h5' | head -n 1)
rm "$file" && mkdir "$file" && touch "$file/x"
expect 1 run exp.json --scale short --out results
says err "1 runs have no result"
rm -r "$file"
expect 0 run exp.json --scale short --out results
says err "3 of them finished"
finish
