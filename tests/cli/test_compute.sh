# Compute times by table and by device, of a cluster too; and storage that workers share.
# QUICK
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

near() {
	jq -en "(($1) - ($2) | fabs) < 1e-9 * (($2) | fabs)" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}
run="sim --timing --algo allreduce --net resnet50 --data imagenet --samples 100000 --host-copy-s 0 --delay constant --quiet --json"
value() { expect 0 $run "${@:2}"; jq -r "$1" out; }
ten="--workers 4 --gradients 40 --epochs 0"
table="table:batch=10/30/50,seconds=0.3/0.5/0.9"

# Ten steps: at a point, between two, beyond by the slope of the fit, 12 / 800 s a sample.
near "$(value .time_s $ten --batch 30 --compute-s $table)" 5
near "$(value .time_s $ten --batch 20 --compute-s $table)" 4
near "$(value .time_s $ten --batch 60 --compute-s $table)" 10.5
is "$(jq -r .settings.compute_s out)" "$table"
printf '# batch, seconds\n10 0.3\n30, 0.5 # measured\n\n50\t0.9\n' >own.txt
hash=$(value .hash $ten --batch 20 --compute-s $table)
is "$(value .hash $ten --batch 20 --compute-s table:file=own.txt)" "$hash" "the same table"
sed -i 's/0.9/0.8/' own.txt
[ "$(value .hash $ten --batch 20 --compute-s table:file=own.txt)" != "$hash" ] || fail "another table, the same hash"
# What is extrapolated is said, and what is measured is not.
expect 0 sim --timing --algo allreduce --net resnet50 --data imagenet --samples 100000 $ten --batch 60 --compute-s $table
says err "assumed: compute 1.05 s (extrapolated: batch 60 is outside the measured 10 to 50)"
is "$(value '.assumed | has("compute_s")' $ten --batch 20 --compute-s $table)" false
is "$(value .assumed.compute_s --workers 2 --gradients 20 --epochs 0 --batch 30 --compute-s $table --shares 0:9)" \
	"extrapolated: batch 6 is outside the measured 10 to 50"

# So are all-reduces and messages that the link's tables do not hold.
table_of="allreduce_bytes=1e6/1e8,allreduce_s=0.01/0.2"
link="nic:latency_s=1e-5,bandwidth_GBps=1.25,collective=measured,allreduce_ranks=4,$table_of"
beyond() { value .assumed.link --gradients 20 --epochs 0 --compute-s 1 --batch 8 --sim-bucket 0 "$@"; }
is "$(beyond --workers 4 --net bytes:1e8,layers=1 --link "$link")" null
is "$(beyond --workers 8 --net bytes:1e8,layers=1 --link "$link")" \
	"extrapolated: all-reduces of 8 workers were not measured, only those of 4"
for bytes in 1e9:1e+09 4e5:4e+05; do
	is "$(beyond --workers 4 --net bytes:${bytes%:*},layers=1 --link "$link")" \
		"extrapolated: all-reduces of ${bytes#*:} bytes were not measured, only those of 1e+06 to 1e+08"
done
is "$(beyond --algo asgd --workers 4 --net bytes:1e9,layers=1 \
	--link "measured:ranks=4,message_bytes=10/1e3,message_s=1/2,$table_of")" \
	"extrapolated: messages of 1e+09 bytes were not measured, only those of 10 to 1000"
expect 0 sim --timing --algo allreduce --workers 2,4,16 --gradients 32 --epochs 0 --cluster a100-nvlink --net resnet50
says err "link nic (cluster a100-nvlink, extrapolated: all-reduces of 16 workers were not measured, only those of 8)"

# All-reduce goes with the slowest device; each is as fast as published.
near "$(value .time_s $ten --batch 64 --compute-s '0-1: p100; 2-3: k80')" "10 * 64 / 51.9"
near "$(value .time_s $ten --batch 64 --compute-s p100)" "10 * 64 / 219"
# Shares by speed: p100 has 219 / 51.9 times as many samples, 103 of 128 each, k80 25.
near "$(value .time_s $ten --batch 64 --compute-s '0-1: p100; 2-3: k80' --shares speed)" "10 * 25 / 51.9"
is "$(jq -r .settings.shares out)" "0-1:103+2-3:25"
# A share's time is the table's, not in proportion: 30 and 10 samples take 0.5 and 0.3 s.
near "$(value .time_s --workers 2 --gradients 20 --epochs 0 --batch 20 --compute-s $table --shares 0:3)" 5
# Speedups are relative to worker 0 alone.
expect 0 $run --workers 1,4 --batch 64 --epochs 1 --compute-s '0-1: p100; 2-3: k80'
# Several values of a sweep may be tables.
expect 0 sim --timing --algo allreduce --net resnet50 --data imagenet --samples 100000 $ten --batch 64 \
	--compute-s "0.1,$table,k80"
