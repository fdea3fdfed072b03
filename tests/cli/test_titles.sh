#!/bin/bash
# Titles, notes and baselines are those of the run that was made, whatever the spec says of its own.
. "$(dirname "$0")/lib.sh"
need jq

expect 0 run slow-worker --workers 8 --out r
says out 'with one slow worker, 8 workers, ResNet-20'
says r/zhang2017/slow-worker/paper+*/plots/time-per-epoch.gp 'One slow worker of 8 (ResNet-20)'
grep -qiE 'sixteen|16 workers' r/zhang2017/slow-worker/paper+*/tables/*.txt &&
	fail "a table of 8 workers speaks of 16"

# A page of other settings is called by them. The words of the spec stand as those of its own, and
# those of the scale next to them.
expect 0 report slow-worker --workers 8 --out r
page=$(cat out)
says "$page" '<h1>zhang2017/slow-worker with workers=8</h1>'
says "$page" '<title>zhang2017/slow-worker with workers=8</title>'
says "$page" 'Scale paper: the published set-up'
tr '\n' ' ' <"$page" | sed 's|<blockquote>.*</blockquote>||; s|<ul class="verdicts">.*<h2>Tables||' >rest
grep -qE 'sixteen|16 workers|10 epochs' rest && fail "a page of 8 workers speaks of 16: $(cat rest)"
expect 0 report --all --out r
says r/index.html '<span>zhang2017/slow-worker with workers=8</span>'
mkdir -p kept/zhang2017
cp -r "$(dirname "$page")" kept/zhang2017/slow-worker
expect 0 report --md kept --out docs
says docs/experiments/zhang2017.md 'The command line of these results gave settings: workers=8'
echo '[]' >kept/zhang2017/slow-worker/settings.json
expect 1 report --md kept --out docs
says err 'kept/zhang2017/slow-worker/settings.json: settings and their texts are expected'

expect 0 run slow-worker --net vgg --batch 128 --out r
says out '16 workers, vgg'

# Several values of a grid are named together; a note about the spec's own set-up is left out of
# another one.
cat >own.json <<'END'
{ "title": "own", "base": { "algo": "asgd", "timing": true, "net": "lenet", "gradients": 600, "lr": 0.05 },
  "grid": { "workers": [2, 4] },
  "tables": [ { "name": "t", "title": "{workers} workers, {net} {unknown} {", "rows": "workers",
    "columns": "algo", "values": ["time_s"], "labels": { "lenet": "LeNet" },
    "notes": ["of two and four", "batches of {batch}"] } ] }
END
expect 0 run own.json --out r
says out '2, 4 workers, LeNet {unknown} {'
says out 'note: of two and four'
says out 'note: batches of 32'
expect 0 run own.json --batch 8 --out r
grep -q 'of two and four' out && fail "a note about another set-up is shown"
says out 'note: batches of 8'
expect 0 run own.json --workers 1 --out r
says out '1 worker, LeNet {unknown} {'

# A table of some of the runs names what those have.
jq '.grid = [ { "workers": [2], "batch": [8] }, { "workers": [4], "batch": [16] } ] |
	.tables[0] += { "title": "batches of {batch}.", "where": { "workers": 4 } }' own.json >where.json
expect 0 run where.json --out r
says out 'batches of 16.'

# A title that speaks of a value in words gives way to what is shown where no run has it any more.
jq '.grid = { "workers": [2], "slow": ["none", "0:5"] } | .base.batch = 16 |
	.tables[0] += { "title": "one slow worker", "where": { "slow": "0:5" } } |
	.plots = [ { "name": "p", "title": "batches of sixteen", "title_says": "batch", "from": "train",
		"x": "time_s", "y": "loss", "series": "slow" } ]' own.json >words.json
expect 0 run words.json --out r
says out 'one slow worker'
expect 0 run words.json --slow 0:7 --dry-run --json
expect 0 run words.json --slow 0:7 --out r
says out 'time [s]; slow: 0:7'
grep -q 'one slow worker' out && fail "a title of a value that no run has"
expect 0 run words.json --slow 0:7,0:9 --out r
says out 'time [s]; slow: 0:7, 0:9'
jq '.base += { "timing": false, "net": "quadratic" }' words.json >train.json
expect 0 run train.json --batch 16 --out r
says r/train/default/plots/p.gp 'batches of sixteen'
expect 0 run train.json --batch 8 --out q
says q/train/default+*/plots/p.gp 'training loss against time [s]; batch: 8'
jq '.plots[0] += { "xlabel": "seconds, batches of sixteen" }' train.json >axis.json
expect 0 run axis.json --batch 16 --out r
says r/axis/default/plots/p.gp 'seconds, batches of sixteen'
expect 0 run axis.json --batch 8 --out q
grep -q 'sixteen' q/axis/default+*/plots/p.gp && fail "an axis of another batch"

