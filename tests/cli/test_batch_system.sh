# What a batch system or the user says: ranks, threads, hosts; and what is refused.
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

# Without a number, the hosts that are listed say how many ranks there are.
printf 'a slots=4\nb slots = 2\n' >hosts
listed() {
	local ranks=$1
	shift
	with SLURM_NTASKS=9 -- 0 train $run --dry-run "$@"
	is "$(field workers | cut -d" " -f1)" "$ranks" "workers of $*"
}
listed 5 --hosts a:2,b:3
listed 4 --hosts "a:2	b, c"
listed 6 --hostfile hosts
listed 2 --hosts a:2,b:3 --workers 2
listed 1 --hosts a:2,b:3 -n 1
expect 1 train $run --hosts a:2,b:x --dry-run
says err "hosts: 'b:x' is no host (expected HOST or HOST:RANKS"
for more in "calibrate --net quadratic -o here.json" "run slow-worker-real" "sim $run"; do
	expect 1 $more --hosts ,
	says err "hosts: ',' names no host"
done
cat >exp.json <<-END
	{ "title": "E", "base": { "engine": "mpi", "net": "quadratic", "gradients": 40, "lr": 0.01 },
	  "grid": { "algo": ["allreduce"] },
	  "tables": [ { "name": "t", "title": "T", "rows": "algo", "values": ["time_s"] } ] }
END
expect 0 run exp.json --dry-run --json --hosts a:2,b:5
is "$(jq -r '.runs[0].settings.workers' out)" 7 "workers of a real experiment"

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
expect 0 train $run --seed 5 --hosts "localhost:2	localhost"
says err "3 ranks"
says err "--host localhost:2,localhost "
# The runs of an experiment are made there too.
expect 0 run exp.json --hosts localhost:3
expect 1 run exp.json --hosts nowhere.invalid:2
# A simulated run's gradients are computed where it is told to.
expect 0 sim $run --workers 2 --hosts localhost:2
says err "2 ranks"
with "LSB_HOSTS=localhost localhost" -- 0 train $run --seed 4
says err "localhost:2"
finish
