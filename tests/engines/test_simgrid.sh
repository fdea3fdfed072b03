# The same scenes in SimGrid and here: simulated times within 1 %.
. "$(dirname "$0")/../cli/lib.sh"
need jq
source=${CONVOY_SOURCE:?the source tree}
g++ -O1 -o scenes "$source/bench/simgrid/scenes.cpp" -lsimgrid 2>why || {
	echo "skipped, SimGrid is not installed (libsimgrid-dev, g++): $(head -n 1 why)"
	exit 77
}

# A TCP window that limits no flow: SimGrid 3.32 does not treat 0 as 4.0 does.
theirs() {
	./scenes --log=xbt_cfg.thres:warning --cfg=network/model:CM02 --cfg=network/TCP-gamma:1e30 \
		--cfg=network/crosstraffic:0 "$@" | cut -d ' ' -f 1
}

# ours FLOATS SETTING...: virtual seconds, batches of one sample.
ours() {
	local dim=$1
	shift
	"$CONVOY" sim --timing --net "quadratic:dim=$dim" --samples 1000000 --batch 1 --compute-s 1 \
		--host-copy-s 0 --update-s 0 --delay constant --sim-bucket 0 --json --quiet --out out "$@" | jq .time_s
}

# alike WHAT OURS THEIRS: within 1 %; prints both and the difference.
alike() {
	awk -v what="$1" -v a="$2" -v b="$3" 'BEGIN {
		difference = b > 0 ? 100 * (a / b - 1) : 0
		printf "%s: convoy %.9g s, SimGrid %.9g s (%+.4f %%)\n", what, a, b, difference
	}'
	awk -v a="$2" -v b="$3" 'BEGIN { exit !(b > 0 && a >= 0.99 * b && a <= 1.01 * b) }' ||
		fail "$1: $2 s is not within 1 % of SimGrid's $3 s"
}

# Convoy's run ends with a gradient, not with its arrival: one round trip in some thousand is nothing.
asgd() {
	local what=$1 floats=$2 workers=$3 gradients=$4 factor=$5
	alike "$what" "$(ours "$floats" --algo asgd --workers "$workers" --gradients "$gradients" \
		--slow "0:$factor" --link nic:latency_s=1e-4,bandwidth_GBps=0.1)" \
		"$(theirs asgd "$workers" "$gradients" $((4 * floats + 24)) 1e8 1e-4 "$factor")"
}

# After the last gradients no all-reduce is made: a round more, and its gradients' seconds off again.
ring() {
	local what=$1 floats=$2 factor=$3 rounds=20
	alike "$what" "$(ours "$floats" --algo allreduce --workers 16 --gradients $((16 * (rounds + 1))) \
		--slow "0:$factor" --link nic:latency_s=1e-5,bandwidth_GBps=1.25 |
		awk -v last="$factor" '{ print $1 - last }')" \
		"$(theirs ring 16 $rounds $((4 * floats)) 1.25e9 1e-5 "$factor")"
}

# WHAT FLOATS FACTOR GBPS: NICs of 1 GB/s, and a line of so many that all messages cross.
star_asgd() {
	local what=$1 floats=$2 factor=$3 core=$4
	alike "$what" "$(ours "$floats" --algo asgd --workers 16 --gradients 8000 --slow "0:$factor" \
		--link "fair:latency_s=1e-4,bandwidth_GBps=1,core_GBps=$core")" \
		"$(theirs asgd 16 8000 $((4 * floats + 24)) 1e9 1e-4 "$factor" 0 "${core}e9")"
}

star_ring() {
	local what=$1 floats=$2 factor=$3 core=$4 rounds=20
	alike "$what" "$(ours "$floats" --algo allreduce --workers 16 --gradients $((16 * (rounds + 1))) \
		--slow "0:$factor" \
		--link "fair:latency_s=1e-5,bandwidth_GBps=1,core_GBps=$core,stepwise=true" |
		awk -v last="$factor" '{ print $1 - last }')" \
		"$(theirs ring 16 $rounds $((4 * floats)) 1e9 1e-5 "$factor" 0 "${core}e9")"
}

# Racks of four, NICs of 1 GB/s, uplinks of less: a step of the ring ends with its send and receive.
racks_ring() {
	local what=$1 floats=$2 factor=$3 latency=$4 uplink=$5 rounds=20
	alike "$what" "$(ours "$floats" --algo allreduce --workers 16 --gradients $((16 * (rounds + 1))) \
		--slow "0:$factor" --link \
		"fair:latency_s=$latency,bandwidth_GBps=1,rack=4,uplink_GBps=$uplink,stepwise=pairs" |
		awk -v last="$factor" '{ print $1 - last }')" \
		"$(theirs ring 16 $rounds $((4 * floats)) 1e9 "$latency" "$factor" 0 0 4 "${uplink}e9")"
}

