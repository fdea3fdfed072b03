# Measured ranks as a cluster, and both engines side by side: files, refusals, no times.
# COST 28
. "$(dirname "$0")/lib.sh"
need_mpi
need jq
data=shapes:train=256,test=64

# The file has what was measured, and the simulator takes it.
expect 0 calibrate -n 2 --net mlp --data $data --batch 16 --seconds 0.4 --rounds 2 -o here.json --quiet
says err "wrote here.json"
says out "allreduce"
jq -e '.workers == 2 and .measured.ranks == 2 and .measured.batch == 16 and .measured.net == "mlp" and
	(.measured.hosts | length) == 2 and .measured.batch_s["1"] > 0 and .measured.batch_s["2"] > 0 and
	.compute.seconds_per_sample.mlp["2"] * 16 / .measured.batch_s["2"] - 1 < 1e-3 and
	.update_s > 0' here.json >/dev/null || fail "$(cat here.json)"
# The images of shapes are painted when they are first used: by calibration the pace of a run's
# first epoch, which is another than that of later ones; a net without data has no such time.
jq -e '.delay | test("^measured:factors=.*[*]first-use:extra=[0-9.]+,gradients=8,workers=2$")' here.json \
	>/dev/null || fail "$(jq .delay here.json)"
says out "new samples"
expect 0 sim --cluster here.json --net mlp --data $data --batch 16 --timing --algo ad-psgd --json --quiet
jq -e '.workers == 2 and .time_s > 0' out >/dev/null || fail "$(cat out)"
is "$(jq -r '.settings.link | sub(":.*"; "")' out)" measured
# A run of another input size or batch than was measured says so.
size="here.json was measured with data shapes, on which net mlp has"
expect 0 sim --cluster here.json --net mlp --batch 16 --timing --samples 64 --gradients 8 --out other
says err "$size 411146 parameters, not 118282: give --data shapes"
expect 0 sim --cluster here.json --net mlp --data $data --batch 8 --timing --gradients 8 --out other
says err "here.json was measured with batch 16, not 8: the time of a gradient is taken as proportional"
grep -q "$size" err && fail "$(cat err)"
expect 0 show cluster ./here.json
expect 0 calibrate -n 1 --net quadratic --seconds 0.3 --rounds 2 -o one.json --quiet
says err "one rank sends no message, so the network was not measured: one.json has link ideal, no time"
says out "not measured: link ideal, no time, is assumed"
expect 0 show cluster ./one.json
grep -A1 '^  link = ideal' out | grep -q "assumed, not measured: one rank sends no message" || fail "link: $(cat out)"
jq -e '.link == "ideal" and (.delay | test("first-use") | not)' one.json >/dev/null || fail "$(cat one.json)"
# Without the first quarter of an epoch of 32 batches of 10 ms: an epoch takes as long as any other.
expect 0 predict --rounds 1 --cluster one.json -n 1 --net quadratic --batch 32 --gradients 16 --compute-s 0.01 --delay constant \
	--settle 0.25 --json --quiet
jq -e '.[0].predicted_s_per_epoch / 0.32 - 1 | fabs < 1e-6' out >/dev/null || fail "settled: $(cat out)"

expect 0 calibrate -n 3 --workers 2 --net quadratic --seconds 0.3 --rounds 2 -o three.json --quiet
jq -e '.workers == 2 and .measured.ranks == 3 and (.measured.batch_s | keys) == ["1", "2"]' three.json \
	>/dev/null || fail "$(cat three.json)"
expect 1 calibrate -n 2 --workers 3 --net quadratic -o x.json
says err "3 workers on 2 ranks"

# Both engines, a row an algorithm; commas within and between.
expect 0 predict --cluster here.json -n 2 --net mlp --data $data --batch 16 --gradients 64 \
	--algo allreduce,d-psgd:overlap=true --seed 1e3 --settle 0.5 --rounds 2 --json
is "$(grep -o 'round .*' err)" "$(printf 'round %s\n' '1 of 2: allreduce' '1 of 2: d-psgd:overlap=true' \
	'2 of 2: allreduce' '2 of 2: d-psgd:overlap=true')" "rounds in turns"
