# Workers that share a model: on real ranks it learns and loses nothing, and refuses what cannot be.
. "$(dirname "$0")/lib.sh"
need jq

expect 1 sim --algo hogwild --net quadratic --codec fp16
says err "hogwild sends none: its workers share one model"
expect 1 sim --algo hogwild --net quadratic --graph ring
says err "graph 'ring': hogwild has none, its workers share one model"
expect 1 sim --algo hogwild:blocks=0 --net quadratic
says err "blocks"

# What passes over the model take is said, unless it is given.
expect 0 sim --timing --algo hogwild --workers 2 --net bytes:4e8 --samples 640 --compute-s 0.1 --out one
says err "hogwild: a worker reads the model, and adds a step to it, at 10 GB/s (read_s, write_s)"
expect 0 sim --timing --algo hogwild:read_s=0,write_s=0 --workers 2 --net bytes:4e8 --samples 640 --compute-s 0.1 --out one
grep "hogwild: a worker" err && fail "an assumption where the times are given"

# With slow passes models are torn, and other bits come out; with the same ones the same.
torn() {
	expect 0 sim --algo "hogwild:blocks=8,read_s=1e-4,write_s=$1" --workers 4 --quiet --json \
		--net quadratic:dim=20 --lr 0.02 --compute-s 0.001 --gradients 400 --out "$2" \
		--delay gamma:cv=0.5
	jq -r .model out
}
is "$(torn 3e-4 one)" "$(torn 3e-4 two)" "the same passes"
[ "$(torn 3e-4 one)" != "$(torn 2e-4 one)" ] || fail "passes of another length leave no trace"

has_mpi || finish

expect 1 train -n 2 --algo hogwild --net quadratic --trace t.h5
says err "trace: hogwild's workers share a model, and the order in which they read and write it"
expect 1 train -n 2 --algo hogwild --net quadratic --checkpoint-every 1
says err "checkpoint_every: hogwild's workers share a model"
expect 1 train -n 2 --algo hogwild --net quadratic --resume
says err "resume: hogwild's workers share a model"
expect 1 train -n 2 --algo hogwild --net quadratic --restarts 1
says err "restarts: hogwild's workers share a model"
[ ! -e t.h5 ] && [ ! -e results ] || fail "a refused run left something: $(ls)"

# Alone: serial SGD, bit-identical in both engines.
alone="--workers 1 --net quadratic:dim=20 --gradients 200 --quiet --json"
expect 0 sim --algo allreduce $alone
serial=$(jq -r .model out)
expect 0 sim --algo hogwild $alone
is "$(jq -r .model out)" "$serial" "alone, simulated"
expect 0 train --algo hogwild $alone
is "$(jq -r .model out)" "$serial" "alone, real"

# Four ranks go to the optimum, and each gradient was one step.
expect 0 train --workers 4 --algo hogwild --net quadratic:dim=50,noise=0.1,cond=4 --lr 0.05 \
	--optim sgd:momentum=0,weight_decay=0 --gradients 2000 --eval-every 5 --measures all --quiet --json \
	--out real
jq -e '.gradients == 2000 and .status == "done" and .bytes_sent == 0 and .train_loss < 0.01' out \
	>/dev/null || fail "four ranks: $(cat out)"
python_on "$(jq -r .file out)" <<'END' || fail "the file of four ranks"
nodes = f["nodes"]
assert nodes["steps"][:].sum() == 2000 and (nodes["steps"][:] == nodes["gradients"][:]).all()
assert f["staleness/count"][:].sum() == 2000
assert (f["train/gap_max"][:] > 0).any() and (f["eval/spread"][:] == 0).all()
END

for budget in 1 2 3 5 8 13; do
	expect 0 train --workers 4 --algo hogwild --net quadratic --gradients $budget --quiet \
		--json --out ends
	is "$(jq .gradients out)" $budget "gradients"
done
expect 0 train --workers 4 --algo hogwild --net quadratic --seconds 0.2 --quiet --json --out ends
is "$(jq -r .end out)" seconds

finish
