# The machine of a run: a cluster, or what the settings say of it; what is assumed is said.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq
near() {
	jq -en "(($1) - ($2) | fabs) <= 1e-9 * (($2) | fabs)" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}
own="sim --timing --net vgg --batch 128 --samples 51200 --workers 4 --epochs 1"
given="--link nic:latency_s=2e-6,bandwidth_GBps=12.5 --compute-s 0.035"

# A machine that link and compute time describe has nothing of a cluster.
expect 0 $own $given --algo asgd --dry-run --json
is "$(jq -r '[.cluster, .host_copy_s, .update_s, .delay, .overlap] | join(" ")' out)" \
	"none 0 0 constant true" "a machine of its own"
is "$(jq -c '.assumed | map_values(.[0:7])' out)" \
	'{"host_copy_s":"neutral","update_s":"neutral","delay":"neutral"}'
expect 0 $own $given --algo asgd --dry-run
for row in "host_copy_s 0" "update_s 0" "delay constant"; do
	grep -qE "^$row *neutral: the machine is given by link and compute_s$" <(tr -s ' ' <out) || fail "no source of $row"
done
grep -qE "^(algo|workers|compute_s|link) .* given$" out || fail "what is given is not said"
says out "default"
expect 0 $own --compute-s 0.035 --algo asgd --dry-run --json
is "$(jq -r '.link + " " + .assumed.link' out)" "ideal neutral: the machine is given by compute_s"
expect 0 sim --timing --samples 3200 --compute-s 1 --algo asgd --dry-run --json
is "$(jq -r '.workers + " " + .assumed.workers' out)" "16 neutral: the machine is given by compute_s"

# A compute time is not made up.
for machine in "--link nic" "--cluster none"; do
	expect 1 $own --algo asgd $machine
	says err "compute_s is missing"
	says err "Give --compute-s SECONDS"
	one_line
done

# Without any of the three it is the default cluster, which is said.
expect 0 sim --timing --algo asgd --samples 3200 --dry-run --json
is "$(jq -r '.cluster' out)" power8-edr
is "$(jq -r '[.assumed[]] | unique[]' out)" \
	"cluster power8-edr, the default: no link, compute time or cluster is given"
hash=$(jq -r .hash out)
expect 0 sim --timing --algo asgd --samples 3200 --dry-run --json --cluster power8-edr
is "$(jq -r .hash out)" "$hash" "the default cluster by its name"
is "$(jq -r '[.assumed[]] | unique[]' out)" "cluster power8-edr"

# A named cluster lends what is not given, and a file that is silent is neutral.
expect 0 show net vgg --json
size=$(jq .parameters out)
expect 0 $own $given --cluster power8-edr --algo asgd --dry-run --json
near "$(jq -r .host_copy_s out)" "2 * (4.4663e-4 + 4 * $size / 40e9)"
is "$(jq -r '.assumed.host_copy_s' out)" "cluster power8-edr"
echo '{ "workers": 2, "link": "nic" }' >c.json
expect 0 $own --cluster ./c.json --algo asgd --dry-run --json
is "$(jq -r .assumed.host_copy_s out)" "neutral: cluster ./c.json has no host_copy_GBps"
is "$(jq -r .assumed.link out)" "cluster ./c.json"
is "$(jq -r .assumed.compute_s out)" \
	"neutral: 1e+12 operations a second, as cluster ./c.json has neither flops nor a time of this net"

# On the terminal, in the file, in JSON, and below tables of several runs and of other settings.
expect 0 $own $given --algo asgd
is "$(grep -c '^convoy: assumed: host-device copy 0 s' err)" 1 "once on the terminal"
expect 0 $own $given --algo asgd --json --quiet
is "$(jq -r .assumed.host_copy_s out)" "neutral: the machine is given by link and compute_s"
python_on "$(jq -r .file out)" >copied <<'END'
print(f["assumed"].attrs["host_copy_s"].decode(), f["settings"].attrs["host_copy_s"].decode())
END
[ -s copied ] && is "$(cat copied)" "neutral: the machine is given by link and compute_s 0"
expect 0 $own $given --algo asgd,ad-psgd
says err "assumed: host-device copy 0 s"
says out "note: assumed: host-device copy 0 s"

