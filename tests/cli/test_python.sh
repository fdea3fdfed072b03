# A model in Python: every engine computes it, with equal results for any number of threads; a replay
# repeats it; its failures are named; its code runs only if the command line says so.
# COST 35
. "$(dirname "$0")/lib.sh"
CONVOY_PYTHON=$(python_with numpy) || exit 77
export CONVOY_PYTHON XDG_CACHE_HOME=$PWD/cache
cp "$CONVOY_SOURCE/tests/cli/problems/line.py" .
settings="--net python:line.py --lr 0.05 --optim sgd:momentum=0 --epochs 4 --batch 8 --quiet"
simulated="$settings --compute-s 1 --workers 4"
one_thread="--threads 1"        # each starts a Python, and importing NumPy costs most of this test

model() { sed -n 's/^model *//p' "$1"; }

# ---- engines ----
expect 0 sim $simulated $one_thread --algo allreduce,asgd,ad-psgd --csv --values test_loss
"$CONVOY_PYTHON" - <<'END' || fail "losses: $(cat out)"
import csv
rows = [r for r in csv.DictReader(open("out")) if r["is_baseline"] == "0"]
assert len(rows) == 3 and all(float(r["test_loss"]) < 0.05 for r in rows), rows
END
expect 0 sim $simulated --algo asgd --threads 1 --trace one --retrain
one=$(model out)
expect 0 sim $simulated --algo asgd --threads 2 --trace two --retrain
[ "$(model out)" = "$one" ] || fail "the model depends on the threads"
bytes=$(grep bytes_sent out)
expect 0 sim $simulated $one_thread --algo asgd --optim lars --seed 2
says out "test_loss"
expect 1 replay one
says err "net python:line.py (digest "
says err "add --allow-code"
expect 0 replay one --allow-code $one_thread
says out "identical"
expect 0 sim $simulated --algo asgd --timing --link nic:latency_s=1e-3,bandwidth_GBps=1
says out "$bytes"
expect 1 sim --net python:line.py --algo asgd --workers 2
says err "compute_s is missing"
expect 0 sim ${simulated/--quiet/} --algo asgd $one_thread --data mnist --precision bf16 --epochs 1
says err "no effect: precision (the net's own code computes); data (the net's own code has the data; give it a file"

# ---- metrics: measures, columns, targets, tables and plots; a run with them is trained itself ----
cat >metrics.py <<'END'
import numpy as np
from line import Line


class Metrics(Line):
    metrics = ("mae", "far")

    def score(self, x, split, first, n):
        error = np.abs(self.error(x, slice(512 + first, 512 + first + n)))
        sums = {"mae": error.sum(), "far": (error > 0.1).sum()}
        if self.less:
            del sums["far"]
        return (*Line.score(self, x, split, first, n), sums)


def make_problem(less=False, name="far"):
    problem = Metrics("", 0)
    problem.less, problem.metrics = less, ("mae", str(name))
    return problem
END
measured="${settings/python:line.py/python:metrics.py} --compute-s 1 --workers 2 $one_thread"
expect 0 sim $measured --algo asgd,allreduce --csv --values metric:mae,metric:far,time_to:metric:mae'<='1
"$CONVOY_PYTHON" - <<'END' || fail "metrics: $(cat out)"
import csv
rows = [r for r in csv.DictReader(open("out")) if r["is_baseline"] == "0"]
assert len(rows) == 2 and all(0 < float(r["metric:mae"]) < 0.5 and 0 <= float(r["metric:far"]) <= 1
                              and float(r["time_to:metric:mae<=1"]) > 0 for r in rows), rows
END
for asked in "--values metric:fra" "--values time_to:metric:fra<=1" "--lr 0.01,0.02 --plot x.svg --plot-y metric:fra"; do
	expect 1 sim $measured --algo asgd $asked
	says err "error: no metric 'fra'; did you mean 'far'?"
	one_line
