# Programs that speak the protocol of problems: the example of the documents, and one that breaks the
# protocol in every way. Each fault has one line with its cause; no process is left.
# COST 32
. "$(dirname "$0")/lib.sh"
need cc
need pgrep
export XDG_CACHE_HOME=$PWD/cache
mkdir -p include/convoy
cp "$CONVOY_SOURCE/nets/external/problem_protocol.h" include/convoy/
faulty=faulty$$         # a name that no other test has
flags="-std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Werror -Iinclude -O1"
cc $flags -o least_squares "$CONVOY_SOURCE/docs/examples/least_squares.c" || fail "the example"
cc $flags -o $faulty "$CONVOY_SOURCE/tests/cli/problems/faulty.c" || fail "the faulty program"
cc -std=c99 -pedantic -Wall -Werror -Iinclude -fsyntax-only -x c include/convoy/problem_protocol.h ||
	fail "the header is no C99"

# ---- the example ----
simulated="sim --net exec:./least_squares,dim=30 --compute-s 1 --workers 4 --batch 8 --epochs 4 --quiet"
expect 0 $simulated --algo asgd --lr 0.02 --threads 2 --trace trace
says out "status              done"
expect 0 replay trace --allow-code
says out identical
expect 0 check net exec:./least_squares
says out holds
expect 0 bench nets exec:./least_squares --batch 8 --seconds 0.1 --json
says out '"gradients_per_s"'
expect 1 check net exec:./least_squares,dim=1e3
says err 'expected dim=N'
expect 1 $simulated --net exec:./nothing
says err "net exec: cannot read './nothing': No such file or directory"
expect 1 $simulated --net exec:/bin/true
says err "its process ended with exit code 0 while starting. Does '/bin/true' speak convoy's protocol"
expect 1 $simulated --net exec:include/convoy/problem_protocol.h
says err "cannot start 'include/convoy/problem_protocol.h': Permission denied"

# Variables of the environment are read as the options are.
for pair in "CONVOY_FOREIGN_TIMEOUT=abc: foreign_timeout must be a number of seconds, from 0.001 to 1e9" \
	"CONVOY_FOREIGN_TIMEOUT=0: foreign_timeout must be a number of seconds, from 0.001 to 1e9" \
	"CONVOY_ALLOW_CODE=maybe: allow_code must be true or false"; do
	given=${pair%%:*}
	export "$given"
	expect 129 $simulated --net exec:./nothing
	says err "environment variable ${given%=*}${pair#"$given"}, not '${given#*=}'"
	unset "${given%=*}"
done

# ---- faults ----
# faulty FAULT ON AFTER TEXT
faulty() {
	local net=exec:./$faulty,fault=$1,on=$2,after=$3
	timeout 30 "$CONVOY" sim --net "$net" --algo asgd --workers 2 --batch 4 --epochs 1 --lr 0.01 \
		--compute-s 1 --threads 1 --foreign-timeout 0.3 --quiet >out 2>err
	local code=$?
	[ $code = 1 ] || fail "$net: exit code $code: $(cat err)"
	[ "$(grep -c 'convoy: error: ' err)" = 1 ] || fail "$net: not one error: $(cat err)"
	says err "error: $net: $4"
	! grep -q SHOUTED out || fail "$net: its output is convoy's"
	! LC_ALL=C grep -q '[[:cntrl:]]' <<<"$(tail -1 err)" || fail "$net: control characters"
}
for on in 2 3 6; do
	faulty exit $on 0 "its process ended with exit code 9 while "
	faulty hang $on 0 "no answer in 0.3 s while "
done
for on in 1 4; do
	after=$((on == 4 ? 9 : 0))
	faulty exit $on $after "its process ended with exit code 9 while "
	faulty exit0 $on $after "its process ended with exit code 0 while "
	faulty segv $on $after "its process was killed by signal 11"
	faulty kill $on $after "its process was killed by signal 9 (Killed) while "
	faulty hang $on $after "no answer in 0.3 s while "
	faulty kind $on $after "what it sends is no answer of the protocol, version 1, while "
	faulty long $on $after "yyyyyy"
	faulty odd $on $after " [31mred"
	faulty mute $on $after "failed without a reason while "
	faulty orphan $on $after "its process ended with exit code 4 while "
done
for on in 1 4; do
	faulty trickle $on 0 "no answer in 0.3 s while "
done
for fault in number status text garbage; do
	faulty $fault 4 3 "what it sends is no answer of the protocol"
