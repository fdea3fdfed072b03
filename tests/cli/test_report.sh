#!/usr/bin/env bash
# The page of an experiment: what is on it, that no text becomes markup, and how a browser shows it.
# COST 20
. "$(dirname "$0")/lib.sh"

need jq
mkdir -p experiments/p
tree=$CONVOY_HOME
export CONVOY_HOME=$here
cat >experiments/p/mine.json <<'END'
{ "title": "T <script>alert(1)</script> & \"quotes\"", "paper": "P <b>",
  "about": "</style><img src=x onerror=alert(2)>",
  "base": { "net": "quadratic", "gradients": 400, "eval_every": 0.5, "lr": 0.02, "workers": 4 },
  "grid": { "algo": ["asgd", "allreduce"], "slow": ["none", "0:3"], "seed": [1, 2] },
  "scales": { "laptop": {}, "paper": { "base": { "workers": 16 } } },
  "published": { "source": "S </li><script>alert(3)</script>",
    "cells": [ { "algo": "asgd", "slow": "none", "time_s": 0.002 } ] },
  "tables": [ { "name": "t", "title": "T", "rows": "slow", "columns": "algo",
    "values": ["time_s", "epochs_to:train_loss<=1e-9"], "labels": { "asgd": "A<i>" } } ],
  "plots": [ { "name": "w", "title": "</svg><script>alert(4)</script>", "from": "eval",
    "x": "wall_s", "y": "train_loss", "series": "algo", "where": { "slow": "none" } } ],
  "claims": [
    { "kind": "ours", "says": "s <script>alert(5)</script>", "learnt": false, "jq": "true", "shows": "{\"</code>\": 1}" },
    { "kind": "construction", "says": "never", "jq": ".runs[0] | epochs_to(\"train_loss<=1e-9\") < 1e300" },
    { "kind": "ours", "says": "elsewhere", "jq": "null" } ] }
END
expect 1 report mine
says err "no finished run in results/p/mine/laptop"
expect 129 report
expect 129 report mine --all
expect 0 run mine --quiet
expect 0 report mine
is "$(cat out)" results/p/mine/laptop/report.html
page=results/p/mine/laptop/report.html

has() {
	grep -qF -- "$1" $page || fail "the page does not say: $1"
}
has '<b>holds</b>'
has '<b>FAILS</b>'
has '<b>not evaluated</b>'
has '1 holds, 1 fails, 0 undecided, 1 not evaluated'
has '&lt;script&gt;alert(1)&lt;/script&gt;'
has '<span>∞</span>'
has 'paper 0.002, '
has 'Claims of the paper and of ours, and whether they held here'
has 'Settings that differ from the paper'
has 'Means over seeds, with one deviation.<'
has '<tr><th>workers</th>'
has '<th class="number">A&lt;i&gt;</th>'
has 'convoy run p/mine --scale laptop'
has 'algo=asgd slow=0:3 seed=1'
has 'real time [s]'
expect 0 run mine --seed 1 --out alone --quiet
expect 0 report mine --seed 1 --out alone
[ -s "$(cat out)" ] || fail 'no page'
grep -q 'Means over seeds' "$(cat out)" && fail 'means over one seed'
if grep -q wall_s results/p/mine/laptop/runs.json; then fail "what is real stands in runs.json"; fi
for bad in '<script' '<img' 'http:' 'https:' '<b> ' '<i>' '</code>&quot;'; do
	if grep -qF -- "$bad" $page; then fail "the page has $bad"; fi
done
[ -z "$(find results -name '*.new' -o -name '*.trace*')" ] || fail "something was left aside"
if command -v xmllint >/dev/null; then
	xmllint --noout $page || fail "the page is not well-formed"
fi
cp $page first.html
expect 0 report --all
says out results/index.html
cmp -s first.html $page || fail "the same results, another page"
says results/index.html 'href="p/mine/laptop/report.html"'
says results/index.html '1 holds, 1 fails, 0 undecided, 1 not evaluated'
expect 1 report mine --set lr=0.01

# Of no paper, nothing is said of one; hollow points are where some plot has them.
jq 'del(.paper, .published) | .scales = {laptop: {}}' experiments/p/mine.json >experiments/p/own.json
expect 0 run own --quiet
expect 0 report own
says results/p/own/laptop/report.html '<h2>Claims</h2>'
for of_paper in 'paper says' "paper's" 'scale of the paper' hollow; do
	if grep -q "$of_paper" results/p/own/laptop/report.html; then
		fail "a page of no paper has: $of_paper"
	fi
