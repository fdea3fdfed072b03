# Kinds of all-reduces, choices of libraries, buckets in flight, ZeRO: by closed forms.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

# Ten rounds of 8 workers, nine of whose all-reduces are waited for.
run="sim --timing --algo allreduce --workers 8 --delay constant --host-copy-s 0 --samples 6400 --batch 1 --gradients 80 --epochs 0 --quiet --json"
value() { expect 0 $run "${@:2}"; jq -r "$1" out; }
near() {
	jq -en "(($1) - ($2) | fabs) < 1e-9 * (($2) | fabs)" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}

kind() { value .time_s --net bytes:8e6 --compute-s 1 --sim-bucket 0 --link "nic:latency_s=1e-3,collective=$1"; }
near "$(kind double-tree)" "10 + 9 * (6 * 0.001 + 2 * 0.008)" double-tree
near "$(kind in-switch)" "10 + 9 * (0.001 + 0.008)" in-switch
near "$(kind two-level,node=4,nics=2,node_GBps=10,node_latency_s=1e-5)" \
	"10 + 9 * (6 * (1e-5 + 0.0002) + 2 * (0.001 + 0.001 * 2))" two-level
near "$(kind openmpi)" "$(kind rabenseifner)" "Open MPI, 8 MB"
near "$(value .time_s --net bytes:8000 --compute-s 1 --sim-bucket 0 --link nic:collective=openmpi)" \
	"$(value .time_s --net bytes:8000 --compute-s 1 --sim-bucket 0 --link nic:collective=doubling)" "Open MPI, 8 kB"
near "$(kind nccl)" "$(kind ring)" "NCCL, 8 MB over 8 nodes"
many="--workers 512 --samples 512000 --gradients 5120 --net bytes:4000 --compute-s 1 --sim-bucket 0"
near "$(value .time_s $many --link nic:collective=nccl)" "$(value .time_s $many --link nic:collective=double-tree)" \
	"NCCL, 4 kB over 512 nodes"

# Nodes of several workers, or NICs, reduce as NCCL does unless the link says how; others by a ring.
several="node=4,node_GBps=10"
value .time_s --net bytes:8e6 --compute-s 1 --sim-bucket 0 --link nic:latency_s=1e-3,$several >of
is "$(jq -r .assumed.link out)" "defaults of link nic; NCCL chooses ring for 8e+06 bytes"
is "$(jq -r .settings.link out | grep -c collective=nccl)" 1
is "$(cat of)" "$(kind nccl,$several)" "nodes of 4"
value .time_s --net bytes:8e6 --compute-s 1 --sim-bucket 0 --link nic:latency_s=1e-3,$several,collective=ring >flat
near "$(cat flat)" "10 + 9 * 14 * (0.001 + 0.001)" "a ring where asked"
value .assumed.link --net bytes:8e6 --compute-s 1 --link fair:node=8,nics=8 >of
says of "NCCL chooses"
for keeps in nic:node=4,stepwise=true "fair:node=4,rack=4,uplink_GBps=1,background_GBps=0.1" "fair:node=4; 0>4: background_GBps=0.1" nic; do
	value .settings.link --net bytes:8e6 --compute-s 1 --link "$keeps" >of
	says of collective=ring
done

# So do GPUs, however they are known, and the line of assumed values says which of both was taken.
echo '{ "device": "a100", "link": "nic", "workers": 8 }' >gpus.json
for gpus in "--device h100 --link nic" "--gpus-per-worker 2 --link fair" "--cluster ./gpus.json" "--cluster ./gpus.json --link nic:node=1"; do
	value .settings.link --net bytes:8e6 --compute-s 1 $gpus >of
	says of collective=nccl
done
value .settings.link --net resnet50 --batch 128 --compute-s v100 --link nic >of
says of collective=nccl
for keeps in nic:stepwise=true nic:collective=ring "fair:rack=4,uplink_GBps=1,background_GBps=0.1"; do
	value .settings.link --net bytes:8e6 --compute-s 1 --device h100 --link "$keeps" >of
	says of collective=ring
