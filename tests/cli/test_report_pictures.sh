#!/usr/bin/env bash
# The page of an experiment where gnuplot is missing or fails: whole, and it says what it lacks.
. "$(dirname "$0")/lib.sh"

mkdir -p experiments/p bin
export CONVOY_HOME=$here
cat >experiments/p/mine.json <<'END'
{ "title": "T",
  "base": { "net": "quadratic", "gradients": 40, "lr": 0.02, "workers": 2 },
  "grid": { "algo": ["asgd", "allreduce"] },
  "plots": [ { "name": "w", "title": "<i>", "from": "eval", "x": "epoch", "y": "train_loss",
    "series": "algo" } ] }
END
page=results/p/mine/default/report.html

has() {
	grep -qF -- "$1" $page || fail "the page does not say: $1"
}

# lacking NAME WHY: with the gnuplot of bin/, all three pictures are notes.
lacking() {
	PATH=$here/bin:$PATH expect 1 report "$1"
	says out $page
	says err "plot 'w' was not drawn: $2"
	says err "algo=asgd: plot 'timeline-1' was not drawn: $2"
	says err "$page: 3 pictures are missing there"
	has '<p class="warn">&lt;i&gt;: this picture could not be drawn.</p>'
	has '<p class="warn">Timeline: algo=asgd: this picture could not be drawn.</p>'
	has 'convoy run p/mine'
	has '</html>'
	is "$(grep -c '<svg' $page)" 0 "pictures of before"
}

printf '#!/bin/sh\necho "no font at all" >&2\nexit 3\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$here/bin:$PATH expect 0 run mine --quiet
lacking mine 'no font at all'
lacking --all 'no font at all'
says out results/index.html
says results/index.html 'href="p/mine/default/report.html"'

mkdir empty
PATH=$here/empty expect 1 report mine
says err 'gnuplot is not installed'
says err "$page: 3 pictures are missing there"

# It says that all is well, and leaves no picture.
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
PATH=$here/bin:$PATH expect 1 report mine
says err "$page: 3 pictures are missing there"
if ! command -v gnuplot >/dev/null; then finish; fi

rm -r results/p/mine/default/timelines
: >results/p/mine/default/timelines
expect 1 report mine
says err 'results/p/mine/default/timelines'
says err "$page: 2 pictures are missing there"
is "$(grep -c '<svg' $page)" 1 "the plot"
rm results/p/mine/default/timelines
expect 0 report mine
is "$(wc -c <err)" 0 "nothing to complain of"
if grep -q 'could not be' $page; then fail "a note where all is drawn"; fi
finish
