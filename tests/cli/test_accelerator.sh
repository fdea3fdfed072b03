# A transformer by its size, on accelerators by their peak: compute times, NICs, mfu, hours, cost.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

refuse() { expect 1 $run --dry-run "${@:2}"; says err "$1"; is "$(grep -c error: err)" 1; }
near() {
	jq -en "(($1) - ($2) | fabs) < 1e-9 * (($2) | fabs)" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}
run="sim --timing --algo allreduce --workers 8 --samples 6400 --gradients 80 --epochs 0"
value() { expect 0 $run --quiet --json "${@:2}"; jq -r "$1" out; }
net="--net gpt:params=1.3e9,seq=2048 --batch 8"
link="--link nic:latency_s=0,bandwidth_GBps=50 --sim-bucket 0"

# 6 N tokens / (MFU x peak); the gradient has 4 bytes a parameter.
near "$(value .settings.compute_s $net --device h100 --mfu 0.4 $link)" "6 * 1.3e9 * 2048 * 8 / (0.4 * 989e12)"
# The run ends with the last of ten gradients, after nine exchanges. The devices are busy with the
# tenth too, and MFU is what ten steps with their exchanges leave of 0.4.
ended="(10 * 0.32304145601617796 + 9 * 14 / 8 * 5.2 / 50)"
seconds="(10 * 0.32304145601617796 + 10 * 14 / 8 * 5.2 / 50)"
near "$(jq .time_s out)" "$ended"
near "$(jq .mfu out)" "0.4 * 10 * 0.32304145601617796 / $seconds"
near "$(jq .tokens_per_s out)" "80 * 8 * 2048 / $seconds"
is "$(jq '.parameters, .forward_flop' out | xargs)" "1300000000 5324800000000"
near "$(jq .gpu_hours out)" "8 * $seconds / 3600"
is "$(jq 'has("cost")' out)" false
near "$(value .cost $net --device h100 --mfu 0.4 $link --price '$2.5/h')" "2.5 * 8 * $seconds / 3600"
expect 0 $run $net --device h100 --mfu 0.4 $link --price '$2.5/h'
grep -qE '^cost +\$0\.0' out || fail "no dollars: $(cat out)"
says err "finished before"
says err "assumed: compute 0.323 s (device h100: 6 x 1.3e9 parameters x 16384 tokens / (0.4 x 9.89e14 operations a second), peak of bf16"

# The published rate of the nearest size: 45455 tokens a second of 1315950592 parameters.
near "$(value .settings.compute_s $net --device h100 $link)" "2048 * 8 / 45455 * 1.3e9 / 1315950592"
expect 0 $run $net --device h100 $link --algo allreduce --seed 2
says err "mfu from 45455 tokens a second and device of 1.316e+09 parameters on 8, mosaicml/llm-foundry"

# It has attention already: a net that counts it takes the same time.
for attention in "" ,layers=24,d_model=2048,attention=true; do
	value .settings.compute_s --net gpt:params=1.3e9,seq=2048$attention --batch 8 --device h100 $link
done >seconds
near "$(sed -n 1p seconds)" "$(sed -n 2p seconds)" "attention with a published rate"

# Attention is counted where it is asked for: 2 x layers x seq x d_model for each token.
near "$(value .forward_flop --net gpt:params=1.3e9,seq=2048,layers=24,d_model=2048,attention=true --batch 8 --device h100 --mfu 0.4 $link)" \
	"2 * 2048 * (1.3e9 + 2 * 24 * 2048 * 2048)"
expect 0 show net gpt:params=1.3B,layers=24 --json
is "$(jq '.layers | length' out)" 24
is "$(jq .parameters out)" 1300000000
# Units, and other ways to write it, are the same run.
is "$(value .hash --net gpt:params=1.3B --batch 8 --device h100 --mfu 0.4 $link)" "$(value .hash $net --device h100 --mfu 0.4 $link)"
# Nets of images have multiply-accumulates.
near "$(value .settings.compute_s --net vgg16 --batch 32 --device a100 --mfu 0.5 $link)" "6 * 15470264320 * 32 / (0.5 * 312e12)"

