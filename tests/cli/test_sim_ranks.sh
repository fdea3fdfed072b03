# Gradients of a simulated run on several ranks: the same numbers, and an end when a rank dies.
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
need_mpi
need pgrep

# simulate ALGO WORDS...: with evaluations, whose jobs are sent as gradients are.
simulate() {
	local algo=$1
	shift
	echo sim --algo "$algo" --net resnet8 --workers 3 --batch 4 --gradients 9 --eval-every 0.3 \
		--data shapes:train=64,test=16 --stat-batches 1 --lr 0.01 --delay gamma:cv=0.3 \
		--threads 1 --quiet "$@"
}

same() {
	is "$(grep -c ^model out)" 1 "rank 0 alone prints: $(cat out)"
	same_numbers "$1"/sim/*.h5 "$2"/sim/*.h5 || fail "$1 and $2: $(cat differ)"
	python_on "$2"/sim/*.h5 "${2#*-}" <<-'END' || fail "how many ranks there were"
	assert f["environment"].attrs["ranks"] == int(sys.argv[2]), f["environment"].attrs["ranks"]
	END
}

expect 0 $(simulate asgd --out asgd-1)
expect 0 $(simulate allreduce --out allreduce-1)
for ranks in 2 4; do
	expect 0 $(simulate asgd --sim-ranks $ranks --out asgd-$ranks)
	same asgd-1 asgd-$ranks
done
expect 0 $(simulate allreduce --sim-ranks 3 --out allreduce-3)
same allreduce-1 allreduce-3
mpi_by_hand 3 "$CONVOY" $(simulate asgd --out asgd-3) >out 2>err ||
	fail "mpirun: $(cat err)"
same asgd-1 asgd-3

# Runs of a table have ranks each.
expect 0 $(simulate asgd --csv --sim-ranks 2 --out many-2)
is "$(grep -c '^done,.*,0,[^,]*$' out)" 1 "$(cat out)"
same_numbers asgd-1/sim/*.h5 "many-2/sim/$(basename asgd-1/sim/*.h5)" || fail "many: $(cat differ)"

# A rank that dies.
launch $(simulate asgd --gradients 1000000 --sim-ranks 3 --out cut)
await there 'cut/sim/*.part'
ranks=$(ranks_of $pid)
kill -KILL "$(rank_of $pid 1)" || kill $pid
ends 137
is_mpi "Open MPI" && named="rank 1 on $(hostname)" || named="ranks* "
is "$(grep -c "$named.*killed by signal 9" err)" 1 "$(cat err)"
for k in $ranks; do
	runs "$k" && fail "a rank is left"
done

expect 1 sim --timing --samples 1000 --sim-ranks 2
says err "a timing-only run has none"
expect 129 sim --net quadratic --gradients 10 --sim-ranks -1
says err "sim_ranks must be a whole number"
mpi_by_hand 2 sh -c \
	"exec '$CONVOY' $(simulate asgd) --seed \${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" >out 2>err &&
	fail "ranks of two runs were taken"
says err "differs from rank 0 in seed = "
finish
