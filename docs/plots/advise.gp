# Edit, and run in this folder: gnuplot advise.gp
set encoding utf8
set terminal svg size 640,744 font 'sans-serif,17' background rgb 'white'
set output 'advise.svg'
set multiplot
set lmargin 11
set rmargin 4
set tmargin at screen 0.825
set bmargin at screen 0.41
unset xlabel
set ytics autofreq
set title "Time to the same loss; dashed: the break-even, grey: its\ninterval; bands: 90 % of the draws" noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set key above left Left reverse samplen 2 maxrows 8 noenhanced
set xrange [1:2]
set ylabel 'time to the same loss [s per step]' noenhanced
set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8
set format x ''
set yrange [0:*]
set object 1 rectangle from first 1.0299756, graph 0 to first 1.17769205, graph 1 back fc rgb '#E0E0E0' fs solid noborder
set arrow 1 from first 1.10546875, graph 0 to first 1.10546875, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
plot 'advise.dat' using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:2 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'advise.dat' using 1:6:7 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:5 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd'
set tmargin at screen 0.32
set bmargin at screen 0.14
set title 'P(ad-psgd is faster)' noenhanced
set xlabel 'slowdown of worker 0' noenhanced
set format x '%g'
set ylabel 'probability'
unset logscale y
set yrange [-0.05:1.05]
set ytics 0, 0.5, 1
unset key
plot 'advise.dat' using 1:8 with lines lc rgb '#000000' lw 2 notitle
unset multiplot
terminals = ' '.GPVAL_TERMINALS.' '
cairo = strstrt(terminals, ' pngcairo ') > 0
if (cairo) {
	set terminal pngcairo size 1280,1488 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
}
if (!cairo && strstrt(terminals, ' png ')) {
	set terminal png size 1280,1488 font ',28' linewidth 2
}
if (cairo || strstrt(terminals, ' png ')) {
	set output 'advise.png'
set multiplot
set lmargin 11
set rmargin 4
set tmargin at screen 0.825
set bmargin at screen 0.41
unset xlabel
set ytics autofreq
set title "Time to the same loss; dashed: the break-even, grey: its\ninterval; bands: 90 % of the draws" noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set key above left Left reverse samplen 2 maxrows 8 noenhanced
set xrange [1:2]
set ylabel 'time to the same loss [s per step]' noenhanced
set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8
set format x ''
set yrange [0:*]
set object 1 rectangle from first 1.0299756, graph 0 to first 1.17769205, graph 1 back fc rgb '#E0E0E0' fs solid noborder
set arrow 1 from first 1.10546875, graph 0 to first 1.10546875, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
plot 'advise.dat' using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:2 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'advise.dat' using 1:6:7 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:5 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd'
set tmargin at screen 0.32
set bmargin at screen 0.14
set title 'P(ad-psgd is faster)' noenhanced
set xlabel 'slowdown of worker 0' noenhanced
set format x '%g'
set ylabel 'probability'
unset logscale y
set yrange [-0.05:1.05]
set ytics 0, 0.5, 1
unset key
plot 'advise.dat' using 1:8 with lines lc rgb '#000000' lw 2 notitle
unset multiplot
}
set output