done
jq '.paper = "For teaching: after no one"' experiments/p/own.json >own && mv own experiments/p/own.json
expect 0 report own
says results/p/own/laptop/report.html '<h2>What it teaches, and whether it held here</h2>'
rm experiments/p/own.json
jq '.plots += [{name: "s", from: "runs", x: "slow_factor", y: "time_s", published: true,
	where: {algo: "asgd"}}]' experiments/p/mine.json >experiments/p/points.json
expect 0 run points --quiet
expect 0 report points
says results/p/points/laptop/report.html 'hollow points are published'
rm experiments/p/points.json

# ---- kept runs, packed: the formats that are not kept, made again ----
jq '.plots[0].x = "epoch"' experiments/p/mine.json >experiments/p/again.json
expect 0 run again --quiet
expect 0 report again
mkdir -p packed/p
cp -r results/p/again/laptop packed/p/again
gzip -9n packed/p/again/runs.json
rm -r packed/p/again/plots packed/p/again/tables/t.{txt,md,csv}
cp packed/p/again/tables/t.json packed/p/again/tables/runs.json   # a table may be called so
expect 0 report --plots packed
jq -e '.series | length == 2' packed/p/again/plots/w.json >/dev/null || fail "no numbers of the plot"
for file in plots/w.{gp,dat,csv} tables/t.{txt,md,csv,json}; do
	cmp "results/p/again/laptop/$file" "packed/p/again/$file" || fail "$file is another"
done
cp packed/p/again/runs.json.gz whole.gz
head -c 300 whole.gz >packed/p/again/runs.json.gz
expect 1 report --plots packed
says err 'packed/p/again/runs.json.gz: truncated gzip file'
(head -c 300 whole.gz; head -c 300 /dev/zero | tr '\0' x; tail -c +601 whole.gz) >packed/p/again/runs.json.gz
expect 1 report --claims packed
says err 'packed/p/again/runs.json.gz: corrupt gzip file'
head -c 65M /dev/zero | tr '\0' ' ' | gzip -1 >packed/p/again/runs.json.gz
expect 1 report --md packed
says err 'packed/p/again/runs.json.gz: more than 67108864 bytes, the most that convoy reads of such a file'
echo '[{ ]' | gzip >packed/p/again/runs.json.gz
expect 1 report --md packed
says err 'packed/p/again/runs.json.gz:1:4'
cp packed/p/again/claims.json whole.json
for runs in '{}' null 5 '[]' '[{}]'; do # verdicts are not replaced by what such a file shows
	echo "$runs" | gzip >packed/p/again/runs.json.gz
	expect 1 report --claims packed
	says err 'packed/p/again/runs.json: expected a list of an experiment'
	cmp whole.json packed/p/again/claims.json || fail "verdicts lost by runs.json: $runs"
	expect 1 report --plots packed
done
rm -r packed docs experiments/p/again.json

# ---- all of them in Markdown, with what was kept ----
mkdir -p kept/p experiments/q
cp -r results/p/mine/laptop kept/p/mine
cp -r results/p/mine/laptop kept/p/mine-cifar10
cp -r results/p/mine/laptop kept/p/mine-two
cp -r results/p/mine/laptop kept/p/mine-two-cifar10
touch kept/p/README.md
echo '{ "title": "U", "base": { "net": "quadratic" } }' >experiments/p/mine-two.json
cat >experiments/q/mixed.json <<'END'
{ "title": "M", "paper": "P", "scale": "laptop", "base": { "net": "quadratic", "lr": 0.4 },
  "grid": [ { "algo": ["allreduce"] }, { "algo": ["asgd"], "lr": [0.025], "batch": [8] } ],
  "scales": { "paper": {}, "laptop": { "base": { "lr": 0.005, "batch": 8 },
    "grid": [ { "algo": ["allreduce"] }, { "algo": ["asgd"], "lr": [0.0003] } ] } } }