# fabric_ring WHAT WORKERS FLOATS LINK KEY=VALUE...: NICs of 1 GB/s and 1 ms, in SimGrid's words too.
fabric_ring() {
	local what=$1 workers=$2 floats=$3 link=$4 rounds=10
	shift 4
	alike "$what" "$(ours "$floats" --algo allreduce --workers "$workers" \
		--gradients $((workers * (rounds + 1))) --link "$link" | awk '{ print $1 - 1 }')" \
		"$(theirs ring-fabric "$workers" $rounds $((4 * floats)) 1e9 1e-3 1 "$@")"
}

fabric_asgd() {
	local what=$1 workers=$2 floats=$3 link=$4
	shift 4
	alike "$what" "$(ours "$floats" --algo asgd --workers "$workers" --gradients 4000 --link "$link")" \
		"$(theirs asgd-fabric "$workers" 4000 $((4 * floats + 24)) 1e9 1e-3 1 "$@")"
}

./scenes --version | head -n 1
asgd "one slow worker of 16, a server" 250000 16 8000 10
asgd "a server's NIC that is full" 2500000 16 8000 1
asgd "a server's NIC that is half full" 2500000 6 8000 1
ring "ring all-reduce of 1 MB on 16 nodes" 250000 1
ring "ring all-reduce of 60 MB on 16 nodes" 15000000 1
ring "ring all-reduce of 60 MB with one slow node" 15000000 10
star_asgd "a star whose core is full" 2500000 1 0.05
star_ring "a ring through a star's core, 60 MB" 15000000 1 4
star_ring "a ring through a star's core, one slow node" 15000000 3 4
racks_ring "a ring across racks, 60 MB" 15000000 1 1e-3 0.5
racks_ring "a ring across racks, latencies of 10 ms" 15000000 1 1e-2 0.5
racks_ring "a ring across racks, one slow node" 15000000 3 1e-2 0.25
star="latency_s=1e-3,bandwidth_GBps=1,stepwise=pairs; 3,7: bandwidth_GBps=0.1,latency_s=5e-3"
for model in nic fair; do
	fabric_ring "$model: a ring of twelve on a star with two slow links" 12 15000000 "$model:$star" \
		slow=3,7 slow_bw=1e8 slow_latency=5e-3
	fabric_ring "$model: nodes of 4 with fast links inside" 16 15000000 \
		"$model:latency_s=1e-3,bandwidth_GBps=1,node=4,node_GBps=20,node_latency_s=1e-5,stepwise=pairs" \
		node=4 node_bw=20e9 node_latency=1e-5
done
fabric_asgd "a server and twelve workers on a star, two links slow" 12 2500000 "fair:$star" \
	slow=3,7 slow_bw=1e8 slow_latency=5e-3
fabric_asgd "the same, the slow links with the latency of the others" 12 2500000 \
	"fair:latency_s=1e-3,bandwidth_GBps=1; 3,7: bandwidth_GBps=0.1" \
	slow=3,7 slow_bw=1e8 slow_latency=1e-3
fabric_asgd "a server and two nodes of 8 with two NICs each" 16 2500000 \
	"fair:latency_s=1e-3,bandwidth_GBps=1,node=8,nics=2; server: bandwidth_GBps=10" \
	node=8 nics=2 slow=16 slow_bw=10e9 slow_latency=1e-3
fabric_ring "two nodes of 8 with two NICs each" 16 15000000 \
	"fair:latency_s=1e-3,bandwidth_GBps=1,node=8,nics=2,node_GBps=5,stepwise=pairs" \
	node=8 nics=2 node_bw=5e9 node_latency=1e-6
racks="fair:latency_s=1e-3,bandwidth_GBps=1,rack=4,uplink_GBps=0.5"
fabric_asgd "racks of 4 whose uplinks are oversubscribed 8 to 1" 16 2500000 "$racks" rack=4 uplink=5e8
fabric_ring "other jobs take 0.3 of 0.5 GB/s of each uplink" 16 15000000 \
	"$racks,background_GBps=0.3,stepwise=pairs" rack=4 uplink=5e8 background=3e8
fabric_asgd "other jobs take 0.1 of 0.5 GB/s of each uplink" 16 2500000 "$racks,background_GBps=0.1" \
	rack=4 uplink=5e8 background=1e8
finish
