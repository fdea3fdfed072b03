# Links from the command line: listed, refused by the key, hashed; what a setting changes.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

expect 0 list links
for link in fair ideal measured nic; do
	says out "$link"
done
expect 0 show link nic
says out rabenseifner

# On 8 workers: 0.01 s of computing, 1,000,000 bytes at 1e9 bytes/s.
run="sim --timing --algo allreduce --net quadratic:dim=250000 --workers 8 --compute-s 0.01 \
	--delay constant --handoff-s 0 --gradients 80 --epochs 0 --quiet --json"
value() { expect 0 $run --link "$2" "${@:3}"; jq -r "$1" out; }
near() {
	jq -en "($1) - ($2) | fabs < 1e-9" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}
near "$(value .time_s nic:latency_s=0)" "10 * 0.01 + 9 * 14 / 8 * 0.001" ring
near "$(value .time_s nic:latency_s=0,stepwise=true)" "10 * 0.01 + 9 * 14 / 8 * 0.001" messages
near "$(value .time_s nic:latency_s=0,stepwise=eager)" "10 * 0.01 + 9 * 14 / 8 * 0.001" eager
near "$(value .time_s nic:latency_s=0,collective=tree)" "10 * 0.01 + 9 * 6 * 0.001" tree
near "$(value .time_s fair:latency_s=0,core_GBps=2)" "10 * 0.01 + 9 * 14 / 2 * 0.001" core

# A setting at its default is no other run; at another value it is.
hash=$(value .hash nic)
is "$(value .hash nic:duplex=full,jitter=0,collective=ring)" "$hash" "defaults"
[ "$(value .hash nic:duplex=half)" != "$hash" ] || fail "half duplex, the same hash"

# A ring's steps end with send and receive, as MPI's, unless told otherwise.
racks=fair:latency_s=1e-3,bandwidth_GBps=1,rack=4,uplink_GBps=0.5
pairs=$(value .hash $racks,stepwise=pairs)
is "$(value .hash $racks,stepwise=true) $(jq -r .settings.link out | sed 's/.*,//')" "$pairs stepwise=pairs"
near "$(jq .time_s out)" "10 * 0.01 + 9 * 14 * (0.001 + 0.000125 / 0.5)" pairs
[ "$(value .hash $racks,stepwise=eager)" != "$pairs" ] || fail "eager, the same hash"
jq -e --argjson pairs "$(value .time_s $racks,stepwise=pairs)" '.time_s < 0.95 * $pairs' \
	<<<"{\"time_s\": $(value .time_s $racks,stepwise=eager)}" >/dev/null || fail "eager is not faster"

# The same draws for any number of runs; others with another seed.
lossy=nic:loss=0.2,jitter=1,stepwise=true
first=$(value .time_s $lossy)
is "$(value .time_s $lossy --out elsewhere)" "$first" "again"
[ "$(value .time_s $lossy --seed 2)" != "$first" ] || fail "another seed, the same losses"

# Buckets and shards: by default no other run, else times alone; a shard is a machine.
link=nic:latency_s=0
hash=$(value .hash $link)
is "$(value .hash $link --sim-bucket 0 --shards 1)" "$hash" "defaults of the machines"
[ "$(value .hash $link --sim-bucket 4096)" != "$hash" ] || fail "buckets, the same hash"
# 125 buckets of 8000 bytes, final over 0.00667 s, are behind computing but for the last.
near "$(value .time_s $link,bandwidth_GBps=10 --sim-bucket 8000)" "10 * 0.01 + 9 * 14 / 8 * 8e-7"
bytes=$(value .busiest_bytes $link)
is "$(value .busiest_bytes $link --sim-bucket 4096)" "$bytes" "bytes in buckets"
for shards in 1 2 5; do
	busiest=$(value .busiest_bytes $link --algo asgd --workers 40 --shards $shards)
	near "$busiest" "$(jq .bytes_sent out) / $shards" "bytes of a shard"
done
expect 1 $run --algo asgd --shards 250001
says err "shards = 250001: quadratic has 250000 parameters"
# Only a server has shards; the worker that a speedup is relative to is alone.
expect 1 $run --algo d-psgd --shards 2
says err "shards = 2: d-psgd has no parameter server to divide (expected an algorithm that has one"
cat >sharded.json <<'END'
{ "base": { "net": "quadratic", "timing": true, "workers": 4, "samples": 3200, "compute_s": "0.01" },
  "grid": { "algo": ["asgd", "allreduce"] }, "baseline": { "workers": 1, "algo": "allreduce" } }
END
expect 1 run ./sharded.json --shards 2 --quiet
says err "shards = 2: allreduce has no parameter server"
expect 0 run ./sharded.json --shards 1,2 --only algo=asgd --quiet
expect 0 $run --algo asgd --workers 4,8 --shards 2 --quiet
expect 1 $run --sim-bucket 3
says err "sim_bucket = 3"
# A net's layers say when: of lenet's 2,293,000 products 405,000 are those of its dense layers.
near "$(value .time_s $link,bandwidth_GBps=0.1 --net lenet --data mnist --samples 60000 --batch 8 \
	--sim-bucket $((4 * (400500 + 5010))))" \
	"9 * (0.01 / 3 * (1 + 2 * 405 / 2293) + 14 / 8 * 4 * 431080 / 1e8) + 0.01" layers

refused() { expect 1 $run --link "$1"; says err "$2"; }
refused nic:loss=1 "loss must be a number, from 0 to 0.99"
refused nic:collective=rings "did you mean 'ring'"
refused nic:collective=tree,stepwise=true "stepwise needs collective=ring"
refused nic:stepwise=eagre "did you mean 'eager'"
refused nic:jitter=1,latency_s=0 "latency_s must be more than 0"
refused fair:uplink_GBps=1 "rack must be at least 1"
refused fair:rack=-1 "rack must be a whole number"
refused fare "did you mean 'fair'"
