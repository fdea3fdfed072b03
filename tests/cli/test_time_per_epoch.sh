# The time per epoch is that of whole rounds, and a run without one says so.
# QUICK
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

sim="sim --out results --quiet --link ideal --compute-s 1"
column() { expect 0 "$@"; tail -n +2 out | awk -F, -v n="$n" '{ printf "%s%.10g", (NR > 1) ? " " : "", $n }'; }
speedups() { n=3 column $sim --csv --values speedup "$@"; }
near() { jq -en "(($1) - ($2) | fabs) < 1e-9 * (($2) | fabs)" >/dev/null || fail "$1 is not $2 ($3)"; }

# 98 gradients of 8 workers are 12 rounds and a quarter.
epoch="--timing --algo allreduce --batch 512 --samples 50000 --workers 8,10,12,13,14,16"
is "$(speedups $epoch --gradients 98)" "8 10 12 13 14 16 0" "speedups of 98 gradients"
is "$(speedups $epoch)" "8 10 12 13 14 16 0" "speedups without a length"
is "$(n=3 column $sim --csv --values gradients $epoch)" "104 100 108 104 98 112 98" "whole rounds"
is "$(n=3 column $sim --csv --values gradients --timing --algo diloco,fedbuff --workers 16 --samples 6400)" \
	"800 320 200" "whole rounds of local steps; of a server two"
is "$(speedups --net quadratic:dim=4,samples=13 --algo allreduce --batch 2 --workers 2,3,4,6 --epochs 1)" \
	"2 3 4 6 0" "speedups of a training run"
# All wait, or none does: 16 times as fast, whatever a round is.
all=asgd,k-sync:k=16,ssp,backup:b=0,d-psgd,sgp,osgp,demo,ad-psgd,groups,rennala,gossip-pull,local-sgd:period=2
all=$all,slowmo:period=4,average=2,streaming-diloco:period=6,fragments=3,eager-diloco:period=3,noloco:period=2
all=$all,post-local-sgd:start=2,period=2,fedbuff:period=2,async-local-sgd:period=2,easgd:tau=2,downpour:fetch=2
expect 0 $sim --timing --algo $all --workers 16 --batch 512 --samples 50000 --gradients 98 --json
is "$(jq -c '[.runs[] | select((.speedup - 16 | fabs) > 1e-9) | [.algo, .speedup]], (.runs | length)' out | xargs)" \
	"[] 22" "98 gradients of 16 workers"

# A worker that ends no round of 400 steps computes, too: 8 + 8 / 10 gradients a second in all.
slow=$(seq -s + -f '%g:10' 0 7)
expect 0 $sim --timing --algo async-local-sgd:period=400 --workers 16 --batch 1 --samples 1600 --slow $slow --gradients 16000 --json
jq -e '.time_per_epoch_s * 8.8 / 1600 - 1 | fabs < 0.001' out >/dev/null || fail "8 of 16 without a round: $(cat out)"

# A wait that passes from worker to worker: worker 0 needs 4 s for each step, and in the long run so does each other.
lead="--timing --workers 16 --batch 8 --samples 16000 --slow 0:4 --json"
expect 0 $sim $lead --algo d-psgd,sgp,osgp,noloco:period=2,eager-diloco:period=2,allreduce --gradients 800
is "$(jq -c '[.runs[].time_per_epoch_s * 1e9 | round / 1e9]' out)" "[500,500,500,500,500,500]" "125 steps of 4 s" # 16000 / (16 * 8)
is "$(jq -c '[.runs[].remark != null]' out)" "[true,false,true,true,false,false]" "whose workers got further ahead"
ahead="workers got further and further ahead of the slowest, which d-psgd bounds: shares of waiting are those of the start"
[[ "$(jq -r '.runs[0].remark' out)" = "$ahead of a run. "* ]] || fail "the remark of d-psgd: $(cat out)"
# In 200 s worker 0 makes 50 steps, and the others 200 each: ssp lets them be 300 ahead.
expect 0 $sim $lead --algo ssp:bound=300 --gradients 3050
[[ "$(jq -r .remark out)" = "workers got further and further ahead of the slowest, which ssp bounds: times and "* ]] ||
	fail "the start of ssp: $(cat out)"
expect 0 $sim $lead --algo ssp:bound=300,ssp:bound=inf --gradients 12800 --time-from 9600
is "$(jq -c '[.runs[] | .time_per_epoch_s == 500, .remark]' out)" "[true,null,false,null]" "ssp at its bound; none"

# 50 steps of 10 ms, and 40 MB over a ring of 4 at 1 Gbit/s: 2 * 3 / 4 * 0.32 s. A round has 200 gradients.
slow="sim --timing --algo diloco:period=50 --workers 4 --net bytes:4e7 --samples 50000 --batch 128 --out results --quiet
	--compute-s 0.01 --host-copy-s 0 --link nic:latency_s=0,bandwidth_GBps=0.125 --json"