is "$(grep -c '^\(0.1\|table\|k80\)' out)" 3 "rows"

# A cluster's file has them by net, with a source.
cat >mine.json <<END
{ "workers": 4, "link": "ideal",
  "compute": { "times": { "resnet50": "$table", "vgg": "v100" }, "seconds_per_sample": { "resnet50": 9 } },
  "sources": { "times.resnet50": "measured by hand" } }
END
near "$(value .time_s $ten --batch 20 --cluster ./mine.json)" 4
is "$(jq -r .assumed.compute_s out)" "cluster ./mine.json"
near "$(value .time_s $ten --batch 60 --cluster ./mine.json)" 10.5
is "$(jq -r .assumed.compute_s out)" \
	"cluster ./mine.json, extrapolated: batch 60 is outside the measured 10 to 50"
is "$(value .assumed.compute_s $ten --batch 30 --cluster ./mine.json --shares 0:9)" \
	"cluster ./mine.json, extrapolated: batch 90 is outside the measured 10 to 50"
near "$(value .time_s $ten --batch 20 --cluster ./mine.json --compute-s 2)" 20
expect 0 show cluster ./mine.json
says out "measured by hand"
echo '{ "compute": { "times": { "resnet50": 3 } } }' >bad.json
expect 1 $run $ten --cluster ./bad.json
says err "times: resnet50 must be a text"
expect 0 list devices
says out "a100-mixed "
expect 0 show device t4
says out "resnet50"

refused() { expect 1 $run $ten --batch 20 "${@:2}"; says err "$1"; one_line; }
refused "rank 2 is named twice" --compute-s '0-2: 1; 2-3: 2'
refused "do not grow with the batch" --compute-s table:batch=1/2,seconds=2/1
refused "no published rate of net resnet50" --compute-s h100-mixed
printf '10 0.3\n20\n' >bad.txt
refused "bad.txt:2: expected two numbers, BATCH SECONDS" --compute-s table:file=bad.txt

# Four workers share 200 samples a second: 10 samples take 0.05 s, so a step takes 4 x 0.05 s. The first
# ends when the last of four batches is read and computed: 0.2 + 0.1 s.
slow="$ten --batch 10 --compute-s 0.1"
near "$(value .time_s $slow --storage shared:samples_per_s=200)" "0.3 + 9 * 0.2" "shared"
near "$(value .time_s $slow --storage shared:GBps=0.2,sample_bytes=1e6)" "0.3 + 9 * 0.2" "by bytes"
near "$(value .time_s $slow --storage shared:samples_per_s=200,ahead=0)" "10 * 0.3" "nothing in advance"
near "$(value .time_s $slow --storage shared:samples_per_s=200,workers=2)" "0.2 + 9 * 0.1" "two storages"
near "$(value .time_s $slow --storage none)" 1 none
# Two storages of 2 samples a second: 0 and 1, which are too slow to read again, share one, so 2 and 3 have the other.
near "$(value .time_s --workers 4 --gradients 40 --epochs 0 --batch 1 --compute-s 0.1 --algo asgd --update-s 0 --link ideal \
	--slow 0:1000+1:1000 --storage shared:samples_per_s=2,workers=2)" "40 / 2 + 0.1" "neighbours share"
# A worker computes for 0.1 of each 0.3 s, and waits for the rest.
expect 0 $run $slow --storage shared:samples_per_s=200,ahead=0
near "$(jq .wait_share out)" "2 / 3" "waiting"
# Asynchronous workers are not faster than the storage either: 80 batches, then a computation.
near "$(value .time_s --workers 4 --gradients 80 --epochs 0 --batch 10 --compute-s 0.1 --algo asgd --update-s 0 \
	--link ideal --storage shared:samples_per_s=200)" "80 * 0.05 + 0.1"
# A gradient is as slow as its worker is when it begins, after the reading.
near "$(value .time_s --workers 1 --gradients 1 --epochs 0 --batch 100 --compute-s 1 \
	--storage shared:samples_per_s=1,ahead=0 --slow 0:10@100-101)" 110 "slow after the reading"
refused "a rate is either samples_per_s or GBps" --compute-s 1 --storage shared
refused "GBps and sample_bytes belong together" --compute-s 1 --storage shared:GBps=1
refused "samples_per_s must be" --compute-s 1 --storage shared:samples_per_s=-1
finish