# Eight devices compute a worker's gradient, and each has its NIC: 8 x 50 GB/s.
eight="--gpus-per-worker 8 --device h100 --mfu 0.4"
near "$(value .time_s $net $eight $link --price 20/h/worker)" "$ended / 8"
near "$(jq .mfu out)" "0.4 * 10 * 0.32304145601617796 / $seconds"
near "$(jq .gpu_hours out)" "8 * $seconds / 3600"
near "$(jq .cost out)" "20 * 8 * $seconds / 8 / 3600"
is "$(jq -r .settings.link out | grep -o 'bandwidth_GBps=[0-9]*')" "bandwidth_GBps=50" "the link as given"
# A line says so where the link does not.
expect 0 $run $net $eight --link nic:bandwidth_GBps=10Gb/s,collective=ring --seed 3
says err "link latency_s=1e-5, 8 NICs a worker, 10 GB/s (defaults of link nic)"
expect 0 sim --timing --workers 2 --samples 6400 $net --gpus-per-worker 4 --cluster ec2-g6e.2xlarge --mfu 0.4
says err "link nic:bandwidth_GBps=1.41, and in it collective=nccl, 4 NICs a worker, 5.64 GB/s (cluster ec2-g6e.2xlarge"
expect 0 $run $net $eight --link nic:node=8,nics=4,bandwidth_GBps=50,latency_s=0 --seed 3
! grep -q "NICs a worker" err || fail "the link says it: $(cat err)"
# The NICs of a node are of its devices: one for two of them.
near "$(value .time_s $net $eight --link nic:latency_s=0,bandwidth_GBps=50,node=8,nics=4,collective=ring --sim-bucket 0)" \
	"10 * 0.32304145601617796 / 8 + 9 * 14 / 8 * 5.2 / 200"
# Four workers of two devices in a node are as four with 2 NICs each.
near "$(value .time_s $net --gpus-per-worker 2 --compute-s 1 --link nic:latency_s=0,bandwidth_GBps=50,node=8,nics=8,node_GBps=200 --sim-bucket 0)" \
	"$(value .time_s $net --compute-s 1 --link nic:latency_s=0,bandwidth_GBps=100,node=4,nics=4,node_GBps=400 --sim-bucket 0)"
# A cluster's machines are divided among workers, and so are its compute times.
one="$(value .settings.compute_s $net --cluster h100-ndr)"
near "$(value .settings.compute_s $net --cluster h100-ndr --gpus-per-worker 8)" "$one / 8"
expect 0 sim --timing $net --cluster h100-ndr --gpus-per-worker 8 --samples 6400 --dry-run
grep -qE '^workers +4 ' out || fail "32 devices are not 4 workers: $(grep workers out)"
grep -qE '^sim_bucket +209715200 ' out || fail "buckets: $(grep sim_bucket out)"
echo '{ "device": "h101", "workers": 2 }' >h101.json
refuse "h101.json: device: unknown accelerator 'h101'; did you mean 'h100'?" $net --cluster ./h101.json
# Clusters name their devices, so mfu is known; a net without operations has none.
near "$(value .mfu --net gpt2 --batch 8 --cluster h100-ndr)" "3 * $(jq .forward_flop out) * $(jq .samples_per_s out) / 8 / 989e12"
value .hash --net bytes:1e6 --compute-s 1 --cluster h100-ndr >/dev/null
is "$(jq 'has("mfu"), has("gpu_hours")' out | xargs)" "false true"
value .hash --net bytes:1e6 --compute-s 1 >/dev/null
is "$(jq 'has("mfu"), has("gpu_hours"), has("cost")' out | xargs)" "false false false"

