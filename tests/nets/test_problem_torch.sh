# A model of PyTorch: convoy's losses are those of PyTorch's own loop, where PyTorch is installed
# (TORCH_PYTHON: the interpreter that has it, and h5py); batch norm, dropout, data sets, a closure.
. "$CONVOY_SOURCE/tests/cli/lib.sh"
CONVOY_PYTHON=${TORCH_PYTHON:-/usr/bin/python3}
"$CONVOY_PYTHON" -c 'import torch, h5py' 2>/dev/null || { echo "skipped: no PyTorch, or no h5py"; exit 77; }
export CONVOY_PYTHON XDG_CACHE_HOME=$PWD/cache OMP_NUM_THREADS=1
cp "$CONVOY_SOURCE/tests/nets/problem_torch.py" .

PYTHONPATH=$CONVOY_SOURCE/python "$CONVOY_PYTHON" problem_torch.py 20 0.05 >own || fail "PyTorch's own loop"
expect 0 sim --net python:problem_torch.py --algo allreduce --workers 1 --batch 256 --compute-s 1 \
	--gradients 20 --lr 0.05 --optim sgd:nesterov=false,weight_decay=1e-3 --train-every 1 --quiet --out here
"$CONVOY_PYTHON" - here/sim/*.h5 >differ <<'END' || fail "losses: $(cat differ)"
import sys, h5py
own = [float(line) for line in open("own")]
loss = list(h5py.File(sys.argv[1], "r")["train/loss"])
far = [(k, a, b) for k, (a, b) in enumerate(zip(own, loss)) if abs(a - b) > 1e-5 * a]
print(far[:3], len(loss))
sys.exit(bool(far) or len(loss) != 20)
END

# Each mistake is named.
PYTHONPATH=$CONVOY_SOURCE/python "$CONVOY_PYTHON" "$CONVOY_SOURCE/tests/nets/torch_faults.py" problem_torch.py >faults 2>&1 ||
	fail "$(tail -20 faults)"

# The same model from a data set, a closure or a function, and with two threads.
run="sim --algo asgd --workers 4 --batch 16 --compute-s 1 --epochs 2 --lr 0.02 --quiet --retrain"
model() { sed -n 's/^model *//p' out; }
expect 0 $run --net python:problem_torch.py:make_problem,drop=0.3 --threads 2
model=$(model)
for form in set ragged closure; do
	expect 0 $run --net python:problem_torch.py:make_problem,drop=0.3,form=$form --out $form
	[ "$(model)" = "$model" ] || fail "$form: another model"
	"$CONVOY_PYTHON" -c 'import sys, h5py
print(h5py.File(sys.argv[1], "r")["eval/metric:sure"][()])' $form/sim/*.h5 >$form.sure || fail "$form: no metric"
done
cmp set.sure closure.sure && cmp set.sure ragged.sure || fail "a metric differs: $(cat *.sure)"
grep -q '0\.[0-9]' set.sure || fail "no metric: $(cat set.sure)"
expect 0 $run --net python:problem_torch.py:make_problem,form=function
says out test_accuracy
for form in tensors kept function; do
	expect 0 $run --net python:problem_torch.py:make_problem,form=$form --out noted
	! grep -q 'will not be used' err || fail "$form: $(cat err)"
done
expect 0 $run --net python:problem_torch.py:make_problem,form=trained --threads 2 --out noted
is "$(grep -c "convoy: python:.*: the module's own parameters conv.weight, bn.weight will not be used: reset_parameters" err)" 1 "notes"
expect 0 check net python:problem_torch.py:make_problem,drop=0.3 --batch 16
says out conv.weight
says out holds
