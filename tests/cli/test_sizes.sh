# Nets that are known by their size: bytes, profiles, built-in ones; what makes no sense.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

near() {
	jq -en "(($1) - ($2) | fabs) < 1e-9 * (($2) | fabs)" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}
run="sim --timing --algo allreduce --workers 8 --delay constant --host-copy-s 0 --samples 6400 --batch 1 --gradients 80 --epochs 0 --quiet --json"
value() { expect 0 $run "${@:2}"; jq -r "$1" out; }
link="--link nic:latency_s=0,bandwidth_GBps=1"

# 350 MB, all at the end; in 7 layers, whose buckets overlap the backward pass.
near "$(value .time_s --net bytes:350e6,layers=60 --compute-s 0.3 --sim-bucket 0 $link)" \
	"10 * 0.3 + 9 * 14 / 8 * 0.35" "bytes"
near "$(value .time_s --net bytes:350e6,layers=7 --compute-s 3 --sim-bucket 50000000 $link)" \
	"10 * 3 + 9 * 14 / 8 * 0.05" "layers"
# More than 10^12 parameters are no problem; ten all-reduces of 2 x 7 / 8 of the bytes are sent.
is "$(value ".bytes_sent + 0" --net bytes:8e12 --compute-s 100 --sim-bucket 0 $link)" $((80 * 14 * 1000000000000))
# 63 bits do not hold what a large net's nodes send and receive: a server, and workers that all-reduce.
near "$(value .bytes_sent --net bytes:4e15 --algo asgd --gradients 4000 --samples 1e6 --compute-s 1 $link)" "2 * 4000 * 4e15" "asgd, in all"
near "$(jq .busiest_bytes out)" "2 * 4000 * 4e15" "asgd's server"
near "$(jq .message_bytes out)" 4e15 "asgd's messages"
near "$(value .bytes_sent --net bytes:4e15 --gradients 16000 --samples 1e6 --compute-s 1 --sim-bucket 0 $link)" \
	"2000 * 14 * 4e15" "allreduce, in all"
near "$(jq .busiest_bytes out)" "2000 * 2 * 14 / 8 * 4e15" "an all-reduce's member"
# A seed and counts are printed in full, to be given again.
expect 0 sim --timing --algo asgd --workers 4 --net bytes:4e6 --samples 6400 --batch 1 --gradients 80 --compute-s 1 $link --seed 20261129
is "$(field seed) $(field bytes_sent)" "20261129 640003840" "numbers in full"
# Without a number of layers there are 50, so that an all-reduce overlaps; or one for each parameter. One layer overlaps nothing.
overlap="--compute-s 3 --sim-bucket 50000000 $link"
is "$(value .time_s --net bytes:350e6 $overlap)" "$(value .time_s --net bytes:350e6,layers=50 $overlap)" "layers by default"
is "$(value .time_s --net bytes:8 $overlap)" "$(value .time_s --net bytes:8,layers=2 $overlap)" "layers of two parameters"
expect 0 sim --timing --algo allreduce --workers 4 --net bytes:350e6,layers=1 --batch 1 --samples 40 --compute-s 3 --link nic
says err "all-reduce after the backward pass, in buckets of 26214400 bytes, as the net has one layer"
# The same size written otherwise is the same run; more layers are another.
hash=$(value .hash --net bytes:350e6,layers=60 --compute-s 1 $link)
is "$(value .hash --net bytes:layers=60,bytes=350000000 --compute-s 1 $link)" "$hash"
[ "$(value .hash --net bytes:350e6,layers=61 --compute-s 1 $link)" != "$hash" ] || fail "layers, the same hash"

