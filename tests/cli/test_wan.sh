# Links over a wide area by hand: one flow's limit, slow start, shaping, rates by number of nodes.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

run="sim --timing --net quadratic:dim=250000 --compute-s 0.01 --delay constant --host-copy-s 0 \
	--epochs 0 --quiet --json"
value() { expect 0 $run --link "$@"; jq -r .time_s out; }
near() {
	jq -en "($1) - ($2) | fabs < 1e-9" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}

# Two all-reduces of 1,000,000 bytes by 8 workers, of which the second is not waited for.
ring="--algo allreduce --workers 8 --gradients 16"
for link in nic fair; do
	near "$(value $link:latency_s=0,flow_GBps=0.1 $ring)" "0.02 + 14 / 8 * 0.01" "$link flow"
	near "$(value $link:latency_s=0,flow_GBps=0.1,streams=4 $ring)" "0.02 + 14 / 8 * 0.0025" streams
	near "$(value $link:latency_s=0.01,window_bytes=2e6 $ring)" \
		"0.02 + 14 * (0.01 + 125000 / (2e6 / 0.02))" "$link window"
	near "$(value $link:latency_s=0,shaped_GBps=0.1 $ring)" "0.02 + 14 / 8 * 0.01" "$link shaped"
	near "$(value $link:latency_s=0,flow_GBps=0.1,stepwise=pairs $ring)" "0.02 + 14 / 8 * 0.01" \
		"$link messages"
	# 14 * 125000 bytes: 63 * 14600 in six round trips of 0.02 s, the rest in part of a seventh.
	near "$(value $link:latency_s=0.01,slow_start_bytes=14600 $ring)" \
		"0.02 + 0.14 + (6 + (1750000 - 63 * 14600) / (64 * 14600)) * 0.02" "$link slow start"
	# 8 nodes, between 4 and 16.
	near "$(value $link:latency_s=0,rate_nodes=2/4/16,rate_GBps=1/0.5/0.1 $ring)" \
		"0.02 + 14 / 8 * 0.001 / (0.5 - 0.4 * 4 / 12)" "$link rates"
	# Four nodes of two: below the table's nodes, so its first rate.
	near "$(value $link:latency_s=0,node=2,collective=ring,rate_nodes=5/6,rate_GBps=0.5/0.1 $ring)" \
		"0.02 + 14 / 8 * 0.001 / 0.5" "$link nodes"
	grep -q "extrapolated: rate_GBps of 4 nodes" <(jq -r .assumed.link out) ||
		fail "no word of 4 nodes: $(jq -c .assumed out)"
done
near "$(value nic:latency_s=0,shaped_GBps=0.1,burst_bytes=1e6 $ring)" "0.02 + 0.75 * 0.01" burst
near "$(value nic:latency_s=0,shaped_GBps=0.1,burst_bytes=1e9 $ring)" "0.02 + 1.75 * 0.001" "all of it"

# Buckets and later steps find what is left of the token bucket: 1e7 bytes at 0.1 GB/s, refilled while a step of
# 0.01 s computes and while it is sent, as with messages; NCCL's and the tree's bytes are these too for two nodes.
shaped="sim --timing --net bytes:1e7,layers=1 --workers 2 --compute-s 0.01 --host-copy-s 0 --samples 640 --batch 32 --epochs 10 \
	--algo allreduce --quiet --json"
shape=nic:latency_s=0,bandwidth_GBps=1,shaped_GBps=0.1,burst_bytes=1e6
step_of() { expect 0 $shaped "$@"; jq '.time_s / .gradients * 2' out; }
want=$(step_of --link $shape,stepwise=true --sim-bucket 0)
jq -en "$want > 0.095 and $want < 0.11" >/dev/null || fail "messages: $want"
for bucket in 0 1e6 25e6; do
	for kind in ring nccl double-tree; do
		near "$(step_of --link $shape,collective=$kind --sim-bucket $bucket)" "$want" "$kind, bucket $bucket"
	done