jq -e 'length == 2 and .[0].status == "done" and .[1].algo == "d-psgd:overlap=true" and
	all(.[]; .workers == 2 and .predicted_s_per_epoch > 0 and .measured_s_per_epoch > 0 and
	    .rounds == 2 and .predicted_half >= 0 and .measured_half > 0 and .off_half > 0 and
	    (.verdict | test("^(agrees|too fast|too slow|undecided)")))' out >/dev/null || fail "$(cat out)"
expect 0 list runs --json
is "$(jq -c 'map(.seed | select(. > 1)) | unique' out)" '[1000,1001]' "a seed for each round"
expect 1 predict --rounds 1 --cluster here.json --workers 2 --net mlp --data $data --batch 16 \
	--gradients 16 --algo asgd --within 1e-9 --quiet
says out "asgd"
[ "$(nproc)" -ge 3 ] || says err "3 ranks share $(nproc) cores"
says out "one round gives no interval"
says err "the prediction is off by"
expect 0 predict --rounds 1 --cluster here.json -n 1 --net mlp --data $data --batch 8 --gradients 16 --quiet
says err "was measured with batch 16, not 8"

# Without --data, both engines have the net, the data and the epoch of the real run; with a compute
# time of its own, gradients that take just that.
jq '.link |= sub("receive_GBps=[-+0-9.e]*"; "receive_GBps=0.01")' here.json >receives.json
expect 0 predict --rounds 1 --cluster receives.json -n 2 --net mlp --batch 16 --gradients 8 --compute-s 0.02 \
	--json --out twice
says err "compute_s is given: both engines have --delay constant"
expect 0 list runs --json --out twice
is "$(jq -c 'map([.parameters, .epochs, .bytes_sent, .settings.delay]) | unique | length' out)" 1 "$(cat out)"
is "$(jq -c '.[0] | [.parameters, .epochs * 50000, .settings.delay]' out)" '[411146,128,"constant"]'
is "$(jq -r '.[].settings | select(.engine == "sim") | .link | sub(".*,receive"; "receive")' out)" receive_GBps=0

# A run that diverges is other work than was predicted: no number, and no success.
expect 1 predict --rounds 1 --cluster here.json -n 2 --net mlp --data $data --batch 16 --gradients 64 --lr 1e15 \
	--algo allreduce,d-psgd --settle 0.5 --plot none.svg --quiet
is "$(grep -cE '^(allreduce|d-psgd) +2 +2 diverged after [0-9]+ gradients?; lower --lr$' out)" 2 "$(cat out)"
is "$(grep -cE 'error: (allreduce|d-psgd): diverged after' err)" 2 "$(cat err)"
ls none.* 2>/dev/null && fail "a plot of nothing"
expect 1 predict --rounds 1 --cluster here.json -n 2 --net mlp --data $data --batch 16 --gradients 64 --lr 1e15 \
	--json --quiet
jq -e '.[0] | .status == "diverged" and .measured_s_per_epoch == null and .off_percent == null' out \
	>/dev/null || fail "$(cat out)"

# An experiment: a row for each point, with settings that override its own; what only a simulator has goes.
cat >exp.json <<'END'
{
  "title": "Two algorithms",
  "base": { "net": "mlp", "data": "shapes:train=256,test=64", "batch": 16, "workers": 2, "timing": true,
            "samples": 1000, "link": "ideal", "gradients": 1e6 },
  "grid": { "algo": ["allreduce", "d-psgd"], "slow": ["none", "0:2"] }
}
END
expect 0 predict --rounds 1 exp.json --cluster here.json --gradients 32 --only slow=0:2 --json --quiet
jq -e 'map(.run) == ["algo=allreduce slow=0:2", "algo=d-psgd slow=0:2"] and
	all(.[]; .workers == 2 and .predicted_s_per_epoch > 0 and .measured_s_per_epoch > 0)' out \
	>/dev/null || fail "$(cat out)"
