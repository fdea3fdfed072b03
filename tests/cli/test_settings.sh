# QUICK
# SANITIZED
# Settings that make no sense: one clear line, exit 1, nothing written.
. "$(dirname "$0")/lib.sh"

# refuse TEXT ARGUMENT...: convoy sim refuses, and says TEXT.
refuse() {
	local text=$1
	shift
	expect 1 sim --timing --samples 5000 --out results "$@"
	says err "$text"
	one_line
	is "$(wc -c <out)" 0 "stdout"
}

refuse "workers must be" --workers 0
refuse "workers must be" --workers -4
refuse "workers must be" --workers four
refuse "batch must be" --batch 0
refuse "more than the 5000 samples" --workers 16 --batch 500
refuse "no rank 16 among 16 workers" --workers 16 --slow 16:2
refuse "a factor must be between 1e-06 and 1e+09" --slow 0:0
refuse "a factor must be between" --slow 0:9e-7
refuse "a factor must be between" --slow 0:1.1e9
refuse "factors of rank 1 multiply to more than 1e+12" --slow 1:1e9+0:1e9+1:1001
expect 0 sim --timing --samples 5000 --dry-run --slow 1:1e9+0:1e9+1:1000@0-1
refuse "expected none, or RANK:FACTOR" --slow 0:nan
refuse "expected none, or RANK:FACTOR" --slow 0
refuse "slow '0x1:2': expected none, or RANK:FACTOR" --slow 0x1:2
refuse "FROM = 5 must be before TO = 4" --slow 0:2@5-4
refuse "a factor must be between 1e-06 and 1e+09" --slow 0:-2
refuse "is left over" --slow '0:2;1:3'
refuse "lr must be" --lr nan
# What others call a setting is known.
for other in learning_rate=lr momentum=optim=sgd:momentum=... nodes=workers Batch-Size=batch model=net dataset=data; do
	expect 129 sim --set "${other%%=*}=1"
	says err "unknown setting '${other%%=*}'; did you mean '${other#*=}'?"
done
for other in "sim --np 4=--workers" "train --np 4=-n" "run tour/staleness --staleness 3=--algo ssp:bound=..." \
	"sim --lr-schedule cosine=--schedule" "sim --ddp=--algo allreduce"; do
	expect 129 ${other%%=*}
	says err "; did you mean '${other#*=}'?"
done
for other in ps=asgd sync=allreduce ddp=allreduce horovod=allreduce ssp:staleness=3=bound; do
	expect 1 sim --net quadratic --algo "${other%=*}"
	says err "; did you mean '${other##*=}'?"
done
for other in "--data my.csv=csv:file=my.csv" "--data ./my.npz=npz:file=./my.npz" "--link 10Gb/s=nic:bandwidth_GBps=10Gb/s" \
	"--delay steps.csv=replay:file=steps.csv" "--algo d-psgd --graph edges.txt=file:path=edges.txt"; do
	refuse "; did you mean '${other#*=}'?" ${other%%=*}
done
expect 129 simulate
says err "did you mean 'sim'"
expect 129 run tour/staleness --text
grep -q "did you mean" err && fail "--text is near to nothing: $(cat err)"
refuse "lr must be" --lr -1
refuse "compute_s must be" --compute-s -1
refuse "compute_s must be" --compute-s inf
refuse "epochs must be" --epochs -1
refuse "never end" --epochs 0
refuse "did you mean 'asgd'" --algo asgdd
refuse "did you mean 'resnet20'" --net resnet2
refuse "did you mean 'power8-edr'" --cluster power8-er
refuse "did you mean 'gamma'" --delay gama
refuse "unknown backend" --backend openbls --net mlp
refuse "lowering caffe" --backend openblas --net mlp --lowering caffe --partitions 2
refuse "seed must be" --seed -1
refuse "overlap must be" --overlap maybe
[ -e results ] && fail "something was written"

