# Measures of vectors: the same run with and without, both engines, what is in the file.
. "$(dirname "$0")/lib.sh"
need jq

run=(--algo asgd --workers 4 --net quadratic:dim=50 --gradients 400 --lr 0.02 --delay gamma:cv=1
	--compute-s 1 --train-every 2 --quiet --json)

for level in none cheap all; do
	expect 0 sim "${run[@]}" --measures $level --out $level
	cp out $level.json
done
is "$(jq -r .model none.json)" "$(jq -r .model cheap.json)" "model with cheap measures"
is "$(jq -r .model none.json)" "$(jq -r .model all.json)" "model with all measures"
is "$(jq .time_s none.json)" "$(jq .time_s all.json)" "time with all measures"
is "$(jq -c '[.gap_mean, .norm_mean, .momentum_mean, .spread]' none.json)" "[null,null,null,null]"
jq -e '.gap_mean == null and .norm_mean > 0 and .spread > 0 and .momentum_mean != null' cheap.json \
	>/dev/null || fail "cheap measures"
jq -e '.gap_mean > 0 and .gap_max >= .gap_mean and (.gap.count | add) == 400 and
	.staleness_max >= .staleness_mean and .fairness > 0.9 and .fairness <= 1 and
	.dropped == 3' all.json >/dev/null ||
	fail "all measures: $(jq -c 'del(.settings)' all.json)"
python_on "$(find all -name '*.h5')" <<-'END' || fail "the columns"
	import math
	train, nodes = f["train"], f["nodes"]
	assert nodes["updates"][:].sum() == 400 and nodes["updates"][-1] == 0
	assert (train["gap_max"][:] >= train["gap"][:]).all() and (train["gap"][:] > 0).all()
	assert (train["norm_max"][:] >= train["norm"][:]).all()
	assert (train["staleness_max"][:] >= train["staleness"][:]).all()
	assert math.isfinite(f["eval/spread"][-1])
END

# A slow worker gets less of the server.
expect 0 sim "${run[@]}" --slow 0:20 --out slow
jq -e '.fairness < 0.85' out >/dev/null || fail "fairness with a slow worker: $(jq .fairness out)"

expect 0 sim "${run[@]}" --timing --samples 1024 --measures all --out timing
jq -e '.gap_mean == null and .staleness_max > 2 and .fairness > 0.9' out >/dev/null ||
	fail "a timing-only run"

# What measures is no part of a trace.
expect 0 sim "${run[@]}" --measures all --trace t.h5 --out traced
expect 0 replay t.h5 --quiet
says out "verdict           identical"

# Throughput, by hand: 4 workers, 10 iterations of 0.5 s with 8 samples each: 64 samples a second. A
# sample of GPT-2 has 1024 tokens, one of a chain its window, and images none.
rate=(--workers 4 --algo allreduce --batch 8 --gradients 40 --compute-s 0.5 --link ideal --quiet --json)
rates='[.step_s, .samples_per_s, .tokens_per_s]'
expect 0 sim "${rate[@]}" --net gpt2 --timing --samples 1000
is "$(jq -c "$rates" out)" "[0.5,64,65536]" "throughput of GPT-2"
expect 0 sim "${rate[@]}" --net lenet --timing --data mnist --samples 1000
is "$(jq -c "$rates" out)" "[0.5,64,null]" "throughput with images"
expect 0 sim "${rate[@]}" --net gpt-tiny --data chain:window=16,train=20000,test=2000
is "$(jq -c "$rates" out)" "[0.5,64,1024]" "throughput with text"
expect 0 sim "${rate[@]}" --net gpt2 --timing --samples 1000 --shares 3:5
is "$(jq -c '.samples_per_s * .time_s' out)" 320 "samples of unequal shares"
expect 0 sim --workers 2,4 --net gpt2 --timing --samples 1000 --algo allreduce --batch 8 --gradients 40 \
	--compute-s 0.5 --link ideal --values step_s,samples_per_s,tokens_per_s --csv
says out "tokens_per_s"
says out "65536"

