# QUICK
# SANITIZED
# Specs with mistakes: file, section and the nearest known word are named.
. "$(dirname "$0")/lib.sh"

# refuse TEXT JSON: convoy run refuses the spec, and says TEXT.
refuse() {
	echo "$2" >bad.json
	expect 1 run bad.json --out results
	says err "bad.json"
	says err "$1"
	one_line
}

cat >syntax.json <<'END'
{
  "title": "t",
  "base": { "batch": 32 "net": "mlp" }
}
END
expect 1 run syntax.json
says err "syntax.json:3:"
one_line

refuse "object" '[]'
refuse "title" '{}'
refuse "title" '{ "title": 5 }'
refuse "did you mean 'base'" '{ "title": "t", "bse": {} }'
refuse "did you mean 'batch'" '{ "title": "t", "base": { "bacth": 32 } }'
refuse "base: batch" '{ "title": "t", "base": { "batch": [32] } }'
refuse "base: batch must be a text, a number or a bool; a list of values belongs in grid" \
	'{ "title": "t", "base": { "batch": [32] } }'
refuse "bad.json: base: compute_s must be a number of seconds, from 0 to 1e15, not '10msec'" \
	'{ "title": "t", "base": { "compute_s": "10msec" } }'
refuse "bad.json: grid: workers must be a whole number, from 1 to 2097150, not '0'" \
	'{ "title": "t", "grid": { "workers": [4, 0] } }'
refuse "bad.json: scales: big: base: overlap must be true or false, not '2'" \
	'{ "title": "t", "scales": { "big": { "base": { "overlap": 2 } } } }'
refuse "bad.json: scales: big: grid: lr must be a number, from 0 to 1e15, not '-1'" \
	'{ "title": "t", "scales": { "big": { "grid": { "lr": [-1] } } } }'
refuse "bad.json: baseline: engine cannot be 'smi'; did you mean 'sim'?" \
	'{ "title": "t", "baseline": { "engine": "smi" } }'
refuse "base" '{ "title": "t", "base": [] }'
refuse "grid: seed" '{ "title": "t", "grid": { "seed": 1 } }'
refuse "grid: seed" '{ "title": "t", "grid": { "seed": [] } }'
refuse "grid: seed: the value 1 stands there twice" '{ "title": "t", "grid": { "seed": [1, 2, 1.0] } }'
refuse "grid: seed: the value 1 stands there twice, in two spellings" '{ "title": "t", "grid": { "seed": [1, 2, "01"] } }'
refuse "grid: lr: the value 0.1 stands there twice, in two spellings" '{ "title": "t", "grid": { "lr": [0.1, "1e-1"] } }'
refuse "grid: algo: the value asgd stands" '{ "title": "t", "grid": [ { "algo": ["asgd", "asgd"] } ] }'
refuse "eval-every and eval_every are the same" '{ "title": "t", "base": { "eval-every": 1, "eval_every": 2 } }'
refuse "train_every and train-every are the same" \
	'{ "title": "t", "grid": { "train_every": [1], "train-every": [2] } }'
for name in ../../esc .. .hidden a/b "" "a b"; do
	refuse "scales: " "{ \"title\": \"t\", \"scales\": { \"$name\": {} } }"
done
refuse "did you mean 'seed'" '{ "title": "t", "grid": [ { "sed": [1] } ] }'
refuse "scales: big: base" '{ "title": "t", "scales": { "big": { "base": { "x": 1 } } } }'
refuse "did you mean 'base'" '{ "title": "t", "scales": { "big": { "bas": {} } } }'
refuse "unknown scale 'huge'" '{ "title": "t", "scale": "huge", "scales": { "big": {} } }'
# A scale multiplies no grid.
list='"grid": [ { "workers": [2, 4], "algo": ["asgd"] }, { "workers": [8], "algo": ["ssp"] } ]'
refuse "bad.json: scales: big: grid: workers has several values, and the objects of the spec's grid differ in it: each" \
	"{ \"title\": \"t\", $list, \"scales\": { \"big\": { \"grid\": { \"workers\": [2, 4] } } } }"
refuse "scales: big: grid: lr-scaling has several values" '{ "title": "t", "grid": [ {}, { "lr_scaling": ["none"] } ],
	"scales": { "big": { "grid": { "lr-scaling": ["none", "sqrt"] } } } }'
echo "{ \"title\": \"t\", $list, \"base\": { \"timing\": true }, \"scale\": \"big\", \"scales\": { \"big\": { \"grid\": { \"seed\": [1, 2], \"workers\": [2] } } } }" >once.json
expect 0 run once.json --dry-run --json
is "$(jq -c '[.runs[].point | [.workers, .algo, .seed]]' out)" \
	'[[2,"asgd",1],[2,"asgd",2],[2,"ssp",1],[2,"ssp",2]]' "runs of both objects"