END
jq 'del(.paper)' experiments/q/mixed.json >experiments/q/own.json
jq '.[0].settings.data = "cifar10:dir=a,crop=false"' results/p/mine/laptop/runs.json >kept/p/mine-cifar10/runs.json
rm -f kept/p/*/plots/*.svg
touch kept/p/mine/plots/{tuning-{1..9},other}.svg
expect 0 report --plots kept/p/mine
says kept/p/mine/plots/w.svg '<title>&lt;/svg&gt;&lt;script&gt;alert(4)&lt;/script&gt;</title>'
# Titles of another variant of the experiment say which it is, once.
for again in 1 2; do
	expect 0 report --plots kept/p/mine-cifar10
	says kept/p/mine-cifar10/plots/w.svg '<title>&lt;/svg&gt;&lt;script&gt;alert(4)&lt;/script&gt; (mine-cifar10)</title>'
done
cp kept/p/mine-cifar10/plots/w.svg before.svg
expect 0 report --plots kept//p/mine-cifar10/
says out kept//p/mine-cifar10/plots/w.svg
cmp -s before.svg kept/p/mine-cifar10/plots/w.svg || fail "slashes at the end of a folder change a title"
(cd kept/p/mine-cifar10 && "$CONVOY" report --plots .) >out 2>err || fail "a folder's own results: $(cat err)"
cmp -s before.svg kept/p/mine-cifar10/plots/w.svg || fail "'.' changes a title"
rm kept/p/mine-cifar10/plots/*.svg
expect 0 report --md kept
front=docs/experiments/p.md rest=docs/experiments/settings/p.md
is "$(grep -F '![' $front)" '![\</svg>\<script>alert(4)\</script>](../../kept/p/mine/plots/w.svg)' "plots of the first page"
grep -F '![' $rest >shown
is "$(tail -n 1 shown)" '![tuning-8](../../../kept/p/mine/plots/tuning-8.svg)'
is "$(wc -l <shown)" 8 "plots on a page"
says $rest 'More plots: [p/mine/plots](../../../kept/p/mine/plots)'
says docs/experiments/settings/q.md '| lr | 0.4, 0.025 | 0.005, 0.0003 |'
says docs/experiments/settings/q.md '| batch | 32, 8 | 8 |'
says docs/experiments/settings/q.md 'The command of kept results can give others:'
says docs/experiments/q.md 'Its usual scale, `laptop`, changes settings of the paper.'
is "$(grep -c 'settings of the paper' docs/experiments/q.md)" 1 "experiments that differ from a paper"
says docs/experiments/settings/q.md "settings of scale \`laptop\` that differ from those of scale \`paper\`."
is "$(grep 'Data of these runs' $rest)" "Data of these runs: cifar10:dir=a,crop=false"
says out docs/experiments.md
says out $front
says out $rest
is "$(grep '^#' $front | tr '\n' ' ')" "# Experiments: p ## p/mine ### T ### T ## p/mine-two "
is "$(grep '^#' $rest | tr '\n' ' ')" "# Settings of the experiments: p ## p/mine ## p/mine-two "
says docs/experiments.md '| [p/mine](experiments/p.md#pmine) | T \<script>alert(1)\</script> & "quotes" |  | 1 | 1 | 0 | 1 |'
says docs/experiments.md '| [p/mine-two](experiments/p.md#pmine-two) | U |  | 1 | 1 | 0 | 1 |'
says $front '[Settings, intervals and notes](settings/p.md#pmine-two)'
says $front '[Notes](../../kept/p/README.md)'
says $front 'Results: [p/mine-cifar10](../../kept/p/mine-cifar10), scale laptop, data cifar10'
is "$(grep -c 'mine-two](../../kept' $front)" 1 "an experiment whose name begins with another's has its own results"
for file in $front $rest; do
	says $file '- **FAILS** (construction; scale laptop): never'
	says $file '- **holds** (ours; scale laptop): s \<script>alert(5)\</script>'
	is "$(grep -c 'FAILS.*: never' $file)" 2 "claims that two results of an experiment have"
done
says $rest '| workers | 16 | 4 |'
says $front '(paper 0.002, +'
expect 0 report --md kept --out else/where
says else/where/experiments/p.md '[Notes](../../../kept/p/README.md)'
says else/where/experiments/settings/p.md '[p/mine](../../../../kept/p/mine)'
for file in kept/p/mine-cifar10/tables/*.json; do
	jq '.rows[].cells[] |= { measured: null, n: 0, runs: 1 }' "$file" >table && cp table "$file"
done
expect 0 report --md kept
is "$(grep -c '^### T' $front)" 1 "tables with a number"
sed -i 's/"n":/"was_n":/' kept/p/mine/tables/*.json
expect 0 report --md kept
grep -q 2147483648 docs/experiments/p.md && fail "a table without its count of runs"
sed -i 's/"heads":/"heads": [], "had":/' kept/p/mine/tables/*.json
expect 1 report --md kept
says err 'not a whole table'
rm -r kept/p/mine*
expect 0 report --md kept
says docs/experiments/p.md 'No results are kept yet.'
expect 1 report --md nowhere
says err 'nowhere: no such folder of results'
expect 129 report mine --md kept
mkdir -p kept/p/mine && echo '[{ ]' >kept/p/mine/claims.json
expect 1 report --md kept
says err 'kept/p/mine/claims.json:1:4'
rm -r experiments/p/mine-two.json
mkdir -p tree/results && cp -r "$tree/results/reference" tree/results
(
	cd tree && unset CONVOY_HOME
	"$CONVOY" report --md results/reference --out docs
) >pages || fail "no pages of the results of reference"
grep -q "](../../results/reference/tour/" tree/docs/experiments/tour.md || fail "no link to kept results"
diff -r tree/docs/experiments "$tree/docs/experiments" && cmp tree/docs/experiments.md "$tree/docs/experiments.md" ||
	fail "docs/experiments is not what 'convoy report --md results/reference --out docs' writes"

# ---- other formats of the same ----
# One word for each verdict, in whatever format.
"$CONVOY" claims mine >text 2>/dev/null
expect 0 claims mine --format md
for verdict in holds FAILS "not evaluated"; do
	grep -q "^$verdict  " text || fail "no $verdict in the text: $(cat text)"
	says out "| $verdict |"
	has "<b>$verdict</b>"
done
if cat text out "$page" | grep -iE 'n/a|not judged|unjudged'; then fail "other words for a verdict"; fi
says out '| holds | ours | s \<script>alert(5)\</script> |'
expect 0 claims mine --format latex
says out 'FAILS & construction & \raggedright never'
expect 0 claims mine --format csv
says out 'verdict,kind,claim,where,criterion,figures,interval,reason'
expect 0 table mine --format tex
mv out tex
expect 0 table mine --format latex
cmp -s out tex || fail "tex is not latex"
says out '$\infty$'
says out '\begin{tabular}{lrr}'
if command -v pdflatex >/dev/null; then
	{
		echo '\documentclass{article}\usepackage{booktabs}\begin{document}'
		cat out
		"$CONVOY" claims mine --format latex 2>/dev/null
		echo '\end{document}'
	} >all.tex
	pdflatex -interaction=nonstopmode -halt-on-error all.tex >latex.out 2>&1 ||
		fail "LaTeX: $(grep -A3 '^!' latex.out)"
	wide=$(sed -n 's/^Overfull .hbox (\([0-9]*\).*/\1/p' latex.out | tail -n 1)
	[ "${wide:-0}" -lt 20 ] || fail "a table is $wide pt wider than the page's text"
