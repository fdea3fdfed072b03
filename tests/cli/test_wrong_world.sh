# Ranks that do not know each other, or are not as many as were asked for, are refused.
# COST 35
. "$(dirname "$0")/lib.sh"
need_mpi

quick="--net quadratic --gradients 20 --lr 0.01 --quiet --out made"

# refused TEXT COMMAND...: the command fails, says the text once, and leaves no result.
refused() {
	local text=$1
	shift
	rm -rf made
	"$@" >out 2>err && fail "taken: $*"
	is "$(grep -cF -- "$text" err)" 1 "$*: $(cat err)"
	is "$(find made -name '*.h5*' 2>/dev/null)" "" "$* wrote"
}

# The launcher of another library: it says how many there are in its own words.
if is_mpi "Open MPI"; then
	foreign="PMI_SIZE=3 PMI_RANK=0" other=mpiexec.hydra options=
else
	foreign="OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0" other=mpirun.openmpi
	options="--oversubscribe --allow-run-as-root"
fi
for algo in asgd allreduce ad-psgd d-psgd hogwild; do
	refused "started 3 processes, but" env $foreign "$CONVOY" train --algo $algo $quick
done
says err "knows of 1 (expected 3)"
! grep -F "Version:" err || fail "more than the library's name and number"
refused "started 3 processes, but" env $foreign "$CONVOY" sim --algo asgd $quick
refused "started 3 processes, but" env $foreign "$CONVOY" calibrate --net quadratic -o here.json
refused "it starts its processes itself" env $foreign "$CONVOY" predict --cluster here.json
if command -v $other >/dev/null; then
	refused "started 3 processes, but" $other $options -n 3 "$CONVOY" train --algo asgd $quick
	refused "started 2 processes, but" $other $options -n 2 "$CONVOY" sim --algo asgd $quick
fi

# A rank without the number of ranks is ignored, as is text that is no whole number.
for left in "PMI_RANK=1" "PMI_RANK=1 " "OMPI_COMM_WORLD_RANK=1" "PMIX_RANK=1 "; do
	env "$left" "$CONVOY" sim --algo asgd --workers 2 $quick >out 2>err ||
		fail "'$left': $(cat err)"
done

# Another number of ranks than the command line asks for.
refused "4 ranks were asked for, but" mpi_by_hand 2 "$CONVOY" train -n 4 $quick
says err "has started 2. Leave the number out"
refused "3 ranks were asked for, but" mpi_by_hand 1 "$CONVOY" train -n 3 $quick
refused "3 ranks were asked for, but" mpi_by_hand 2 "$CONVOY" sim --sim-ranks 3 $quick
refused "3 ranks were asked for, but" mpi_by_hand 1 "$CONVOY" sim --sim-ranks 3 $quick
refused "3 ranks were asked for, but" mpi_by_hand 2 "$CONVOY" calibrate -n 3 -o here.json
refused "needs 5 ranks (there are 2)" mpi_by_hand 2 "$CONVOY" train --algo asgd --workers 4 $quick

# What convoy asked its launcher for is passed to the ranks.
for algo in asgd allreduce ad-psgd; do
	refused "started 4 processes, but" \
		mpi_by_hand 2 env CONVOY_RANKS=4 "$CONVOY" train --algo $algo $quick
done
refused "started 4 processes, but" mpi_by_hand 2 env CONVOY_RANKS=4 "$CONVOY" sim $quick
refused "started 4 processes, but" \
	mpi_by_hand 2 env CONVOY_RANKS=4 "$CONVOY" calibrate -o here.json

# apart TEXT OPTIONS OPTIONS: rank 0 with the first options, rank 1 with the others.
apart() {
	refused "$1" mpi_by_hand 2 sh -c "case \${OMPI_COMM_WORLD_RANK:-\$PMI_RANK} in
		0) exec '$CONVOY' $2 ;; *) exec '$CONVOY' $3 ;; esac"
}
apart "rank 1: differs from rank 0 in lr = 0.02 (there: lr = 0.01)" \
	"train $quick --threads 2" "train $quick --lr 0.02 --json"
apart "rank 1: differs from rank 0 in trace = t.h5 (there: trace = none)" "train $quick" "train $quick --trace t.h5"
apart "rank 1: differs from rank 0 in command = sim (there: command = train)" "train $quick" "sim $quick"
apart "rank 1: unknown option '--rate'" "train $quick" "train $quick --rate 1"
for node in a b; do
	mkdir -p $node/mnist
	for split in train t10k; do
		{ printf '\0\0\10\3\0\0\0\4\0\0\0\34\0\0\0\34'; head -c 3136 /dev/zero; } >$node/mnist/$split-images-idx3-ubyte
		printf '\0\0\10\1\0\0\0\4\1\2\3\4' >$node/mnist/$split-labels-idx1-ubyte
	done
done
printf '\0\0\10\1\0\0\0\4\1\2\3\5' >b/mnist/train-labels-idx1-ubyte
mnist="--net mlp --batch 2 --gradients 20 --lr 0.01 --quiet --out made --data mnist:dir="
apart "rank 1: differs from rank 0 in data = mnist:dir=b/mnist,train=0,test=0,holdout=0, of files with digest" \
	"train ${mnist}a/mnist" "train ${mnist}b/mnist"

# What is for ranks that convoy starts; and a dry run writes nothing.
refused "restarts is for ranks that convoy starts" mpi_by_hand 2 "$CONVOY" train $quick --restarts 1
refused "hosts is for ranks that convoy starts" mpi_by_hand 1 "$CONVOY" sim $quick --hosts a:2
rm -rf made
mpi_by_hand 2 "$CONVOY" train $quick --dry-run >out 2>err || fail "a dry run: $(cat err)"
is "$(grep -c ^hash out)" 1 "a dry run prints once"
[ ! -e made ] || fail "a dry run wrote"

# srun without MPI.
for command in "train --algo asgd $quick" "sim --algo asgd $quick" "calibrate -o here.json"; do
	refused "srun started 4 tasks that MPI does not know of" \
		env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 "$CONVOY" $command
done
says err "srun --mpi="
SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 expect 1 train --algo asgd $quick
is "$(cat err)" "" "the second task"

# Commands that start their processes themselves are started once.
for command in "run slow-ship --scale smoke --sim-ranks 2" "tune --workers 2 --net quadratic"; do
	refused "each would do all that ${command%% *} does" \
		env PMI_SIZE=2 PMI_RANK=0 "$CONVOY" $command --out made
done

# One process of a launcher is as good as none.
mpi_by_hand 1 "$CONVOY" sim --algo asgd $quick >out 2>err || fail "alone: $(cat err)"
mpi_by_hand 1 "$CONVOY" train --algo asgd --server shared --workers 1 -n 1 $quick >out 2>err ||
	fail "one rank: $(cat err)"
finish
