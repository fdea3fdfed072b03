# TIMEOUT 900
# COST 18
# PROCESSORS 2
# Every algorithm that can be named, on real ranks, by the program of test_every_algo.c: it ends from its
# budget, also where that is spent before most rounds are, and a replay ends with the same model.
. "$(dirname "$0")/../cli/lib.sh"
need jq
need_mpi
[ -z "${CONVOY_SANITIZE:-}" ] || { echo "skipped: other tests run ranks with sanitizers"; exit 77; }
. "$(dirname "$0")/../cli/algorithms.sh"
program=$CONVOY_BUILD/tests/engines_every_algo

# Three ranks end before most rounds do; five, within a round where $rounds have short ones.
for run in "3 5" "5 118"; do
	for task in "sgd $others" "adam:weight_decay=0.01,decoupled=true $adams"; do
		# shellcheck disable=SC2086
		mpi_by_hand ${run% *} "$program" ${run#* } $task >out 2>&1 ||
			fail "${run% *} ranks: $(cat out)"
	done
done
finish