# Of several runs, it says which assume what, where others have another value.
sweep="sim --timing --samples 5000 --workers 2,4"
expect 0 $sweep --net lenet,resnet20 --algo asgd,allreduce
says err " with net=lenet; compute 0.01155 s with net=resnet20, host-device copy 0.0009795 s with net=lenet, "
says err ", update 0 s, messages received"
is "$(grep -c '^convoy: assumed' err)" 1 "one line"
expect 0 $sweep --link ideal,nic:bandwidth_GBps=1 --compute-s 0.1
says err "; link latency_s=1e-5,collective=ring (defaults of link nic) with link=nic:bandwidth_GBps=1"
expect 0 $sweep --cluster power8-edr,k80-fdr --compute-s 0.1
says err "delay constant, link nic:latency_s=1.21e-5,bandwidth_GBps=0.921, and in it collective=ring (cluster power8-edr) with cluster=power8-edr; "
expect 0 $sweep --net lenet,resnet20 --batch 1,2
says err " with net=lenet; compute 0.0003608 s with net=resnet20 batch=1, "
cat >pairs.json <<'END'
{ "title": "pairs", "base": { "timing": true, "samples": 5000, "workers": 2, "algo": "asgd" },
  "grid": [ { "net": ["lenet"], "batch": [8] }, { "net": ["lenet"], "batch": [16], "update_s": [0.1] },
            { "net": ["resnet20"], "batch": [16] }, { "net": ["resnet20"], "batch": [8], "update_s": [0.1] } ] }
END
expect 0 run pairs.json
says err "update 0 s in some of the runs, "

expect 0 run slow-ship --dry-run
grep -q neutral out && fail "a spec that leaves nothing open: $(cat out)"
expect 0 run slow-worker --dry-run
says out "from cluster power8-edr"
expect 0 run slow-worker --algo asgd --workers 4 --quiet --compute-s 0.01
says out "assumed: host-device copy"

# A given setting on which no run depends is named, with the reason; one that some use is not.
timing="sim --timing --net lenet --samples 5000 --compute-s 0.01 --workers 4"
why="(timing only: compute times follow from compute_s, sizes of messages from codec)"
expect 0 $timing --algo allreduce --precision bf16
says err "convoy: no effect: precision $why"
expect 0 $timing --algo allreduce --precision f32,bf16 --lr 0.1 --update-s 0.1 --sim-bucket 1e6 --bucket 8
says out "note: no effect: precision (timing only: compute times follow from compute_s, sizes of"
for part in "precision $why; lr (timing only: no gradient is computed)" \
	"; update_s (the algorithm has no server); bucket (it is of real ranks; the simulator has sim_bucket)"; do
	says err "$part"
done
expect 0 $timing --algo allreduce --precision bf16 --dry-run
says out "given (not used)"
expect 0 $timing --algo allreduce,asgd --update-s 0.1 --sim-bucket 1e6
grep -q "no effect" err && fail "settings that some runs use: $(cat err)"
expect 0 sim --algo allreduce --net quadratic --workers 2 --lr 0.01 --gradients 10
grep -q "no effect" err && fail "the learning rate of a training run"
quadratic="sim --algo allreduce --net quadratic --workers 2 --lr 0.01 --epochs 0.1"
expect 0 $quadratic --lr-batch 64 --warmup-from 0.5 --schedule cosine:from=0.2
says err "no effect: lr_batch (lr_scaling is none); warmup_from (warmup is 0); schedule (the run ends before the learning rate falls)"
expect 0 $quadratic --schedule steps:at=0.05 --warmup 0.05
grep -q "no effect\|warmup:" err && fail "a schedule that begins: $(cat err)"
expect 0 $quadratic --warmup 1
says err "convoy: warmup: the run ends after 0.1 of the 1 epochs of its warm-up, at a learning rate of 0.0019"
echo '{ "title": "t", "base": { "timing": true, "workers": 2, "precision": "bf16" } }' >bf16.json
expect 0 run bf16.json
says err "no effect: precision"
expect 0 advise --between allreduce,ad-psgd --vary slow=1..2 --workers 2 --gradients 100 --precision bf16
says err "no effect: precision"

# Seconds have a unit; devices have none.
expect 0 sim --timing --algo allreduce --net resnet50 --batch 64 --workers 8 --gradients 80 --link nic \
	--compute-s '0-3: t4; 4-7: v100'
says err "; compute 0-3: t4; 4-7: v100 (extrapolated"

# Without data a net is as large as its file says, not as the images of the default data set make it.
timed="sim --timing --algo allreduce --workers 2 --gradients 8 --link ideal --device h100 --mfu 0.3"
expect 0 $timed --net resnet50
says err "inputs as in data set imagenet (the input and classes of net resnet50)"
says err "6 x 4089184256 multiply-accumulates"
expect 0 $timed --net alexnet
says err "inputs as in data set imagenet:crop=227"
expect 0 $timed --net resnet50 --data shapes
says err "6 x 83431424 multiply-accumulates"
grep -q "inputs as in" err && fail "data is given: $(cat err)"
expect 0 $timed --net resnet20
grep -q "inputs as in" err && fail "resnet20 has the input of shapes: $(cat err)"

