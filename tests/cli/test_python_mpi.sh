# A model in Python on real ranks, each with a process of its own: in lockstep the same model as in
# virtual time; a trace is replayed; ranks compute for the simulator; a failure ends all ranks.
. "$(dirname "$0")/lib.sh"
CONVOY_PYTHON=$(python_with numpy) || exit 77
export CONVOY_PYTHON XDG_CACHE_HOME=$PWD/cache
"$CONVOY" version | grep -q MPI || { echo "skipped: no MPI"; exit 77; }
cp "$CONVOY_SOURCE/tests/cli/problems/line.py" .
settings="--net python:line.py --lr 0.05 --optim sgd:momentum=0 --epochs 2 --batch 8 --quiet --workers 2"

model() { sed -n 's/^model *//p' "$1"; }

expect 0 sim $settings --compute-s 1 --algo allreduce --threads 1
simulated=$(model out)
expect 0 train $settings --algo allreduce
[ "$(model out)" = "$simulated" ] || fail "ranks compute another model"
# Ranks take the first python3 of PATH, whatever a launcher puts before it.
mkdir first
printf '#!/bin/sh\necho "$CONVOY_RANKS" >>"%s/ranks"\nexec "%s" "$@"\n' "$PWD" "$(command -v "$CONVOY_PYTHON")" >first/python3
chmod +x first/python3
(unset CONVOY_PYTHON; PATH=$PWD/first:$PATH expect 0 train $settings --algo asgd --trace trace)
is "$(sort -u ranks | tr -d '\n')" 3 "ranks that took the first python3"
expect 0 replay trace --allow-code --threads 1
says out identical
expect 0 sim $settings --compute-s 1 --algo allreduce --sim-ranks 2 --retrain --out other
[ "$(model out)" = "$simulated" ] || fail "ranks that compute for the simulator compute another model"

expect 1 train $settings --algo asgd --net python:line.py:make_problem,fault=raise,at=20
says err "ZeroDivisionError: division by zero (line.py, line "
expect 1 sim $settings --compute-s 1 --algo asgd --sim-ranks 2 --net python:line.py:make_problem,fault=exit,at=20
says err "its process ended with exit code 7"
