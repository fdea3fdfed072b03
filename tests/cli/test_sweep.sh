# Several values of any setting, in an experiment; and its last results found again.
. "$(dirname "$0")/lib.sh"
need jq

mkdir -p experiments/p
cat >experiments/p/mine.json <<'END'
{ "title": "mine",
  "base": { "timing": true, "samples": 5000, "net": "quadratic:dim=1000", "workers": 4, "slow": "0:2" },
  "grid": { "algo": ["asgd", "allreduce"] },
  "baseline": { "algo": "allreduce", "workers": 1 },
  "scales": { "small": { "base": { "epochs": 1 } }, "large": { "base": { "epochs": 2 } } },
  "scale": "small",
  "tables": [ { "name": "t", "title": "times at slow {slow}", "rows": "algo",
                "values": ["time_per_epoch_s", "speedup"] },
              { "name": "by-slow", "rows": "slow", "columns": "algo", "values": ["wait_share"] },
              { "name": "one", "rows": "algo", "where": { "slow": "0:2" }, "values": ["wait_share"] } ],
  "plots": [ { "name": "waits", "title": "waits", "from": "runs", "x": "workers",
               "y": "wait_share", "series": "algo" },
             { "name": "factors", "title": "factors", "from": "runs", "x": "slow_factor",
               "y": "time_per_epoch_s", "series": "algo" } ] }
END
mine=experiments/p/mine.json
rows() { jq -c "map(select(.name == \"$1\"))[0] | [.rows_by, [.rows[].value]]" <<<"$tables"; }

# ---- an axis of the grid, in the order given ----
expect 0 run $mine --slow 0:20,0:5 --quiet --json
is "$(jq -c '[.runs[].point | [.algo, .slow]]' out)" \
	'[["asgd","0:20"],["asgd","0:5"],["allreduce","0:20"],["allreduce","0:5"]]' points
tables=$(jq .tables out)
is "$(rows t)" '["algo, slow",["asgd, 0:20","asgd, 0:5","allreduce, 0:20","allreduce, 0:5"]]' "rows of t"
is "$(rows by-slow)" '["slow",["0:20","0:5"]]' "a table that has the setting"
is "$(rows one)" '["algo, slow",["asgd, 0:20","asgd, 0:5","allreduce, 0:20","allreduce, 0:5"]]' "a table of another value"
is "$(jq -r '.[0].title, .[2].title' <<<"$tables" | tr '\n' '|')" "times at slow 0:20, 0:5|share of time waiting; slow: 0:20, 0:5|" titles
is "$(jq -r '[.[].notes[] | select(startswith("settings"))] | unique[]' <<<"$tables")" "settings differ from the spec: slow=0:20,0:5" notes
# The baseline has no slow worker: a speedup each, none above the workers.
is "$(jq '[.runs[] | .speedup > 0 and .speedup <= 4 + 1e-9] | all' out)" true speedups
if command -v gnuplot >/dev/null; then
	plots=$(jq -r '.plots[] | select(endswith(".dat"))' out)
	is "$(grep -c '^# [a-z]*, slow worker 0:' "$(grep waits <<<"$plots")")" 4 "lines of a plot"
fi

# Each value of what a baseline does depend on has its own baseline.
expect 0 run $mine --compute-s 0.01,1 --slow none --quiet --json
is "$(jq '[.runs[] | .speedup > 0 and .speedup <= 4 + 1e-9] | all' out)" true "speedups over two baselines"
is "$(jq '.runs | map(select(.algo == "asgd") | .time_per_epoch_s) | .[1] > 50 * .[0]' out)" true times
# Where clauses make worker 0 the slow one, the baseline has what they give the quickest worker.
expect 0 run $mine --compute-s '0: 0.5; 1-3: 0.05' --slow none --quiet --json
is "$(jq '[.runs[] | .speedup > 0 and .speedup <= 4 + 1e-9] | all' out)" true "speedups over a quick worker"
expect 0 run $mine --compute-s 0.05 --slow none --delay '1-3: gamma:cv=0.1; 0: markov:factor=5' --quiet --json
is "$(jq -r '[.runs[].speedup <= 4 + 1e-9] | all' out)" true "speedups over a worker of few delays"
is "$(jq -r '.baseline.settings.delay' out)" gamma:cv=0.1 "delay of the baseline"
expect 0 sim --timing --net quadratic --samples 5000 --workers 4 --algo asgd,allreduce --json \
	--compute-s '0: 0.5; 1-3: 0.05'
