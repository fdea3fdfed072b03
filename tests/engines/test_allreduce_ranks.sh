# The program of test_allreduce.c on 2 to 8 ranks: every sum is that of a loop, to the last bit.
# Sanitized, on fewer numbers of ranks: an odd one, a power of two, more ranks than processors.
# PROCESSORS 2
# COST 18
. "$(dirname "$0")/../cli/lib.sh"
need_mpi
program=$CONVOY_BUILD/tests/engines_allreduce
for ranks in $([ -n "${CONVOY_SANITIZE:-}" ] && echo 2 3 5 || echo 2 3 5 8); do
	mpi_by_hand $ranks "$program" >out 2>&1 || fail "$ranks ranks: $(cat out)"
done
finish