done
of="sim --timing --workers 8 --samples 6400 --gradients 80 --net bytes:8e6 --compute-s 1 --values step_s"
expect 0 $of --algo allreduce --device h100 --link nic
says err "link latency_s=1e-5,bandwidth_GBps=1,collective=nccl (defaults of link nic; NCCL chooses ring for 8e+06 bytes)"
# By the bytes that a codec sends; codes that cannot be added are gathered, and factors are of several sizes.
# Adam's moments are all-reduced with the model.
while IFS='|' read -r how says; do
	expect 0 $of --device h100 --link nic $how
	says err "collective=nccl (defaults of link nic$says)"
done <<-'END'
	--algo allreduce --codec bf16|; NCCL chooses ring for 4e+06 bytes
	--algo allreduce --codec topk|; NCCL has a ring for all-gathers
	--algo sparseloco|; NCCL has a ring for all-gathers
	--algo allreduce --codec powersgd|
	--algo local-adam --optim adam|; NCCL chooses ring for 2.4e+07 bytes
	--algo local-adam:moments=false --optim adam|; NCCL chooses ring for 8e+06 bytes
	--algo des-loc --optim adam|; NCCL chooses ring for 2.4e+07 bytes
	--algo des-loc|; NCCL chooses ring for 8e+06 bytes
END
full=nic:latency_s=1e-5,bandwidth_GBps=1
expect 0 $of --algo allreduce --link $full
says err "link collective=ring (defaults of link nic)"
for quiet in "allreduce --link $full,collective=tree" "asgd --link $full"; do
	expect 0 $of --algo $quiet
	! grep -q "defaults of link" err || fail "$quiet: $(cat err)"
done
# Latencies of buckets that take longer than their bytes, and than the gradient.
many="sim --timing --algo allreduce --workers 64 --samples 64000 --gradients 640 --net bytes:1e9,layers=20 --values step_s"
expect 0 $many --compute-s 0.1 --link nic:bandwidth_GBps=50,latency_s=1e-4
says err "0.4807 of the 0.52 s in which 39 buckets are all-reduced (ring) are latencies, not bytes"
for few in "0.1 --sim-bucket 0" "1" "0.1 --sim-in-flight 4"; do
	expect 0 $many --link nic:bandwidth_GBps=50,latency_s=1e-4 --compute-s $few
	! grep -q "not bytes" err || fail "$few: $(cat err)"
done
expect 0 $many --compute-s 0.01 --link nic:bandwidth_GBps=50,latency_s=1e-7
! grep -q "not bytes" err || fail "bytes: $(cat err)"
# ZeRO: NCCL has no trees for a reduce-scatter, whose 63 steps wait; stage 3 has whole layers, thrice.
expect 0 $many --compute-s 0.1 --device h100 --link nic:bandwidth_GBps=50,latency_s=1e-4 --zero 1
says err "NCCL has a ring for reduce-scatters and all-gathers"
says err "0.2403 of the 0.26 s in which 39 buckets are reduce-scattered (ring) are latencies, not bytes"
expect 0 $many --compute-s 0.1 --link nic:bandwidth_GBps=50,latency_s=1e-4 --zero 3
says err "0.378 of the 0.4371 s in which 20 buckets are gathered twice and reduce-scattered (ring) are latencies"

# Within one rack nothing crosses the core, which bounds all nodes where there are no racks.
core() { value .time_s --net bytes:8e6 --compute-s 1 --sim-bucket 0 --link "fair:latency_s=1e-3,bandwidth_GBps=1,$1"; }
for k in doubling double-tree rabenseifner; do
	near "$(core "rack=8,core_GBps=0.1,collective=$k")" "$(core "collective=$k")" "one rack, $k"
	[ "$(core "core_GBps=0.1,collective=$k")" != "$(core "collective=$k")" ] || fail "no bound by the core, $k"