done
expect 1 sim ${measured/python:metrics.py/quadratic} --algo asgd --values metric:far
says err "error: no metric 'far': the net has no metrics"
cat >metrics.json <<'END'
{ "title": "t", "about": "a", "scale": "laptop", "scales": { "laptop": { "time": "1 s", "about": "a" } },
  "base": { "net": "python:metrics.py", "workers": 2, "batch": 8, "compute_s": 1, "epochs": 4, "lr": 0.05, "optim": "sgd:momentum=0" },
  "grid": { "algo": ["asgd", "allreduce"] },
  "tables": [{ "name": "t", "title": "t", "rows": "algo", "columns": "workers", "values": ["metric:mae"] }],
  "plots": [{ "name": "p", "title": "p", "from": "eval", "x": "time_s", "y": "metric:mae", "series": "algo" }],
  "claims": [{ "says": "s", "kind": "ours", "beats": { "a": { "algo": "asgd" }, "b": { "algo": "allreduce" }, "measure": "metric:mae" } }] }
END
expect 0 run metrics.json --allow-code $one_thread --quiet --out spec
grep -qs . spec/metrics/laptop/plots/p.dat || fail "no plot of a metric: $(ls -R spec)"
for from in values measure y; do
	sed "s/\"$from\": \(\[*\)\"metric:mae\"/\"$from\": \1\"metric:mea\"/" metrics.json >mistyped.json
	expect 1 run mistyped.json --allow-code $one_thread --quiet --out spec
	says err "no metric 'mea'; did you mean 'mae'?"
done
expect 1 sim ${measured/metrics.py/metrics.py:make_problem,less=true} --algo asgd
says err "score() returned the metrics mae (expected mae, far)"
for name in 9x a-b mae; do
	expect 1 sim ${measured/metrics.py/metrics.py:make_problem,name=$name} --algo asgd
done
says err "two metrics are named 'mae'"

# ---- modules of its folder that it imports, in every way, are part of the run's hash ----
mkdir -p part/inner
cat >model.py <<'END'
import one
import importlib, runpy
import numpy, two as other
from part import (  # a package
    three,
    four as fourth,
)
from part.inner import five; from line import Line


def make_problem():
    if True: import six
    importlib.import_module("part.ten"), runpy.run_path('part/eleven.py')
    return Line("", 0)
END
printf 'import os\nimport seven\n' >one.py
printf 'from . import nine\nfrom .. import eight\n' >part/inner/__init__.py
for file in two six seven unused part/__init__ part/three part/four part/eight part/inner/five part/inner/nine part/ten part/eleven; do
	echo "VALUE = 1" >$file.py
done
hash_now() { "$CONVOY" sim --net python:model.py --algo asgd --compute-s 1 --workers 2 --dry-run 2>&1 | sed -n 's/^hash *//p'; }
was=$(hash_now)
[ -n "$was" ] || fail "no hash"
for file in one two six seven part/four part/eight part/inner/five part/inner/nine part/ten part/eleven unused; do
	echo "# changed" >>$file.py
	now=$(hash_now)
	case $file in
	unused) is "$now" "$was" "a file that is not imported" ;;
	*) [ "$now" != "$was" ] || fail "$file.py is no part of the hash" ;;
	esac
	was=$now
done
cp "$CONVOY_SOURCE/tests/cli/problems/line.py" .

# Modules whose names are computed, and data, are named in the result.
cat >model.py <<'END'
import importlib

open("data.txt").read()
open("log.txt", "w").write("is not read")
make_problem = lambda: importlib.import_module("li" + "ne").make_problem()
END
echo 1 >data.txt
expect 0 sim --net python:model.py --algo asgd --compute-s 1 --workers 2 --batch 8 --epochs 1 --lr 0.01 $one_thread --quiet --out reads
"$CONVOY_PYTHON" -c 'import h5py' 2>/dev/null && {
	"$CONVOY_PYTHON" -c 'import glob, h5py
print(h5py.File(glob.glob("reads/sim/*.h5")[0])["environment"].attrs["external"].decode())' >out
	grep -q ", read data.txt [0-9a-f]* line.py [0-9a-f]*$" out || fail "files that are read: $(cat out)"
}

# Numbers of another file are shown with a warning, and no run of other times takes them over.
sed -i 's/^make_problem.*/from line import Line/' model.py
cat >>model.py <<'END'


def make_problem():
    problem = Line("", 0)
    problem.y *= float(open("data.txt").read())
    return problem
