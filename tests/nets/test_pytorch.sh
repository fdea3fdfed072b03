# Gradients, and some steps of SGD, of the zoo's nets against PyTorch, where that is installed
# (TORCH_PYTHON: the interpreter that has it, and h5py). Nets that have every kind of layer and
# of block; with TORCH_NETS=all also the nets that only put them together otherwise, and ten steps.
. "$CONVOY_SOURCE/tests/cli/lib.sh"
python=${TORCH_PYTHON:-/usr/bin/python3}
"$python" -c 'import torch, h5py' 2>/dev/null || { echo "skipped: no PyTorch, or no h5py"; exit 77; }

nets="lenet --lr 0.01 --steps 10
resnet20 --lr 0.01 --steps 10
squeezenet --input 67 --lr 0.001 --steps 10
caffenet --input 67 --lr 0.001 --steps 2 --batch 2
resnet18 --input 56 --lr 0.0003 --steps 3 --batch 2
gpt-tiny --lr 0.05 --steps 10
gpt-shakespeare-cpu --lr 0.05 --steps 3 --batch 2
gpt2-tiny.json --lr 0.05 --steps 3
transformer-xl-tiny --lr 0.05 --steps 10
transformer-xl-small --lr 0.02 --steps 3 --batch 2
adaptive.json --lr 0.02 --steps 3
div.json --lr 0.02 --steps 3
curves.json --lr 0.1 --steps 5
lstm-rows --lr 0.1 --steps 5
lstm-char --lr 0.5 --steps 3
resnet20-gn --lr 0.01 --steps 3 --batch 2
mlp-tanh --lr 0.1 --steps 3 --data npz:file=numbers.npz
mlp.json --lr 0.1 --steps 3 --data npz:file=several.npz,loss=bce"
# The losses of large nets that start from random parameters are chaotic but for small steps.
[ "${TORCH_NETS:-}" = all ] && nets="lenet --lr 0.01 --steps 10
resnet20 --lr 0.01 --steps 10
wrn-16-4 --lr 0.01 --steps 10
vgg --lr 0.0001 --steps 10
caffenet --input 67 --lr 0.001 --steps 10
alexnet-bn --input 67 --lr 0.001 --steps 10
squeezenet --input 67 --lr 0.001 --steps 10
resnet18 --input 56 --lr 0.0003 --steps 10
resnet50 --input 56
gpt-shakespeare --lr 0.01 --steps 10 --batch 2"

# GPT-2's biases and its form of gelu, small.
cat >gpt2-tiny.json <<-'END'
	{ "base": "gpt-tiny", "params": { "bias": true, "gelu": "tanh" } }
END
# An adaptive softmax of three clusters.
cat >adaptive.json <<-'END'
	{ "base": "transformer-xl-tiny", "classes": 40,
	  "params": { "cutoff1": 10, "cutoff2": 15, "cutoff3": 30 } }
END
# The same with rows of 32, 16, 8 and 4 values.
cat >div.json <<-'END'
	{ "base": "transformer-xl-wt103-large", "input": [32, 1, 1], "classes": 40,
	  "params": { "layers": 2, "heads": 2, "width": 32, "qkv": 96, "inner": 128, "memory": 32,
	              "test_memory": 32, "test_clamp": 0, "test_same_length": false,
	              "div": 2, "cutoff1": 10, "cutoff2": 15, "cutoff3": 30 } }
END
# Functions of one value, and an LSTM over the rows of images.
cat >curves.json <<-'END'
	{ "input": [9, 7, 3], "classes": 5,
	  "layers": ["tanh", { "layer": "conv", "out": 6, "kernel": 3 }, "silu",
	             { "layer": "groupnorm", "groups": 3 }, "sigmoid", "gelu",
	             { "layer": "lstm", "out": 8 }, { "layer": "lstm", "out": 4, "bias": false },
	             { "layer": "dense", "out": "$classes" }] }
END
echo '{ "base": "mlp-tanh", "params": { "activation": "silu" } }' >mlp.json
"$python" "$CONVOY_SOURCE/tests/cli/npz.py" || fail "no data"
exports=()
while read -r net options; do
	"$CONVOY" show net "$net" --json >"shown-$net.json" || fail "show net $net"
	"$CONVOY" check net "$net" --no-reference --quiet --export "$net.h5" $options >"$net.txt" ||
		fail "check net $net: $(tail -4 "$net.txt")"
	exports+=("shown-$net.json" "$net.h5")
done <<<"$nets"
"$python" "$CONVOY_SOURCE/tests/nets/torch_check.py" "${exports[@]}" >python.txt 2>&1 ||
	fail "$(cat python.txt)"
# Parameters of the authors' modules, without their memory.
for net in transformer-xl-wt103 transformer-xl-wt103-large div.json; do
	"$CONVOY" show net "$net" --json >"shown-$net.json" || fail "show net $net"
	"$python" "$CONVOY_SOURCE/tests/nets/torch_count.py" "shown-$net.json" >count.txt 2>&1 ||
		fail "$net: $(cat count.txt)"
done
is "$(grep -c holds python.txt)" "$(wc -l <<<"$nets")" "$(cat python.txt)"
finish