done
faulty short 4 3 "its process ended with exit code 0"
faulty close 4 3 "its process "
faulty shutdown 4 3 "its process "
faulty stop 4 3 "no answer in 0.3 s"
faulty truncate 4 3 "cannot truncate"
faulty nan 4 0 "the loss of the first model is "
faulty count 6 0 "SCORE returned the number right 1000 (expected 0 to 8, or -1)"
faulty labels 6 0 "SCORE of 8 samples returned the count 9 (expected 8)"
faulty labels-1 1 0 "labels is 1.8446744073709552e+19 (expected 1 to 2^31 - 1, or 0)"
faulty version 1 0 "its version of the protocol is 9 (expected 1)"
faulty dim0 1 0 "dim is 0"
faulty dimmost 1 0 "dim is "
faulty train0 1 0 "n_train is 0"
faulty test-1 1 0 "n_test is -1"
faulty blobs 1 0 "its number of blobs is "
faulty shape 1 0 "blob a has 12 floats and another shape"
faulty rank 1 0 "blob a has 12 floats and another shape"
faulty sum 1 0 "blob b ends after the 20 floats of x"
faulty less 1 0 "its blobs have 12 floats, and x has 20"
faulty name 1 0 "the name of blob 1 has a control character"
faulty nameless 1 0 "blob 1 has no name"
expect 0 sim --net exec:./$faulty,fault=shout --workers 2 --batch 4 --epochs 1 --compute-s 1 --lr 0.01
! grep -q SHOUTED out || fail "its output is convoy's"

# Sizes that no memory has: statistics are refused, a test set is scored part by part.
wide=exec:./$faulty,stats=100000000000
expect 1 sim --net $wide --workers 2 --batch 4 --epochs 1 --compute-s 1 --lr 0.01 --threads 1
says err "2 workers of $faulty need about 7.2e+03 GB of memory, and a process has at most "
expect 1 check net $wide
says err "error: $wide: its 20 floats of x, as many of a gradient and 100000000000 of stats need 400 GB of memory, and a process has at most "
faulty exit 6 5000,test=1000000000000000 "its process ended with exit code 9 while scoring samples"

# The same at random moments of random runs.
RANDOM=1
kinds=("exit:ended with exit code 9" "exit0:ended with exit code 0" "segv:killed by signal 11" "kill:killed by signal 9"
	"kind:no answer of the protocol" "long:yyyyyy" "garbage:no answer of the protocol" "close:its process " "orphan:exit code 4"
	"mute:failed without a reason" "truncate:cannot truncate" "stop:no answer in 0.3 s")
algos=(asgd allreduce ad-psgd gap-aware local-sgd diloco)
for ((k = 0; k < 48; k++)); do
	fault=${kinds[k % ${#kinds[@]}]}
	run="sim --net exec:./$faulty,fault=${fault%%:*},on=4,after=$((RANDOM % 30)) --algo ${algos[RANDOM % ${#algos[@]}]}"
	timeout 30 "$CONVOY" $run --workers 4 --batch 4 --gradients 64 --lr 0.01 --compute-s 1 --threads $((RANDOM % 2 + 1)) \
		--foreign-timeout 0.3 --quiet >out 2>err
	[ $? = 1 ] && [ "$(grep -c 'convoy: error: ' err)" = 1 ] || fail "$run: exit code $?: $(cat err)"
	says err "${fault#*:}"
done

# A blob of more than 2^31 floats.
for fault in giant giants; do
	expect 0 sim --timing --net exec:./$faulty,fault=$fault,on=1 --algo allreduce --workers 2 --batch 4 --gradients 1 \
		--codec powersgd --compute-s 1 --quiet
	expect 0 sim --timing --net exec:./$faulty,fault=$fault,on=1 --algo asgd --workers 2 --batch 4 --gradients 1 \
		--compute-s 1 --quiet
	is "$(field bytes_sent)" 24000000048
done

# ---- what a program inherits, and what ranks must have in common ----
exec 9<"$CONVOY_SOURCE/README.md"
unlike="--workers 2 --batch 4 --epochs 1 --lr 0.01 --quiet --algo allreduce"
expect 0 sim $unlike --compute-s 1 --net exec:./$faulty,fault=open,on=4 --threads 2 --trace trace
exec 9<&-
if has_mpi; then
	expect 0 train $unlike --net exec:./$faulty,fault=open,on=4
	expect 1 train $unlike --net exec:./$faulty,fault=exit,on=1
	says err "its process ended with exit code 9 while starting"
	# differs FAULT TEXT
	differs() {
		expect 1 train $unlike --net exec:./$faulty,fault=other-$1
		says err "error: rank 1: differs from rank 0 in the $2"
		[ "$(grep -c 'error: ' err)" = 1 ] || fail "$1: not one error: $(cat err)"
	}
	differs size "numbers of floats or samples."
	differs part "names or shapes of the model's parts, or the metrics."
	differs model "first model. Draw it from the seed"
	differs data "gradient of the first training samples. Seed what draws the data"
	differs test "score of the first test samples. Seed what draws the data"
	expect 1 sim $unlike --compute-s 1 --sim-ranks 2 --net exec:./$faulty,fault=other-data
	says err "differs from rank 0 in the gradient of the first training samples"
fi
! pgrep -f "^./$faulty fault" >left || fail "processes are left: $(cat left)"
