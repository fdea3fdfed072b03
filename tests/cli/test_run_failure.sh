# Runs that cannot be made: the others are, what is said names them, and the exit code tells which kind it was.
. "$(dirname "$0")/lib.sh"
need jq

# Data that is not there: its runs fail, in one message, and the others are made.
cat >data.json <<'END'
{ "title": "Two sets", "base": { "net": "mlp", "gradients": 2, "batch": 4, "eval_every": 0, "eval_samples": 4 },
  "grid": { "data": ["mnist:dir=/nonexist", "shapes:train=64,test=8"], "seed": [1, 2] } }
END
expect 1 run data.json --json --out kept
says err "error: data: data=mnist:dir=/nonexist seed=1: "
is "$(grep -c 'error: .*nonexist' err)" 1 "messages"
says err "data: 2 runs without a result"
is "$(jq -c '[.runs[].status]' out)" '["failed","failed","done","done"]' "next to data that is missing"
expect 1 run data.json --quiet --fail-fast --out fast
[ -z "$(find fast -name '*.h5')" ] || fail "--fail-fast went on"
expect 1 run data.json --quiet --only data=mnist:dir=/nonexist --out none
is "$(grep -c error: err)" 1 "nothing could begin: $(cat err)"

# What is said of a run that diverges names it.
cat >far.json <<'END'
{ "title": "t", "base": { "net": "mlp", "data": "shapes:train=256,test=64", "batch": 8, "epochs": 2, "workers": 4,
    "lr": 0.05, "eval_every": 0.5 }, "grid": { "algo": ["asgd"], "seed": [1, 2] } }
END
expect 0 run far.json --quiet
is "$(grep -c 'warning: far: algo=asgd seed=[12]: ' err)" 2 "runs that diverge: $(cat err)"

# The filter of a claim that fails is an error of 'claims' as it is of 'run'.
cat >claim.json <<'END'
{ "title": "t", "base": { "timing": true, "samples": 6400, "workers": 2 },
  "claims": [ { "kind": "ours", "says": "that cannot be judged", "jq": ".runs[0].algo / 2 > 1" } ] }
END
expect 1 run claim.json --quiet
expect 1 claims claim.json
says err 'claim: the claim "that cannot be judged" has an error: '
expect 1 claims claim.json --strict --json

# A full disk ends all: no run is computed for nothing, nothing is left aside, and the rest is made later.
cat >full.json <<'END'
{ "title": "t", "base": { "net": "quadratic:dim=4", "lr": 0.01, "gradients": 4000, "train_every": 0.001 },
  "grid": { "seed": [1, 2, 3, 4, 5, 6, 7, 8] } }
END
mkdir small
if unshare -m mount -t tmpfs none small 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs -o size=512k none small
		"$CONVOY" run full.json tour/staleness --jobs 1 --out small; code=$?
		find small -name "*.part" -o -name "*.new" >left; exit $code' >out 2>err
	is $? 128 "full disk: $(cat err)"
	is "$(grep -c 'No space left on device' err)" 1 "messages: $(cat err)"
	says err "the same command resumes"
	is "$(cat left)" "" "left aside"
	unshare -m sh -c 'mount -t tmpfs -o size=16k none small
		exec "$CONVOY" sim --net quadratic --gradients 4000 --train-every 0.001 --quiet --out small' >out 2>err
	is $? 128 "full disk of sim: $(cat err)"
	# full_disk COMMAND...: of a command whose results or pictures do not fit any more.
	full_disk() {
		unshare -m sh -c 'mount -t tmpfs -o size=256k none small && cd small
			"$CONVOY" run ../one.json --quiet >../out 2>&1 && cat /dev/zero >fill 2>/dev/null
			exec "$CONVOY" "$@" >../out 2>../err' sh "$@"
		is $? 128 "full disk of $1: $(cat err)"
		says err "No space left on device"
	}
	jq '.grid.seed = [1] | .base.train_every = 1' full.json >one.json
	full_disk report ../one.json
	full_disk run ../one.json --again
	full_disk bench nets mlp --no-peak --batch 1 --seconds 0.01 --plot bench.svg
	full_disk tune --net quadratic:dim=16,cond=10,noise=0.1 --workers 2 --compute-s 1 --budget 40 --out .
	full_disk sim --net quadratic --gradients 40 --out .
	full_disk train -n 2 --net quadratic --gradients 40 --resume --out .
fi
finish
