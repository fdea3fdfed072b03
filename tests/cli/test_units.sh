# Units: the same value gives the same run, however it is written; what was understood; refusals.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

run="sim --timing --samples 6400 --workers 4 --host-copy-s 0 --delay constant"
hash() { expect 0 $run --dry-run --json "$@"; jq -r .hash out; }

plain=$(hash --net bytes:2.6e9 --compute-s 0.64 --link nic:bandwidth_GBps=12.5,latency_s=2e-6)
is "$(hash --net bytes:2.6GB --compute-s 640ms --link nic:bandwidth_GBps=100Gb/s,latency_s=2us)" "$plain"
is "$(hash --net bytes:2600M --compute-s '0-1: 0.64; 2-3: 640ms' --link nic:bandwidth_GBps=12.5GB/s,latency_s=0.002ms)" \
	"$(hash --net bytes:2.6e9 --compute-s '0-1: 0.64; 2-3: 0.64' --link nic:bandwidth_GBps=12.5,latency_s=2e-6)"
for pair in 'seconds 3h 10800' 'samples 1M 1e6' 'sim_bucket 25MiB 26214400' 'faults 0:leave@1min-2h,detect_s=1min 0:leave@60-7200,detect_s=60' \
	'slow 0:3@10ms-1h 0:3@0.01-3600' 'recovery restart:interval_s=30min,cost_s=1min restart:interval_s=1800,cost_s=60' \
	'link nic;0-1:latency_s=1ms nic;0-1:latency_s=0.001' 'compute_s table:batch=16/32,seconds=40ms/70ms table:batch=16/32,seconds=0.04/0.07' \
	'delay markov:fast_s=1min,slow_s=10s markov:fast_s=60,slow_s=10'; do
	set -- $pair
	is "$(hash --net bytes:1e6 --compute-s 1 "--$1" "$2")" "$(hash --net bytes:1e6 --compute-s 1 "--$1" "$3")" "$1"
done

# What was understood is a line, and the settings have the number.
expect 0 $run --net bytes:2.6GB --compute-s 640ms --link nic:bandwidth_GBps=100Gb/s
says err "understood: compute_s 640ms = 0.64 s, bytes 2.6GB = 2.6e9 bytes, bandwidth_GBps 100Gb/s = 12.5 GB/s"
expect 0 $run --net bytes:2.6e9 --compute-s 0.64 --quiet
! grep -q understood err || fail 'a plain number is understood'
expect 0 $run --net bytes:2.6e9 --compute-s 10ms..40ms,1s --quiet
is "$(awk 'NR > 2 && $1 + 0 > 0 { printf "%s ", $1 }' out)" "0.01 0.02 0.04 1 "
# The last number's unit is that of a range; a count's k is of its own number alone.
expect 0 $run --net bytes:2.6e9 --compute-s 1..2s,10..40ms:10 --quiet
is "$(awk 'NR > 2 && $1 + 0 > 0 { printf "%s ", $1 }' out)" "1 2 0.01 0.02 0.03 0.04 "
expect 0 sim --timing --samples 1M --gradients 4k --workers 500..1k --net bytes:1e6 --compute-s 1 --algo allreduce --quiet
is "$(awk 'NR > 2 && $1 + 0 > 0 { printf "%s ", $1 }' out)" "500 1000 "
vary="advise --among allreduce,diloco:period=10 --workers 4 --net bytes:1e6 --compute-s 1 --gradients 400 --link nic --points 2"
expect 0 $vary --vary bandwidth=10..400Gb/s --json
is "$(jq -c '[.points[].bandwidth]' out)" "[1.25,50]"
says err "understood: bandwidth 10Gb/s = 1.25 GB/s, bandwidth 400Gb/s = 50 GB/s"
expect 0 $vary --samples 1M --vary workers=100..1k --json
is "$(jq -c '[.points[].workers] | [min, max]' out)" "[100,1000]"
expect 1 $vary --vary workers=0..10
says err "workers must be from 2 to 2097150"

# Another quantity's unit, an unknown one, bits or bytes.
refuse() { expect 1 $run --dry-run "${@:2}"; says err "$1"; }
refuse "compute_s must be a number of seconds, from 0 to 1e15, not '100Gb/s': 'Gb/s' is a unit of a rate; expected a time" --net bytes:1e6 --compute-s 100Gb/s
refuse "not '640msec': unknown unit 'msec'; did you mean 'ms'?" --net bytes:1e6 --compute-s 640msec
refuse "expected 100Gb/s (bits) or 100GB/s (bytes)" --net bytes:1e6 --compute-s 1 --link nic:bandwidth_GBps=100G
refuse "'Gb' is bits, and a size is in bytes; expected GB" --net bytes:40Gb --compute-s 1
refuse "detect_s must be a number of seconds, at least 0, not '3x': unknown unit 'x'" --net bytes:1e6 --compute-s 1 --faults 0:leave@3h,detect_s=3x

# Specs and clusters have texts with units.
cat >own.json <<'END'
{ "workers": 4, "compute": { "seconds_per_sample": { "mine@0123456789abcdef": "5ms" }, "flops": 1e12 }, "host_copy_GBps": "96Gb/s",
  "update_s": "3ms", "bucket_bytes": "25MiB", "link": "nic:bandwidth_GBps=100Gb/s" }
END
sed 's/"5ms"/0.005/; s/"96Gb.s"/12/; s/"3ms"/0.003/; s/"25MiB"/26214400/; s/100Gb.s/12.5/' own.json >plain.json
expect 0 show cluster ./own.json
mv out units.out
expect 0 show cluster ./plain.json
sed -i 's/100Gb.s/12.5/' units.out
cmp out units.out || fail "another cluster: $(diff out units.out)"
sed 's/"3ms"/"3 GB"/' own.json >bad.json
expect 1 show cluster ./bad.json
says err "bad.json: update_s must be a number that is not negative, or a text with a unit, not '3 GB': 'GB' is a unit of a size"
# Seconds of a net are said with their key.
part() {
	echo "$2" >part.json
	expect 1 show cluster ./part.json
	says err "$1"
}
part "part.json: seconds_per_sample of bytes:1e6 must be a number" '{ "compute": { "seconds_per_sample": { "bytes:1e6": -3 } } }'
part "part.json: seconds_per_sample of bytes:1e6, 4 must be a number" \
	'{ "compute": { "seconds_per_sample": { "bytes:1e6": { "1": 1, "4": -3 } } } }'
part "part.json: seconds_per_batch of mlp must be a number that is not negative, or a text with a unit, not '3 GB'" \
	'{ "compute": { "seconds_per_batch": { "mlp": "3 GB" } } }'

cat >own-spec.json <<'END'
{ "title": "own", "base": { "timing": true, "samples": "1M", "net": "bytes:1GB", "seconds": "1min", "algo": "allreduce", "workers": 4 },
  "grid": { "compute_s": ["100ms", 0.2] }, "tables": [ { "name": "t", "title": "t", "rows": "compute_s", "values": ["time_per_epoch_s"] } ] }
END
expect 0 run ./own-spec.json --out results
says out "0.1 "
! grep -q 100ms out || fail 'a unit in the table'
expect 0 help units
says out "100Gb/s is 12.5GB/s"