done
# ZeRO 1 sends as much, ZeRO 3 half as much again.
jq -en "$(step_of --link $shape --zero 1) / $want - 1 | fabs < 0.01" >/dev/null || fail "ZeRO 1"
jq -en "$(step_of --link $shape --zero 3) / $want - 1.5 | fabs < 0.02" >/dev/null || fail "ZeRO 3"
# Slow start is once for all buckets of a gradient: four buckets have three times two latencies more.
slow="--net bytes:4e6 --link nic:latency_s=0.05,slow_start_bytes=14600"
expect 0 $shaped $slow --sim-bucket 0 --gradients 4 --compute-s 1e-9
whole=$(jq .time_s out)
expect 0 $shaped $slow --sim-bucket 1e6 --gradients 4 --compute-s 1e-9
jq -en "$(jq .time_s out) - $whole - 0.3 | fabs < 1e-6" >/dev/null || fail "slow start in buckets: $(jq .time_s out), $whole"

# A gradient of 1,000,024 bytes to the server, and a model back.
asgd="--algo asgd --workers 1 --gradients 2"
for link in nic fair; do
	near "$(value $link:latency_s=0.01,slow_start_bytes=14600 $asgd)" \
		"0.04 + 2 * (6 + (1000024 - 63 * 14600) / (64 * 14600)) * 0.02" "$link"
	# The limit is reached after 15 * 14600 bytes in four round trips.
	near "$(value $link:latency_s=0.01,slow_start_bytes=14600,flow_GBps=0.01 $asgd)" \
		"0.04 + 2 * (0.08 + (1000024 - 15 * 14600) / 1e7)" "$link limit"
done
# A worker that is back fetches 4.5 times the model.
back() { value nic:latency_s=0,bandwidth_GBps=0.1 --algo asgd --workers 1 --gradients 3 --faults "$1"; }
near "$(back 0:leave@0.015-0.02,fetch=4.5) - $(back 0:leave@0.015-0.02)" "3.5 * 0.01" fetch
is "$(jq -r .settings.faults out)" 0:leave@0.015-0.02 faults
back 0:leave@0.015-0.02,fetch=4.5 >/dev/null
is "$(jq -r .settings.faults out)" 0:leave@0.015-0.02,fetch=4.5 faults

# Defaults change nothing, nor the hash.
expect 0 $run $ring --link nic
hash=$(jq -r .hash out)
expect 0 $run $ring --link nic:flow_GBps=0,streams=1,slow_start_bytes=0
is "$(jq -r .hash out)" "$hash" "hash of defaults"

refuse() { # LINK WORDS
	expect 1 $run $ring --link "$1"
	says err "$2"
}
refuse nic:latency_s=0,window_bytes=1e6 "latency_s must be more than 0"
refuse nic:burst_bytes=3 "give shaped_GBps"
refuse fair:burst_bytes=3 burst_bytes
refuse nic:streams=3 "give flow_GBps"
refuse nic:rate_nodes=3/2,rate_GBps=1/2 "3 comes before 2"
refuse nic:rate_nodes=2/2,rate_GBps=1/2 "2 comes before 2"
refuse nic:rate_nodes=2.5,rate_GBps=1 "2.5 is not a whole number"
refuse nic:rate_nodes=2,rate_GBps=0 "not '0'"
refuse nic:rate_nodes=2/3,rate_GBps=1 "they go in pairs"
refuse nic:slow_start_bytes=3e4,window_bytes=2e4 "more than window_bytes"
refuse nic:flow_GBp=1 flow_GBps
refuse nic:flow_GBps=1e-300 "at least 1e-09"
refuse fair:slow_start_bytes=1e-320 "at least 1"
expect 1 $run --gradients 9 --link nic --algo asgd --workers 1 --faults 0:leave@1-2,copy=old,fetch=3
says err "fetches nothing"
expect 1 $run --gradients 9 --link nic --algo asgd --workers 1 --faults 0:leave@1-2,fetch=1e9
says err "0.01 to 1e6"
expect 1 $run --gradients 9 --link nic --algo asgd --workers 1 --faults 0:leave@1-2,fetch=0
says err "fetch=TIMES"
finish
