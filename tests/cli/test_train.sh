# Training on real ranks: forced orders give the simulator's bits, nothing is lost, input is judged.
# COST 28
. "$(dirname "$0")/lib.sh"
need_mpi

# One worker, or an order that nothing can change: three on a ring are all neighbours, and
# all-reduces add in the order of ranks.
for algo in asgd ad-psgd $(in_long allreduce d-psgd); do
	same_bits $algo 1 --net quadratic --gradients 50 --eval-every 0.5
done
for workers in 5 $(in_long 2); do
	same_bits allreduce $workers --net quadratic --gradients 60
done
same_bits d-psgd 3 --net quadratic --gradients 60
same_bits allreduce 2 --net mlp --data shapes:train=256,test=64 --epochs 2 --batch 16 \
	--warmup 1 --optim sgd:momentum=0.9 --eval-every 1

# model ARGUMENT...: the digest of a short run's model.
model() {
	expect 0 train --net quadratic --lr 0.01 --compute-s 0.002 --json --quiet --out models "$@"
	jq -r .model out
}

# In lockstep neither the result nor its curve depends on who is slow, or is ahead when the budget is spent.
in_lockstep() {
	set -- --algo $1 --workers 3 --gradients $2 --eval-every 0.02
	model "$@" --slow 0:9 >first
	jq -c .eval.test_loss out >>first
	is "$(model "$@" --slow 2:9; jq -c .eval.test_loss out)" "$(cat first)" "$*: another worker is slow"
}
in_lockstep d-psgd:overlap=true 37
in_lockstep local-sgd:period=4 37
long in_lockstep d-psgd 37
long in_lockstep sgp 37
long in_lockstep local-sgd:period=4 36

# Nor does a learning rate that changes: a worker counts epochs by its own rounds.
for algo in osgp $(in_long d-psgd demo); do
	set -- --algo $algo --workers 4 --gradients 38 --batch 4 --warmup 0.02 --schedule cosine
	is "$(model "$@" --slow 0:5)" "$(model "$@" --slow 2:5)" "$algo, a schedule: another worker is slow"
done

# Nor does the engine: a local step is made when the others have not computed, or have.
for algo in diloco:period=4 $(in_long local-sgd:period=4); do
	set -- --algo $algo --workers 2 --gradients 24 --warmup 0.02 --schedule cosine
	real=$(model "$@")
	expect 0 sim --net quadratic --lr 0.01 --quiet --out models "$@"
	is "$(field model)" "$real" "$algo, a schedule: in virtual time"
done

# allreduce HOW WORKERS DIM: the digest of a short run's model, from a new run.
allreduce() {
	expect 0 train --algo allreduce --workers "$2" --net quadratic:dim="$3" --lr 0.01 \
		--gradients 60 --allreduce "$1" --json --quiet --out allreduces
	jq -r .model out
	rm -rf allreduces
}

# Our own ring adds in one order, whichever rank comes first; a piece may be empty.
whole=$(allreduce whole 2 1003)
is "$(allreduce ring 2 1003)" "$whole" "all-reduces of two"
is "$(allreduce buckets 2 1003)" "$whole" "all-reduces of two"
for dim in 2 $(in_long 1003); do
	is "$(allreduce ring 3 $dim)" "$(allreduce ring 3 $dim)" "all-reduces of three"
done
expect 1 sim --workers 2 --net quadratic --gradients 10 --allreduce ring
says err "allreduce is a setting of engine mpi"

# Five ranks on whatever cores there are; gradients are counted once each; all get some.
for algo in asgd ad-psgd; do
	expect 0 train -n 5 --algo $algo --net quadratic --gradients 2000 --lr 0.01 --json --quiet
	jq -e '.gradients == 2000 and .status == "done"' out >/dev/null || fail "$algo: $(cat out err)"
done
expect 0 train --algo asgd --workers 4 --net quadratic --gradients 400 --server shared --json --quiet
jq -e '.gradients == 400 and .workers == 4' out >/dev/null || fail "shared: $(cat out)"

# No worker starves, however busy the machine.
expect 0 train --algo asgd --workers 3 --net quadratic --gradients 300 --lr 0.01 --compute-s 0.01 \
	--json --quiet --seed 2
python_on "$(jq -r .file out)" <<'END' || fail "served unevenly"
n = sorted(f["nodes/gradients"][:3])
assert sum(n) == 300 and n[0] >= 30, n
END

# A worker that is slow on purpose is.
expect 0 train --algo allreduce --workers 2 --net quadratic --gradients 20 --compute-s 0.02 \
	--slow 0:5 --json --quiet
jq -e '.time_s >= 0.99 and .time_s < 3' out >/dev/null || fail "slow: $(cat out)"

# Evaluations on the way do not wait for the end of anything.
expect 0 train --algo asgd --workers 2 --net mlp --data shapes:train=256,test=64 --epochs 2 \
	--batch 16 --lr 0.001 --eval-every 0.5 --json --quiet