fi

expect 0 plot mine --format pdf
is "$(cat out)" results/p/mine/laptop/plots/w.pdf
is "$(head -c 4 results/p/mine/laptop/plots/w.pdf)" %PDF
# Files of other formats, and of other makers, stay.
echo mine >results/p/mine/laptop/plots/w.tex
echo mine >results/p/mine/laptop/plots/w.txt
echo mine >results/p/mine/laptop/plots/w-2.gp
for command in "plot mine --format svg" "report mine" "run mine --quiet" "plot mine --format pdf"; do
	expect 0 $command
	is "$(head -c 4 results/p/mine/laptop/plots/w.pdf)" %PDF "the PDF after '$command'"
	is "$(cat results/p/mine/laptop/plots/w{.tex,.txt,-2.gp} | paste -sd ' ')" "mine mine mine" "files after '$command'"
done
expect 0 compare results/p/mine/laptop mine --values 'time_s,epochs_to:train_loss<=1e-9' --format csv
says out 'runs,measure,a_measured,a_deviation,a_n,b_measured'
says out ',epochs_to:train_loss<=1e-9,inf,,2,inf,,2,'
expect 129 compare mine mine --values time
expect 129 compare mine mine --values ,
says err "no measure is named"

# ---- how a browser shows it ----
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || finish