# The setting mfu is not the measure: where nothing was measured, there is none.
unknown="--net bytes:1e9 --batch 8 --device h100 --compute-s 0.1 $link"
expect 0 $run $unknown --mfu 0.4 --values step_s,mfu --csv
is "$(sed -n 2p out | cut -d, -f3)" "" "mfu of a net without operations: $(cat out)"
expect 0 $run $unknown --mfu 0.2,0.4 --values step_s,mfu --csv
is "$(head -n 1 out)" "mfu (setting),status,step_s,mfu,is_baseline,remark"
expect 0 $run $unknown --mfu 0.2,0.4 --values step_s,mfu
says out "mfu (setting) "

# In tables, with the currency.
expect 0 $run $net --device h100 --mfu 0.3,0.4 $link --price '$2.5/h' --values mfu,cost,gpu_hours,step_s
says out "cost [\$]"
says out "model FLOP utilisation [share of the peak]"
expect 0 $run $net --device h100 --mfu 0.4 $link --price '$2.5/h' --algo allreduce,diloco --csv
is "$(sed -n 1p out | grep -o 'mfu,gpu_hours,cost')" "mfu,gpu_hours,cost" "a column for each measure that one run prints"
hours=$(awk -F, '$1 == "diloco" { print $9 }' out) cost=$(awk -F, '$1 == "diloco" { printf "$%.6g", $10 }' out)
expect 0 $run $net --device h100 --mfu 0.4 $link --price '$2.5/h' --algo diloco
says out "$(printf 'gpu_hours           %.6g' "$hours")"
says out "$(printf 'cost                %s' "$cost")"
expect 0 $run $net --device h100 --mfu 0.4 $link --price '$2.5/h' --algo allreduce,diloco --report priced.html
says priced.html ">$cost</td>"
says priced.html ">MFU</th>"
expect 0 $run $unknown --algo allreduce,diloco --csv
is "$(sed -n 1p out | grep -oE 'mfu|gpu_hours|cost' | xargs)" gpu_hours "a net without operations"
expect 0 $run --net bytes:1e6 --compute-s 1 --algo allreduce,diloco --csv
is "$(sed -n 1p out | grep -oE 'mfu|gpu_hours|cost|goodput' | xargs)" "" "of a machine without devices"
expect 0 $run --net bytes:1e6 --compute-s 1 --faults 3:leave@10-20 --algo allreduce,diloco --csv
is "$(sed -n 1p out | grep -o goodput)" goodput "of a worker that leaves"

# Bad input: a line each.
refuse "mfu must be a number, from 0 to 1, not '1.2'" $net --device h100 --mfu 1.2
refuse "mfu must be a number, from 0 to 1, not '-0.4'" $net --device h100 --mfu -0.4
for device in k80 p100 t4 v100 v100-mixed a100-mixed; do
	refuse "device: the peak of $device is not known, only times of some nets: give --compute-s $device. Those with a peak: a100, h100" $net --device $device
