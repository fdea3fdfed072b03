# TIMEOUT 900
# COST 150
# PROCESSORS 2
# Every algorithm that can be named, on real ranks: it ends from its budget, and a replay of the run
# ends with the same model, where there can be one.
. "$(dirname "$0")/lib.sh"
need jq
need_mpi
[ -z "${CONVOY_SANITIZE:-}" ] || { echo "skipped: other tests run ranks with sanitizers"; exit 77; }
. "$(dirname "$0")/algorithms.sh"

# These are summed by MPI, in an order of its own, unless in buckets.
allreduces=" allreduce local-sgd post-local-sgd local-adam slowmo diloco streaming-diloco eager-diloco "

# trained ALGORITHM: three real ranks end before most rounds do, except that $rounds, which are the
# same algorithms, end within a round of theirs with four; a replay of four ends with their model.
trained() {
	[[ " $(echo $rounds) " == *" $1 "* ]] ||
		expect 0 train --algo "$1" -n 3 $task --gradients 5 --quiet --out real
	if shares "$1"; then
		expect 0 train --algo "$1" $task $four --gradients 118 --quiet --out real
		return
	fi
	expect 0 train --algo "$1" $task $four --gradients 118 --compute-s 0.001 --quiet --out real --trace real.h5
	expect 0 replay real.h5 --quiet
	grep -qE "verdict  *(identical|rounding)" out || fail "$1: $(cat out)"
	grep -q "verdict  *identical" out || [[ $allreduces == *" ${1%%:*} "* ]] ||
		fail "$1: replayed to rounding only"
}

each_algorithm trained
finish