# A column without any value says what would give it one.
lacks=(sim --workers 2 --net quadratic --gradients 40 --compute-s 1)
expect 0 "${lacks[@]}" --timing --values step_s,cost,goodput,gap_mean
says err "no value in any run: cost (needs --price); goodput (needs --faults); gap_mean (needs training, without --timing)"
expect 0 "${lacks[@]}" --lr 0.01 --values gap_mean,cost --price 1/h
says err "no value in any run: gap_mean (needs --measures all)"
expect 0 "${lacks[@]}" --timing --values step_s
grep -q "no value" err && fail "all columns have values: $(cat err)"

# With its exchange, by hand: a ring of 4 sends 1.5 times 4 MB, 0.6 s at 10 MB/s, after each ten
# iterations of 0.1 s. One round is as long for each iteration as two, though the run ends before its
# exchange does, and so is its share.
round=(--timing --workers 4 --algo diloco:period=10 --net bytes:bytes=4e6,layers=1,macs=1 --batch 1
	--samples 40 --compute-s 0.1 --host-copy-s 0 --link nic:bandwidth_GBps=0.01,latency_s=0 --price 3600/h
	--quiet --json)
for gradients in 40 80; do
	expect 0 sim "${round[@]}" --gradients $gradients
	jq -e --argjson rounds $((gradients / 40)) 'def near(x): . / x | . > 0.99999 and . < 1.00001;
		(.step_s | near(0.16)) and (.samples_per_s | near(25)) and (.time_per_epoch_s | near(1.6)) and
		(.communication_share | near(0.375)) and (.cost | near(4 * 1.6 * $rounds))' out >/dev/null ||
		fail "an exchange after $gradients gradients: $(jq -c 'del(.settings)' out)"
done
# Costs of runs of different lengths are told to be so.
expect 0 sim "${round[@]:0:${#round[@]}-1}" --gradients 80 --update-s 0,1 --values cost
! grep -q "of whole runs" out || fail "a note on runs of equal length"
expect 0 sim "${round[@]:0:${#round[@]}-1}" --gradients 80,160 --values cost
says out "cost is that of whole runs, which have 2 to 4 epochs: --epochs makes them alike"
expect 0 sim "${round[@]:0:${#round[@]}-1}" --gradients 80,88 --values cost
says out "cost is that of whole runs, which have 2 to 2.2 epochs"
expect 0 sim "${round[@]:0:${#round[@]}-1}" --gradients 80,82 --values cost
! grep -q "of whole runs" out || fail "a note on runs that differ by a last round"

# Staleness in updates of all workers, by hand. Rank 0 steps at 1, 2, 3 and 4 s, rank 1 at 2.5 s. Two
# steps of rank 0 come between rank 1's snapshot and its use, one of rank 1 in rank 0's third second.
hand=(--workers 2 --timing --samples 100 --batch 1 --compute-s 1 --link ideal --slow 1:2.5 --gradients 5
	--quiet --json)
for algo in ad-psgd gossip-pull gossip-push; do
	expect 0 sim --algo $algo "${hand[@]}"
	is "$(jq -c '[.staleness_mean, .global_staleness_mean, .global_staleness_max]' out)" "[0,0.6,2]" $algo
done
# Of one model it is the staleness, and where workers step together there is none.
expect 0 sim --algo asgd "${hand[@]}"
is "$(jq -c '[.global_staleness_mean, .global_staleness_max]' out)" \
	"$(jq -c '[.staleness_mean, .staleness_max]' out)" "asgd's"
for algo in allreduce d-psgd local-sgd; do
	expect 0 sim --algo $algo "${hand[@]}"
	is "$(jq -c '[.global_staleness_mean, .global_staleness_max]' out)" "[0,0]" $algo
done

# A run that goes on from a checkpoint counts on.
longer=(--algo ad-psgd --workers 4 --net quadratic:dim=50 --lr 0.02 --delay gamma:cv=1 --quiet --json)
expect 0 sim "${longer[@]}" --gradients 90 --out whole
cp out whole.json
expect 0 sim "${longer[@]}" --gradients 40 --checkpoint-every 1000 --out longer
expect 0 sim "${longer[@]}" --gradients 90 --resume --out longer
is "$(jq .global_staleness_mean out)" "$(jq .global_staleness_mean whole.json)" "a longer run's"