expect 0 run once.json --dry-run --workers 2,4
grep -q "differ in workers" err && fail "nothing differs in workers"
expect 0 run once.json --dry-run --algo asgd,ssp
says err "once.json: the objects of the spec's grid differ in algo; each of them is run with all 2 values of the command line"
# Objects that become equal by the command line are run, and count, once.
echo '{ "title": "t", "base": { "timing": true, "samples": 640, "compute_s": 1 },
	"grid": [ { "workers": [2], "seed": [1, 2] }, { "workers": [4], "seed": [1, 2] } ] }' >equal.json
expect 0 run equal.json --dry-run --json --workers 8
is "$(jq -c '[.runs[].point | [(.workers | tonumber), .seed]]' out)" '[[8,1],[8,2]]' "runs of objects that are equal"
# One run at two points of the grid is one sample of a mean.
echo '{ "title": "t", "base": { "net": "quadratic", "workers": 4, "gradients": 200, "compute_s": 1, "lr": 0.01 },
	"grid": [ { "algo": ["allreduce"], "seed": [1, 2] }, { "algo": ["allreduce"], "lr": [0.02], "seed": [1, 2] } ],
	"tables": [ { "name": "t", "rows": "algo", "values": ["test_loss"] } ],
	"plots": [ { "name": "p", "from": "runs", "x": "workers", "y": "test_loss", "series": "algo" } ] }' >twice.json
expect 0 run twice.json --lr 0.01 --out once
is "$(jq '.rows[0].cells[0].runs' once/twice/*/tables/t.json)" 2 "runs of a cell"
is "$(cut -d, -f8 once/twice/*/plots/p.csv | tail -n 1)" 2 "seeds of a point"
"$CONVOY" run jin2016/nodes --scale resnet20 --dry-run --json >out 2>err # 1, for there is no data
is "$(jq '.runs | length' out)" 45 "runs of jin2016/nodes at scale resnet20"
refuse "baseline" '{ "title": "t", "baseline": { "algo": ["asgd"] } }'
refuse "more than" "{ \"title\": \"t\", \"grid\": { $(for k in seed batch lr warmup epochs; do
	printf '"%s": [1,2,3,4,5,6,7,8,9,10],' $k
done) \"seconds\": [1, 2] } }"
[ -e results ] && fail "something was written"

# The name of a spec stays below the folder of results.
mkdir -p experiments/paper
echo '{ "title": "t", "base": { "timing": true, "samples": 640 } }' >zz.json
cp zz.json experiments/paper/zz.json
cp zz.json ...json
expect 0 run ./experiments/../zz.json --dry-run --out results
says out "in results/zz/default"
expect 0 run experiments//paper/../../zz.json --dry-run --out results
says out "in results/zz/default"
expect 0 run experiments/paper/zz.json --dry-run --out results
says out "in results/paper/zz/default"
expect 1 run ./...json --out results
says err "must not begin with '.'"
expect 1 run ./nope.json
says err "cannot read './nope.json': No such file or directory"
expect 1 run experiments/paper
says err "cannot read 'experiments/paper': Is a directory"

echo '{ "title": "t" }' >plain.json
expect 1 run plain.json --scale smoke
says err "no scales"
expect 1 run slow-worke
says err "unknown experiment 'slow-worke', and no such file or folder; did you mean 'slow-worker'"
expect 1 run barkai2020
says err "unknown experiment 'barkai2020'; that is the folder of: accuracy-vs-workers, "
expect 1 sim --net model.py
says err "unknown net 'model.py'; a model of your own is --net python:model.py"
expect 1 report slow-worke
says err "and no such file or folder; did you mean"
expect 1 compare slow-worke slow-worker
says err "and no such file or folder; did you mean"
for key in net cluster; do
	echo "{ \"title\": \"t\", \"base\": { \"$key\": \"tinny.json\" } }" >tinny-spec.json
	expect 1 run tinny-spec.json
	says err "tinny-spec: $key: cannot read 'tinny.json': No such file or directory"
	one_line
done
for words in auto workers; do
	echo "{ \"title\": \"t\", \"base\": { \"warmup_from\": \"$words\", \"timing\": true, \"samples\": 640 } }" >words.json
	expect 0 run words.json --dry-run
done
expect 1 run slow-worker --scale pape
says err "did you mean 'paper'"
expect 129 run slow-worker --only slw=1
says err "did you mean 'slow'"
expect 129 run slow-worker --only foo
says err "expected KEY=VALUE"
expect 129 claims slow-worker --only slw=1
expect 1 run slow-worker --only slow=0:3
says err "no run has slow=0:3; "
expect 1 run slow-worker --only algo=adpsgd
says err "no run has algo=adpsgd; did you mean 'ad-psgd'"
expect 1 run slow-worker --only net=lenet
says err "the grid has no such setting; known: "
expect 1 table slow-worker --out nowhere
says err "no finished run"
finish
