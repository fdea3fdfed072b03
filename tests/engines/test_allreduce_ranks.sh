# The program of test_allreduce.c on 2 to 8 ranks: every sum is that of a loop, to the last bit.
# PROCESSORS 2
. "$(dirname "$0")/../cli/lib.sh"
need_mpi
program=$CONVOY_BUILD/tests/engines_allreduce
for ranks in 2 3 4 5 6 8; do
	mpi_by_hand $ranks "$program" >out 2>&1 || fail "$ranks ranks: $(cat out)"
done
finish
