# Edit, and run in this folder: gnuplot advise.gp
set encoding utf8
set border 3 lc rgb '#404040'
set tics nomirror
set lmargin 11
set rmargin 4
set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8
set xrange [1:2]
set object 1 rectangle from first 1.0299756, graph 0 to first 1.17769205, graph 1 behind fc rgb '#E0E0E0' fs solid noborder
set arrow 1 from first 1.10546875, graph 0 to first 1.10546875, graph 1 nohead lc rgb '#606060' lw 1.5
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,640 font 'sans-serif,17' background rgb 'white'
	set output 'advise.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1280 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'advise.png'
}
if (!svg && png) {
	set terminal png size 1280,1280 font ',28' linewidth 2
	set output 'advise.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'advise.txt'
}
set multiplot
set tmargin at screen 0.84
set bmargin at screen 0.41
unset title
unset xlabel
set ytics autofreq
set ylabel 'time to the same loss [s per step]'
set key above left Left reverse samplen 2 maxrows 6 noenhanced
set format x ''
set yrange [0:*]
set label 1 '' at first 1.10546875, first 0.058799101 point pt 7 ps 1.2 lc rgb '#000000' front
plot 'advise.dat' using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:2 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'advise.dat' using 1:6:7 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:5 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd', \
	NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'
unset label 1
set tmargin at screen 0.32
set bmargin at screen 0.14
set title 'P(ad-psgd is faster)' offset 0, -0.4 noenhanced
set xlabel 'slowdown of worker 0'
set format x '%g'
set ylabel 'probability'
unset logscale y
set yrange [0:1]
set ytics 0, 0.5, 1
unset key
plot 'advise.dat' using 1:8 with lines lc rgb '#000000' lw 2 notitle
unset multiplot
if (svg && cairo) {
	set terminal pngcairo size 1280,1280 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'advise.png'
set multiplot
set tmargin at screen 0.84
set bmargin at screen 0.41
unset title
unset xlabel
set ytics autofreq
set ylabel 'time to the same loss [s per step]'
set key above left Left reverse samplen 2 maxrows 6 noenhanced
set format x ''
set yrange [0:*]
set label 1 '' at first 1.10546875, first 0.058799101 point pt 7 ps 1.2 lc rgb '#000000' front
plot 'advise.dat' using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:2 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'advise.dat' using 1:6:7 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:5 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd', \
	NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'
unset label 1
set tmargin at screen 0.32
set bmargin at screen 0.14
set title 'P(ad-psgd is faster)' offset 0, -0.4 noenhanced
set xlabel 'slowdown of worker 0'
set format x '%g'
set ylabel 'probability'
unset logscale y
set yrange [0:1]
set ytics 0, 0.5, 1
unset key
plot 'advise.dat' using 1:8 with lines lc rgb '#000000' lw 2 notitle
unset multiplot
}
if (svg && png) {
	set terminal png size 1280,1280 font ',28' linewidth 2
	set output 'advise.png'
set multiplot
set tmargin at screen 0.84
set bmargin at screen 0.41
unset title
unset xlabel
set ytics autofreq
set ylabel 'time to the same loss [s per step]'
set key above left Left reverse samplen 2 maxrows 6 noenhanced
set format x ''
set yrange [0:*]
set label 1 '' at first 1.10546875, first 0.058799101 point pt 7 ps 1.2 lc rgb '#000000' front
plot 'advise.dat' using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:2 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'advise.dat' using 1:6:7 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:5 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd', \
	NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'
unset label 1
set tmargin at screen 0.32
set bmargin at screen 0.14
set title 'P(ad-psgd is faster)' offset 0, -0.4 noenhanced
set xlabel 'slowdown of worker 0'
set format x '%g'
set ylabel 'probability'
unset logscale y
set yrange [0:1]
set ytics 0, 0.5, 1
unset key
plot 'advise.dat' using 1:8 with lines lc rgb '#000000' lw 2 notitle
unset multiplot
}
set output
