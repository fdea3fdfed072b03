# Training under a real SLURM of two nodes on this machine: srun, batch scripts, time limits, requeue.
# TIMEOUT 200
# COST 50
. "$(dirname "$0")/../support/slurm.sh"
. "$(dirname "$0")/lib.sh"
need_mpi
for program in munged slurmctld slurmd srun sbatch scontrol; do
	need $program
done
cluster=$(mktemp -d /tmp/convoy-slurm.XXXXXX)
cleanup() { slurm_stop "$cluster"; rm -rf "$cluster"; }
trap 'exit 1' INT TERM HUP
slurm_start "$cluster" || {
	echo "skipped: SLURM does not start here: $(tail -n 3 "$cluster"/log "$cluster"/*.log)"
	exit 77
}
srun --mpi=list 2>&1 | grep -q pmix || {
	echo "skipped: this SLURM has no plug-in for PMIx"
	exit 77
}
export CONVOY
# Both nodes are this machine, which may have no other network.
export OMPI_MCA_btl_tcp_if_include=lo

settings="--net quadratic --lr 0.01 --seed 3"

# srun_train NODES TASKS ARGUMENT...: under srun, which must not fail.
srun_train() {
	timeout 60 srun --mpi=pmix -N "$1" -n "$2" "$CONVOY" train "${@:3}" >out 2>err ||
		fail "srun -N $1 -n $2 convoy train ${*:3}: exit code $?: $(cat err)"
}

# submit NAME OPTION...: the script on stdin as a job that writes NAME.out; its number is in $job.
submit() {
	{ echo '#!/bin/bash'; cat; } >"$1.sh"
	job=$(sbatch --parsable -J "$1" -o "$1.out" --open-mode=append "${@:2}" "$1.sh") ||
		fail "sbatch $*"
}

# Asking SLURM takes a program and its daemon 20 ms of processor time, so not at every turn of await.
is_over() {
	sleep 0.4
	! squeue -h -j "$1" -o %t 2>/dev/null | grep -q .
}

# ends_soon JOB: SLURM looks at time limits every 30 s; at its next look this job's is over.
ends_soon() { scontrol update JobId="$1" EndTime="$(date -d '+1 second' +%FT%T)"; }

