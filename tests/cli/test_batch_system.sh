# What a batch system says in the environment: ranks, threads, hosts; and what is refused.
. "$(dirname "$0")/lib.sh"

run="--algo allreduce --net quadratic --gradients 40 --lr 0.01"

# with NAME=VALUE... -- CODE ARGUMENT...: expect, in that environment.
with() {
	local names=()
	while [ "$1" != -- ]; do
		export "${1?}"
		names+=("${1%%=*}")
		shift
	done
	shift
	expect "$@"
	unset "${names[@]}"
}

with SLURM_NTASKS=99999999999 -- 1 train $run --dry-run
says err "SLURM_NTASKS is '99999999999' (expected a whole number from 1 to 1048576)"
with SLURM_NTASKS=4x -- 1 calibrate --net quadratic -o here.json
says err "SLURM_NTASKS is '4x'"
with SLURM_CPUS_PER_TASK=0 -- 1 sim $run
says err "SLURM_CPUS_PER_TASK is '0'"
with SLURM_CPUS_PER_TASK=two -- 1 train $run -n 2
says err "SLURM_CPUS_PER_TASK is 'two'"
with PBS_NODEFILE=/nowhere/nodes -- 1 train $run --dry-run
says err "PBS_NODEFILE names '/nowhere/nodes'"

# Nodes without SLURM_NTASKS, as 'sbatch -N 3' says them.
with SLURM_JOB_NUM_NODES=3 "SLURM_TASKS_PER_NODE=1(x3)" -- 0 train $run --dry-run
is "$(field workers | cut -d" " -f1)" 3 "workers on three nodes"
grep -q '^workers .* from ranks$' out || fail "source of workers: $(grep ^workers out)"
with SLURM_JOB_NUM_NODES=3 "SLURM_TASKS_PER_NODE=4(x2),1" -- 0 train $run --dry-run
is "$(field workers | cut -d" " -f1)" 9 "workers of all tasks"
# What is asked for goes first.
with SLURM_NTASKS=wrong SLURM_CPUS_PER_TASK=wrong -- 0 train $run --workers 2 --threads 1 --dry-run
is "$(field workers | cut -d" " -f1)" 2 "workers asked for"

# A terminal's size that makes no sense is no size.
with COLUMNS=99999999999 LINES=-3 -- 0 sim $run --quiet

has_mpi || finish
with SLURM_CPUS_PER_TASK=2 -- 0 train $run -n 2
is "$(grep -c '2 compute threads' err)" 2 "ranks of two threads: $(cat err)"

# Hosts are handed to mpirun, unless some are given.
printf '%s\n' localhost localhost >nodes
with PBS_NODEFILE=$PWD/nodes -- 0 train $run --seed 2
says err "localhost:2"
says err "2 ranks"
with "LSB_MCPU_HOSTS=nowhere.invalid 2" -- 0 train $run --seed 3 --hosts localhost:2 -n 2
grep -q nowhere err && fail "the job's hosts instead of those given: $(cat err)"
with "LSB_HOSTS=localhost localhost" -- 0 train $run --seed 4
says err "localhost:2"
finish
