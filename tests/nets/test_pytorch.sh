# Gradients, and ten steps of SGD, of the zoo's nets against PyTorch, where that is installed
# (TORCH_PYTHON: the interpreter that has it, and h5py).
. "$CONVOY_SOURCE/tests/cli/lib.sh"
python=${TORCH_PYTHON:-/usr/bin/python3}
"$python" -c 'import torch, h5py' 2>/dev/null || { echo "skipped: no PyTorch, or no h5py"; exit 77; }

# The losses of large nets that start from random parameters are chaotic but for small steps.
exports=()
while read -r net options; do
	"$CONVOY" show net "$net" --json >"$net.json" || fail "show net $net"
	"$CONVOY" check net "$net" --no-reference --quiet --export "$net.h5" --steps 10 $options \
		>"$net.txt" || fail "check net $net: $(tail -4 "$net.txt")"
	exports+=("$net.json" "$net.h5")
done <<END
lenet --lr 0.01
resnet20 --lr 0.01
wrn-16-4 --lr 0.01
vgg --lr 0.0001
caffenet --input 67 --lr 0.001
alexnet-bn --input 67 --lr 0.001
squeezenet --input 67 --lr 0.001
resnet18 --input 56 --lr 0.0003
END
"$CONVOY" show net resnet50 --json >resnet50.json || fail "show net resnet50"
"$CONVOY" check net resnet50 --no-reference --quiet --export resnet50.h5 --input 56 >resnet50.txt ||
	fail "check net resnet50: $(tail -4 resnet50.txt)"
"$python" "$CONVOY_SOURCE/tests/nets/torch_check.py" "${exports[@]}" resnet50.json resnet50.h5 \
	>python.txt 2>&1 || fail "$(cat python.txt)"
[ "$(grep -c holds python.txt)" = 9 ] || fail "$(cat python.txt)"
finish