# A net of tokens has its own window and vocabulary. By hand: 12 layers have 12 x 768^2 products a token, and attention
# to the 512.5 tokens before it, on average, 2 x 768 x 512.5; the output has 768 x 50257.
expect 0 $timed --net gpt2-124m
says err "inputs as in data set tokens:window=1024,vocabulary=50257 (the input and classes of net gpt2-124m)"
says err "an epoch of 50000 samples (as many as data set tokens has; give --samples)"
says err "6 x $((1024 * (12 * (12 * 768 * 768 + 768 * 1025) + 768 * 50257))) multiply-accumulates a sample x 32 samples"
expect 0 $timed --net gpt-tiny --data chain:window=8
grep -q "inputs as in" err && fail "data is given: $(cat err)"
expect 1 sim --net gpt-tiny --data tokens:window=32,vocabulary=12 --compute-s 1 --workers 2
says err "data set tokens has sizes and no text. Add --timing, or choose a text, such as --data text:file=FILE"

# Where all names are too many for a message, it says what lists them.
for kind in "net nets" "algo algos"; do
	expect 1 sim --timing --compute-s 1 --${kind% *} nosuch
	says err "'nosuch'; 'convoy list ${kind#* }' names all"
done

# Rounds that are longer than the run exchange nothing, which is said; of one worker or memory it is not.
quiet="sim --net quadratic --gradients 12 --compute-s 1 --workers"
expect 0 $quiet 2 --algo diloco
says err "no worker sent anything: the run ended before the first exchange (period=50)."
expect 0 $quiet 2 --algo gossip-pull:tau=100
says err "(tau=100)"
for own in "1 --algo diloco" "2 --algo hogwild" "2 --algo diloco:period=6" "2 --algo diloco --quiet"; do
	expect 0 $quiet $own
	grep -q "sent anything" err && fail "$own: $(cat err)"
done

# All-reduce is overlapped by buckets, as DDP does, but on the clusters of the papers.
step="sim --timing --algo allreduce --net resnet50 --data imagenet --samples 1281167 --batch 64 --epochs 1"
fast="--workers 16 --link nic:latency_s=2e-6,bandwidth_GBps=12.5 --compute-s 0.05"
whole() { jq '.time_per_epoch_s * 100 | round' out; }
expect 0 $step $fast --json --quiet
is "$(whole)" 6706 "with overlap"
is "$(jq -r '.settings.sim_bucket + " " + .assumed.sim_bucket' out)" \
	"26214400 neutral: the default of PyTorch's DistributedDataParallel"
expect 0 $step $fast --json --quiet --sim-bucket 0
is "$(whole)" 8182 "without"
for off in "--codec qsgd" "--overlap false" "--algo ad-psgd" "--workers 1" "--net resnet20 --data shapes"; do
	expect 0 $step $fast $off --dry-run --json
	is "$(jq -r '.sim_bucket, (.assumed | has("sim_bucket"))' out | tr '\n' ' ')" "0 false " "$off"
done
# D-PSGD's exchange overlaps nothing unless asked to: said where all-reduces do overlap.
late="each exchange of models begins after the gradient (d-psgd:overlap=true: with it, as all-reduces do)"
dpsgd() { expect 0 sim --timing --workers 4 --net bytes:4e8 --gradients 256 --samples 1e6 --compute-s 0.2 "$@"; }
dpsgd --algo d-psgd --link nic
says err "$late"
dpsgd --algo allreduce,d-psgd --link nic
says out "note: each exchange of models"
for off in "d-psgd:overlap=true --link nic" "d-psgd --link ideal" "d-psgd --link nic --overlap false" "d-psgd --cluster power8-edr" "sgp --link nic"; do
	dpsgd --algo $off
	grep -q "each exchange" err && fail "$off: $(cat err)"
done
for cluster in power8-edr knl-opa k80-fdr xk7-k20x ec2-c4.4xlarge ec2-g2.8xlarge ec2-omnivore; do
	expect 0 $step --cluster $cluster --workers 16 --dry-run
	grep -qE "^sim_bucket +0 +from cluster $cluster$" out || fail "$cluster: $(grep sim_bucket out)"
	expect 0 cluster show $cluster
	says out "bucket_bytes = 0 bytes"
done
expect 0 $step --cluster ./c.json --workers 2 --dry-run
grep -qE "^sim_bucket +26214400 +neutral: " out || fail "$(grep sim_bucket out)"
expect 0 cluster show ./c.json
says out "bucket_bytes = 26214400 bytes"
for bytes in 3 4.5 1e12; do
	echo "{ \"bucket_bytes\": $bytes }" >bad.json
	expect 1 $step --cluster ./bad.json
	says err "bucket_bytes must be"
done
finish