done
two="node=4,nics=4,node_GBps=100,collective=double-tree"
[ "$(core "$two,core_GBps=0.1")" != "$(core "$two")" ] || fail "nodes of four: no bound by the core"

# Seven buckets of 50 MB, final from 9/7 s on every 2/7 s: 1.4 s of latencies, 0.0875 s of bytes each.
seven="--net bytes:350e6,layers=7 --compute-s 3 --sim-bucket 50000000 --link nic:latency_s=0.1"
near "$(value .time_s $seven)" "3 + 9 * (9 / 7 + 7 * 1.4875)" "one after the other"
near "$(value .time_s $seven --sim-in-flight 7)" "3 + 9 * (3 + 1.4875)" "all in flight"
hash=$(value .hash $seven)
is "$(value .hash $seven --sim-in-flight 1 --zero 0)" "$hash" "defaults"
[ "$(value .hash $seven --sim-in-flight 2)" != "$hash" ] || fail "two in flight, the same hash"
# Without latencies, two buckets that are ready at once take as long together as one after the other.
slow="--net bytes:350e6,layers=7 --compute-s 0.003 --sim-bucket 50000000 --link nic:latency_s=0"
near "$(value .time_s $slow --sim-in-flight 3)" "$(value .time_s $slow)" "shared bytes"

# ZeRO: half the time of the buckets, then the other half at once; its third stage half as much again.
half="(14 / 8 * 0.05 / 2)"
fast="--net bytes:350e6,layers=7 --compute-s 3 --sim-bucket 50000000 --link nic:latency_s=0"
near "$(value .time_s $fast --zero 1)" "10 * 3 + 9 * ($half + 7 * $half)" "stage 1"
bytes=$(value .bytes_sent $fast)
is "$(value .bytes_sent $fast --zero 2)" "$bytes" "bytes of stage 2"
is "$(value .bytes_sent $fast --zero 3)" "$((bytes * 3 / 2))" "bytes of stage 3"
# Its first bucket is gathered before the step, once more before the backward pass, the last is scattered.
near "$(value .time_s $fast --zero 3)" "10 * 3 + 9 * 3 * $half" "stage 3"
# Smaller buckets become whole layers there, and larger ones have several: 1, 2, 2, and 2 of the end.
near "$(value .time_s $fast --zero 3 --sim-bucket 1000000)" "10 * 3 + 9 * 3 * $half" "parts of layers"
near "$(value .time_s $fast --zero 3 --sim-bucket 60000000)" "10 * 3 + 9 * (1 + 2 + 1) * $half" "two layers"
whole="--net bytes:350e6 --compute-s 3 --sim-bucket 0 --link nic:latency_s=0"
near "$(value .time_s $whole --zero 2)" "$(value .time_s $whole)" "stage 2 without buckets"
near "$(value .time_s $whole --zero 3)" "30 + 9 * 14 / 8 * 0.35 * 1.5" "stage 3 without buckets"

refused() { expect 1 $run "${@:2}"; says err "$1"; }
refused "collective cannot be 'doubletree'; did you mean 'double-tree'" --link nic:collective=doubletree --compute-s 1
refused "zero must be a whole number, from 0 to 3" --zero 4 --compute-s 1
refused "sim_in_flight must be a whole number" --sim-in-flight 0 --compute-s 1
refused "zero = 2: asgd all-reduces no gradients" --algo asgd --zero 2 --compute-s 1
refused "needs all-reduces by formula" --zero 1 --compute-s 1 --link nic:stepwise
refused "sent as codes or factors" --sim-in-flight 2 --compute-s 1 --codec qsgd
refused "sent as codes or factors" --zero 1 --compute-s 1 --codec powersgd
refused "makes local steps" --zero 1 --compute-s 1 --algo post-local-sgd
finish