# Tables and plots know them.
cat >exp.json <<'END'
{ "title": "gaps", "base": { "algo": "asgd", "net": "quadratic:dim=50", "gradients": 400, "lr": 0.02,
    "measures": "all", "eval_every": 2 },
  "grid": { "workers": [2, 8] },
  "tables": [ { "name": "gaps", "rows": "workers", "values": ["gap_mean", "gap_max", "staleness_max",
    "norm_mean", "momentum_mean", "spread", "fairness", "dropped", "global_staleness_mean"] } ],
  "plots": [ { "name": "gap", "title": "gap", "from": "train", "x": "epoch", "y": "gap", "series": "workers" },
    { "name": "spread", "title": "spread", "from": "eval", "x": "epoch", "y": "spread", "series": "workers" },
    { "name": "bytes", "title": "bytes", "from": "eval", "x": "bytes_sent", "y": "train_loss", "series": "workers" },
    { "name": "of", "title": "of", "from": "runs", "x": "workers", "y": "gap_mean", "series": "algo" } ] }
END
expect 0 run ./exp.json --out results --quiet
is "$(jq '[.[] | .gap_mean | numbers] | length' results/exp/*/runs.json)" 2
jq -e 'def at($w): first(.[] | select(.workers == $w)).gap_mean; at(8) > at(2)' \
	results/exp/*/runs.json >/dev/null || fail "more workers, larger gaps"
for plot in gap spread bytes of; do
	is "$(find results/exp -name "$plot.dat" -size +0 | wc -l)" 1 "plot $plot"
done
grep -q 'sent \[bytes\]' results/exp/*/plots/bytes.gp || fail "the axis of bytes has no unit"
jq -e 'all(.[]; .eval.bytes_sent[0] > 0 and .eval.bytes_sent[-1] <= .bytes_sent and
	(.eval.bytes_sent | . == sort) and (.message_bytes * .messages / .bytes_sent - 1 | fabs) < 1e-9)' \
	results/exp/*/runs.json >/dev/null || fail "bytes sent so far"

# Real ranks: the rank that steps measures, the first one writes down.
has_mpi && {
	real=(--net quadratic:dim=50 --gradients 200 --lr 0.02 --measures all --eval-every 2
		--quiet --json)
	expect 0 train --algo asgd --workers 2 "${real[@]}" --trace real.h5 --out real
	jq -e '.gap_mean >= 0 and .norm_mean > 0 and (.gap.count | add) == 200 and .fairness > 0.4 and
		.spread == null' out >/dev/null || fail "asgd: $(jq -c 'del(.settings)' out)"
	expect 0 replay real.h5 --quiet
	says out "verdict           identical"
	# Models on their way to an evaluation may be a step apart: no worker waits for that message.
	expect 0 train --algo allreduce --workers 2 "${real[@]}" --out real
	jq -e '.eval.bytes_sent[0] == null and .eval.bytes_sent[-1] == .bytes_sent and .bytes_sent > 0' out \
		>/dev/null || fail "bytes of real ranks: $(jq -c .eval out)"
	jq -e '.gap_max == 0 and .spread == 0 and (.gap.at_least | length) == 1 and
		(.eval.spread | last) == 0' out >/dev/null || fail "lockstep: $(jq -c 'del(.settings)' out)"
	# With two workers, each step of one is between a snapshot of the other and its use, at most.
	expect 0 train --algo ad-psgd --workers 2 --compute-s 0.01 "${real[@]}" --out real
	jq -e '.staleness_mean == 0 and .global_staleness_mean > 0 and .global_staleness_mean <= 1' out \
		>/dev/null || fail "global staleness: $(jq -c 'del(.settings)' out)"
	expect 0 train --algo d-psgd --workers 3 "${real[@]}" --out real
	jq -e '.spread > 0 and .eval.spread[0] > 0' out >/dev/null || fail "spread of real ranks"
	model=$(jq .model out)
	expect 0 train --algo d-psgd --workers 3 "${real[@]}" --measures none --out real
	is "$(jq .model out)" "$model" "a real run with measures and without"
}
# A number in JSON is the run's own, in the fewest digits that tell it from others.
expect 0 sim --timing --algo allreduce --workers 1 --batch 1 --samples 3 --compute-s 0.1 --link ideal --delay constant --quiet --json
says out '"time_s":	0.30000000000000004,'
finish