END
reads() {
	expect 0 sim --net python:model.py --algo allreduce --compute-s "$1" --workers 2 --batch 8 --epochs 1 --lr 0.01 $one_thread --out changed
	grep -E '^(train|test)_loss' out
}
reads 1 >of_1
echo 2 >data.txt
reads 1 >again
cmp -s of_1 again || fail "a finished run: $(cat again)"
says err "was made before data.txt changed, and its numbers are those of then. Change an argument"
reads 2 >of_2
! grep -q "before data.txt changed" err || fail "a new run was made before: $(cat err)"
! cmp -s of_1 of_2 || fail "a run takes over what another file gave"
length() {
	expect 0 sim --net python:model.py --algo asgd --compute-s 1 --workers 2 --batch 8 --epochs "$1" --lr 0.01 $one_thread --checkpoint-every 1000 --resume --out longer
}
length 1
length 2
says err "resuming from"
echo 3 >data.txt
length 3
says err "files and packages of the net"
! grep -q "resuming from" err || fail "goes on with another file: $(cat err)"

# ---- what a gradient frees is there for the next one: the system clears no pages again ----
cat >frees.py <<'END'
import resource

import numpy as np
from line import Line


class Frees(Line):
    faults = 0

    def grad(self, x, batch):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        held = [np.ones(1 << 20) for _ in range(8)]
        del held
        self.faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
        return Line.grad(self, x, batch)

    def score(self, *of):
        print("faults", self.faults)
        return Line.score(self, *of)


make_problem = lambda: Frees("", 0)
END
expect 0 sim --net python:frees.py --algo asgd --compute-s 1 --workers 2 --batch 8 --epochs 1 --lr 0.01 $one_thread --quiet
faults=$(sed -n 's/^faults //p' err | tail -1)
[ "$faults" -lt 1000 ] || fail "a gradient of 64 MB touched $faults new pages"

# ---- code of files ----
cat >spec.json <<'END'
{ "title": "t", "about": "a", "scale": "laptop", "scales": { "laptop": { "time": "1 s", "about": "a" } },
  "base": { "net": "python:line.py:make_problem,at=1", "workers": 2, "batch": 8, "compute_s": 1, "epochs": 1, "lr": 0.05 },
  "grid": { "algo": ["asgd"] },
  "tables": [{ "name": "t", "title": "t", "rows": "algo", "columns": "workers", "values": ["test_loss"] }] }
END
expect 1 run spec.json --quiet
says err "(digest "
expect 0 run spec.json --quiet --allow-code $one_thread
cat >line.py <<'END'
open("ran", "w")
END
expect 0 run spec.json --dry-run --quiet
expect 0 sim $simulated --algo asgd --dry-run
expect 0 list nets
expect 1 table spec.json
expect 1 replay one --allow-code
says err "is not what it was when this was recorded"
expect 1 run spec.json --quiet
[ ! -e ran ] || fail "code ran that no command line named"
cp "$CONVOY_SOURCE/tests/cli/problems/line.py" .
expect 0 table spec.json