is "$(jq '[.runs[] | .speedup <= 4 + 1e-9] | all' out)" true "speedups of sim over a quick worker"
# So it has where a log or a draw made worker 0 slow, and the table says so.
{ echo worker,step,seconds; for w in 0 1 2 3; do echo "$w,0,$((w ? 1 : 9))"; done; } >log.csv
for delay in replay:file=log.csv static:cv=0,bad=0.5,bad_factor=9 cvb:v_mach=0.6 bursts:mean_cv=1; do
	expect 0 sim --timing --net quadratic --samples 5000 --workers 4 --algo asgd,allreduce --csv \
		--compute-s 0.01 --seed 1..6 --delay "$delay" --quiet
	awk -F, 'NR > 1 && $5 > 4.4 && $(NF - 1) == 0' out | grep . && fail "$delay: speedups over a slow worker"
done
expect 0 sim --timing --net quadratic --samples 5000 --workers 4 --algo asgd,allreduce \
	--compute-s 0.01 --delay replay:file=log.csv
says out "note: Speedups are relative to the quickest worker alone: workers differ by delay."
expect 0 sim --timing --net quadratic --samples 5000 --workers 4 --algo asgd,allreduce --compute-s 0.01
grep -q "quickest" out && fail "a quickest of equal workers"
expect 0 run $mine --workers 2..8 --dry-run
is "$(grep -v baseline out | grep -c 'workers=')" 6 "runs of a range"
# The grid's own values, in its order, are no other set-up; in another order they are.
expect 0 run $mine --algo asgd,allreduce --quiet --json
is "$(jq -r '.runs[0].file' out | cut -d/ -f1-4)" results/p/mine/small "the spec's own list"
expect 0 run $mine --algo allreduce,asgd --dry-run --quiet
is "$(grep -o 'algo=[a-z]*' out | head -2 | tr '\n' ' ')" "algo=allreduce algo=asgd " "the order given"
expect 1 run $mine --slow 0:5,0:5
says err "the value 0:5 stands there twice"
expect 1 run $mine --workers 2,four
says err "workers"
expect 1 run $mine --engine sim,mpi
says err "engine: expected one value"
expect 0 run $mine --only slow=0:5 --slow 0:20,0:5 --dry-run --json
is "$(jq '[.runs[].status] | unique[]' out -r)" finished "a part of a sweep that is there"

