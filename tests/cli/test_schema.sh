# convoy schema: every built-in file validates, and what convoy refuses does not.
. "$(dirname "$0")/lib.sh"

for kind in spec net cluster; do
	expect 0 schema $kind
	is "$(jq -r '."$schema"' out)" https://json-schema.org/draft/2020-12/schema "schema of a $kind"
	cp out $kind.schema.json
done
expect 129 schema clutser
says err "did you mean 'cluster'"

# Bounds, defaults and choices are those of the tables.
is "$(jq -c '."$defs".settings.properties.batch | .default, .anyOf[0].minimum' spec.schema.json | xargs)" "32 1"
is "$(jq -c '."$defs".settings.properties.engine.enum' spec.schema.json)" '["sim","mpi"]'
is "$(jq -c '."$defs".conv.properties.init.anyOf[0].default' net.schema.json)" '"he-out"'
jq -e '."$defs".settings.properties.algo.anyOf[0].enum | index("ad-psgd")' spec.schema.json >/dev/null ||
	fail "the schema does not know ad-psgd"

# wrong KIND NAME TEXT: convoy refuses the file, and so must the validator, below.
wrong() {
	mkdir -p wrong/$1
	echo "$3" >wrong/$1/$2.json
	case $1 in
	spec) expect 1 run "./wrong/$1/$2.json" --dry-run ;;
	net) expect 1 show net "./wrong/$1/$2.json" ;;
	cluster) expect 1 show cluster "./wrong/$1/$2.json" ;;
	esac
}

# right KIND NAME TEXT: both take it.
right() {
	mkdir -p right/$1
	echo "$3" >right/$1/$2.json
	case $1 in
	spec) expect 0 run "./right/$1/$2.json" --dry-run ;;
	*) expect 0 show $1 "./right/$1/$2.json" ;;
	esac
}

wrong spec key '{"title": "t", "tablse": []}'
says err "did you mean 'tables'"
wrong spec untitled '{"base": {"timing": true, "samples": 100}}'
wrong spec type '{"title": 5}'
wrong spec setting '{"title": "t", "base": {"bach": 32}}'
says err "did you mean 'batch'"
wrong spec bounds '{"title": "t", "base": {"batch": 0}}'
wrong spec workers '{"title": "t", "base": {"workers": 0, "timing": true, "samples": 100}}'
wrong spec word '{"title": "t", "base": {"engine": "sin"}}'
wrong spec algo '{"title": "t", "base": {"algo": "adpsgdd"}}'
wrong spec bool '{"title": "t", "base": {"timing": "maybe"}}'
wrong spec list '{"title": "t", "base": {"batch": [32]}}'
wrong spec grid '{"title": "t", "grid": {"batch": []}}'
wrong spec twice '{"title": "t", "grid": {"batch": [32, 32]}}'
wrong spec scale '{"title": "t", "scales": {"smoke": {"grids": {}}}}'
wrong spec values '{"title": "t", "tables": [{"name": "a", "rows": "algo"}]}'
wrong spec rows '{"title": "t", "tables": [{"name": "a", "rows": ["algo", 5], "values": "time_s"}]}'
wrong spec folder '{"title": "t", "tables": [{"name": "../a", "rows": "algo", "values": "time_s"}]}'
wrong spec from '{"title": "t", "plots": [{"name": "a", "from": "trian", "x": "epoch", "y": "loss"}]}'
wrong spec claim '{"title": "t", "claims": [{"kind": "ours", "says": "so", "jq": true}]}'
wrong spec tune '{"title": "t", "tune": {"grid": {"lr": []}, "measure": "time_s", "seeds": [7]}}'
wrong spec tunes '{"title": "t", "tune": {"settings": {"lr": [1]}, "measure": "time_s", "seeds": [7]}}'
wrong spec best '{"title": "t", "tune": {"grid": {"lr": [1]}, "measure": "time_s", "best": "most", "seeds": [7]}}'
claim='"kind": "ours", "says": "so", "jq": "true"'
wrong spec date '{"title": "t", "claims": [{'"$claim"', "criterion": {"since": "2026-13-01"}}]}'
wrong spec verdict '{"title": "t", "claims": [{'"$claim"', "criterion": {"since": "2026-01-02",
	"was": [{"says": "so", "since": "2026-01-01", "verdict": "maybe"}]}}]}'
