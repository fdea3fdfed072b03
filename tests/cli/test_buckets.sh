# All-reduce by buckets, during the backward pass: bit-identical to one all-reduce after it, and no run hangs.
. "$(dirname "$0")/lib.sh"
need_mpi

# Buckets of any size, the last one shorter, during the backward pass or after it; the run ends
# within a round, and what was added of its gradients is dropped.
resnet() {
	echo --net resnet8 --data shapes:train=64,test=16 --batch 4 --stat-batches 1 "$@"
}
long same_bits allreduce 2 --net quadratic:dim=7 --gradients 21 --bucket 4
long same_bits allreduce 2 --net quadratic:dim=1003 --gradients 61 --lr 0.01 --bucket 52
# Pieces in two steps, and a last one that is small; of more ranks than two, in their order.
long same_bits allreduce 3 --net quadratic:dim=5003 --gradients 33 --lr 0.01 --bucket 8200
same_bits allreduce 4 --net quadratic:dim=5003 --gradients 44 --lr 0.01 --bucket 4100
same_bits local-sgd:period=2 3 --net quadratic:dim=9001 --gradients 30 --lr 0.01
same_bits allreduce 3 $(resnet --gradients 9 --bucket 20000)
long same_bits allreduce 1 $(resnet --gradients 5 --bucket 20000)
long same_bits allreduce 2 $(resnet --gradients 9 --bucket 20000)
same_bits allreduce 2 $(resnet --gradients 9 --bucket 20001 --threads 2)
same_bits allreduce 2 $(resnet --gradients 9 --bucket 20002 --overlap false)
long same_bits allreduce 2 $(resnet --gradients 9 --bucket 20003 --backend openblas)

# The budget ends within an all-reduce that three of four have asked for, whichever comes last.
for seed in 1 2 $(in_long 3 4); do
	expect 0 train --algo allreduce --workers 4 --net quadratic:dim=20 --lr 0.01 --delay gamma:cv=0.5 \
		--gradients 3 --seed $seed --quiet
done

# Stopped by time, whatever is under way (on a busy machine, the first gradient); and where one
# of three is never in step.
by_time() {
	expect 0 train --algo allreduce $* $(resnet --seconds 0.3 --bucket 20000) --eval-samples 16 \
		--eval-every 0 --json --quiet
	jq -e '.status == "done" and .end == "seconds"' out >/dev/null ||
		fail "$*: $(cat out)"
}
by_time --workers 2
for seed in 1 $(in_long 2 3); do
	by_time --workers 3 --slow 1:3 --seed $seed
done

finish
