# LABEL long
# TIMEOUT 3600
# COST 600
# 500 models in Python with faults of every kind, at random moments of random runs (N=COUNT, SEED=S):
# no hang, no process left, no torn file, the cause named.
. "$(dirname "$0")/lib.sh"
need pgrep
CONVOY_PYTHON=$(python_with numpy) || exit 77
export CONVOY_PYTHON XDG_CACHE_HOME=$PWD/cache
file=line$$.py          # a name that no other test has
cp "$CONVOY_SOURCE/tests/cli/problems/line.py" $file
RANDOM=${SEED:-1}

# Each kind, and what the error says; harmless ones say nothing.
kinds=("raise:ZeroDivisionError" "sysexit:sys.exit(3)" "exit:ended with exit code 7" "exit0:ended with exit code 0"
	"segv:killed by signal 11" "kill:killed by signal 9" "term:killed by signal 15" "stop:no answer in "
	"hang:no answer in " "double:has dtype float64" "longer:has shape (21,)" "matrix:has shape (4, 5)"
	"list:is list" "lossless:returned ndarray" "text:is str" "nan:" "nangrad:" "write:read-only"
	"recursion:RecursionError" "interrupt:KeyboardInterrupt" "closed:its process " "garbage:no answer of the protocol"
	"truncate:PermissionError" "shout:" "fork:" "thread:RuntimeError: after a thread" "memory:MemoryError")
algos=(asgd allreduce ad-psgd gap-aware local-sgd)

for ((k = 0; k < ${N:-500}; k++)); do
	kind=${kinds[k % ${#kinds[@]}]%%:*}
	text=${kinds[k % ${#kinds[@]}]#*:}
	at=$((RANDOM % 40)) threads=$((RANDOM % 3 + 1)) algo=${algos[RANDOM % ${#algos[@]}]}
	net=python:$file:make_problem,fault=$kind,at=$at
	run="sim --net $net --algo $algo --workers 4 --threads $threads --batch 8 --epochs 4 --lr 0.01"
	timeout -k 5 120 "$CONVOY" $run --compute-s 1 --foreign-timeout 10 --quiet >out 2>err
	code=$?
	! grep -q SHOUTED out || fail "$run: its output is convoy's"
	if [ -z "$text" ] || grep -q "^status  *done" out; then
		# a fault that came too late, that is harmless, or that a run diverges with
		[ $code = 0 ] || grep -qE "loss of the first model|is not finite" err || fail "$run: exit code $code: $(cat err)"
	else
		[ $code = 1 ] || fail "$run: exit code $code: $(tail -3 err)"
		[ "$(grep -c 'convoy: error: ' err)" = 1 ] || fail "$run: not one error: $(cat err)"
		grep 'convoy: error: ' err | grep -qF -- "$text" || fail "$run: not '$text': $(tail -3 err)"
	fi
	# those that a model has forked are being killed
	for try in $(seq 100); do
		pgrep -f "serve.py $file" >left || break
		sleep 0.1
	done
	[ ! -s left ] || { fail "$run: processes are left: $(cat left)"; xargs kill -KILL <left; }
done
# Results are whole: each can be read.
for result in results/sim/*.h5 results/sim/*.part; do
	[ ! -e "$result" ] || "$CONVOY" show result "$result" >/dev/null 2>err || "$CONVOY" compare "$result" "$result" >/dev/null 2>>err ||
		fail "$result: $(cat err)"
done
