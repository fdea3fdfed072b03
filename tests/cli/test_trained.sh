# Runs in the order of a finished one take its training; all that they have is what training gives.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"
need jq

settings=(--workers 4 --net logistic --batch 8 --epochs 2 --eval-every 0.5 --compute-s 0.01 --lr 0.05
	--measures all --quiet)
slow=nic:latency_s=1e-4,bandwidth_GBps=0.001
# What is not of the real clock, of each run by its hash; and by which run it was trained.
learnt() {
	jq -c '[.runs[] | del(.file, .trained_by, .wall_s, .gradient_wall_s, .samples_per_wall_s, .gflop_per_wall_s)
	        | del(.train.wall_s, .eval.wall_s)] | sort_by(.hash)' "$1"
}
trained() { jq '[.runs[] | select(.trained_by == null)] | length' "$1"; }

# compares NAME TRAININGS ARGUMENT...: as many runs of a sweep are trained; all have what they learn.
compares() {
	local name=$1 most=$2
	shift 2
	expect 0 sim "${settings[@]}" "$@" --json --out shared
	cp out "$name.shared"
	expect 0 sim "${settings[@]}" "$@" --json --out trained --retrain
	is "$(trained out)" "$(jq '.runs | length' out)" "$name: --retrain"
	is "$(trained "$name.shared")" "$most" "$name: trainings"
	learnt "$name.shared" >a
	learnt out >b
	cmp -s a b || fail "$name: a run that was not trained differs from one that was"
	rm -rf shared trained
}

links=$slow,nic:latency_s=1e-5,bandwidth_GBps=0.01,fair:latency_s=1e-5,bandwidth_GBps=0.002
# One training for each method where its rule fixes the order: links, random times, a slow worker.
compares allreduce 1 --algo allreduce --link "$links" --slow none,1:3 --delay constant,gamma:cv=0.2
compares rounds 4 --algo local-sgd:period=4,diloco:period=4,d-psgd,sgp --link "$links" --threads 2
compares staged 1 --algo groups:groups=2,head=apart --net lenet --data shapes:train=128,test=32 --gradients 16 --eval-every 0 --link "$slow,nic:latency_s=1e-4,bandwidth_GBps=0.00101"
compares tokens 1 --algo local-sgd:period=4 --net gpt-tiny --data chain:letters=6,train=6401,test=801,window=16 --gradients 48 --eval-every 0 --link "$slow" --slow none,0:2
compares partial 1 --algo allreduce --link "$slow" --slow none,1:3 --gradients 130
# Of all others where the order is another one.
compares slow 3 --algo asgd --link "$slow" --slow none,0:2,1:2
compares asgd 1 --algo asgd --link "$slow,nic:latency_s=1e-4,bandwidth_GBps=0.00101"
compares steps 2 --algo asgd --schedule steps:at=1 --link "$slow" --update-s 0,0.001
# Where a rule reads the clock nothing is shared, nor where the run ends by it.
compares clock 2 --algo async-local-sgd:period=2 --link "$slow" --update-s 0,1e-9
compares seconds 2 --algo allreduce --link "$slow" --update-s 0,1e-9 --seconds 0.2
is "$("$CONVOY" show algo async-local-sgd --json | jq .reads_clock)" true "async-local-sgd reads the clock"
is "$("$CONVOY" show algo allreduce --json | jq .reads_clock)" false "allreduce does not"

# It is said, and the result names the run that was trained.
expect 0 sim "${settings[@]:0:16}" --algo allreduce --link "$links" --out shared
says err "2 of 3 runs take their training from runs in the same order"
expect 0 sim "${settings[@]}" --algo allreduce --link ideal --out shared --json
by=$(jq -r .trained_by out)
[ -e "shared/sim/$by.h5" ] || fail "trained_by names no result: $by"
is "$(jq -r .model out)" "$("$CONVOY" sim "${settings[@]}" --algo allreduce --link ideal --out own --json | jq -r .model)" "the model"

# A list that anyone may have written: so many samples have neither the data nor the result.
cp -r shared strange
rm "strange/sim/$(jq -r .hash out).h5"
for list in strange/sim/.*.trained; do
	sed 's/ [0-9]*$/ 1000000000000/' "$list" >list
	cp list "$list"
done
expect 0 sim "${settings[@]}" --algo allreduce --link ideal --out strange --json
is "$(jq .trained_by out)" null "a list with the wrong samples"

# A claim about the real clock has all runs trained; of one without, runs of two links are equal seed by seed.
cat >clock.json <<'END'
{ "title": "t", "base": { "net": "logistic", "workers": 2, "epochs": 1, "compute_s": 0.01 },
  "grid": { "link": ["nic:bandwidth_GBps=1", "nic:bandwidth_GBps=0.1"], "seed": [1, 2, 3] },
  "claims": [ { "says": "same", "kind": "ours", "beats": { "a": { "link": "nic:bandwidth_GBps=1" }, "b": { "link": "nic:bandwidth_GBps=0.1" },
                "measure": "test_loss" } } ] }
END
expect 0 run clock.json
says err "3 of 6 runs take their training from runs in the same order"
says out "undecided      same (ours) {difference 0 ["
says out " (equal)}"
expect 0 run clock.json --decide --max-seeds 4
says err '"same" gets no seeds: equal'
jq '.claims[0].beats.measure = "gradient_wall_s"' clock.json >timed.json
expect 0 run timed.json --json
is "$(jq '[.runs[] | select(.trained_by)] | length' out)" 0 "runs of a claim about the real clock that were not trained"

# Without the result of the trained one, or with another seed, a run is trained.
rm "shared/sim/$by.h5"
expect 0 sim "${settings[@]}" --algo allreduce --link nic:bandwidth_GBps=3 --out shared --json
is "$(jq .trained_by out)" null "the trained result is gone"
expect 0 sim "${settings[@]}" --algo allreduce --link nic:bandwidth_GBps=3 --seed 2 --out shared --json
is "$(jq .trained_by out)" null "another seed"
# What is kept of the model, and a trace, need training.
expect 0 sim "${settings[@]}" --algo allreduce --link nic:bandwidth_GBps=4 --keep-model --out shared --json
is "$(jq .trained_by out)" null "--keep-model"
expect 0 sim "${settings[@]}" --algo allreduce --link nic:bandwidth_GBps=5 --trace t --out shared --json
is "$(jq .trained_by out)" null "--trace"
