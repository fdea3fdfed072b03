# Faults from the command line: what a run that ends says, what its file says, what is
# refused and where, and that a run without faults is the run that it was.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

run="sim --net quadratic:dim=20 --workers 4 --compute-s 1 --host-copy-s 0 --update-s 0 --link ideal \
	--delay constant --lr 0.01 --gradients 200 --quiet"

# All wait for the all-reduce of worker 3, which left in its 11th gradient.
expect 1 $run --algo allreduce --faults 3:leave@10.5 --out left
says err "stalled after 11 s and 43 gradients: worker 3 left at 10.5 s; ranks 0-2 wait for an all-reduce"
one_line
part=$(ls left/sim/*.h5.part)
[ "$(ls left/sim)" = "$(basename "$part")" ] || fail "a run that stalled is finished: $(ls left/sim)"
if command -v h5dump >/dev/null; then
	for attribute in status fault waits; do
		h5dump -a "/summary/$attribute" "$part" >>dump
	done
	says dump '"stalled"'
	says dump '"worker 3 left at 10.5 s"'
	says dump '"ranks 0-2 wait for an all-reduce"'
fi
expect 1 $run --algo noloco:period=1 --faults 3:leave@10.5-12
says err "worker 3 left at 10.5 s, and noloco has no answer to the loss of what it is sent"

# Its neighbours 0 and 2 go on at 11.25 s, worker 1 a round later; it is back at 13 s, in their round 12, and
# with them from round 13 on, which ends at 14.25 s.
expect 0 $run --algo d-psgd --faults 3:leave@10.5-13,detect_s=0.75 --json
jq -e '.time_s == 51.25' out >/dev/null || fail "d-psgd: $(jq -c '[.time_s, .dropped]' out)"

# An all-reduce goes on without it when it is detected at 11.25 s, and has it back from 13.25 s on:
# rounds end at 10, 11 (three of four), 12.25, 13.25 and, of all four, at 14.25, ..., 51.25 s.
expect 0 $run --algo allreduce --faults 3:leave@10.5-13,detect_s=0.75 --json
jq -e '.time_s == 51.25 and .dropped == 2' out >/dev/null ||
	fail "allreduce: $(jq -c '[.time_s, .dropped]' out)"
expect 0 $run --algo local-sgd --faults 3:leave@10.5-12 --json
jq -e '.status == "done" and .faults.over == [0, 1]' out >/dev/null || fail "local-sgd: $(cat out)"
expect 1 $run --algo allreduce --link nic:stepwise=pairs --faults 3:leave@10.5,detect_s=1
says err "is a ring of messages cannot continue without a worker"

# Gradients at 1, 2, ... s: worker 3 gives 10 until 10.5 s, and the rest after 12 s.
expect 0 $run --algo asgd --faults 3:leave@10.5-12+server:stall@20.25-20.5 --json
jq -e '.status == "done" and .settings.faults == "3:leave@10.5-12+server:stall@20.25-20.5" and
	.faults == { time_s: [10.5, 12, 20.25, 20.5], kind: [0, 0, 1, 1], over: [0, 1, 0, 1],
	rank: [3, 3, -1, -1], peer: [3, 3, -1, -1] } and .time_s == 51' out >/dev/null ||
	fail "asgd: $(jq -c '[.faults, .time_s]' out)"

# No faults are no setting; each is another run.
hash() { expect 0 $run --algo asgd --json "$@"; jq -r .hash out; }
none=$(hash)
jq -e 'has("faults") | not' out >/dev/null || fail "faults where there were none"
is "$(hash --faults none)" "$none" "no faults"
[ "$(hash --faults 3:leave@10)" != "$none" ] || fail "a worker left, the same hash"
one=3:leave@10-12+3:leave@12-14,copy=old+2-server:drop@20-21
is "$(hash --faults server-2:drop@20-2.1e1+3:leave@12-14,copy=old+03:leave@10.0-12,copy=fresh)" \
	"$(hash --faults $one)" "equal faults in another text"
is "$(jq -r .settings.faults out)" "$one" "the text of faults"
is "$(hash --slow 2:1.50@3-4+1:2)" "$(hash --slow 1:2.0+02:1.5@3-4)" "equal slowness in another text"
is "$(jq -r .settings.slow out)" 1:2+2:1.5@3-4 "the text of slowness"
is "$(hash --cluster power8-edr)" 6389ded94fad12e0 "the hash of a run from before there were faults"

# Several values; old and fresh copies are two.
expect 0 $run --algo asgd --timing --samples 640 --json \
	--faults none,3:leave@10-20,copy=old,3:leave@10-20,copy=fresh,server:stall@5-6
is "$(jq '.runs | length' out)" 4 "values of faults"
is "$(jq '[.baselines[].settings.faults] | unique | join(" ")' out)" '"none"' "the baseline's"

refused() { expect 1 $run --algo asgd --faults "$1"; says err "faults"; says err "$2"; }
refused 9:leave@10 "no rank 9 among 4 workers (ranks are 0 to 3)"
refused 1e0:leave@10 "ranks are plain decimal integers"
refused 3:leave@10-5 "FROM = 10 must be before TO = 5"
refused 3:leave@10-20+3:leave@15 "leave at 15 s begins before the one at 10 s is over"
refused 0-1:drop@1-2 "0-server and 1-server"
echo '{"title": "t", "base": {"algo": "d-psgd", "net": "quadratic", "workers": 4,
	"faults": "0-2:drop@1-2"}, "grid": {"seed": [1]}}' >spec.json
expect 1 run spec.json --quiet
says err "faults: ranks 0 and 2 are no neighbours in the graph"
expect 1 train --net quadratic --workers 2 --faults 1:leave@1
says err "faults is a setting of the simulator"

# At random times: of the seed alone, whatever the algorithm; goodput is in results and tables.
fail="--timing --faults all:fail@mtbf_s=40,detect_s=2,restart_s=8"
expect 0 $run --algo asgd $fail --json
jq -e '.goodput > 0.5 and .goodput < 1 and .failures > 0 and .settings.recovery == "continue" and
	(.faults.time_s | length) > 0' out >/dev/null || fail "asgd: $(jq -c '[.goodput, .faults]' out)"
first=$(jq -c '[.faults.time_s[0], .faults.rank[0]]' out)
expect 0 $run --algo allreduce $fail --json
is "$(jq -c '[.faults.time_s[0], .faults.rank[0]]' out)" "$first" "the first failure"
expect 0 $run --algo asgd,allreduce $fail
says out "goodput"
expect 0 $run --algo d-psgd,sgp,ad-psgd $fail --json
is "$(jq '[.runs[].goodput | . > 0.4 and . < 1] | all' out)" true "goodputs of gossip"
expect 1 $run --algo noloco $fail
says err "noloco tolerates no worker failure"
ordered() { expect 0 $run --algo asgd --timing --json "$@"; jq -r .hash out; }
is "$(ordered --faults all:fail@mtbf_s=20000,restart_s=300,detect_s=60 --recovery restart:cost_s=1,interval_s=10)" \
	"$(ordered --faults all:fail@mtbf_s=20000,detect_s=60,restart_s=300 --recovery restart:interval_s=10,cost_s=1)" \
	"keys in any order"
expect 1 $run --algo asgd --faults all:fail@mtbf_s=200,mtbf_s=300
says err "',mtbf_s=300' is left over"
expect 1 $run --algo asgd --faults all:fail@detect_s=60
says err "RANKS:fail@mtbf_s=S"
expect 1 $run --algo asgd --faults all:fail@mtbf_s=200,restart_s=x
says err "restart_s must be a number of seconds, at least 0, not 'x'"

# Back to checkpoints: 50 rounds, of which 2.5 s are lost at 24.5 s; four checkpoints of 1 s. Of
# 1024 samples, in 200 gradients of 32, an epoch takes 58 s / 6.25.
expect 0 $run --algo d-psgd --faults 1:leave@24.5-26 --recovery restart:interval_s=10,cost_s=1 --json
jq -e '.time_s == 58 and .failures == 1 and .checkpoints == 4 and .lost_s == 2.5 and
	.down_s == 1.5 and .checkpoint_s == 4 and .time_per_epoch_s == 9.28 and .goodput == 50 / 58 and .young_s == null and
	.settings.recovery == "restart:interval_s=10,cost_s=1"' out >/dev/null ||
	fail "checkpoints: $(jq -c '[.time_s, .time_per_epoch_s, .goodput, .lost_s, .down_s, .checkpoints]' out)"
expect 0 $run --algo allreduce $fail --recovery continue,restart:interval_s=10,cost_s=1 --json
is "$(jq -c '[.runs[].goodput > 0]' out)" "[true,true]" "goodputs"
expect 0 $run --algo allreduce $fail --recovery restart:interval_s=10,cost_s=1
says out "daly_s              3.83031"
expect 1 $run --algo asgd --recovery restart:interval_s=0
says err "recovery 'restart:interval_s=0': interval_s must be a number of seconds, more than 0, not '0'"
expect 1 $run --algo asgd --recovery restart:interval_s=5,cost_s=-1
says err "cost_s must be a number of seconds, at least 0, not '-1'"
expect 1 $run --algo asgd --recovery restart:interval_s=5,cost_s=1e308
says err "cost_s must be a number of seconds, at least 0, not '1e308': the most is 1e15"
expect 1 $run --algo asgd --recovery restart:interval=5
says err "unknown word 'interval'; did you mean 'interval_s'?"
expect 1 train --net quadratic --workers 2 --recovery restart:interval_s=5
says err "recovery is a setting of the simulator"

expect 0 $run --algo asgd --faults 3:leave@10-20 --trace t.h5
expect 1 replay t.h5 --quiet
says err "cannot be replayed (faults = 3:leave@10-20)"
expect 0 trace t.h5
says out "10.000000000  worker 3     fault     leaves"
says out "20.000000000  worker 3     over      is back, since 10.000000000"
expect 0 trace t.h5 --format chrome -o t.json
jq -e '[.traceEvents[] | select(.name == "away") | .tid, .ts, .dur] == [3, 10000000, 10000000]' t.json >/dev/null ||
	fail "the time away: $(jq -c '[.traceEvents[] | select(.name == "away")]' t.json)"
if command -v gnuplot >/dev/null; then
	expect 0 trace t.h5 --plot away.svg
	grep -q "away" away.svg && grep -q "<pattern" away.svg || fail "no worker is away in the picture"
	grep -qx "10 20 3" away.dat || fail "the bar of who is away: $(cat away.dat)"
	expect 0 $run --algo asgd --timeline there.svg
	! grep -q "away" there.svg || fail "a worker is away"
fi
expect 0 show algo allreduce
says out "continue without it, and admit it again after an all-reduce"
expect 1 $run --algo diloco:drop=0.5 --faults 3:leave@10-20
says err "diloco needs all workers with these options"
for codec in topk powersgd; do
	expect 1 $run --algo diloco:drop=0.5 --codec $codec
	says err "a codec without error feedback"
done
expect 0 show algo d-psgd
says out "admit it again at a round that none of them has begun"
expect 0 show algo noloco
says out "no worker failure: the run stops with an error"

# Compute times that depend on the clock: the run that goodput is relative to has its own. 90 s at full speed, then
# 1 s in 10 more, with 7 stops of 20 s; and 10 s at full speed with 2 stops of 2 s, where the other has 20 s at half.
slowed="sim --timing --algo allreduce --workers 4 --compute-s 1 --link ideal --net bytes:1e6 --gradients 400 --quiet --json"
goodput() { expect 0 $slowed "$@"; jq -c '[.goodput, .time_s] | map(. * 1e9 | round)' out; }
is "$(goodput --slow 0:10@100-200 --recovery restart:interval_s=20,cost_s=20)" "$(jq -nc '[100 / 285, 285] | map(. * 1e9 | round)')" "a slow worker"
is "$(goodput --slow 0:2@40-60 --recovery restart:interval_s=20,cost_s=2)" "$(jq -nc '[110 / 119, 119] | map(. * 1e9 | round)')" "slow for 20 s"
is "$(goodput --recovery restart:interval_s=20,cost_s=2)" "$(jq -nc '[100 / 108, 108] | map(. * 1e9 | round)')" "no slow worker"

# A worker of two nodes fails as often as both: 8 nodes fail every 1.25e5 s, sqrt(2 * 10 * 1.25e5).
fails="sim --timing --algo allreduce --net bytes:1e6 --compute-s 50 --seconds 1e5 --link nic:node=8 --quiet --json
	--faults all:fail@mtbf_s=1e6,detect_s=10,restart_s=100 --recovery restart:interval_s=1000,cost_s=10"
for who in "4 --gpus-per-worker 16" "8 --gpus-per-worker 8" 64; do
	expect 0 $fails --workers $who
	is "$(jq -c '[.young_s, .goodput_expected] | map(. * 1e6 | round / 1e6)' out)" "[1581.13883,0.985237]" "workers $who"
done

# Failures each second, of nodes that are away for 1000 s, leave no time for a step, in a longer run neither.
often="sim --timing --algo allreduce --workers 8 --net bytes:1e6 --compute-s 5 --faults all:fail@mtbf_s=8,restart_s=1000
	--recovery restart:interval_s=50,cost_s=2"
expect 0 $often --seconds 1e3 --json
jq -e '.goodput == 0 and .goodput_expected == 0 and .young_s == 2 and .failures > 900 and
	(.remark | test("^no step was made between [0-9]+ failures: nodes fail too often, and a longer run does not help$"))' out >/dev/null ||
	fail "no step: $(jq -c '[.goodput, .goodput_expected, .young_s, .failures, .remark]' out)"
! grep -q "Make it longer" err || fail "$(cat err)"
expect 1 $often --gradients 800
says err "it fails again before it has restarted. Give a longer mtbf_s, or a shorter detect_s and restart_s"

# A goodput of a run in which nothing failed is said to be that, and checkpoints that cost nothing.
calm="sim --timing --algo allreduce --workers 4 --net bytes:1e6 --batch 1 --samples 400 --compute-s 0.1 --link ideal"
expect 0 $calm --faults all:fail@mtbf_s=1e9
says err "convoy: no failure happened in this run"
expect 0 $calm --faults all:fail@mtbf_s=1e9 --recovery restart:interval_s=1000
says err "convoy: recovery: checkpoints take no time (cost_s is 0 unless given)"
says err "convoy: no failure happened in this run; no checkpoint was saved in this run"
expect 0 $calm --faults all:fail@mtbf_s=1e9 --seed 1,2
says out "note: no failure happened in these 2 runs"
expect 0 $calm --faults none,all:fail@mtbf_s=1e9
says out "note: no failure happened in the 1 of 2 runs that could have one"
expect 0 $calm --faults all:fail@mtbf_s=10,restart_s=0.1 --recovery restart:interval_s=2,cost_s=0
! grep -qE "no failure|no checkpoint|take no time" err || fail "$(cat err)"
# So is a slow period that begins after the end, at 10 s.
expect 0 $calm --slow 1:2@10.5-20
says err "convoy: a period of slow 1:2@10.5-20 begins after the end of this run"
expect 0 $calm --slow none,1:2@5-20,1:2@50-60
says out "note: a period of slow 1:2@50-60 begins after the end of 1 of 3 runs"
expect 0 $calm --slow none,1:2@50-60
says out "note: a period of slow 1:2@50-60 begins after the end of 1 of 2 runs"

finish
