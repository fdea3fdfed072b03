# Which test images a run classifies correctly, in its result; claims compare them in pairs.
. "$(dirname "$0")/lib.sh"
need jq

settings=(--net mlp --data shapes:train=320,test=150 --algo local-sgd:period=4 --workers 2 --batch 16 --epochs 2
	--lr 0.02 --compute-s 0.01 --quiet --json)
# images FILE: number of images and how many are correct, of a run object
images() {
	jq -r 'def bits: if . > 57 then . - 87 else . - 48 end | [. % 2, (. / 2 | floor) % 2, (. / 4 | floor) % 2, (. / 8 | floor)] | add;
		(.test_correct | split(" ")) as $t | "\($t[0]) \($t[2] | explode | map(bits) | add)"' "$1"
}
# same FILE WHAT: those images are the first run's
same() { is "$(jq -r .test_correct "$1")" "$(jq -r .test_correct first)" "$2"; }

expect 0 sim "${settings[@]}" --link ideal --out first-run
cp out first
is "$(images first)" "150 $(jq '.test_accuracy * 150 | round' first)" "images of the first run"
expect 0 sim "${settings[@]}" --link ideal --threads 3 --eval-every 1 --out threads
same out "threads, and evaluations before the last"
expect 0 sim "${settings[@]}" --link nic:latency_s=1e-4,bandwidth_GBps=0.001 --out first-run
[ "$(jq -r .trained_by out)" = "$(jq -r .hash first)" ] || fail "trained_by"
same out "a run whose training is the first one's"
expect 0 sim "${settings[@]}" --link ideal --eval-samples 70 --out few
is "$(images out)" "70 $(jq '.test_accuracy * 70 | round' out)" "70 of 150 images"
is "$(jq .test_samples out)" 70 "samples of the accuracy"
is "$(jq -r '.test_correct | split(" ")[2][:16]' out)" "$(jq -r '.test_correct | split(" ")[2][:16]' first)" "the first ones"

# A run that was interrupted and resumed.
long=("${settings[@]}" --link ideal --epochs 10 --eval-every 0)
expect 0 sim "${long[@]}" --out whole
jq -r .test_correct out >whole.correct
interrupted 'parts/sim/*.part' sim "${long[@]}" --out parts --checkpoint-every 1000
expect 0 sim "${long[@]}" --out parts --resume
is "$(jq -r .test_correct out)" "$(cat whole.correct)" "a resumed run"

# Real ranks; what has no labels of images has none.
if has_mpi; then
	expect 0 train -n 2 "${settings[@]}" --threads 1 --out real
	is "$(images out)" "150 $(jq '.test_accuracy * 150 | round' out)" "images of a run on real ranks"
	is "$(jq -r .settings.engine out)" mpi engine
fi
expect 0 sim --net quadratic --gradients 20 --lr 0.01 --compute-s 0.01 --quiet --json --out none
is "$(jq 'has("test_correct")' out)" false "a quadratic has no images"
expect 0 sim --net gpt-tiny --data chain --gradients 1 --eval-samples 10 --compute-s 0.01 --quiet --json --out none
is "$(jq 'has("test_correct")' out)" false "a text has no images"

# Claims, on results and on kept ones, with the images and without.
export CONVOY_HOME=$here
mkdir -p experiments/paper kept/paper/pair
cat >experiments/paper/pair.json <<'END_OF_SPEC'
{
  "title": "Two learning rates",
  "base": { "net": "mlp", "data": "shapes:train=320,test=150", "algo": "allreduce", "workers": 2, "batch": 16, "epochs": 1,
            "compute_s": 0.01, "link": "ideal" },
  "grid": { "lr": [0.01, 0.02], "seed": [1, 2, 3] },
  "tables": [ { "name": "accuracy", "rows": "lr", "values": ["test_accuracy"] } ],
  "claims": [ { "says": "0.02 is not worse than 0.01.", "kind": "ours",
                "no_worse": { "a": { "lr": 0.02 }, "b": { "lr": 0.01 }, "margin": 90 } },
              { "says": "0.02 is near a published number.", "kind": "ours",
                "within": { "a": { "lr": 0.02 }, "b": { "published": 0.3, "same_images": true }, "distance": 90 } } ]
}
END_OF_SPEC
expect 0 run paper/pair -v
says out "test images in pairs"
says out "the published number's test images"
folder=results/paper/pair/default
is "$(jq -r '[.[] | .interval.images, .verdict] | join(" ")' $folder/claims.json)" "pairs holds same holds" verdicts
cp $folder/runs.json kept/paper/pair
is "$(jq '[.[].test_correct | select(startswith("150 "))] | length' $folder/runs.json)" 6 runs.json
expect 0 report --claims kept
is "$(jq -c '.[].interval.interval' kept/paper/pair/claims.json)" "$(jq -c '.[].interval.interval' $folder/claims.json)" "kept runs"
jq 'map(del(.test_correct))' $folder/runs.json >kept/paper/pair/runs.json
expect 0 report --claims kept
is "$(jq -r '[.[].interval.images] | join(" ")' kept/paper/pair/claims.json)" "binomial same" "kept runs without images"
jq '.[0].test_correct |= .[:-2]' $folder/runs.json >kept/paper/pair/runs.json
"$CONVOY" report --claims kept >out 2>err
says kept/paper/pair/claims.json "test_correct of a run is damaged"

finish
