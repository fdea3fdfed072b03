# partition: who has which samples, in a table and a picture; training on both engines; refusals.
. "$(dirname "$0")/lib.sh"
need jq

parts="--workers 4 --partition shards:classes=1"
expect 0 data partition shapes:train=400 $parts --plot drawn
says out "shapes, shards:classes=1, 4 workers, seed 1"
[ -s drawn/partition.svg ] || ! command -v gnuplot >/dev/null || fail "no picture"
expect 0 data partition shapes:train=400 $parts --json
jq -e '.workers | length == 4 and all(.samples == 100) and
	([.[].classes | add] | add == 400)' out >/dev/null || fail "counts: $(cat out)"

# One thread, two threads and real ranks train alike, on other samples than without parts.
train="--algo allreduce --net mlp --data shapes:train=400,test=100 --batch 10 --epochs 2 --lr 0.05 --quiet"
expect 0 sim $train $parts --compute-s 1 --threads 1 --out a
model=$(field model)
expect 0 sim $train $parts --compute-s 1 --threads 2 --out b
is "$(field model)" "$model" "two threads"
expect 0 train $train $parts --out c
is "$(field model)" "$model" "real ranks"
expect 0 sim $train --workers 4 --compute-s 1 --out d
[ "$(field model)" != "$model" ] || fail "parts change nothing"

# refuse WHY ARGUMENT...
refuse() {
	local why=$1
	shift
	expect 1 "$@"
	says err "$why"
}

refuse "did you mean 'labels'" data partition shapes --partition label
refuse "no worker has samples of its own" data partition shapes --partition shared
refuse "a table of 32800 workers and 65536 classes is too large (expected at most 67108864 numbers)" \
	data partition mixture:train=33000,dims=1,classes=65536,clusters=1 --workers 32800 --partition iid
refuse "no data set to divide" sim --net quadratic --compute-s 1 --partition iid
refuse "no text of documents" sim --net mlp --compute-s 1 --partition documents
refuse "have no class" sim --net gpt-tiny --data chain --compute-s 1 --partition labels
refuse "with streams=true" sim --net transformer-xl-tiny --data chain:streams=true --workers 2 \
	--batch 8 --optim adam --compute-s 1 --partition iid
finish