# dom_of PAGE: what the page is on a telephone, 390 pixels wide, in `dom`.
dom_of() {
	cat >frame.html <<END
<!DOCTYPE html><meta charset="utf-8">
<iframe src="$1" style="width:390px;height:844px;border:0"></iframe><p></p>
<script>
// The words of a picture, each once, with their size on the screen.
const textsOf = svg => [...svg.querySelectorAll("text, tspan")]
	.filter(t => !t.children.length && t.textContent.trim())
	.map(t => ({ of: t.closest("text"), box: t.getBoundingClientRect(), words: t.textContent.trim(), size:
		parseFloat(getComputedStyle(t).fontSize) *
		svg.getBoundingClientRect().width / svg.viewBox.baseVal.width }));
const same = (a, b) => a.words == b.words && a.box.x == b.box.x && a.box.y == b.box.y;
const meet = (t, u, a = t.box, b = u.box) => t.of != u.of &&
	Math.min(a.right, b.right) > Math.max(a.left, b.left) &&
	Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);
const leaves = (a, b) =>
	a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom;

onload = () => {
	const inner = document.querySelector("iframe"), d = inner.contentDocument;
	const loads = inner.contentWindow.performance.getEntriesByType("resource").length;
	const wide = [...d.querySelectorAll(".picture")].filter(p => p.scrollWidth > p.clientWidth);
	let smallest = 1e9, met = [], out = [];
	for (const svg of d.querySelectorAll("svg")) {
		const all = textsOf(svg);
		const texts = all.filter((t, i) => !all.slice(0, i).some(u => same(t, u)));
		smallest = Math.min(smallest, ...texts.map(t => t.size));
		out.push(...texts.filter(t => leaves(t.box, svg.getBoundingClientRect())));
		texts.forEach((t, i) => met.push(...texts.slice(0, i).filter(u => meet(t, u))));
	}
	document.querySelector("p").textContent = "width " + d.documentElement.scrollWidth +
		" loads " + loads + " scripts " + d.querySelectorAll("script,img").length +
		" bars " + d.querySelectorAll("svg polygon[points][fill]").length + " verdicts " +
		[...d.querySelectorAll(".verdicts b")].map(b => b.textContent).join(",") +
		"; scrolling " + wide.length + ", letters of " + Math.floor(smallest) +
		", meeting [" + met.map(t => t.words) + "], outside [" + out.map(t => t.words) + "]";
};
</script>
END
	timeout 60 "$browser" --headless=new --hide-scrollbars --no-sandbox --disable-gpu --user-data-dir="$here/profile" \
		--disable-background-networking --no-first-run --allow-file-access-from-files \
		--enable-logging=stderr --dump-dom "file://$here/frame.html" >dom 2>log
	if grep 'CONSOLE' log; then fail "the browser complains"; fi
}

dom_of $page
says dom 'width 390 loads 0 scripts 0 bars '
says dom 'verdicts holds,FAILS,not evaluated; '
if grep -q 'bars 0 ' dom; then fail "no bars in the timelines"; fi
says dom 'scrolling 0, letters of 10, meeting [], outside []'

# Twelve lines with long names, means of seeds, words that need a slope, powers of ten.
cat >experiments/p/many.json <<'END'
{ "title": "Many lines",
  "base": { "net": "quadratic", "gradients": 160, "eval_every": 0.25, "workers": 4, "algo": "asgd" },
  "grid": { "lr": [0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.009, 0.01, 0.011, 0.1],
    "seed": [1, 2] },
  "plots": [
    { "name": "lines", "title": "Twelve lines", "from": "eval", "x": "epoch", "y": "train_loss",
      "logy": true, "series": "lr", "labels": { "0.005": "a name that is longer than others are" } },
    { "name": "short", "title": "Twelve short names", "from": "eval", "x": "epoch",
      "y": "train_loss", "series": "lr" } ] }
END
expect 0 run many --quiet
expect 0 report many
dom_of results/p/many/default/report.html
says dom 'width 390 '
says dom 'scrolling 0, letters of 10, meeting [], outside []'
finish