# Two layers, the first of 4 MB: 0.1 + 0.3 s forward, 0.4 + 0.2 s backward, the last layer's first.
cat >own.csv <<'END'
# measured
layer, bytes, forward_s, backward_s
first, 4000000, 0.1, 0.4
last, 100000000, 0.3, 0.2
END
near "$(value .time_s --net profile:own.csv --sim-bucket 0 $link)" "10 + 9 * 14 / 8 * 0.104" "a profile's seconds"
is "$(jq -r '.settings.compute_s' out)" 1
# The last layer's gradient is added while the first layer's is computed.
near "$(value .time_s --net profile:own.csv --sim-bucket 100000000 $link)" "10 + 9 * 14 / 8 * 0.004" buckets
near "$(value .time_s --net profile:own.csv --sim-bucket 0 --compute-s 0.5 $link)" "5 + 9 * 14 / 8 * 0.104"
hash=$(value .hash --net profile:own.csv $link)
sed 's/#.*//' own.csv >other.csv
is "$(value .hash --net profile:other.csv $link)" "$hash" "the same layers"
sed -i 's/0.4/0.5/' other.csv
[ "$(value .hash --net profile:other.csv $link)" != "$hash" ] || fail "other seconds, the same hash"

# Built-in ones have published sizes.
while read -r net parameters gmacs; do
	expect 0 show net "$net" --json
	is "$(jq '.parameters' out)" "$parameters" "$net"
	is "$(jq '.macs / 1e7 | round / 100' out)" "$gmacs" "$net"
	expect 0 show net "$net"
	says out "Source: "
	grep -qE "^total +$parameters " out || fail "$net: $(cat out)"
	is "$(value .bytes_sent --net "$net" --compute-s 1 --sim-bucket 0 $link)" \
		$((80 * (parameters * 4 * 14 / 8))) "$net"
done <<'END'
gpt2 124439808 145.82
resnet101 44549160 7.8
transformer-xl 151107538 9.88
vgg16 138357544 15.47
END
expect 0 list nets
says out "gpt2 "
says out "bytes "
# A cluster's operations a second say how long they take.
near "$(value .settings.compute_s --net vgg16 --batch 8 --cluster knl-opa --samples 64000)" \
	"8 * 6 * 15470264320 / 1.562e12"

refused() { expect 1 $run "${@:2}"; says err "$1"; }
refused "bytes must be a number of bytes, from 4 to 4e15, not '0'" --net bytes:0 --compute-s 1
refused "bytes must be a number of bytes, from 4 to 4e15, not '-5'" --net bytes:-5 --compute-s 1
refused "bytes is missing (expected those of a gradient" --net bytes --compute-s 1
refused "layers = 60 of 10 parameters" --net bytes:40,layers=60 --compute-s 1
refused "layers must be a whole number" --net bytes:40,layers=-1 --compute-s 1
refused "net gpt: over 1e18 multiply-accumulates a sample" --net gpt:params=1000B,seq=1000000 --compute-s 1
refused "net bytes has no multiply-accumulates" --net bytes:4e6 --cluster knl-opa
refused "would have 250000000 buckets" --net bytes:1e9 --compute-s 1 --sim-bucket 4
refused "a file is missing (expected profile:FILE)" --net profile
refused "none.csv" --net profile:none.csv
profile() { printf '%b' "$2" >bad.csv; refused "$1" --net profile:bad.csv; }
profile "a profile without layers" ""
profile "a profile without layers" "bytes,seconds\n"
profile "bad.csv:1: unknown column 'sceonds'; did you mean 'seconds'?" "bytes,sceonds\n1,2\n"
profile "bad.csv:1: two columns are called 'bytes'" "bytes,bytes\n1,2\n"
profile "one column of 'bytes' or 'parameters'" "layer,seconds\na,2\n"
profile "times are one column 'seconds'" "bytes,forward_s\n4,2\n"
profile "bad.csv:2: seconds must be a number, from 0 to 1e18, not '-1'" "bytes,seconds\n4,-1\n"
profile "bad.csv:3: 1 field, but the header names 2 columns" "bytes,seconds\n4,1\n4\n"
profile "bad.csv:2: 3 fields, but the header names 2 columns" "bytes,seconds\n4,1,1\n"
profile "net profile: 0 bytes" "bytes,seconds\n0,1\n"
profile "all layers take 0 s" "bytes,seconds\n4,0\n"
expect 1 sim --algo allreduce --net vgg16 --workers 2
says err "cannot be trained (expected a timing-only run: convoy sim --timing)"
finish