expect 1 sim --algo asgd --net mlp --samples 100
says err "timing-only"
# The settings of a result are those of its run, also of a net without data: "none" where there is none.
own_settings() { jq 'del(.hash, .assumed, .sources)' out; }
expect 0 sim --algo asgd --net quadratic --workers 2 --gradients 20 --dry-run --json
own_settings >settings.json
mapfile -t own < <(jq -r 'to_entries[] | "--set", "\(.key)=\(.value)"' settings.json)
expect 0 sim "${own[@]}" --dry-run --json
own_settings | diff - settings.json || fail "other settings"
for key in data backend; do
	expect 1 sim --net mlp --set $key=none
	says err "$key none: net mlp learns from a data set"
done
expect 1 sim --net quadratic --samples 7
says err "samples is a setting of timing-only runs"
expect 1 sim --net mlp --data shapes:train=100,test=10 --workers 16 --batch 32 --out results
says err "more than the 100 samples"
is "$(find results -type f ! -name .lock | wc -l)" 0 "files of a refused run"

# A cluster file of one's own.
echo '{ "workers": 3, "host_copy_GBps": 0, "compute": { "flops": 6e9 }, "latency": 1 }' >c.json
expect 1 sim --timing --samples 5000 --cluster c.json
says err "latency"
echo '{ "workers": 3, "compute": { "flops": 6e9 }, "delay": "constant" }' >c.json
# The plan of several runs shows of a link its main options, and what differs from defaults; JSON has all.
expect 0 sim --timing --samples 5000 --compute-s 1 --algo allreduce,asgd --link nic:bandwidth_GBps=1,duplex=half --dry-run
is "$(awk '$1 == "link" { print $2 }' out)" nic:latency_s=1e-5,bandwidth_GBps=1,duplex=half
expect 0 sim --timing --samples 5000 --compute-s 1 --link nic:bandwidth_GBps=1 --dry-run --json
says out "timeout_s=0.2"
expect 0 sim --timing --samples 5000 --cluster c.json --net quadratic:dim=1000 --batch 2 --dry-run
grep -q '^workers *3 ' out || fail "the cluster's workers are not used"
grep -q '^compute_s *2e-6 ' out || fail "6 x 1000 x 2 / 6e9 is 2 microseconds: $(grep compute_s out)"
for wrong in '"compute": { "seconds_per_sample": 5 }' '"about": 5' '"source": [1]' '"cite": true' \
	'"derivation": ["a", 1]' '"derivation": 3'; do
	echo "{ $wrong }" >c.json
	expect 1 sim --timing --samples 5000 --cluster c.json
	grep -qE "c.json: '?$(sed 's/.*"\([a-z_]*\)": [^{].*/\1/' c.json)'? must be" err || fail "$(cat err)"
	one_line
done

# A net of one's own has the name of one that the cluster has timed, not its time.
compute_s() { "$CONVOY" sim --timing --samples 5000 --dry-run --net "$1" | awk '$1 == "compute_s" { print $2 }'; }
zoo=$CONVOY_HOME/nets/zoo
mkdir own copy
cp "$zoo"/lenet.json own/resnet20.json
cp "$zoo"/lenet.json lenet.json
cp "$zoo"/resnet20.json copy/
is "$(compute_s resnet20)" 0.0115456
is "$(compute_s copy/resnet20.json)" 0.0115456 "the same net by path"
is "$(compute_s own/resnet20.json)" "$(compute_s ./lenet.json)" "a net that took a name"

echo '{ "workers": 3, }' >c.json
expect 1 sim --timing --samples 5000 --cluster c.json
says err "c.json:1:"

# Without samples a timing-only run asks the data set, and says what else would do.
unset CONVOY_DATA
expect 1 sim --timing --data cifar10:any=true --out results
is "$(grep -c error err)" 1 "errors"
says err "or give samples"

# Results that cannot be written are an error before anything runs.
touch file
expect 1 sim --timing --samples 5000 --out file
says err "Name another folder by --out or CONVOY_RESULTS"
expect 1 run slow-worker --out file/results
says err "file"
finish
