# How long a plan takes is told from the results that differ least from its runs, and only these count.
. "$(dirname "$0")/lib.sh"

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

# 64 streams of 1000 workers have 1.05 GB of memories, as they are read and as they are left; the rest is 0.65 GB.
cat >memory.json <<'END'
{
  "title": "A memory", "scales": { "s": {} }, "grid": { "workers": [1000] },
  "base": { "net": "transformer-xl-tiny", "data": "chain:train=3e7,streams=true", "batch": 64, "gradients": 20 }
}
END
expect 0 run memory.json --dry-run --threads 1
says out "memory about 1.7"
finish
