# `convoy check net`: what is right holds, what is wrong fails, and the export is what it says.
. "$(dirname "$0")/lib.sh"
need jq

expect 0 check net lenet --batch 2 --quiet
says out "differences"
says out "holds"
grep -q FAILS out && fail "lenet fails: $(cat out)"
expect 0 check net lenet --batch 2 --json --quiet --seed 3
is "$(jq -r '.net, .batch, .seed, .parameters, .holds' out | xargs)" "lenet 2 3 431080 true"
is "$(jq '[.comparisons[] | select(.who == "differences") | .blobs[]] | length' out)" 8 \
	"every blob of a small net is looked at"
jq -e '.comparisons | all(.holds and (.blobs | length) == 8)' out >/dev/null || fail "$(cat out)"
# No float is as good as a double: an error of just 0 would be that of nothing compared.
jq -e '.comparisons[] | select(.against == "reference" and .who != "differences") |
	.all > 0 and .loss >= 0 and .logits > 0 and .statistics == null' out >/dev/null ||
	fail "$(cat out)"

# Every kind of layer, from a file.
cat >all.json <<'END'
{ "input": [12, 12, 3], "classes": 5, "layers": [
	{ "layer": "conv", "out": 8, "kernel": 3, "pad": 1, "bias": false }, "bn", "relu",
	{ "layer": "lrn", "size": 3, "alpha": 0.5, "beta": 0.75, "k": 1 },
	{ "layer": "conv", "name": "left", "in": "lrn1", "out": 4, "kernel": 1 },
	{ "layer": "conv", "name": "right", "in": "lrn1", "out": 4, "kernel": 3, "pad": 1, "groups": 4 },
	{ "layer": "concat", "in": ["left", "right"] },
	{ "layer": "maxpool", "kernel": 3, "stride": 2, "ceil": true },
	{ "layer": "conv", "name": "deep", "out": 12, "kernel": 3, "pad": 1, "stride": 2 },
	{ "layer": "shortcut", "name": "skip", "in": "maxpool1", "out": 12, "stride": 2 },
	{ "layer": "add", "in": ["deep", "skip"] },
	{ "layer": "dropout", "rate": 0.25 },
	{ "layer": "avgpool", "kernel": 2, "stride": 1 }, "globalpool",
	{ "layer": "dense", "out": "$classes" } ] }
END
expect 0 check net ./all.json --json --quiet
jq -e '.holds and (.comparisons | length) >= 2' out >/dev/null || fail "$(cat out)"
jq -e '.comparisons[] | select(.against == "reference" and .who != "differences") |
	.statistics > 0' out >/dev/null || fail "$(cat out)"

# Numbers that only double precision can hold: the backends are wrong, and it is said.
cat >huge.json <<'END'
{ "input": [12, 12, 3], "classes": 5,
  "defaults": { "conv": { "kernel": 3, "pad": 1, "init": "normal", "init_value": 1e6 } },
  "layers": [ { "layer": "conv", "out": 8 }, { "layer": "conv", "out": 8 },
	{ "layer": "conv", "out": 8 }, "bn", "relu", "globalpool",
	{ "layer": "dense", "out": "$classes" } ] }
END
expect 1 check net ./huge.json --quiet
says out "FAILS"
says out "!"
expect 1 check net ./huge.json --quiet --json
is "$(jq '.holds' out)" false

# Without the reference, backends compared with one another.
expect 0 check net lenet --no-reference --json --quiet
is "$(jq '[.comparisons[] | select(.against == "reference")] | length' out)" 0

# A large net: the share that is done grows within one gradient, and a signal ends it at once.
CONVOY_TERMINAL=1 TERM=xterm "$CONVOY" check net vgg --batch 32 --input 32 --threads 1 >out 2>err &
pid=$!
shares() { tr '\r' '\n' <err | sed -n 's/^[^0-9]*\([0-9]*\) %.*/\1/p' | awk '$1 > 0 && $1 < 29' | sort -u | wc -l; }
for _ in $(seq 600); do
	[ "$(shares)" -ge 2 ] && break
	kill -0 $pid 2>/dev/null || break
	sleep 0.1
done
[ "$(shares)" -ge 2 ] || fail "progress: $(tr '\r' '\n' <err)"
kill -TERM $pid
since=$(date +%s%N)
wait $pid
is $? 143 "exit code after SIGTERM"
[ $((($(date +%s%N) - since) / 1000000)) -lt 3000 ] || fail "it took long to end"