done
refuse "device: unknown accelerator 'table'" $net --device table
refuse "device: unknown accelerator 'h10'; did you mean 'h100'?" $net --device h10
expect 0 $run $net --cluster h100-ndr --mfu 0.4 --workers 8
cp out by_cluster
expect 0 $run $net --cluster h100-ndr --device h100 --mfu 0.4 --workers 8
is "$(cat by_cluster)" "$(cat out)" "the device of the cluster"
refuse "mfu = 0.4: of which device?" $net --mfu 0.4
expect 0 $run $net --device h100 --mfu 0.4 --compute-s 1
says err "no effect: mfu (compute_s is given)"
expect 0 advise --between allreduce,asgd --vary compute-s=10ms..1s --timing $net --device a100 --mfu 0.4 --samples 10k --workers 4 --link nic --points 3 --quiet
refuse "price '2.5' has no unit" $net --device h100 --price 2.5
refuse "net gpt: params is missing" --net gpt --device h100
refuse "device h100: net bytes has no size that says how much is computed" --net bytes:5GB --device h100 --mfu 0.4
refuse "device l40s: no rate of transformers is published for it" $net --device l40s
refuse "device h100: none of its rates by parameters is near the 3e+12 of net gpt. Give --mfu SHARE" --net gpt:params=3e12 --device h100
refuse "net gpt: params must be a number, from 1000 to 1e15, not '1.3'" --net gpt:params=1.3,seq=1024 --device h100 --mfu 0.4
refuse "none of its rates by parameters is near the 2.5e+08 of net gpt. Give --mfu SHARE" --net gpt:params=250M,seq=1024 --batch 8 --device h100
refuse "is near the 1.2444e+08 of net gpt2. Give --compute-s h100, which has a published rate of gpt2, or --mfu" --net gpt2 --device h100
refuse "device h100: the published rates are of transformers, and net vgg16 is none" --net vgg16 --device h100
refuse "Give --compute-s a100, which has a published rate of resnet50, or --mfu" --net resnet50 --device a100
refuse "device: unknown accelerator 'h101'; did you mean 'h100'?" $net --device h101
refuse "gpus_per_worker = 3: workers are not whole in nodes of 8 devices" $net --device h100 --gpus-per-worker 3 --link nic:node=8,nics=8
nics_of() { echo "link model nic: nics = 8, but the NICs of a node are divided among its $1s, of which it has node = 4 (expected nics of at most 4). Give node=NUMBER of $1s; or for a $1 with several NICs, give nics=4 and 2 times the bandwidth_GBps"; }
for gpus in 1 2 8; do
	refuse "$(nics_of $([ $gpus = 1 ] && echo worker || echo device))" $net --device h100 --gpus-per-worker $gpus --link nic:node=4,nics=8
done
refuse "gpus_per_worker = 8: flow_GBps of the link is of one NIC" $net $eight --link nic:flow_GBps=1
expect 0 $run $net --device rtx4090 --mfu 0.3
says err "waredb.com/processor/nvidia-geforce-rtx-4090 (November 2026)"
expect 0 show device h100
says out "peak 9.89e+14 operations a second"

# ---- memory: 4 bytes of 70e9 parameters, as many gradients and, with momentum, one vector of state ----
big="--net gpt:params=70B,seq=4096 --batch 1 --mfu 0.4 --workers 64 --compute-s auto --link nic:bandwidth_GBps=50"
expect 0 sim --timing --algo allreduce $big --device h100 --samples 640
says err "parameters, gradients and the state of sgd are 840 GB a device, with 4 bytes a number, and its memory is 80 GB"
expect 0 sim --timing --algo allreduce $big --device h100 --samples 640 --optim sgd:momentum=0
says err "are 560 GB a device"
expect 0 sim --timing --algo allreduce $big --device h100 --gpus-per-worker 8 --samples 640
says err "are 105 GB a device"
says err "Activations, and vectors that the algorithm or a codec keeps, are not counted ('convoy show algo allreduce')"
for fits in "--device h100 --zero 3" "--device h100 --gpus-per-worker 16" "--device rtx4090"; do
	expect 0 sim --timing --algo allreduce $big $fits --samples 640
	! grep -q "GB a device" err || fail "$fits: $(cat err)"
done
expect 0 sim --timing --algo diloco:period=5 $big --device h100 --gpus-per-worker 16 --samples 6400
says err "sgd take 52.5 of a device's 80 GB, with 4 bytes a number. Activations, and vectors that the algorithm or a codec keeps, are not counted ('convoy show algo diloco')"
expect 0 sim --timing --algo allreduce $big --device h100 --gpus-per-worker 32 --samples 640
! grep -q "of a device's" err || fail "26 of 80 GB are no remark: $(cat err)"
expect 0 advise --among allreduce,asgd $big --device h100 --quiet --json
is "$(jq '.gaps[0] | startswith("parameters, gradients and the state of sgd are 840 GB a device")' out)" true
