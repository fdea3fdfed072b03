# Edit, and run in this folder: gnuplot advise-sensitivity.gp
set encoding utf8
set terminal svg size 640,390 font 'sans-serif,17' background rgb 'white'
set output 'advise-sensitivity.svg'
set xlabel 'break-even: slowdown of worker 0' noenhanced
set border 1 lc rgb '#404040'
set xtics out nomirror
unset ytics
set style textbox opaque fc rgb '#FFFFFF' noborder margins 0.4, 0.2
set grid x lt 1 lc rgb '#DCDCDC' lw 0.8
set key above left Left reverse samplen 2 maxrows 3
set xrange [1.02111261:1.18655504]
set yrange [0.15:3.75]
set label 'progress ad-psgd 0.82 to 0.88: 89 % of the variance' at graph 0.01, first 3.42 left front noenhanced boxed
set label 'link.bandwidth_GBps 10.53 to 14.47: 8 % of the variance' at graph 0.01, first 2.42 left front noenhanced boxed
set label 'compute_s 0.04503 to 0.05497: 3 % of the variance' at graph 0.01, first 1.42 left front noenhanced boxed
set label 'from run to run, or not linear: 0 %' at graph 0.01, first 0.42 left front noenhanced boxed
set object 1 rectangle from first 1.0299756, graph 0 to first 1.17769205, graph 1 behind fc rgb '#E0E0E0' fs solid noborder
set arrow 1 from first 1.10546875, graph 0 to first 1.10546875, graph 1 nohead lc rgb '#606060' lw 1.5
plot 'advise-sensitivity.dat' using 2:1:2:3:($1-0.22):($1+0.22) with boxxyerror fc rgb '#56B4E9' fs solid noborder title 'value one deviation lower', \
	'advise-sensitivity.dat' using 2:1:2:4:($1-0.22):($1+0.22) with boxxyerror fc rgb '#E69F00' fs solid noborder title 'value one deviation higher', \
	NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'
terminals = ' '.GPVAL_TERMINALS.' '
cairo = strstrt(terminals, ' pngcairo ') > 0
if (cairo) {
	set terminal pngcairo size 1280,780 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
}
if (!cairo && strstrt(terminals, ' png ')) {
	set terminal png size 1280,780 font ',28' linewidth 2
}
if (cairo || strstrt(terminals, ' png ')) {
	set output 'advise-sensitivity.png'
	replot
}
set output
