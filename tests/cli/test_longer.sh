# A finished run that is made longer ends as a run of that length from the beginning.
# COST 16
. "$(dirname "$0")/lib.sh"

base="--net logistic:samples=256 --batch 16 --lr 0.02 --optim sgd:momentum=0.9 --warmup 1"

# longer COMMAND ARGUMENT...: 2 epochs, then 4; and 4 at once.
longer() {
	expect 0 "$@" $base --epochs 4 --quiet --out whole
	cp out whole.txt
	expect 0 "$@" $base --epochs 2 --quiet --out parts
	ls parts/"$1"/*.checkpoint >/dev/null 2>&1 || fail "$*: nothing was kept"
	resumes "$@" $base --epochs 4 --out parts --resume
	says err "resuming from"
	for key in epochs model test_loss test_accuracy; do
		is "$(field $key)" "$(field $key whole.txt)" "$key of $*"
	done
}

longer sim --algo asgd --workers 4 --delay gamma:cv=0.3
same_numbers "$(field file)" "$(field file whole.txt)" || fail "other numbers: $(cat differ)"
longer sim --algo allreduce --workers 4 --schedule steps:at=1/3,factor=0.5
same_numbers "$(field file)" "$(field file whole.txt)" || fail "other numbers: $(cat differ)"

# From the longest that is short enough; a longer run's is of no use to a shorter one.
sim="sim --algo asgd --workers 4 --delay gamma:cv=0.3 $base --out parts --resume"
expect 0 $sim --epochs 5
says err "after 63 gradients"
expect 0 $sim --epochs 3
says err "after 31 gradients"
expect 0 $sim --epochs 1
says err "no checkpoint of a shorter run"

# Other settings make another run, and a schedule may go by the length.
expect 0 $sim --epochs 6 --lr 0.03
says err "no checkpoint of a shorter run"
expect 0 $sim --epochs 2 --schedule cosine
expect 0 $sim --epochs 4 --schedule cosine
says err "schedule = cosine goes by the length of the run"

# What is not to be kept, or too large, is not.
for keep in 0 1000; do
	expect 0 sim --algo asgd $base --epochs 1 --quiet --out small --checkpoint-keep $keep
	is "$(ls small/sim)" "$(basename "$(field file)")" "kept with $keep"
	rm -r small
done

has_mpi || finish
longer train --algo allreduce --workers 2 --eval-every 0

base="--net quadratic --lr 0.01 --batch 32 --optim sgd:momentum=0.9"
longer train --algo asgd --workers 1 --compute-s 0.001
longer train --algo allreduce --workers 2 --eval-every 0 --bucket 16
longer train --algo allreduce --workers 3 --compute-s 0.001 --eval-every 0 --allreduce ring
longer train --algo d-psgd --workers 3 --compute-s 0.001 --eval-every 0

# Where the order of events is free, the number of gradients and of evaluations is the same.
expect 0 train --algo asgd --workers 3 $base --epochs 2 --eval-every 0.5 --quiet --out free
expect 0 train --algo asgd --workers 3 $base --epochs 4 --eval-every 0.5 --out free --resume
says err "resuming from"
is "$(field epochs)" 4 "epochs in a free order"
python_on "$(field file)" <<'END' || fail "evaluations in a free order"
epochs = list(f["eval/epoch"])
assert epochs == [0.5 * k for k in range(1, 9)], epochs
END

# The same result again, when only its checkpoint is left.
expect 0 train --algo d-psgd --workers 3 --compute-s 0.001 --eval-every 0 $base --epochs 4 --quiet --out parts
model=$(field model)
rm "$(field file)"
resumes train --algo d-psgd --workers 3 --compute-s 0.001 --eval-every 0 $base --epochs 4 --out parts --resume
says err "resuming from"
is "$(field model)" "$model" "the model of a checkpoint at the end"
finish
