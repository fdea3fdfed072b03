# How long a plan takes is told from the results that differ least from its runs, and only these count.
. "$(dirname "$0")/lib.sh"
need jq

cat >exp.json <<'END'
{
  "title": "Runs that differ",
  "base": { "net": "quadratic:dim=10", "gradients": 20 },
  "grid": { "algo": ["asgd", "allreduce"], "workers": [1, 2], "batch": [4, 8, 64] },
  "scales": { "s": {} }
}
END
expect 0 run exp.json --out results --quiet

# told TEXT ARGUMENT...: the plan's estimate.
told() {
	expect 0 run exp.json --out results --dry-run "${@:2}"
	says out "(from $1), memory"
}
told "12 results" --again
told "6 results" --again --only algo=asgd
told "4 results" --again --only batch=8
told "6 results" --only algo=asgd --seed 2
told "1 result" --algo asgd --workers 2 --batch 8 --seed 2
told "1 result" --algo asgd --workers 2 --batch 16 --seed 2
told "1 result" --algo asgd --workers 8 --batch 64
told "2 results" --algo easgd --workers 2 --batch 64
expect 0 run exp.json --out results --dry-run --net quadratic:dim=20
says out "time of 12 runs unknown"
jq ".scales = { laptop: { time: \"a month of Sundays\" } }" exp.json >declared.json
expect 0 run declared.json --dry-run
says out "time of 12 runs not measured; the spec says of all: a month of Sundays"
expect 0 run declared.json --dry-run --net quadratic:dim=20
says out "time of 12 runs unknown"

# Two runs at once on one thread each take half as long where there are two cores.
cat >trained.json <<'END'
{
  "title": "Runs that compute", "scales": { "s": {} }, "grid": { "workers": [1, 2] },
  "base": { "net": "mlp", "data": "shapes:train=128,test=32", "batch": 8, "gradients": 20 }
}
END
expect 0 run trained.json --out results --threads 1 --quiet
seconds() {
	expect 0 run trained.json --out results --dry-run --json --again --threads 1 "$@"
	jq .estimate.seconds out
}
jq -en "$(seconds --jobs 1) / $(seconds --jobs 2) - ([$(nproc), 2] | min) | fabs < 1e-9" >/dev/null ||
	fail "$(seconds --jobs 1) s of one run at a time, $(seconds --jobs 2) s of two"

# Runs that tune come first, and what all take is said once more, together.
jq ".tune = { grid: { lr: [0.01, 0.1] }, measure: \"train_loss\", seeds: [7] }" trained.json >tune.json
expect 0 run tune.json --dry-run --threads 1
says err "tuning and experiment, 6 runs to do: about"
expect 0 run trained.json --dry-run
is "$(grep -c "to do" err)" 0 "$(cat err)"

# 64 streams of 1000 workers have 1.05 GB of memories, as they are read and as they are left; the rest is 0.54 GB.
cat >memory.json <<'END'
{
  "title": "A memory", "scales": { "s": {} }, "grid": { "workers": [1000] },
  "base": { "net": "transformer-xl-tiny", "data": "chain:train=3e7,streams=true", "batch": 64, "gradients": 20 }
}
END
expect 0 run memory.json --dry-run --threads 1
says out "memory about 1.59"

# memory ARGUMENT...: bytes that a run of such a GPT takes, by the estimate.
cat >gpt.json <<'END'
{ "base": "gpt-tiny", "classes": 6, "params": { "width": 512, "qkv": 1536, "inner": 2048 } }
END
cat >tokens.json <<'END'
{
  "title": "A net of tokens", "scales": { "s": {} },
  "base": { "workers": 1, "net": "gpt.json", "data": "chain:window=32,letters=6", "gradients": 20 }
}
END
memory() {
	"$CONVOY" run tokens.json --dry-run --json "$@" 2>err | jq .estimate.memory_bytes
}
parameters=$("$CONVOY" show net gpt.json | sed -n 's/^total *\([0-9]*\) .*/\1/p')

# More than 2048 tokens are computed in parts, which needs one gradient more, whatever their number.
whole=$(memory --threads 1 --batch 64)
parts=$(memory --threads 1 --batch 128)
is "$((parts - whole))" "$((4 * parameters))" "bytes of a part's gradient"
is "$(memory --threads 1 --batch 1024)" "$parts" "bytes of many parts"
# An evaluation computes as many at once.
is "$(memory --threads 1 --batch 4)" "$whole" "bytes of a small batch"

# A worker on a rank of its own has five vectors more, a message, its gradient and the next, and two of the net, and a
# process of 30 MB.
ranks() { memory --net quadratic:dim=2e6 --algo asgd --compute-s 1 --engine "$1" --workers "$2"; }
more=$(($(ranks mpi 5) - $(ranks mpi 1) - $(ranks sim 5) + $(ranks sim 1)))
[ "$more" -ge $((4 * (5 * 8000000 + 30000000))) ] || fail "four ranks take $more bytes more than in the simulator"

# Memory of the nodes: between nine tenths and 1.4 times what is then used at most.
[ -n "${CONVOY_SANITIZE:-}" ] || python=$(python_with resource)
[ -z "${python:-}" ] || "$python" - "$CONVOY" <<'END' || fail "the estimate of memory"
import json, os, subprocess, sys

for algo, more in (("d-psgd", {"graph": "complete"}), ("sgp", {"graph": "complete"}), ("allreduce", {}),
                   ("dana:compensate=gap", {}), ("multi-asgd", {"optim": "adam"})):
    base = {"net": "quadratic:dim=200000", "workers": 8, "batch": 1, "gradients": 24, "compute_s": 1,
            "algo": algo, **more}
    with open("nodes.json", "w") as f:
        json.dump({"title": "Nodes", "scales": {"s": {}}, "base": base}, f)
    told = subprocess.run([sys.argv[1], "run", "nodes.json", "--dry-run", "--json"], capture_output=True)
    told = json.loads(told.stdout)["estimate"]["memory_bytes"]
    words = [word for key, value in base.items() for word in ("--" + key.replace("_", "-"), str(value))]
    run = subprocess.Popen([sys.argv[1], "sim", "--threads", "1", "--lr", "1e-6", "--quiet", *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    used = 1024 * usage.ru_maxrss
    if status or not 0.9 * used < told < 1.4 * used:
        sys.exit(f"{algo}: status {status}, {told / 1e6:.0f} MB are told and {used / 1e6:.0f} MB used")
END

# Where there is bf16, a copy of the parameters in it is what the same net takes more than in f32.
# The net is so wide that a few MB of working memory, which differ too, are little. A sanitizer keeps
# memory that was freed.
[ -n "${CONVOY_SANITIZE:-}" ] && finish
sed -i 's/512/1024/; s/1536/3072/; s/2048/4096/' gpt.json
expect 0 bench nets gpt.json --batch 2 --precision f32,bf16 --no-peak --seconds 0.05 --quiet --json
if [ "$(jq length out)" = 2 ]; then
	more=$(jq '.[1].memory_bytes - .[0].memory_bytes' out)
	told=$(($(memory --batch 2 --threads 1 --precision bf16) - $(memory --batch 2 --threads 1)))
	[ $((told * 4)) -gt $((more * 3)) ] && [ $((told * 3)) -lt $((more * 4)) ] ||
		fail "bf16 takes $more bytes more, and the estimate says $told"
fi
finish
