# TIMEOUT 900
# COST 300
# PROCESSORS 2
# What must hold of every algorithm that can be named, in both engines: it says what it is, ends
# from any budget, repeats its bits, and a real run of it is replayed to the same model, where it can be.
. "$(dirname "$0")/lib.sh"
need jq

docs=$CONVOY_HOME/docs/algorithms.md
expect 0 list algos --md
if ! awk 'FNR == NR { want[n++] = $0; next } $0 == want[k] { k++ } END { exit k != n }' out "$docs"; then
	fail "docs/algorithms.md is not what 'convoy list algos --md' says"
fi

# Seconds of a minibatch are drawn, so that workers meet in other orders than that of their ranks.
plain="--net quadratic:dim=20 --lr 0.01 --delay gamma:cv=0.5"
four="--workers 4"
# Other tests run MPI under sanitizers.
real() {
	[ -z "${CONVOY_SANITIZE:-}" ] && has_mpi
}

# shares ALGO: workers share a model, and nothing records how they met in it.
shares() {
	[ "$1" = hogwild ]
}

allreduces=" allreduce local-sgd post-local-sgd local-adam slowmo diloco streaming-diloco eager-diloco "
expect 0 list algos --json
# Rounds that a short run ends.
rounds="slowmo:period=4 diloco:period=4 diloco:period=4,drop=0.5 streaming-diloco:period=6
	eager-diloco:period=4 noloco:period=4 post-local-sgd:start=5 async-local-sgd:period=5 fedbuff:period=3,buffer=3"
named=$(jq -r '.[].name' out)
# local-adam averages what only Adam has; the others weigh or predict Adam's steps.
adam="--optim adam:weight_decay=0.01,decoupled=true"
adams="local-adam gap-aware:steps=true,debias=false dana:form=predict,compensate=gap"
others="$(echo $named | sed 's/ local-adam / /') $(echo $rounds) ad-psgd:exchange=duplex"
names="$others $adams"
for algo in $named; do
	expect 0 show algo "$algo" --json
	jq -e '.rule and .waits and .staleness and .messages and .memory and .cite' out >/dev/null ||
		fail "$algo: not all is told"
done

task_of() {
	[[ " $adams " == *" $1 "* ]] && echo "$plain $adam" || echo "$plain"
}

# simulate SETTING...: the runs of every algorithm, as lines "ALGORITHM GRADIENTS STATUS MODEL".
simulate() {
	expect 0 sim --algo "${others// /,}" $plain $four "$@" --quiet --json
	jq -r '.runs[] | "\(.settings.algo) \(.gradients) \(.status) \(.model)"' out
	expect 0 sim --algo "${adams// /,}" $plain $adam $four "$@" --quiet --json
	jq -r '.runs[] | "\(.settings.algo) \(.gradients) \(.status) \(.model)"' out
}

count=$(echo $names | wc -w)
simulate --gradients 1,2,3,5,8 --out budgets >ends
is "$(grep -c ' done [0-9a-f]' ends)" $((5 * count)) "runs that end from their budget: $(cat ends)"
simulate --gradients 150 --threads 1 --out one | cut -d' ' -f4 >models
is "$(wc -l <models)" $count "models"

# simulated ALGORITHM MODEL: two threads end with the same model as one, and so does a replay.
simulated() {
	expect 0 sim --algo "$1" $task $four --gradients 150 --threads 2 --quiet --out two --trace sim.h5
	is "$(field model)" "$2" "$1: the simulator's bits"
	if shares "$1"; then
		expect 1 replay sim.h5 --quiet
		says err "$1 cannot be replayed"
	else
		expect 0 replay sim.h5 --quiet
		says out "verdict           identical"
	fi
}

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
	# MPI adds in an order of its own.
	grep -qE "verdict  *(identical|rounding)" out || fail "$1: $(cat out)"
	grep -q "verdict  *identical" out || [[ $allreduces == *" ${1%%:*} "* ]] ||
		fail "$1: replayed to rounding only"
}

# check_algorithm ALGORITHM MODEL: in a folder of its own.
check_algorithm() (
	task=$(task_of "$1")
	mkdir "$1" && cd "$1" || exit 1
	simulated "$@"
	! real || trained "$1"
)

# A run mostly starts processes and waits, so three algorithms are checked at once.
for algo in $names; do
	read -r once <&3
	[ "$(jobs -pr | wc -l)" -lt 3 ] || wait -n
	{ check_algorithm "$algo" "$once" || fail "$algo: its check ended with $?"; } &
done 3<models
wait
finish
