# Gradients that are the mean of several minibatches: identities, both engines, times by hand, refusals.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

near() { # X Y WITHIN WHAT
	jq -en "($1) - ($2) | fabs <= $3" >/dev/null || fail "$1 is not $2${4:+ ($4)}"
}
loss() { expect 0 "$@" --quiet --json; jq .train_loss out; }

# K minibatches of b samples are one of K b, to rounding; samples and gradients are counted so.
base="sim --algo allreduce --workers 2 --lr 0.05 --epochs 0 --gradients 12 --compute-s 0.01 --eval-samples 500"
whole=$(loss $base --net mlp --batch 24)
is "$(jq -c '[.gradients,.batch,.epochs]' out)" "[12,24,0.00576]" "counts of a batch"
epochs=$(jq .epochs out)
for k in 2 3; do
	near "$(loss $base --net mlp --batch $((24 / k)) --accumulate $k)" "$whole" 1e-5 "accumulate $k"
	is "$(jq -c '[.gradients,.batch,.epochs,.settings.accumulate]' out)" "[12,24,$epochs,\"$k\"]" counts
done
hash() { loss "$@" >/dev/null; jq -r .hash out; }
is "$(hash $base --net mlp --batch 24 --accumulate 1)" "$(hash $base --net mlp --batch 24)" "hash of accumulate 1"
# Tokens, with memory from batch to batch; an analytic function; another algorithm.
near "$(loss $base --net transformer-xl-tiny --data chain:streams=true --batch 2 --accumulate 2)" \
	"$(loss $base --net transformer-xl-tiny --data chain:streams=true --batch 4)" 1e-4 tokens
near "$(loss $base --net quadratic --batch 8 --accumulate 4)" "$(loss $base --net quadratic --batch 32)" 1e-6 quadratic
near "$(loss ${base/allreduce/asgd} --net mlp --batch 8 --accumulate 3)" "$(loss ${base/allreduce/asgd} --net mlp --batch 24)" \
	1e-5 asgd

# Real ranks: bit-identical to the simulator, whatever the buckets.
same=$(loss $base --net mlp --batch 8 --accumulate 3)
for how in "--bucket 4096" "--allreduce whole"; do
	is "$(loss train -n 2 ${base#sim} --compute-s 0 --net mlp --batch 8 --accumulate 3 $how)" "$same" "ranks $how"
done

# K minibatches of 0.01 s; the all-reduce of 0.02 s overlaps the last one's backward pass alone.
time_s() { expect 0 sim --timing --algo allreduce --workers 8 --net quadratic:dim=250000 --epochs 0 --gradients 16 \
	--compute-s 0.01 --delay constant --host-copy-s 0 --quiet --json "$@"; jq .time_s out; }
for stepwise in false pairs; do
	link=nic:latency_s=0,bandwidth_GBps=0.0875,stepwise=$stepwise
	for k in 1 2 4; do
		# 16,000-float buckets: the first one is final after 0.064 of the backward pass
		near "$(time_s --link $link --accumulate $k --sim-bucket 64000)" \
			"2 * $k * 0.01 - 0.01 + 0.01 / 3 + 0.064 * 0.02 / 3 + 0.02" 1e-9 "$stepwise $k"
		near "$(time_s --link $link --accumulate $k --sim-bucket 0)" "2 * $k * 0.01 + 0.02" 1e-9 "$stepwise $k, whole"
	done
done
# A table gives the time of a minibatch.
near "$(time_s --batch 20 --link ideal --accumulate 3 --compute-s table:batch=20/80,seconds=0.1/0.2)" 0.6 1e-9 table

refuse() { # WORDS ARGUMENT...
	expect 1 $base --batch 8 "${@:2}"
	says err "$1"
}
refuse "whole number, from 1" --net mlp --accumulate 0
refuse "whole number, from 1" --net mlp --accumulate 1.5
refuse "Leave shares out" --net mlp --accumulate 2 --shares 0:2
refuse "Leave zero out" --net mlp --accumulate 2 --zero 1 --timing
refuse "head=joined" --net mlp --accumulate 2 --algo groups:head=apart
refuse "than the 50000 samples of an epoch" --net mlp --accumulate 4000
finish
