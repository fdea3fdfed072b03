# --shares: equal ones are what was before; unequal ones in both engines, resumed from a checkpoint and replayed.
. "$(dirname "$0")/lib.sh"

net() { echo --net logistic --batch 32 --lr 0.5 --epochs 1 "$@"; }

# Spelt out or not, equal is equal: one hash, one result, no word of it in the hash.
expect 0 sim --algo allreduce --workers 4 $(net --json --quiet)
hash=$(jq -r .hash out) model=$(jq -r .model out)
for equal in equal 0:1+1:1+2:1+3:1 0-3:7 speed; do
	expect 0 sim --algo allreduce --workers 4 --shares $equal $(net --json --quiet --out other)
	is "$(jq -r .hash out)" "$hash" "hash of shares $equal"
	is "$(jq -r .model out)" "$model" "model of shares $equal"
	is "$(jq -r .settings.shares out)" equal
done
expect 0 sim --timing --samples 50000 --dry-run --algo asgd
grep -qE "^shares +equal +default$" out || fail "$(grep shares out)"

# By speed: the canonical text says the samples, and is a setting itself.
expect 0 sim --algo allreduce --workers 4 --slow 0:4+1:2 --shares speed $(net --json --quiet)
shares=$(jq -r .settings.shares out) hash=$(jq -r .hash out) model=$(jq -r .model out)
is "$shares" 0:12+1:23+2:47+3:46
expect 0 sim --algo allreduce --workers 4 --slow 0:4+1:2 --shares $shares $(net --json --quiet)
is "$(jq -r .hash out)" "$hash"
is "$(jq -r .model out)" "$model"

# The speed may come from a log: worker 0 takes 1 s for a step, worker 1 takes 3 s.
printf '%s\n' rank,step,seconds 0,0,1 1,0,3 0,1,1 1,1,3 >two.csv
expect 0 sim --timing --algo allreduce --net bytes:1e6 --samples 800 --workers 2 --batch 4 --shares speed --gradients 20 --compute-s 1 \
	--delay replay:file=two.csv --json --quiet
is "$(jq -r .settings.shares out)" 0:6+1:2 "shares by replayed times"

# The model depends on the round, not on which worker takes which share of it.
losses() { "$CONVOY" sim --algo allreduce --workers 4 $(net --json --quiet) "$@" | jq .train_loss; }
near() { jq -n "($1 / $2 - 1 | fabs) < 1e-5" | grep -q true || fail "$1 is not near $2"; }
near "$(losses)" "$(losses --shares 0:1+1:2+2:3+3:4)"
near "$(losses)" "$(losses --shares 0:9)"

# Refused, with what would do.
refuse() {
	local text=$1
	shift
	expect 1 sim --timing --samples 5000 --workers 4 --out none "$@"
	says err "$text"
}
refuse "no rank 4 among 4 workers" --shares 0:1+4:2
refuse "two parts" --shares 0:1+0:2
refuse "a part must be between" --shares 0:0
refuse "a part is more than 0" --shares 0:-1
refuse "which is none" --shares 0:1e-6
refuse "asgd lets fast workers deliver more gradients" --algo asgd --shares 0:2
refuse "for unequal shares: allreduce, d-psgd, sgp, osgp, local-sgd" --algo ad-psgd --shares 0:2
[ -e none ] && fail "something was written"
expect 0 sim --timing --samples 5000 --workers 4 --algo asgd --shares 0:2+1:2+2-3:2 --dry-run

# Ctrl-C saves a checkpoint; the run resumes with the same slices.
long="--algo allreduce --workers 8 --shares 0:1+1-3:2 --net quadratic --gradients 80000 --lr 0.001"
expect 0 sim $long --quiet --out whole
model=$(field model)
interrupted 'parts/sim/*.part' sim $long --quiet --out parts --checkpoint-every 1000
expect 0 sim $long --out parts --resume
says err "resuming from"
is "$(field model)" "$model" "the model after Ctrl-C"

slices() { echo --algo allreduce --workers 3 --shares 0:1+1:2+2:3 --json "$@"; }
slow() { echo --net lenet --data shapes:train=120,test=30 --batch 8 --lr 0.01 --epochs 2 "$@"; }
expect 0 sim $(slices $(slow --quiet --out whole))
model=$(jq -r .model out)

# A trace says them.
expect 0 sim $(slices $(slow --quiet --trace run.trace.h5))
expect 0 replay run.trace.h5 --quiet
says out identical

has_mpi || finish

# Real ranks: two of them add the same two numbers, so their bits are the simulator's.
same_bits allreduce 2 $(net --shares 0:3)
long same_bits allreduce 2 $(net --shares 0:3 --codec topk:ratio=0.5)
long same_bits local-sgd 2 $(net --shares 0:3)
same_bits allreduce 2 $(slow --gradients 12 --epochs 0 --shares 0:1+1:2 --bucket 50000)
long same_bits allreduce 2 $(slow --gradients 12 --epochs 0 --shares speed --slow 1:2 --bucket 50000)
same_bits allreduce 2 $(slow --gradients 12 --epochs 0 --shares 0:5 --threads 2)
expect 0 train --workers 3 --algo d-psgd --shares 0:3 $(net --quiet --trace real.trace.h5)
expect 0 replay real.trace.h5 --quiet
says out identical

# So do processes that compute for the simulator.
expect 0 sim $(slices $(slow --quiet --out remote --sim-ranks 2))
is "$(jq -r .model out)" "$model" "the model by two processes"

# Made to last, a gradient takes the time of its samples: 1.5 and 0.5 of 50 ms.
expect 0 train --workers 2 --algo allreduce --shares 0:3 --compute-s 0.05 --gradients 40 --epochs 0 \
	--net logistic --batch 32 --json --quiet
jq -e '.time_s > 20 * 0.075 and .time_s < 20 * 0.075 * 1.8' out >/dev/null || fail "$(jq .time_s out)"

finish