jq -e '.test_accuracy >= 0 and .test_accuracy <= 1' out >/dev/null || fail "eval: $(cat out)"

# A run that is finished is read.
expect 0 train --algo allreduce --workers 5 --net quadratic --gradients 60
says err "finished before"

# mpirun as anyone would try it.
mpi_by_hand 3 "$CONVOY" train --algo asgd --net quadratic \
	--gradients 100 --seed 7 --quiet >out 2>err || fail "mpirun: $(cat err)"
is "$(field workers)" 2
mpi_by_hand 3 "$CONVOY" train --algo $'no\e[31msuch\nconvoy: done' >out 2>err &&
	fail "an unknown algorithm was taken"
is "$(grep -c 'unknown algorithm' err)" 1 "the fault is said once: $(cat err)"
! grep -q $'\e\|^convoy: done' err || fail "a rank's message has control characters: $(cat -v err)"

SLURM_STEP_NUM_TASKS=4 expect 1 train --algo allreduce --net quadratic --gradients 10
says err "srun --mpi="

# Input is judged before a rank starts.
expect 1 train -n 4 --workers 4 --algo asgd --net quadratic --gradients 10
says err "4 ranks for 4 workers and a server (expected 5)"
expect 1 train --workers 2 --net quadratic --gradients 10 --timing
says err "real ranks compute real gradients"
expect 1 train --workers 2 --net quadratic --gradients 10 --link nic
says err "link is a setting of the simulator"
expect 1 train --workers 2 --net quadratic --gradients 10 --cluster power8-edr
says err "cluster is a setting of the simulator"
expect 1 sim --workers 2 --net quadratic --gradients 10 --server shared
says err "server"
expect 129 train quadratic
expect 1 train --engine sim --net quadratic --gradients 10
says err "engine = sim is for 'convoy sim'"
expect 1 sim --engine mpi --net quadratic --gradients 10
says err "is for 'convoy train'"

# A whole experiment on real ranks; the second time it is only read.
cat >exp.json <<'END'
{ "title": "t", "scale": "smoke", "base": { "net": "quadratic", "gradients": 100, "lr": 0.01,
  "workers": 2 }, "grid": { "algo": ["allreduce", "asgd"] }, "scales": { "smoke": {} } }
END
for _ in 1 2; do
	expect 0 run exp.json --engine mpi --json --quiet
	jq -e '[.runs[] | .status == "done" and .gradients == 100] == [true, true]' out >/dev/null ||
		fail "run --engine mpi: $(cat out err)"
done
expect 1 run slow-worker --engine mpi
says err "so there is nothing to measure. Simulate it, without --engine mpi, or add --no-timing"
expect 0 run slow-worker --engine mpi --no-timing --dry-run --quiet
says err "only the simulator has them: cluster, samples"

# What only the simulator has is left out where the spec says it, in one warning, and refused where the
# command line does; a baseline that is only timed computes among training runs.
cat >simulated.json <<'END'
{ "title": "t", "base": { "net": "quadratic", "gradients": 20, "lr": 0.01, "workers": 2, "link": "ideal",
  "host_copy_s": 0, "faults": "none" }, "grid": { "update-s": [0, 1], "algo": ["asgd"] },
  "baseline": { "workers": 1, "timing": true, "shards": 1 } }
END
expect 0 run simulated.json --engine mpi --json --quiet
is "$(grep "^convoy:" err)" "convoy: warning: simulated: left out with engine = mpi, for only the simulator has them: \
host_copy_s, update_s, shards, link, faults"
is "$(jq -c '[.runs | length, .[0].status, .[0].point], .baseline.status' out | tr -d '\n')" \
	'[1,"done",{"algo":"asgd"}]"done"' "runs of the simulator's experiment on real ranks"
expect 1 run simulated.json --engine mpi --set host-copy-s=0
says err "host_copy_s is a setting of the simulator"
expect 0 run simulated.json --dry-run --quiet --compute-s 0.01
is "$(wc -c <err)" 0 "a warning without --engine mpi"

# Ctrl-C leaves a whole file.
launch train --algo asgd --workers 2 --net quadratic --seconds 600 --compute-s 0.01 --quiet --out cut
await there 'cut/train/*.part'
sleep 1.5
ends 130 INT
says err "interrupted; what was reached is in"
python_on cut/train/*.part <<'END' || fail "the file after Ctrl-C"
assert f["summary"].attrs["status"] == b"interrupted", f["summary"].attrs["status"]
assert f["summary"].attrs["gradients"] > 0
END

# Output that cannot be written is an error, and closed streams do not become those of the launcher.
for streams in '1>&- 2>&-' '>/dev/full'; do
	code=0
	timeout -s KILL 60 sh -c "'$CONVOY' train -n 2 --net quadratic --gradients 8 --lr 0.01 --out unheard $streams" || code=$?
	is $code 128 "train $streams"
done

finish