wrong net key '{"input": [8, 8, 3], "classes": 2, "layer": []}'
says err "did you mean 'layers'"
wrong net empty '{"input": [8, 8, 3], "classes": 2}'
wrong net input '{"input": [8, 8], "classes": 2, "layers": [{"layer": "dense", "out": 2}]}'
wrong net setting '{"input": [8, 8, 3], "classes": 2, "layers": [{"layer": "dense", "outs": 2}]}'
wrong net bounds '{"input": [8, 8, 3], "classes": 2, "layers": [{"layer": "dense", "out": -2}]}'
wrong net type '{"input": [8, 8, 3], "classes": 2, "layers": [{"layer": "dense", "out": true}]}'
wrong net name '{"input": [8, 8, 3], "classes": 2, "layers": [{"layer": "dense", "name": 5, "out": 2}]}'
wrong net about '{"about": 5, "input": [8, 8, 3], "classes": 2, "layers": [{"layer": "dense", "out": 2}]}'
wrong net default '{"input": [8, 8, 3], "classes": 2, "defaults": {"dens": {}}, "layers": ["relu"]}'
wrong net base '{"base": "resnet20", "layers": ["relu"]}'
wrong cluster key '{"workers": 3, "latency": 1}'
wrong cluster workers '{"workers": 2.5}'
wrong cluster flops '{"compute": {"flops": 0}}'
wrong cluster sample '{"compute": {"seconds_per_sample": {"mlp": -1}}}'
wrong cluster batch '{"compute": {"seconds_per_batch": {"mlp": -1}}}'
wrong cluster latency '{"host_copy_latency_s": -1}'
wrong cluster overlap '{"overlap": "yes"}'
wrong cluster measured '{"measured": {"dat": 1}}'

right spec schema '{"$schema": "spec.schema.json", "title": "t", "base": {"lr-batch": "1k", "workers": 4,
	"epochs": "2", "warmup_from": "workers", "lowering": 1, "delay": "gamma:cv=0.1", "overlap": true,
	"graph": "auto", "timing": true, "samples": 5000, "seconds": "1e3"}, "grid": [{"batch": [1, "2"]}]}'
right spec tune '{"title": "t", "base": {"timing": true, "samples": 5000}, "grid": {"algo": ["asgd"]}, "tune": {"grids": {
	"asgd": {"lr_batch": [1, "2"]}}, "per": ["algo"], "measure": "time_s", "best": "lowest", "seeds": [7],
	"budget": {"epochs": 1}}, "scales": {"a": {"tune": false}, "b": {"tune": {"grid": {"batch": [8]}}}}, "scale": "b"}'
right net schema '{"$schema": "net.schema.json", "input": [8, 8, 3], "classes": 2, "params": {"n": 4},
	"layers": [{"layer": "dense", "out": "$n"}, "relu", {"layer": "dense", "out": "$classes"}]}'
right cluster units '{"update_s": "5ms", "bucket_bytes": "25MiB", "host_copy_GBps": "100Gb/s",
	"compute": {"seconds_per_sample": {"gpt2": "5ms", "vgg": {"1": "2ms"}}, "seconds_per_batch": {"gpt2": "1ms"}}}'
wrong cluster sources '{"workers": 2, "sources": ["x"], "link": "nic"}'
says err "sources must be an object of texts"
wrong cluster times '{"compute": {"seconds_per_sample": [1, "2ms"]}}'
wrong cluster unit '{"update_s": "5 parsecs ago"}'
right cluster schema '{"$schema": "cluster.schema.json", "workers": 3}'

python=$(python_with jsonschema) || finish
cat >hold.py <<'END'
import glob, json, os, sys
from jsonschema import Draft202012Validator

home = os.environ["CONVOY_HOME"]
folders = {"spec": "experiments/**", "net": "nets/zoo", "cluster": "sim/clusters"}
failures = 0
for kind, folder in folders.items():
    schema = json.load(open(f"{kind}.schema.json"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    files = glob.glob(f"{home}/{folder}/*.json", recursive=True)
    own = glob.glob(f"right/{kind}/*.json")
    assert files and own, kind
    for path in files + own:
        for fault in validator.iter_errors(json.load(open(path))):
            print(f"FAIL: {path}: {fault.json_path}: {fault.message[:300]}")
            failures += 1
    for path in glob.glob(f"wrong/{kind}/*.json"):
        if validator.is_valid(json.load(open(path))):
            print(f"FAIL: the schema takes {path}")
            failures += 1
sys.exit(failures > 0)
END
"$python" hold.py || fail "values that a schema and the program judge differently"
finish