# ---- the last results ----
rm -r results
expect 1 plot $mine
says err "no finished run in results/p/mine/small"
grep -q "there are results" err && fail "there are none: $(cat err)"
expect 0 run $mine --scale large --slow 0:5,0:20 --quiet
changed=$(echo results/p/mine/large+*)
expect 0 table $mine
says err "the last results are in $changed"
says out "0:5"
expect 1 plot $mine --scale small
says err "no finished run in results/p/mine/small"
says err "there are results in $changed"
expect 1 plot $mine --workers 5
says err "there are results in $changed"
expect 1 claims $mine
says err "there are results in $changed"
expect 0 report $mine
is "$(cat out)" "$changed/report.html" "the page of the last results"
sleep 0.01
expect 0 run $mine --quiet
expect 0 table $mine --format csv
grep -q "last results" err && fail "the usual folder needs no note: $(cat err)"
grep -q "0:20" out && fail "those are not the last: $(cat out)"
# Commands that only read results do not make them the last ones.
expect 0 report --all
expect 0 table $mine
grep -q "last results" err && fail "pages are no results: $(cat err)"
sleep 0.01
expect 0 run $mine --scale large --slow 0:5,0:20 --quiet
expect 0 table $mine
says err "the last results are in $changed; there are others, which --scale and settings choose: results/p/mine/small"
expect 0 table $mine --scale small
expect 1 table $mine --scale larg
says err "did you mean 'large'"
one_line
expect 1 plot nosuchthing
one_line
# Several seeds make no other folder, and are found again all the same.
expect 0 run $mine --scale small --seed 1..3 --quiet
expect 0 table $mine --format json
is "$(jq '.[0].rows[0].cells[0].runs' out)" 3 "seeds of the last results"
expect 0 run $mine --quiet
rm "$changed/settings.json"
expect 1 run $mine --scale large --slow 0:5,0:20,x --quiet
# Settings are kept from the beginning on, not only by a command that comes to its end.
expect 0 run $mine --scale large --slow 0:5,0:20 --only slow=0:5 --quiet
expect 0 table $mine
says out "0:5"

# ---- formats ----
command -v gnuplot >/dev/null || finish
expect 0 plot $mine --name factors --format tex
is "$(cat out)" "$changed/plots/factors.tex" "paths of LaTeX"
[ -s "$changed/plots/factors.pdf" ] || fail "no PDF next to it"
says "$changed/plots/factors.tex" '\includegraphics[width=\linewidth]{factors.pdf}'
says "$changed/plots/factors.tex" '\caption{factors}'
says "$changed/plots/factors.tex" '\label{fig:factors}'
few="--timing --samples 5000 --net quadratic:dim=1000 --algo asgd,allreduce --workers 2,4 --quiet"
expect 0 sim $few --plot s.pdf
says out ./s.pdf
head -c 5 s.pdf | grep -q '%PDF-' || fail "s.pdf is none"
[ -e s.tex ] && fail "s.tex was not asked for"
expect 0 sim $few --plot s.tex
says out ./s.tex
says s.tex '\label{fig:s}'
[ -s s.pdf ] || fail "s.tex includes no PDF"
expect 0 sim $few --plot s.svg
for file in s.tex s.pdf; do [ -s $file ] || fail "$file, which is of another format, is gone"; done
# Files that no plot made are not replaced, but for the one that is named.
for other in u.csv u.json u.png; do
	echo mine >$other
	expect 1 sim $few --plot u.svg
	says err "plot 'u.svg': it would replace ./$other, which no plot of convoy made"
	is "$(cat $other)" mine
	rm $other
done
echo mine >u.pdf
expect 1 sim $few --plot u.tex
says err "plot 'u.tex': it would replace ./u.pdf, which no plot of convoy made"
rm u.pdf
touch u.svg
expect 0 sim $few --plot u.svg
expect 0 sim $few --plot u.svg
expect 1 sim $few --plot s.eps
says err "expected a name that ends in .svg, .png, .pdf, .tex or .tikz"
expect 0 table $mine --format latex
says out '\label{tab:by-slow}'
if command -v pdflatex >/dev/null; then
	printf '%s\n' '\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}' >all.tex
	cat out s.tex >>all.tex
	expect 0 sim $few --plot s.tex
	cat s.tex >>all.tex
	echo '\end{document}' >>all.tex
	pdflatex -interaction=nonstopmode -halt-on-error all.tex >latex.out 2>&1 ||
		fail "LaTeX: $(grep -A3 '^!' latex.out)"
fi

# Runs of one cluster have what was read for the first of them: a pipe gives it once.
expect 0 sim --timing --net quadratic --samples 5000 --algo asgd --seed 1..3 --quiet --json \
	--cluster <(echo '{ "workers": 3, "compute": { "flops": 1e12 } }')
is "$(jq -c '[.runs[].iterations > 0]' out)" '[true,true,true]' "runs of a cluster that is read once"
finish
