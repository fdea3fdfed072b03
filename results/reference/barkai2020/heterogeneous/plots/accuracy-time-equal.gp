# Edit, and run in this folder: gnuplot accuracy-time-equal.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title 'Test accuracy against time, equal workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:120.352]
set yrange [0:0.488577]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 7 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 9 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 10 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 5 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 11 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 6 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,714 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy-time-equal.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-time-equal.png'
}
if (!svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'accuracy-time-equal.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy-time-equal.txt'
}
plot NaN notitle, \
	'accuracy-time-equal.dat' index 0 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'accuracy-time-equal.dat' index 1 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'accuracy-time-equal.dat' index 2 using 1:3:4 with filledcurves fc rgb '#77B300' fs transparent solid 0.18 noborder notitle, \
	'accuracy-time-equal.dat' index 3 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'accuracy-time-equal.dat' index 4 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'accuracy-time-equal.dat' index 5 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'accuracy-time-equal.dat' index 0 using 1:2 with linespoints ls 1 title 'NAG-ASGD', \
	'accuracy-time-equal.dat' index 1 using 1:2 with linespoints ls 2 title 'staleness-aware', \
	'accuracy-time-equal.dat' index 2 using 1:2 with linespoints ls 3 title 'gap-aware', \
	'accuracy-time-equal.dat' index 3 using 1:2 with linespoints ls 4 title 'DANA with gap-aware', \
	'accuracy-time-equal.dat' index 4 using 1:2 with linespoints ls 5 title 'ASGD', \
	'accuracy-time-equal.dat' index 5 using 1:2 with linespoints ls 6 title 'all-reduce'
if (svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-time-equal.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'accuracy-time-equal.png'
	replot
}
set output
