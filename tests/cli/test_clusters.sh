# Every built-in cluster: its numbers, their sources, and the times they were derived from.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq
photos=imagenet:augment=alexnet	# for its shape alone: timing-only runs read nothing

expect 0 list clusters --json
cp out listed
expect 0 clusters list --json
cmp out listed || fail "'clusters list' and 'list clusters' differ"
names=$(jq -r '.[].name' out)
for name in power8-edr k80-fdr xk7-k20x knl-opa ec2-c4.4xlarge ec2-g2.8xlarge ec2-omnivore a100-nvlink h100-ndr a100-hdr ec2-g6e.2xlarge \
	internet-intellect-1 wan-ft-diloco; do
	grep -qx -- "$name" <<<"$names" || fail "no cluster $name: $names"
done

# What the file says in numbers, link's settings among them, has a source each, and nothing else.
numbers='[(keys - ["about", "cite", "compute", "derivation", "source", "sources"])[],
	(.compute | (.flops | values | "flops"),
	 (.seconds_per_sample // {} | keys[] | "seconds_per_sample." + .),
	 (.seconds_per_batch // {} | keys[] | "seconds_per_batch." + .)),
	(.link | split(":")[1] // "" | split(",")[] | "link." + split("=")[0])] | sort'
for name in $names; do
	expect 0 show cluster $name --json
	is "$(jq -c '.sources | keys | sort' out)" "$(jq -c "$numbers" out)" "sources of $name"
	net=
	nets=$(jq -r '.compute.seconds_per_sample // {} | keys[]' out)
	expect 0 cluster show $name
	grep -q "no source of its own" out && fail "$name: $(cat out)"
	for net in $nets; do
		says out "seconds_per_sample.$net = "
	done
	case $net in gpt*) net= ;; esac	# reads tokens
	expect 0 sim --cluster $name --net ${net:-resnet18} --algo allreduce --timing --batch 2 \
		--data $photos --samples 100000 --gradients 512 --quiet --json
	jq -e '.time_s > 0' out >/dev/null || fail "$name: $(cat out)"
done

# time CLUSTER WORKERS BATCH GRADIENTS ARGUMENT...: simulated seconds.
time_of() {
	expect 0 sim --cluster $1 --workers $2 --batch $3 --gradients $4 --timing --samples 1281167 \
		--data $photos --quiet --json "${@:5}"
	jq .time_s out
}
# within LOW X HIGH WHAT
within() {
	jq -en "($1) <= ($2) and ($2) <= ($3)" >/dev/null || fail "$4: $2 is not in [$1, $3]"
}

# You et al.: iterations of 32768 samples, 100 epochs in 24 minutes and 90 in one hour.
for row in "alexnet-bn 100 1440" "resnet50 90 3600"; do
	set -- $row
	t=$(time_of knl-opa 512 64 102400 --net $1 --algo allreduce)
	within 0.999 "$t / 200 * 1281167 * $2 / 32768 / $3" 1.001 "$1 on knl-opa"
done

# INTELLECT-1: of 10e9 bytes of int8, on three continents.
expect 0 sim --cluster internet-intellect-1 --net bytes:10e9 --compute-s 22.8 --algo diloco:period=100 \
	--timing --batch 1 --samples 14000 --quiet --json
within 0.829 "$(jq '1 - .communication_share' out)" 0.831 "share of computing of INTELLECT-1"

# ResNet-50 in 20 minutes on four times the nodes: a batch costs something, whatever its size.
t=$(time_of knl-opa 2048 16 204800 --net resnet50 --algo allreduce)
within 0.999 "$t / 100 * 1281167 * 90 / 32768 / 1200" 1.001 "resnet50 on 2048 KNL"

# Zhang et al.: what ResNet-20's copy takes besides its bytes, VGG's does not take 56 times.
t=$(time_of power8-edr 1 128 800 --net vgg --algo ad-psgd --data shapes)
within 1.1 "$t / $(time_of power8-edr 2 128 800 --net vgg --algo ad-psgd --data shapes)" 2 "two workers of VGG"

# Caffe con Troll: one worker sends no message.
within 3.73 "$(time_of ec2-c4.4xlarge 1 256 4 --net caffenet-ungrouped --algo allreduce) / 4" 3.79 c4
within 0.879 "$(time_of ec2-g2.8xlarge 1 256 4 --net caffenet-ungrouped --algo allreduce) / 4" 0.881 g2

# Omnivore's log, seconds an update: up to 7 % ahead of it, for want of the queue at the fully
# connected layers, and never after it.
for row in "1 1.236" "4 0.306" "8 0.155" "16 0.079" "18 0.070"; do
	set -- $row
	t=$(time_of ec2-omnivore $1 256 2000 --net quadratic:dim=3745824 --compute-s 1.1203 --algo asgd)
	within 0.93 "$t / 2000 / $2" 1 "$1 workers of Omnivore"
done

# GPT-2's published times, with one worker: 1e10 tokens on 8 GPUs in 45 and 90 minutes.
for row in "h100-ndr 45" "a100-hdr 90"; do
	set -- $row
	expect 0 sim --cluster $1 --net gpt2 --workers 1 --algo allreduce --timing --batch 4 \
		--samples 1000 --gradients 100 --quiet --json
	within 0.997 "$(jq .time_s out) / 400 / 1024 * 1e10 / 8 / 60 / $2" 1.003 "gpt2 on $1"
done

# All-reduces of 1 GiB alone, against bus bandwidths that were measured: 8 and 24 A100, 8 H100.
for row in "a100-hdr 8 1 229.1 1.06" "a100-hdr 24 0.99 96 1.01" "h100-ndr 8 0.98 370.7 1.02"; do
	set -- $row
	for rounds in 20 30; do
		expect 0 sim --cluster $1 --net bytes:1073741824 --workers $2 --algo allreduce --timing \
			--compute-s 1e-9 --sim-bucket 0 --samples 1000 --gradients $((rounds * $2)) --quiet --json
		times[rounds]=$(jq .time_s out)
	done
	within $3 "2 * ($2 - 1) / $2 * 10.73741824 / (${times[30]} - ${times[20]}) / $4" $5 "$2 workers of $1"
done

# Four L40S: 123 MB are averaged in 131.24 ms.
for rounds in 20 30; do
	expect 0 sim --cluster ec2-g6e.2xlarge --net bytes:123386880 --algo allreduce --timing \
		--compute-s 1e-9 --sim-bucket 0 --samples 1000 --gradients $((rounds * 4)) --quiet --json
	times[rounds]=$(jq .time_s out)
done
within 0.99 "(${times[30]} - ${times[20]}) / 10 / 0.13124" 1.01 "L40S"

echo '{ "compute": { "seconds_per_batch": { "resnet20": 1 } } }' >c.json
expect 1 sim --cluster c.json --timing --samples 1000
says err "c.json: seconds_per_batch: resnet20 has no seconds_per_sample"
# Times of a net that no run can have are a mistake; nets of a file are named with their digest.
for key in times seconds_per_sample; do
	echo '{ "compute": { "'$key'": { "mine@0123456789abcdef": "5ms", "bytes:4e6": "5ms", "resnt20": "5ms" } } }' >c.json
	expect 1 show cluster ./c.json
	says err "c.json: $key: unknown net 'resnt20'; did you mean 'resnet20'?"
	sed -i 's/resnt20/mine/' c.json
	expect 1 show cluster ./c.json
	says err "a net of your own is named with its digest, mine@..."
	sed -i 's/"mine"/"vgg16"/' c.json
	expect 0 show cluster ./c.json
done
echo '{ "host_copy_latency_s": 0.25, "link": "nic" }' >c.json
expect 0 sim --cluster c.json --net quadratic:dim=1000 --workers 2 --timing --samples 1000 --dry-run --json
is "$(jq -c '[.host_copy_s, .assumed.host_copy_s]' out)" '["0.5","cluster c.json"]' "latency alone"

# Files and command lines that have the former names are read as before; results have the present ones.
echo '{ "handoff_latency_s": 0.25, "link": "nic", "sources": { "handoff_latency_s": "measured" } }' >former.json
expect 0 sim --cluster former.json --net quadratic:dim=1000 --workers 2 --timing --samples 1000 --dry-run --json
is "$(jq -c '[.host_copy_s, .handoff_s]' out)" '["0.5",null]' "a key's former name"
expect 0 show cluster ./former.json
says out "host_copy_latency_s = 0.25 s"
says out "measured"
expect 0 sim --cluster c.json --handoff-s 2 --net quadratic:dim=1000 --workers 2 --timing --samples 1000 --dry-run --json
is "$(jq -r .host_copy_s out)" 2 "a flag's former name"
echo '{ "handoff_GBps": 1, "host_copy_GBps": 2 }' >both.json
expect 1 sim --cluster both.json --net quadratic:dim=1000 --workers 2 --timing --samples 1000
says err "both.json"
says err "handoff_GBps"

# A figure without a source says so; a source without a figure is refused.
echo '{ "workers": 2, "link": "nic:latency_s=1e-6", "sources": { "workers": "counted" } }' >c.json
expect 0 show cluster ./c.json
says out "workers = 2"
says out "link.latency_s = 1e-6 s"
says out "no source of its own"
says out "flops = 1e+12"
sed -i 's/"workers": "counted"/"link.latency": "guessed"/' c.json
expect 1 show cluster ./c.json
says err "c.json: sources: 'link.latency' is no number of this file"
says err "link.latency_s"
one_line
expect 1 sim --cluster ./c.json --net quadratic --algo asgd --timing --gradients 4
says err "c.json: sources"
# What is wrong in the link is said before what its sources then lack; workers have one rule.
echo '{ "link": "nic:latency_s=1e-6,bandwidth_GBps=-1", "sources": { "link.latency_s": "counted" } }' >c.json
expect 1 show cluster ./c.json
says err "c.json: link: link model nic: bandwidth_GBps must be a number, from 1e-9 to 1e9, not '-1'"
one_line
for workers in -3 2.5 '"many"' 0; do
	echo "{ \"workers\": $workers }" >c.json
	expect 1 show cluster ./c.json
	says err "c.json: workers must be a whole number, from 1 to 2097150"
done
echo '{ "workers": 2, "sources": { "workers": 3 } }' >c.json
expect 1 show cluster ./c.json
says err "c.json: sources: workers must be a text"

# A file's text that is a setting, too, is named with the file and its key.
wrong() { # KEY JSON MESSAGE
	echo "{ \"workers\": 2, $2 }" >c.json
	expect 1 sim --cluster ./c.json --net lenet --data shapes --algo asgd --timing --gradients 4
	says err "cluster ./c.json: $1: $3"
	one_line
}
compute='"compute": { "flops": 1e12 }'
wrong link "$compute, \"link\": \"nic:bandwith_GBps=1\"" "link model nic: unknown option 'bandwith_GBps'"
wrong delay "$compute, \"delay\": \"gama\"" "unknown delay model 'gama'"
wrong delay "$compute, \"delay\": \"empirical:file=none.csv\"" "cannot read 'none.csv'"
wrong compute.times '"compute": { "times": { "lenet": "x" } }' "unknown compute time 'x'"
expect 1 sim --cluster ./c.json --delay gama --net lenet --data shapes --algo asgd --timing --gradients 4
grep -q 'cluster.*gama' err && fail "a given delay is not the file's: $(cat err)"
finish
