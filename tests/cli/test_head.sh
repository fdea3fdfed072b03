# The head served apart (groups:head=apart), with a net: one group has the bits of head=joined, and
# any number of groups repeats, resumes and is replayed; on real ranks as in virtual time.
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
need jq

# LeNet with a tenth of its multiply-accumulates.
cat >small.json <<'END'
{ "input": [28, 28, 1], "classes": 10, "defaults": { "maxpool": { "kernel": 2, "ceil": true } },
  "layers": [ { "layer": "conv", "out": 6, "kernel": 5 }, "maxpool", { "layer": "conv", "out": 16, "kernel": 5 }, "maxpool",
    { "layer": "dense", "out": 60 }, "relu", { "layer": "dense", "out": "$classes" } ] }
END
settings="--net $PWD/small.json --data shapes:train=96,test=16 --batch 4 --stat-batches 1 --lr 0.001 --quiet"
one="--workers 3 $settings --epochs 2"
many="--workers 4 $settings --gradients 60"
apart=groups:groups=2,head=apart

# One group: the same model with the head joined or apart, for each optimiser.
for optim in sgd:momentum=0.9,weight_decay=5e-4 lars adam; do
	expect 0 sim --algo groups:groups=1 $one --optim "$optim" --out joined
	joined=$(field model)
	expect 0 sim --algo groups:groups=1,head=apart $one --optim "$optim" --out apart
	is "$(field model)" "$joined" "one group, $optim"
done
[ "${#joined}" = 16 ] || fail "no model: $(cat out)"

# Several: repeated, by any number of threads; the clock of a timing-only run; no late head.
expect 0 sim --algo $apart $many --delay gamma:cv=0.5 --threads 1 --out first --trace sim.h5 --json
model=$(jq -r .model out)
time=$(jq .time_s out)
is "$(jq -c '[.staleness_head_max, .staleness_mean > 0.3]' out)" "[0,true]"
expect 0 sim --algo groups:groups=2 $many --delay gamma:cv=0.5 --out joined --json
is "$(jq .staleness_head_max out)" null
[ "$(jq -r .model out)" != "$model" ] || fail "two groups: apart is as joined"
expect 0 sim --algo $apart $many --delay gamma:cv=0.5 --threads 2 --out second
is "$(field model)" "$model" "threads"
expect 0 sim --algo $apart $many --delay gamma:cv=0.5 --timing --out timing --json
is "$(jq .time_s out)" "$time" "the clock of a timing-only run"
expect 0 replay sim.h5 --quiet
says out "verdict           identical"
expect 0 trace sim.h5
grep -q " server  *staged " out || fail "the server's stages are not in the trace"

# Interrupted by Ctrl-C and resumed.
long="--workers 4 $settings --gradients 300 --delay gamma:cv=0.5"
expect 0 sim --algo $apart $long --out whole
cp out whole.txt
interrupted 'parts/sim/*.part' sim --algo $apart $long --out parts --checkpoint-every 1000
expect 0 sim --algo $apart ${long/--quiet/} --out parts --resume
says err "resuming from"
is "$(field model)" "$(field model whole.txt)" "the model after Ctrl-C"
grep -q diverged err && fail "the run diverged, and shows nothing"

# What cannot be.
expect 1 sim --algo $apart --workers 4 --net quadratic --gradients 9 --quiet
says err "groups: head=apart needs a net with fully connected layers after others"
expect 1 sim --algo $apart --workers 4 --net mlp --data shapes:train=96,test=16 --batch 4 --gradients 9 --timing
says err "use head=joined"
expect 1 sim --algo $apart $many --codec fp16
says err "head=apart sends parts of a gradient, which no codec packs"

if has_mpi; then
	expect 0 sim --algo $apart $many --delay gamma:cv=0.5 --threads 1 --sim-ranks 2 --out ranks
	is "$(field model)" "$model" "ranks that compute"
	same_bits groups:groups=1,head=apart 3 $settings --epochs 2
	is "$(field model)" "$("$CONVOY" sim --algo groups:groups=1 $one --out plain | sed -n 's/^model *//p')"
	expect 0 train --algo $apart $many --out real --trace real.h5
	expect 0 replay real.h5 --quiet
	says out "verdict           identical"

	# Interrupted and resumed.
	real="--algo groups:groups=1,head=apart --workers 2 $settings --epochs 14 --eval-every 14"
	expect 0 train $real --out whole
	cp out whole.txt
	interrupted 'cut/train/*.checkpoint' train $real --out cut --checkpoint-every 1
	resumes train ${real/--quiet/} --out cut --resume
	says err "resuming from"
	is "$(field model)" "$(field model whole.txt)" "the model of real ranks after Ctrl-C"
	grep -q diverged err && fail "the run of real ranks diverged, and shows nothing"
fi
finish