expect 1 predict --rounds 1 exp.json --cluster here.json --net nolenet
says err "did you mean 'lenet'"
expect 1 predict --rounds 1 noexp --cluster here.json
expect 129 predict exp.json exp.json --cluster here.json
expect 129 predict --cluster here.json --scale smoke
says err "--scale needs an experiment"

# All-reduces of another kind than were measured are not guessed, nor is a server that shares a rank.
expect 1 predict --rounds 1 --cluster here.json --net mlp --data $data --batch 16 -n 2 --gradients 16 --allreduce ring
says err "here.json was measured with --allreduce whole"
# Seconds that are too few are doubled until there are gradients.
expect 0 calibrate -n 2 --net quadratic:dim=20000 --batch 64 --seconds 0.1 --rounds 2 --allreduce ring -o ring.json --quiet
is "$(jq -r .measured.allreduce ring.json)" ring
expect 0 predict --rounds 1 --cluster ring.json --net quadratic -n 2 --gradients 64 --allreduce ring --quiet
expect 1 predict --rounds 1 --cluster ring.json --net quadratic -n 2 --gradients 64 --quiet
says err "was measured with --allreduce ring"
# Times are of whole vectors, so the simulated gradient has no buckets.
expect 0 predict --rounds 1 --cluster ring.json --net quadratic:dim=1000 --batch 1 -n 2 --gradients 2 \
	--allreduce ring --quiet --out big
is "$(find big -name '*.h5' -exec grep -la '"sim_bucket":"0"' {} + | wc -l)" 2 "runs without buckets"
expect 1 predict --rounds 1 --cluster here.json --net mlp --data $data --batch 16 --workers 2 --gradients 16 \
	--algo asgd --server shared
says err "server = shared is not predicted"

# Refused before anything is measured.
expect 1 calibrate -n 2 --net mlp -o none/here.json
says err "none/"
expect 1 calibrate -n 2 --net mlp -o here.txt
says err ".json"
expect 1 calibrate -n 2 --net nolenet -o x.json
says err "did you mean 'lenet'"
expect 129 calibrate lenet
expect 129 predict --net mlp
says err "--cluster"
expect 1 predict --rounds 1 --cluster nowhere.json --net mlp
expect 1 predict --rounds 1 --cluster here.json --net mlp -n 2 --algo asgd,gsgd
says err "unknown algorithm 'gsgd'"
expect 1 predict --rounds 1 --cluster here.json --net mlp --data $data --batch 16 -n 2 --gradients 16 --settle 50 \
	--quiet
says err "--settle is too long"

# spoil FILTER WORD: a file changed so is refused, with its name and the word.
spoil() {
	jq "$1" here.json >bad.json
	expect 1 sim --cluster bad.json --net mlp --data $data --timing --samples 1000
	says err "$2"
	one_line
}
spoil '.measured.bacth = 3' "did you mean 'batch'"
spoil '.measured = 3' "bad.json: measured must be an object"
spoil '.compute.seconds_per_sample.mlp = {"two": 1}' "'two' of mlp must be a number of workers"
spoil '.compute.seconds_per_sample.mlp = {"2": 1, "1": 1}' "ascending"
spoil '.compute.seconds_per_sample.mlp = {}' "mlp has no times"
spoil '.compute.seconds_per_sample.mlp = {"1": -1}' "not negative"
spoil '.link = "measured:message_bytes=0/1,message_s=1"' "message_bytes has 2 numbers, message_s 1"
spoil '.link = "measured:allreduce_bytes=2/1,allreduce_s=1/1"' "must ascend"
spoil '.delay = "measured:factors=1/0"' "factors"

# By workers: linear in between, the ends' beyond.
cat >by.json <<'END'
{ "compute": { "seconds_per_sample": { "mlp": { "2": 1, "4": 3 } } } }
END
for pair in 1:32 2:32 3:64 4:96 9:96; do
	expect 0 sim --cluster by.json --net mlp --data $data --timing --samples 1000 \
		--workers ${pair%:*} --dry-run --json
	is "$(jq -r .compute_s out)" ${pair#*:} "seconds of a batch with ${pair%:*} workers"
done
finish