# ---- failures: what is said, and where they happen: at the start, or during the run ----
# fails FAULT AT TEXT; tests/cli/test_exec.sh has more of them.
fails() {
	expect 1 sim $settings --compute-s 1 --workers 2 --algo asgd --threads "${4:-1}" \
		--net "python:line.py:make_problem,fault=$1,at=$2"
	says err "error: python:line.py:make_problem,fault=$1,at=$2: $3"
	[ "$(grep -c "error:" err)" = 1 ] || fail "$1: more than one error: $(cat err)"
}
fails raise 9 "ZeroDivisionError: division by zero (line.py, line " 2
says err 'File "line.py", line '
says err "what was reached is in results/sim/"
ls results/sim/*.part >/dev/null || fail "nothing was kept"
fails double 0 "the gradient that grad() returned has dtype float64 (expected float32)"
fails random 0 "it computes two gradients of one model and one batch that differ"
# The second process of a short run starts when the events could be over: the run must not have begun.
rm -rf results
fails unseeded 0 "two of its processes compute gradients that differ" 2
[ ! -e results ] || [ -z "$(find results -type f)" ] || fail "a refused run leaves $(find results -type f)"
fails unscored 0 "two of its processes compute scores that differ for one model and the same test samples" 2
fails import 0 "ModuleNotFoundError: No module named 'no_such_module'"
says err "PYTHONPATH the folder of a module of your own]"
fails relative 0 "ImportError: attempted relative import with no known parent package"
says err "[the file is no part of a package: import a module of its folder by its name"
fails lines 0 "ValueError: first (line.py, line "
says err "convoy: second: what the first line is about"
simple="sim --workers 2 --algo asgd --compute-s 1 --quiet $one_thread"

# Scores that cannot be right: each has one line. A sequence has more labels than one; later than at the first
# model, NaN is a note.
cat >scores.py <<'END'
from line import Line


class Scores(Line):
    metrics = ("far",)
    grads = 0

    def grad(self, x, batch):
        self.grads += 1
        return Line.grad(self, x, batch)

    def score(self, x, split, first, n):
        loss = Line.score(self, x, split, first, n)[0]
        return eval(self.answer, None, {"loss": loss, "n": n, "nan": float("nan"), "self": self})


def make_problem(answer="count", labels=1):
    problem = Scores("", 0)
    problem.answer = {"more": "loss, -1, 1000 * n, {'far': 0}", "less": "loss, -1, n - 1, {'far': 0}",
                      "half": "loss, 0.5, n, {'far': 0}", "right": "loss, n + 1, n, {'far': 0}",
                      "nan": "nan, -1, n, {'far': 0}", "far": "loss, -1, n, {'far': nan}",
                      "late": "loss, -1, n, {'far': 0 if n < 64 else nan}",
                      "none": "(loss, -1, n, {'far': 0}) if n > 8 else (0, -1, 0, {'far': 0})",
                      "mean": "loss / n, -1, n, {'far': 0}",
                      "times": "loss * n, -1, n, {'far': 0}", "total": "loss, -1, n, {'far': 3 * n * n}", "share": "loss, -1, n, {'far': 0.25}",
                      "past": "loss + self.grads, -1, n, {'far': 0}"}[answer]
    if labels != 1:
        problem.labels_per_sample = labels
    return problem
END
scores() {
	expect 1 $simple --net python:scores.py:make_problem,answer=$1 --epochs 1 --values test_loss
	says err "error: python:scores.py:make_problem,answer=$1: $2"
	one_line
}
scores more "score() of 8 samples returned the count 8000 (expected 8); a sample with several labels has them in labels_per_sample"
scores less "score() of 8 samples returned the count 7 (expected 8)"
scores half "the number right that score() returned is 0.5 (expected a whole number)"
scores right "score() returned the number right 9 (expected 0 to 8, or -1)"
scores nan "score() returned the loss nan of the first model"
scores far "score() returned far = nan of the first model"
scores past "its score of one model and the same samples is another one after a gradient. Compute it from the model and the samples alone, or add pure=false to the net"
expect 0 $simple --net python:scores.py:make_problem,answer=past,pure=false --epochs 1
scores mean "score() of 8 samples returned the loss "
says err "the mean of the "
says err "(expected their sum: convoy divides by the count). Return the sum over the samples"
scores share "score() of 8 samples returned far 0.25, the mean of the 0.25 and 0.25 of its halves"
scores times "the loss of 8 samples is "
says err "of its halves (expected their mean). Give torch_problem() the mean over the batch, as reduction=\"mean\" does; a score() adds its samples once"
scores total "far of 8 samples is 24 a sample, the sum of the 12 and 12 of its halves"
expect 1 $simple --net python:line.py --partition labels
says err "partition labels: the samples of a model of your own are known to its code alone, so all workers draw from all of them."
expect 1 check net python:scores.py:make_problem,answer=mean
says err "Return the sum over the samples"
scores more,labels=10 "score() of 8 samples returned the count 8000 (expected 80)"
scores more,labels=0.5 "labels_per_sample of the problem is 0.5 (expected an int)"
expect 0 $simple --net python:scores.py:make_problem,answer=none,labels=None --epochs 1
for labels in 1000 None; do
	expect 0 $simple --net python:scores.py:make_problem,answer=more,labels=$labels --epochs 1
done
expect 0 $simple --net python:scores.py:make_problem,answer=late --epochs 1
says err "its score of 64 samples from 0 on has the far nan, so there is no mean"
expect 0 $simple --net python:line.py:make_problem,fault=random,pure=false --epochs 1
expect 1 $simple --net python:line.py:make_it
says err "line.py has no function make_it"
expect 1 $simple --net python:line.py:at=2,fault=raise
says err "'at=2' is no function (expected python:line.py:FUNCTION; without a function, arguments follow a comma: python:line.py,at=2,fault=raise)"
expect 1 $simple --net ./line.py
says err "net './line.py': a model of your own is --net python:./line.py"
expect 1 $simple --net python:none.py
says err "net python: cannot read 'none.py': No such file or directory"
expect 1 $simple --net python:line.py --python no-such-python
says err "there is no program 'no-such-python'"
expect 1 $simple --net python:line.py --python /bin/false
says err "its process ended with exit code 1 while starting. Is '/bin/false' an interpreter of Python 3?"
expect 1 $simple --net pyhton:line.py
says err "unknown net 'pyhton'; did you mean 'python'?"
# Names end at ',' and ':'; the file that was meant is named.
mkdir -p "my, own"
for file in "my, own/line.py" a:line.py a,line.py; do
	cp line.py "$file"
done
cut() {
	expect 1 $simple "${@:2}"
	says err "; ',' and ':' end a name here: rename '$1', or make a link to it"
}
cut "my, own" --net "python:my, own/line.py"
says err "or write '\\,' and '\\:' in its name"
plain=$("$CONVOY" $simple --epochs 1 --net python:line.py | sed -n 's/^model *//p')
for name in 'my\, own/line.py' 'a\:line.py' 'a\,line.py:make_problem'; do
	expect 0 $simple --epochs 1 --net "python:$name"
	is "$(field model)" "$plain" "model of python:$name"