# is_interrupted FOLDER: the one result in it is marked so.
is_interrupted() {
	python_on "$1"/train/*.h5.part <<'END' || fail "the result in $1 is not marked: $(cat "$1.out")"
assert f["summary"].attrs["status"] == b"interrupted", f["summary"].attrs["status"]
END
}

# ---- jobs that a time limit ends; they run while the rest is tested ----

# Long enough, and computing little: 100 gradients a second.
long="$settings --gradients 6000 --compute-s 0.02"

submit plain -n 2 <<END
exec "\$CONVOY" train -n 2 --algo allreduce $long --quiet --out plain
END
plain=$job
submit step -N 2 -n 2 <<END
srun --mpi=pmix "\$CONVOY" train --algo allreduce $long --quiet --out step
echo "exit code \$?"
END
step=$job
# A minute's limit and a warning a minute before: SLURM warns at its next look, within 30 s of 34 s.
submit again -N 2 -n 2 --time=1 --signal=USR1@60 --requeue <<END
echo "start \${SLURM_RESTART_COUNT:-0}"
srun --mpi=pmix "\$CONVOY" train --algo allreduce $settings --gradients 840 --compute-s 0.08 \\
	--out again --resume
code=\$?
echo "exit code \$code"
[ \$code = 138 ] && scontrol requeue "\$SLURM_JOB_ID"
exit \$code
END
again=$job
await there "plain/train/*.part"
await there "step/train/*.part"
ends_soon "$plain"
ends_soon "$step"

# ---- srun on one and on two nodes ----

short="$settings --gradients 120 --quiet"
expect 0 train -n 2 --algo allreduce $short --out here
model=$(field model)
srun_train 1 2 --algo allreduce $short --out one
is "$(field model)" "$model" "the model on one node"
srun_train 2 2 --algo allreduce $short --out two
is "$(field model)" "$model" "the model on two nodes"
srun_train 2 3 --algo asgd $short --out server
is "$(field workers)" 2 "workers with a server"

# A number of ranks that is srun's is accepted; so are tasks that share a simulated run's gradients.
srun_train 1 2 -n 2 --algo allreduce $short --out named
is "$(field model)" "$model" "the model with -n"
timeout 60 srun --mpi=pmix -n 2 "$CONVOY" train -n 3 --algo allreduce $short --out wrong >out 2>err &&
	fail "srun -n 2 convoy train -n 3 trained"
says err "3 ranks were asked for, but srun has started 2"
expect 0 sim --workers 2 --algo allreduce $short --out sim
model=$(field model)
timeout 60 srun --mpi=pmix -n 2 "$CONVOY" sim --sim-ranks 2 --workers 2 --algo allreduce $short \
	--out simranks >out 2>err || fail "srun convoy sim: exit code $?: $(cat err)"
is "$(field model)" "$model" "the model of a simulation on two ranks"

# Tasks, and cores of a task, are the job's.
timeout 60 srun --mpi=pmix -n 2 -c 2 "$CONVOY" train --algo allreduce ${short/--quiet/} \
	--out threads >out 2>err || fail "srun -c 2: exit code $?: $(cat err)"
is "$(grep -c '2 compute threads' err)" 2 "ranks of two threads: $(cat err)"
submit nodes -N 2 <<END
"\$CONVOY" train --algo allreduce $settings --gradients 40 --dry-run
END
await is_over "$job"
is "$(field workers nodes.out | cut -d" " -f1)" 2 "workers of -N 2: $(cat nodes.out)"

# Without a plug-in for MPI, srun's tasks do not know of each other.
timeout 60 srun --mpi=none -n 2 "$CONVOY" train --algo allreduce $short --out none >out 2>err &&
	fail "srun --mpi=none trained"
says err "Try 'srun --mpi=pmix'"

# Ranks inside one task would wait for its cores without end.
timeout 60 srun -n 1 "$CONVOY" train -n 3 --algo allreduce $short --out inside >out 2>err
is $? 1 "srun -n 1 convoy train -n 3"
says err "3 ranks are to be started, but srun has started convoy as 1 task"

# ---- what the time limit left ----

await is_over "$plain"
await is_over "$step"
is_interrupted plain
is_interrupted step
there "plain/train/*.checkpoint" || fail "no checkpoint of a batch script's run: $(ls plain/train)"
there "step/train/*.checkpoint" || fail "no checkpoint of a step's run: $(ls step/train)"

# goes_on FOLDER: for 100 gradients more, to the model of a run that was not ended.
goes_on() {
	local n
	n=$(ls "$1"/train/*.checkpoint.*.0 | sed 's/.*checkpoint\.\([0-9]*\)\.0$/\1/')
	n=$((n + 100))
	expect 0 train -n 2 --algo allreduce ${long/6000/$n} --out "$1" --resume
	says err "resuming from"
	cp out longer.txt
	expect 0 train -n 2 --algo allreduce $settings --gradients $n --quiet --out whole
	is "$(field model longer.txt)" "$(field model)" "the model of $1 that went on"
}

goes_on plain
goes_on step

# ---- the job that was warned, and queued again ----

await is_over "$again"
says again.out "exit code 138"
says again.out "start 1"
says again.out "resuming from"
is "$(grep -c "exit code 0" again.out)" 1 "of: $(cat again.out)"
expect 0 train -n 2 --algo allreduce $settings --gradients 840 --quiet --out whole
is "$(field model again.out)" "$(field model)" "the model after a requeue"

# ---- one experiment, by all tasks of an array and of a step ----

cat >exp.json <<'END'
{
  "title": "Runs that tasks share",
  "base": { "net": "quadratic", "workers": 2, "link": "ideal", "compute_s": 0.1, "epochs": 0, "gradients": 6000 },
  "grid": { "algo": ["asgd", "ad-psgd"], "seed": [1, 2, 3] },
  "tables": [ { "name": "loss", "title": "Loss", "rows": "algo", "values": ["train_loss"] } ]
}
END
expect 0 run exp.json --threads 1 --out single --quiet
cp out single.txt

# swept FOLDER: its runs and tables are those of one process, and no lock is left.
swept() {
	is "$(ls "$1"/exp/default/runs/*.h5 | xargs -n 1 basename)" \
		"$(ls single/exp/default/runs/*.h5 | xargs -n 1 basename)" "runs in $1"
	cmp single/exp/default/tables/loss.csv "$1/exp/default/tables/loss.csv" || fail "tables in $1"
	is "$(find "$1" -name '*.lock*')" "" "locks in $1"
}

submit array -N 1 --exclusive --array=0-1 -o array.%a.out <<END
echo "\$SLURM_JOB_NODELIST"
exec "\$CONVOY" run exp.json --threads 1 --out array
END
await is_over "$job"
for k in 0 1; do
	says array.$k.out "finished before"
	is "$(sed -n '/^Loss/,/^ad-psgd/p' array.$k.out)" "$(sed -n '/^Loss/,/^ad-psgd/p' single.txt)" "tables of task $k"
done
is "$(head -qn 1 array.?.out | sort | tr '\n' ' ')" "one two " "nodes of the array"
swept array

timeout 100 srun --mpi=none -N 2 -n 2 "$CONVOY" run exp.json --threads 1 --out tasks --quiet >out 2>err ||
	fail "srun convoy run: exit code $?: $(cat err)"
is "$(cat out)" "$(cat single.txt)" "tables of the tasks of a step"
swept tasks
finish
