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
	--delay constant --host-copy-s 0 --gradients 80 --epochs 0 --quiet --json"
value() { expect 0 $run --link "$2" "${@:3}"; jq -r "$1" out; }
near() {
	jq -en "($1) - ($2) | fabs < 1e-9" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}
near "$(value .time_s nic:latency_s=0)" "10 * 0.01 + 9 * 14 / 8 * 0.001" ring
near "$(value .time_s nic:latency_s=0,stepwise=true)" "10 * 0.01 + 9 * 14 / 8 * 0.001" messages
near "$(value .time_s nic:latency_s=0,stepwise=eager)" "10 * 0.01 + 9 * 14 / 8 * 0.001" eager
near "$(value .time_s nic:latency_s=0,collective=tree)" "10 * 0.01 + 9 * 6 * 0.001" tree
near "$(value .time_s fair:latency_s=0,core_GBps=2)" "10 * 0.01 + 9 * 14 / 2 * 0.001" core

# What the busiest of 16 sends and receives, what all send, and their messages, for each byte of an all-reduce.
traffic() {
	expect 0 sim --timing --algo allreduce --net bytes:8e8,layers=10 --sim-bucket 0 --compute-s 1 --workers "$1" --gradients "$1" \
		--quiet --json --link "nic:collective=$2" "${@:4}"
	is "$(jq -c '[.busiest_bytes / 8e8, .bytes_sent / 8e8, .messages]' out)" "$3" "traffic of $2 over $1, ${*:4}"
}
traffic 16 ring "[3.75,30,480]"                         # 2 * 15 / 16 each way, in 30 pieces
traffic 16 measured,allreduce_bytes=0/1e9,allreduce_s=0/1 "[3.75,30,480]"
traffic 16 doubling "[8,64,64]"                         # 4 each way
traffic 16 rabenseifner "[3.75,30,128]"                 # 2 (1/2 + 1/4 + 1/8 + 1/16) each way
traffic 16 openmpi "[3.75,30,128]"                      # chooses it
traffic 16 tree "[8,30,30]"                             # the root has 4 children; 15 edges, up and down
traffic 16 hierarchical "[7,30,48]"                     # 2 children, and a ring of 4: 1.5
traffic 5 hierarchical "[6,8,10]"                       # groups of 4 and 1: 3 edges, both ways, and a ring of 2 leaders
traffic 16 double-tree "[4,30,60]"                      # 4 neighbours in both, of half the vector
traffic 16 in-switch "[2,16,16]"                        # 1 each way
traffic 16 two-level,node=4 "[3.75,30,192]"             # 2 * 3/4 within, and 2 * 3/4 of a quarter
traffic 16 in-switch,node=4 "[3.5,28,112]"              # 2 * 3/4 within, and a quarter
traffic 16 double-tree,node=4 "[5,30,72]"               # 2 in the chain, and 4 halves over 4 workers
traffic 16 tree,node=4 "[8,30,30]"                      # 2 within, 2 between nodes
traffic 12 rabenseifner "[5.5,22,56]"                   # 2 (1/2 + 1/4 + 1/8), and another one's whole vector
traffic 3 double-tree "[3,4,8]"                         # of 2 neighbours in one tree, and 1 in the other
# Gathers and reduce-scatters are half of an all-reduce.
measured=measured,allreduce_bytes=0/1e9,allreduce_s=0/1
traffic 16 ring "[3.75,30,480]" --zero 2
traffic 16 "$measured" "[3.75,30,480]" --zero 2
traffic 16 in-switch "[3.75,30,480]" --zero 2           # by a ring
traffic 16 tree "[3.75,30,128]" --zero 2                # by halving and doubling
traffic 16 two-level,node=4 "[3.75,30,192]" --zero 2
traffic 16 rabenseifner "[5.625,45,192]" --zero 3
traffic 16 tree "[3.75,30,704]" --zero 1 --sim-bucket 80000000  # the model is gathered once
traffic 12 rabenseifner "[5.5,22,64]" --zero 1           # those without a pair send and receive in both halves

# A setting at its default is no other run; at another value it is.
hash=$(value .hash nic)
is "$(value .hash nic:duplex=full,jitter=0,collective=ring)" "$hash" "defaults"
[ "$(value .hash nic:duplex=half)" != "$hash" ] || fail "half duplex, the same hash"

# A ring's steps end with send and receive, as MPI's, unless told otherwise.
racks=fair:latency_s=1e-3,bandwidth_GBps=1,rack=4,uplink_GBps=0.5
pairs=$(value .hash $racks,stepwise=pairs)
is "$(value .hash $racks,stepwise=true) $(jq -r .settings.link out | grep -o 'stepwise=[a-z]*')" "$pairs stepwise=pairs"
near "$(jq .time_s out)" "10 * 0.01 + 9 * 14 * (0.001 + 0.000125 / 0.5)" pairs
[ "$(value .hash $racks,stepwise=eager)" != "$pairs" ] || fail "eager, the same hash"
jq -en "$(value .time_s $racks,stepwise=eager) / $(value .time_s $racks,stepwise=pairs) | . > 0.94 and . < 0.97" \
	>/dev/null || fail "eager is not 3 to 6 % faster"