expect 129 check
expect 129 check lenet
expect 129 check nets lenet
expect 129 check net lenet --batch 1
expect 129 check net lenet --frobnicate
expect 1 check net lenets
says err "did you mean 'lenet'"
expect 1 check net lenet --input 8
expect 1 check net lenet --data shapes --input 32
# A backend that does not exist is refused before anything else is looked at.
for command in "check net nosuch" "check net nosuch --export f.h5" "bench nets nosuch" \
	"sim --net nosuch" "calibrate -n 2 --net nosuch"; do
	expect 1 $command --backend onednm
	says err "unknown backend 'onednm'"
	has_onednn && says err "did you mean 'onednn'"
	one_line
done
expect 1 check net nosuch --backend openblas --precision bf16
says err "openblas computes in f32 only"
expect 1 check net lenet --no-reference --quiet --export no/such/folder/f.h5
says err "no/such/folder/f.h5"

# Where bf16 is not there, nothing is called so.
expect 0 check net lenet --no-reference --json --quiet
if jq -e '.comparisons[] | select(.who == "onednn bf16")' out >/dev/null; then
	export ONEDNN_MAX_CPU_ISA=AVX2
	expect 0 check net lenet --no-reference --json --quiet --export f.h5 --precision bf16 \
		--backend onednn
	is "$(jq '[.comparisons[] | select(.who | endswith("bf16"))] | length' out)" 0
	one_line
	says err "computing in f32"
	grep -q bf16 f.h5 && fail "the export is called bf16"
	grep -q f32 f.h5 || fail "the export is not called f32"
	unset ONEDNN_MAX_CPU_ISA
fi

# The export: blobs named and shaped as they are shown, real images, losses that fall.
expect 0 check net lenet --no-reference --quiet --export f.h5 --steps 5 --batch 3 --data shapes
# With too little memory it says so, instead of being killed.
if [ -z "${CONVOY_SANITIZE:-}" ]; then
	(ulimit -v 3000000; "$CONVOY" check net resnet20 --batch 4096) >out 2>err &&
		fail "a check without memory"
	says err 'the check takes about 43.7 GB of memory, and there are 3.1 GB'
fi
ls f.h5.* 2>/dev/null && fail "a file is left next to the export"
python=$(python_with h5py) || finish
"$CONVOY" show net ./all.json --json >all.txt || fail "show net --json"
expect 0 check net ./all.json --no-reference --quiet --export all.h5 --seed 7
echo '{ "base": "transformer-xl-tiny", "params": { "test_clamp": 5, "test_same_length": true } }' >far.json
expect 0 check net ./far.json --no-reference --quiet --export far.h5
"$python" - >python.txt 2>&1 <<'END' || fail "$(cat python.txt)"
import json
import h5py
import numpy as np
# Logits are those of training, which the loss is of, also where evaluation takes other distances.
with h5py.File("far.h5", "r") as f:
    z, y = f["logits"][()].astype(float), f["batch/labels"][()].ravel()
    loss = np.mean(np.log(np.exp(z).sum(1)) - z[np.arange(len(y)), y])
    assert abs(loss - f["loss"][0]) < 1e-6, (loss, f["loss"][0])
with h5py.File("f.h5", "r") as f:
    losses, n = f["losses"][()], 3
    assert f["batch/images"].shape == (n, 3, 32, 32) and f["batch/labels"].shape == (n,)
    assert len(losses) == 5 and losses[0] == f["loss"][0] and losses[4] < losses[0]
    z, y = f["logits"][()].astype(float), f["batch/labels"][()]
    loss = np.mean(np.log(np.exp(z).sum(1)) - z[np.arange(n), y])
    assert abs(loss - f["loss"][0]) < 1e-5, (loss, f["loss"][0])
    # The bias of the last layer: softmax minus the label's one, over the batch.
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    p[np.arange(n), y] -= 1
    bias = [k for k in f["grads"] if k.endswith("bias")][-1]
    assert np.allclose(f["grads"][bias][()], p.mean(0), atol=1e-5)
with h5py.File("all.h5", "r") as f:
    net = json.load(open("all.txt"))
    assert f.attrs["net"] == b"all" and f.attrs["seed"] == 7, dict(f.attrs)
    assert f.attrs["precision"] == b"f32" and b"[out][kernel][kernel]" in f.attrs["layouts"]
    assert set(f["params"]) == set(f["grads"])
    assert sum(v.size for v in f["params"].values()) == net["parameters"]
    assert f["params/right.weight"].shape == (4, 3, 3, 2)
    assert f["params/bn1.gamma"].shape == (8,) and f["params/dense1.weight"].shape == (5, 12)
END
finish