# With another data set, tables and plots name it, and so does the page.
jq '.base.net = "mlp" | .base.gradients = 80 | .grid.slow = ["none"] | del(.tables[0].where)' train.json >data.json
expect 0 run data.json --data mixture --out r
says out '; data: mixture'
says r/data/default/plots/p.gp '; data: mixture'
expect 0 report data.json --data mixture --out r
says r/data/default/report.html '<h1>data with data=mixture</h1>'

jq '.plots[0].title_says = "btach"' words.json >bad.json
expect 1 run bad.json
says err "plots[0]: unknown title_says 'btach'; did you mean 'batch'"

# Another data set is named, but not where an analytic problem reads none.
jq '.grid = { "net": ["quadratic", "lenet"], "workers": [2] } |
	.tables = [("quadratic", "lenet") as $n | .tables[0] + { "name": $n, "title": "of \($n)", "where": { "net": $n } }]' \
	own.json >sets.json
expect 0 run sets.json --data shapes:train=500 --out r
says out 'of lenet; data: shapes:train=500'
grep -q 'of quadratic;' out && fail "a data set that is not read"

# The spec's labels hold in all tables and plots; a table's own override them.
jq '.labels = { "asgd": "ASGD", "2": "a couple", "lenet": "LeNet-5" } | .tables[0].labels["2"] = "a pair" |
	.plots = [ { "name": "p", "title": "{net}", "from": "runs", "x": "workers", "y": "time_s",
		"series": "algo" } ]' own.json >labels.json
expect 0 run labels.json --out r
grep -q '^workers  *ASGD$' out || fail "the spec's label of asgd is not shown"
says out 'a pair, 4 workers, LeNet '
grep -q '^a pair ' out || fail "the table's own label of 2 is not shown"
grep -q couple out && fail "the spec's label is shown instead of the table's own"
says r/labels/default/plots/p.gp 'LeNet-5'
says r/labels/default/plots/p.gp 'ASGD'
jq '.labels["2"] = 3' labels.json >bad.json
expect 1 run bad.json
says err "'labels' must be an object of texts"

# Two quantities are two panels, each with its own y axis, in every format.
jq '.plots = [ { "name": "p", "title": "both", "from": "eval", "x": "epoch", "series": "workers",
	"y": ["test_accuracy", "test_loss"] } ] | .base += { "timing": false, "net": "mlp", "data": "shapes:train=320,test=64", "gradients": 20 } |
	del(.tables)' own.json >panels.json
expect 0 run panels.json --out r
plots=r/panels/default/plots
says $plots/p-1.gp "set ylabel 'test accuracy'"
says $plots/p-2.gp "set ylabel 'test loss'"
[ ! -e $plots/p.gp ] || fail "both in one plot"
if command -v gnuplot >/dev/null; then
	says $plots/p-1.svg '>test accuracy<'
	says $plots/p-2.svg '>test loss<'
	grep -q '>test loss<' $plots/p-1.svg && fail "two quantities in one panel"
	expect 0 plot panels.json --out r --format term --name p-2
	says out 'test loss'
	grep -q 'test accuracy' out && fail "two quantities in one panel of letters"
	expect 0 plot panels.json --out r --format tex
	is "$(ls $plots/*.pdf $plots/*.tex | xargs -n 1 basename | xargs)" "p-1.pdf p-1.tex p-2.pdf p-2.tex" \
		"files of LaTeX"
fi
jq '.plots[0].ylabel = "accuracy"' panels.json >bad.json
expect 1 run bad.json
says err "bad.json: plots: p: 'ylabel' is of one quantity, and 'y' has several. Leave it out"
jq '.plots += [.plots[0] * { "name": "p-2", "y": "test_loss" }]' panels.json >bad.json
expect 1 run bad.json
says err "the name 'p-2' is taken"
jq '.plots[0].y = ["test_loss", "loss"]' panels.json >bad.json
expect 1 run bad.json
says err "unknown y 'loss'"

# A baseline has none of the stragglers: 8 workers are at most 8 times as fast as one.
expect 0 run convergence --scale smoke --net resnet20 --workers 8 --slow 0:10 --timing --json --out r
speedup=$(jq '[.runs[] | select(.point.algo == "ad-psgd") | .speedup] | first' out)
jq -ne "$speedup > 4 and $speedup < 8" >/dev/null || fail "a speedup of $speedup on 8 workers"

finish