# The same draws for any number of runs; others with another seed.
lossy=nic:loss=0.2,jitter=1,stepwise=true
first=$(value .time_s $lossy)
is "$(value .time_s $lossy --out elsewhere)" "$first" "again"
[ "$(value .time_s $lossy --seed 2)" != "$first" ] || fail "another seed, the same losses"
# A clause that says what holds anyway changes no draw.
is "$(value .time_s "$lossy;0:latency_s=1e-5" --algo asgd)" "$(value .time_s $lossy --algo asgd)" "a clause of no effect"

# Buckets and shards: by default no other run, else times alone; a shard is a machine.
link=nic:latency_s=0
hash=$(value .hash $link)
is "$(value .hash $link --sim-bucket 0 --shards 1)" "$hash" "defaults of the machines"
[ "$(value .hash $link --sim-bucket 4096)" != "$hash" ] || fail "buckets, the same hash"
# 125 buckets of 8000 bytes, final over 0.00667 s, are hidden by computing, except the last.
near "$(value .time_s $link,bandwidth_GBps=10 --sim-bucket 8000)" "10 * 0.01 + 9 * 14 / 8 * 8e-7"
bytes=$(value .busiest_bytes $link)
is "$(value .busiest_bytes $link --sim-bucket 4096)" "$bytes" "bytes in buckets"
for shards in 1 2 5; do
	busiest=$(value .busiest_bytes $link --algo asgd --workers 40 --samples 3200 --shards $shards)
	near "$busiest" "$(jq .bytes_sent out) / $shards" "bytes of a shard"