done
expect 0 $simple --epochs 1 --net 'python:a\,line.py,python:line.py' --out several
is "$(grep -c '^python:' out)" 2 "two values, one with a ',': $(cat out)"
rm a,line.py
cut a:line.py --net python:a:line.py
echo >b,own.c
cut b,own.c --net quadratic --algo ./b,own.c
echo "{}" >c,net.json
cut c,net.json --net ./c,net.json
echo 1 >d,profile
cut d,profile --net quadratic --delay profile:file=d,profile
expect 1 $simple --net mlp --data npz:file=a,b.npz
says err "unknown option 'b.npz'"
says err ". A ',' ends a value, unless it is written '\\,' in the name of a file"
printf 'def make_problem():\n    raise ValueError\n' >mute.py
expect 1 $simple --net python:mute.py
says err "ValueError: without a text (mute.py, line 2, in make_problem)"
printf '#!/bin/sh\nexec "%s" -S -E "$@"\n' "$CONVOY_PYTHON" >bare-python
chmod +x bare-python
expect 1 $simple --net python:line.py --python ./bare-python
says err "No module named 'numpy', which convoy needs, in the interpreter "
says err "Install it there, or name another interpreter by --python PATH or CONVOY_PYTHON"

# One Ctrl-C gives up a gradient that hangs; what was reached is kept.
timeout --foreground -s INT 3 "$CONVOY" $simple --net python:line.py:make_problem,fault=hang,at=9 >out 2>err
code=$?
[ $code = 124 ] || [ $code = 130 ] || fail "Ctrl-C: exit code $code"
says err "interrupted; what was reached is in results/sim/"

# Two end Python at once, and so does the death of convoy.
for signal in INT KILL; do
	"$CONVOY" $simple --net python:line.py:make_problem,fault=hang,at=9 >out 2>err &
	pid=$!
	for k in $(seq 100); do
		child=$(pgrep -P $pid -f serve.py) && break
		sleep 0.05
	done
	sleep 0.5
	kill -$signal $pid
	[ $signal = KILL ] || { sleep 0.1; kill -$signal $pid; }
	wait $pid 2>/dev/null
	for k in $(seq 100); do
		kill -0 "$child" 2>/dev/null || break
		sleep 0.05
	done
	! kill -0 "$child" 2>/dev/null || fail "SIG$signal: Python was left"
done
