# Tables and plots as a paper takes them: sizes, fonts and legends of PDF and TikZ, and any name in them.
. "$(dirname "$0")/lib.sh"
need gnuplot
few="--timing --samples 5000 --net quadratic:dim=1000 --algo asgd,allreduce --workers 2,4,8 --quiet"

# points FILE: width and height of a PDF.
points() { grep -aom 1 'MediaBox \[[^]]*' "$1" | awk '{ print $(NF - 1), $NF }'; }

# ---- options, of which pictures on a screen know nothing ----

expect 0 sim $few --plot usual.pdf
is "$(points usual.pdf | cut -d ' ' -f 1)" 453 "points of 16 cm"
expect 0 sim $few --plot usual.svg
cp usual.svg before.svg
expect 0 sim $few --plot usual.pdf --plot-size 8.5cmx6cm --plot-font 8
is "$(points usual.pdf)" "240 170"
sed '/^<desc>/d' usual.svg | diff -q - <(sed '/^<desc>/d' before.svg) >/dev/null ||
	fail "the size of a PDF changes the SVG"
for size in 3.3in 83.82mm 238.5pt; do
	expect 0 sim $few --plot size.pdf --plot-size $size
	is "$(points size.pdf | cut -d ' ' -f 1)" 237 "points of $size"
done
expect 0 sim $few --plot whole.tex --plot-size 8.5cm
says whole.tex '\includegraphics{whole.pdf}'
for bad in 8 8furlongs 8.5cmx 8.5cmx6 1cm 2m -3cm 8cmx6cmx2cm 900cm; do
	expect 1 sim $few --plot size.pdf --plot-size=$bad
	says err "--plot-size '$bad': expected a width, such as 8.5cm"
done
expect 1 sim $few --plot size.pdf --plot-font 90
says err "--plot-font 90: expected 3 to 40 points"
for option in "--plot-size 8cm" "--plot-font 8" --no-plot-legend; do
	expect 1 sim $few --plot size.svg $option
	says err "${option%% *} is of plots for print (expected the format pdf, tex or tikz)"
	expect 129 sim $few $option
	says err "are of --plot"
done
expect 129 sim --algo asgd --timing --samples 100 --plot-y speedup
says err "--plot-y, --plot-size, --plot-font and --no-plot-legend are of --plot"

# ---- an experiment whose names are signs of LaTeX ----

cat >signs.json <<'END'
{ "title": "Signs", "base": { "net": "quadratic", "lr": 0.01, "workers": 3, "gradients": 60 },
  "grid": { "algo": ["asgd", "allreduce"], "slow": ["none", "0:3"], "seed": [1, 2] },
  "published": { "source": "Table 1 & 2 of #3", "cells": [ { "algo": "asgd", "slow": "none", "train_loss": 1.5 } ] },
  "tables": [ { "name": "signs", "title": "100 % of {a_b} \\input{x} ~^", "rows": "algo", "columns": "slow",
                "values": ["train_loss", "time_s"], "labels": { "asgd": "a_b & 50 % #1", "allreduce": "$x^2$ ~ \\y {z}" } } ],
  "plots": [ { "name": "signs", "title": "A_title", "from": "train", "x": "epoch", "y": "loss", "series": "algo",
               "where": { "slow": "none" },
               "labels": { "asgd": "a_b & 50 % #1", "allreduce": "$x^2$ ~ \\y {z}" } },
             { "name": "words", "title": "Words", "from": "runs", "x": "algo", "y": "time_s", "series": "slow",
               "labels": { "asgd": "a_b & 50 %", "allreduce": "$x^2$" } } ] }
END
expect 0 run signs.json --quiet
folder=results/signs/default/plots
expect 0 plot signs.json --format tikz --plot-size 8.5cm --plot-font 8
is "$(paste -sd ' ' out)" "$folder/signs.tikz $folder/words.tikz" paths
says $folder/signs.tikz 'a\_b \& 50 \% \#1'
says $folder/signs.tikz '\$x\textasciicircum{}2\$ \textasciitilde{} \textbackslash{}y \{z\}'
says $folder/signs.tikz 'font={\fontsize{8pt}{9.6pt}\selectfont}'
says $folder/words.tikz 'a\_b \& 50 \%'
grep -q 'A.*title' $folder/signs.tikz && fail "a title in the picture"
cp $folder/signs.tikz with.tikz
expect 0 plot signs.json --format tikz --name signs --no-plot-legend
grep -q 'a.*_b' $folder/signs.tikz && fail "a legend that was left out"
expect 1 plot signs.json --format svg --plot-size 8cm
says err "--plot-size is of plots for print"
grep -q 'textbackslash' $folder/signs.gp && fail "the script of the SVG is written for LaTeX"
expect 0 table signs.json --format latex
says out '\caption{100 \% of \{a\_b\} \textbackslash{}input\{x\} \textasciitilde{}\textasciicircum{}}'
says out '\multicolumn{2}{c}{none}'
says out 'Paper: Table 1 \& 2 of \#3\par'
cp out table.tex

command -v pdflatex >/dev/null || { echo "not compiled: no LaTeX"; finish; }
kpsewhich booktabs.sty gnuplot-lua-tikz.sty tikz.sty >/dev/null || {
	gnuplot -e 'set terminal tikz createstyle' 2>/dev/null
	kpsewhich booktabs.sty tikz.sty >/dev/null || { echo "not compiled: no booktabs or TikZ"; finish; }
}
cat >all.tex <<-'END'
	\documentclass{article}
	\usepackage{booktabs,graphicx,gnuplot-lua-tikz}
	\begin{document}
	\input{table}
	\begin{figure}\centering\input{with.tikz}\caption{With a legend}\end{figure}
	\begin{figure}\centering\input{results/signs/default/plots/words.tikz}\caption{Words}\end{figure}
	\input{whole}
	\end{document}
END
pdflatex -interaction=nonstopmode -halt-on-error all.tex >latex.out 2>&1 || fail "LaTeX: $(grep -A3 '^!' latex.out)"
grep '^Overfull' latex.out && fail "wider than the text"
finish