done
expect 1 $run --algo asgd --shards 250001
says err "shards = 250001: quadratic has 250000 parameters"
# Only a server has shards; the worker that a speedup is relative to is alone.
expect 1 $run --algo d-psgd --shards 2
says err "shards = 2: d-psgd has no parameter server to divide (expected an algorithm that has one"
cat >sharded.json <<'END'
{ "title": "t", "base": { "net": "quadratic", "timing": true, "workers": 4, "samples": 3200, "compute_s": "0.01" },
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

# Links of single workers and pairs: a ring waits for the slowest, the hash has the clauses.
near "$(value .time_s "nic:latency_s=0; 3,5: bandwidth_GBps=0.1")" "10 * 0.01 + 9 * 14 / 8 * 0.01" "slow workers"
slow=$(value .hash "nic:latency_s=0;3,5:bandwidth_GBps=0.1")
is "$(jq -r .settings.link out | sed 's/.*; //')" "3,5: bandwidth_GBps=0.1" "canonical clauses"
[ "$(value .hash nic:latency_s=0)" != "$slow" ] || fail "a slow worker, the same hash"
expect 0 $run --link 'nic; 0,3: latency_s=1e-3,nic; 1: message_s=1e-3,ideal'
is "$(jq ".runs | length" out)" 3 "three links"
near "$(value .time_s nic:latency_s=0,node=4,node_GBps=20,bandwidth_GBps=0.5)" "10 * 0.01 + 9 * 14 / 8 * 0.002" nodes
near "$(value .time_s "fair:latency_s=0,rack=4,uplink_GBps=1,background_GBps=0.75")" \
	"10 * 0.01 + 9 * 14 / 8 * 0.002" "other jobs"
table=collective=measured,allreduce_ranks=8,allreduce_bytes=0/500000/2000000,allreduce_s=0.001/0.002/0.008
for model in nic fair; do
	near "$(value .time_s $model:$table)" "10 * 0.01 + 9 * 0.004" "a table on $model"
done
# A speedup is relative to one worker, of which rank 3 is none.
expect 0 $run --link 'nic; 3: bandwidth_GBps=0.5' --workers 4,8
jq -e '.runs | length == 2 and all(.speedup > 1)' out >/dev/null || fail "no speedup over one worker"
# Racks that are not full, and parts of a link without effect, are named; full racks and used parts are not.
loud=${run% --quiet --json}
remarks() {
	expect 0 $loud --link "$1" "${@:3}"
	[ -n "$2" ] && says err "convoy: $2"
	[ -n "$2" ] || ! grep -qE "no effect|rack|falls" err || fail "$1: $(cat err)"
}
remarks fair:rack=5,uplink_GBps=0.5 "link: rack=5 does not divide 8 workers: the last rack has 3"
remarks fair:rack=100,uplink_GBps=0.5 "link: rack=100: one rack holds all 8 workers, so uplinks and core carry nothing"
remarks fair:rack=4,uplink_GBps=0.5 ""
remarks fair:rack=8,uplink_GBps=0.5 "" --algo asgd
remarks fair:rack=5 "link: rack=5 does not divide 8 workers: the last rack has 3 (one of 2 such runs)" --workers 8,9,10
remarks nic:collective=ring,group=5,timeout_s=1 "no effect: of link: group (collective=ring), timeout_s (loss=0)"
remarks nic:collective=hierarchical,group=2,loss=0.1,timeout_s=1 ""
late="waits for none that is late, so they take longer as single messages (collective=ring,stepwise=true)"
remarks nic:loss=0.01 "link: the formula of all-reduces has the mean number of tries of messages and $late"
remarks nic:jitter=1 "link: the formula of all-reduces has the mean latency of messages and $late"
remarks nic:jitter=1,loss=0.1 "link: the formula of all-reduces has the mean latency and number of tries of messages and $late"
remarks nic:loss=0.01,stepwise=true ""
! grep -q "the formula" err || fail "single messages: $(cat err)"
remarks nic:loss=0.01 "" --algo asgd
! grep -q "the formula" err || fail "no all-reduce: $(cat err)"
expect 0 advise --among allreduce,asgd --workers 8 --net bytes:1e6 --compute-s 0.1 --link nic:loss=0.01
says out "link: the formula of all-reduces has the mean number of tries"
remarks "nic; server: latency_s=1e-3" "no effect: of link: the server's clause (the algorithm has no server)"
remarks "nic; server: latency_s=1e-3" "" --algo asgd
table=nic:collective=measured,allreduce_ranks=8,allreduce_bytes=1e3/1e6
remarks $table,allreduce_s=1/0.5 "link: allreduce_s falls from 1 s at 1000 bytes to 0.5 s at 1e+06"
remarks $table,allreduce_s=0.5/1 ""

# A misspelt key is named before what is left out is asked for.
expect 1 sim --timing --workers 4 --link nic:bandwith_GBps=1
says err "unknown option 'bandwith_GBps'"
expect 1 sim --timing --workers 4 --link nic:bandwidth_GBps=1 --delay gama
says err "'gama'"
expect 1 sim --timing --workers 4 --link nic:bandwidth_GBps=1
says err "compute_s is missing"

# A cluster file has the same text.
cat >racks.json <<'END'
{ "workers": 8, "compute": { "flops": 1e12 }, "link": "fair:node=4,nics=2,node_GBps=20; 4-7: bandwidth_GBps=0.5",
  "sources": { "link.node": "data sheet", "link.4-7.bandwidth_GBps": "measured" } }
END
expect 0 sim --timing --algo allreduce --cluster ./racks.json --samples 3200 --gradients 80 --quiet --json
says out "4-7: bandwidth_GBps=0.5"
expect 0 show cluster ./racks.json
says out "link.4-7.bandwidth_GBps"

refused() { expect 1 $run --link "$1"; says err "$2"; }
expect 0 sim --timing --algo allreduce --workers 4 --net bytes:4e6 --compute-s 1 --gradients 256 --link measured:message_bytes=100,message_s=0.1
says err "link measured (extrapolated: no all-reduces were measured)"
refused measured "link model measured: it has no measured time (expected message_bytes and message_s, or allreduce_bytes and allreduce_s)"
refused nic:loss=1 "loss must be a number, from 0 to 0.99"
refused nic:collective=rings "did you mean 'ring'"
refused nic:bandwith=1 "did you mean 'bandwidth_GBps'"
refused nic:collective=tree,stepwise=true "stepwise needs collective=ring"
refused nic:stepwise=eagre "did you mean 'eager'"
refused nic:jitter=1,latency_s=0 "latency_s must be more than 0"
refused fair:uplink_GBps=1 "rack must be at least 1"
refused fair:rack=-1 "rack must be a whole number"
refused "nic; 0-3: latency_s=1; 2: message_s=1" "two clauses name rank 2. Put its settings into one"
refused "nic; 0: latency_s=-1" "latency_s must be a number of seconds, from 0 to 1e6, not '-1'"
refused "nic; 0: latency_s=1e12" "latency_s must be a number of seconds, from 0 to 1e6, not '1e12'"
refused nic:message_s=-1 "message_s must be a number of seconds"
refused nic:node=3 "workers = 8 do not fill nodes of node = 3"
refused fair:node=4,rack=6 "rack = 6 workers are not whole nodes of node = 4"
refused nic:node=4,nics=16 "give nics=4 and 4 times the bandwidth_GBps"
refused "ideal; 0: latency_s=1" "For settings of single nodes use nic or fair"
refused "nic; 3: bandwidth_GBps=1; 4<>5: bandwidth_GBps=-2" "link clause '4<>5: bandwidth_GBps=-2': bandwidth_GBps must"
refused fare "did you mean 'fair'"
finish
