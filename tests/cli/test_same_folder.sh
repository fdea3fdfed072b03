# Commands that make the same runs in one folder at the same time: one makes each, the others wait and use its result.
# TIMEOUT 300
. "$(dirname "$0")/lib.sh"

# at_once NUMBER ARGUMENT...: so many convoys at the same time, of which all succeed; their streams are in out.N and err.N.
# pause=SECONDS before each but the first: two launchers of Open MPI that begin in one moment may fail, for they make one folder.
at_once() {
	local n=$1 k pids=""
	shift
	for k in $(seq "$n"); do
		[ "$k" = 1 ] || sleep "${pause:-0}"
		"$CONVOY" "$@" >out.$k 2>err.$k &
		pids="$pids $!"
	done
	k=0
	for pid in $pids; do
		k=$((k + 1))
		wait "$pid" || fail "convoy $*: number $k failed: $(cat err.$k)"
	done
}

# only FOLDER NAME: a result, its checkpoint and nothing else is in it but the locks.
only() {
	is "$(ls "$1" | tr '\n' ' ')" "$2 $2.checkpoint " "files in $1"
}

sim="sim --algo asgd --net quadratic --workers 4 --gradients 2000 --lr 1e-4 --compute-s 1 --quiet"
at_once 4 $sim --out same
file=$(sed -n 's/^file *//p' out.1)
for k in 1 2 3 4; do
	is "$(cat out.$k)" "$(cat out.1)" "what number $k printed"
done
only same/sim "${file##*/}"

# Several runs in each process: each run is made once.
at_once 2 sim --timing --algo asgd,ad-psgd --workers 2,4,8 --compute-s 1 --gradients 20000 --out many --quiet
is "$(cat out.2)" "$(cat out.1)" "the table of the second"
is "$(ls many/sim | grep -vc '\.h5$')" 0 "files that are no results"

# A trace for a timeline has the same name in both.
at_once 2 $sim --out drawn --timeline drawn.svg
is "$(ls drawn/sim)" "${file##*/}" "files in drawn/sim"

slow="sim --algo asgd --net quadratic --workers 4 --gradients 1e9 --lr 1e-6 --out same"

# Different runs do not wait for each other: one that never ends does not stop another.
launch $slow --quiet
await there 'same/sim/*.part'
expect 0 $sim --seed 2 --out same
kill -KILL $pid
wait $pid 2>/dev/null
rm -f same/sim/*.part

# One that waits says so, and can be interrupted: the file of the other stays as it is.
"$CONVOY" $slow --quiet >out.1 2>err.1 &
first=$!
await there 'same/sim/*.part'
launch $slow
await grep -q "another convoy is making same/sim/.*\.h5; waiting" err
ends 130 INT
kill -INT $first
wait $first
is $? 130 "exit code of the first"
grep -qF interrupted err.1 || fail "the first: $(cat err.1)"
rm -rf same

# The files of an experiment, twice at once.
at_once 2 run slow-worker --quiet --algo ad-psgd --slow none --epochs 1 --out run
is "$(cat out.2)" "$(cat out.1)" "the experiment's tables"
is "$(find run -name '*.new' -o -name '*.part')" "" "temporary files"

if has_mpi; then
	# Real ranks add up in an order of their own: there is one model, and both commands name it.
	train="train --algo asgd --workers 2 --net quadratic --lr 1e-4"
	pause=0.4 at_once 2 $train --gradients 10000 --out train
	is "$(sed -n '/^algo/,$p' out.2)" "$(sed -n '/^algo/,$p' out.1)" "what the second printed"
	is "$(cat err.1 err.2 | grep -c "finished before: train/train/")" 1 "commands that waited"

	# Checkpoints of two trainings that were mixed are refused.
	expect 0 $train --gradients 10000 --out other
	cp other/train/*.checkpoint.*.1 train/train/
	expect 1 $train --gradients 20000 --out train --resume
	says err "is of another run of these settings"
fi
finish