time_of() { expect 0 $slow "$@"; jq .time_per_epoch_s out; }
round="(50 * 0.01 + 1.5 * 0.32) / (200 * 128 / 50000)"
near "$(time_of --gradients 800)" "$round" "four rounds"
near "$(time_of --gradients 20000)" "$round" "a hundred rounds"
near "$(time_of --gradients 850)" "$round" "four rounds and a quarter"
near "$(time_of --gradients 800 --time-from 200)" "$round" "after the first round"
near "$(time_of --gradients 850 --time-from 250)" "$round" "after a part of a round"
# Only the exchange needs a host-device copy.
near "$(time_of --gradients 800 --host-copy-s 0.02)" "(50 * 0.01 + 0.02 + 1.5 * 0.32) / (200 * 128 / 50000)" "a copy"
# An exchange of 1 s follows the last gradient, too: in 2 rounds of 10 + 1 s the second worker waits 2 * 5 of 2 * 22 s.
steps="sim --timing --net bytes:8e6 --batch 1 --compute-s 1 --sim-bucket 0 --host-copy-s 0 --out results --quiet --json"
expect 0 $steps --algo diloco:period=5 --workers 2 --samples 1600 --gradients 20 --slow 0:2 \
	--link nic:latency_s=0,bandwidth_GBps=0.008,collective=doubling
near "$(jq .wait_share out)" "10 / 44" "waiting with the last exchange"
# A fault that is over when timing begins takes no time of an epoch: 6400 samples, 8 a second.
expect 0 $steps --algo asgd --workers 8 --samples 6400 --gradients 200 --time-from 40 --faults 1:leave@3-5 --link ideal
near "$(jq .time_per_epoch_s out)" "6400 / 8" "after a fault"

# Too short: null, and why.
none="ended before its first outer step (period=50); no worker sent anything; too short to time: 0 whole rounds in all for 4 workers"
is "$(time_of --gradients 199)" null "less than a round"
is "$(jq -r .remark out)" "$none" "the remark in JSON"
is "$(time_of --gradients 850 --time-from 750)" null "no round after the warm-up"
is "$(jq -r .remark out)" "too short to time: 0 whole rounds in all for 4 workers (period=50)" "after the warm-up"
short="sim --timing --algo allreduce,diloco --workers 4 --samples 50000 --gradients 100 --out results --quiet"
expect 0 $short --csv
is "$(grep -c ",$none$" out) $(grep -c '^diloco,done,,,' out)" "1 1" "CSV"
expect 0 $short
says out "note: $(echo "$none" | cut -c 1-60)"
grep -q '^diloco  *-  *-' out || fail "the table has a number for a run that is too short"
expect 0 $short --json
is "$(jq -c '[.runs[] | .speedup == null, .remark == null]' out)" "[false,true,true,false]" "speedups, remarks"
expect 0 $sim --timing --algo fedbuff:period=2,buffer=50 --workers 4 --samples 50000 --gradients 40 --json
is "$(jq -r .remark out)" "the server made no step" "a server's buffer that was never full"
expect 0 $sim --timing --algo asgd --workers 4 --samples 50000 --gradients 3 --json
is "$(jq -r .remark out)" "too short to time: 2 whole rounds in all for 4 workers" "fewer than workers"

# What the server leaves out: fragments that come too late, where the server's NIC needs 250 MB x 16 in 3 s,
# and gradients, half of which k-sync's server and backup's never use. Faults hide no remark.
late="sim --timing --algo decoupled-diloco --workers 16 --net bytes:1e9 --batch 8 --compute-s 0.5 --seconds 3000
	--out results --quiet --json"
remark() { expect 0 "$@"; jq -r '.remark // "-"' out; }
out="of what workers sent came too late for the server, which left it out"
[[ "$(remark $late --link nic:bandwidth_GBps=1.2)" = "9"[0-9]" % $out"* ]] || fail "late fragments: $(cat out)"
[[ "$(remark $late --link nic:bandwidth_GBps=1.2 --faults 0:leave@10-12)" = "9"[0-9]" % $out"* ]] ||
	fail "late fragments after a fault: $(cat out)"
is "$(remark $late --link nic:bandwidth_GBps=100)" - "fragments in time"
[[ "$(remark $late --link nic:bandwidth_GBps=0.3 --faults 0:leave@10-12)" = *" of the messages had not arrived"* ]] ||
	fail "undelivered messages after a fault: $(cat out)"
is "$(remark $late --link nic:bandwidth_GBps=100 --faults 0:leave@10-2900)" - "messages to a worker that is away are not late"
some="sim --timing --workers 16 --net bytes:1e6 --compute-s 1 --link nic:bandwidth_GBps=10 --gradients 3200 --out results --quiet --json"
for algo in backup:b=8 k-sync:k=8; do
	is "$(remark $some --algo $algo)" "the server left 50 % of the gradients out of its model, but epochs, \
time per epoch and what follows from it count them" $algo
done
[[ "$(remark $some --algo ringmaster:threshold=1)" = "the server left 94 % "* ]] || fail "ringmaster: $(cat out)"
is "$(remark $some --algo ringmaster)" - "a threshold that leaves out nothing"

# Real ranks: seven gradients of two are three rounds, and the last gradient comes later than these.
real="train --algo allreduce --net quadratic:dim=4,samples=13 --batch 2 --workers 2 --compute-s 0.02 --out results --quiet"
expect 0 $real --epochs 1 --json
is "$(jq '.gradients, (.time_per_epoch_s * 12 / 13 | . > 0.06 and . < 10), .time_s > .time_per_epoch_s * 12 / 13' out | xargs)" \
	"7 true true" "real ranks"
expect 0 $real --gradients 1 --json
is "$(jq -r '.time_per_epoch_s, .remark' out | xargs)" "null no step was made; too short to time: 0 whole rounds in all for 2 workers" "a gradient of one rank"
