# Edit, and run in this folder: gnuplot loss.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title '16 workers with the learning rate of one' noenhanced
set ylabel 'loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '%g'
set xrange [0:103.98]
set yrange [0.0064115:291.953]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 5 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 5 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 6 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 7 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 8 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,655 font 'sans-serif,17' background rgb 'white'
	set output 'loss.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1310 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss.png'
}
if (!svg && png) {
	set terminal png size 1280,1310 font ',28' linewidth 2
	set output 'loss.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss.txt'
}
plot NaN notitle, \
	'loss.dat' index 0 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 1 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 2 using 1:3:4 with filledcurves fc rgb '#77B300' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 3 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'loss.dat' index 0 every 14::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title 'ASGD (rises to 4e+75)', \
	'loss.dat' index 1 using 1:2 with lines ls 2 notitle, \
	'loss.dat' index 1 every 16::4 using 1:2 with points ls 2 notitle, \
	NaN with linespoints ls 2 title 'staleness-aware', \
	'loss.dat' index 2 using 1:2 with lines ls 3 notitle, \
	'loss.dat' index 2 every 16::8 using 1:2 with points ls 3 notitle, \
	NaN with linespoints ls 3 title 'gap-aware', \
	'loss.dat' index 3 using 1:2 with lines ls 4 notitle, \
	'loss.dat' index 3 every 16::12 using 1:2 with points ls 4 notitle, \
	NaN with linespoints ls 4 title 'all-reduce'
if (svg && cairo) {
	set terminal pngcairo size 1280,1310 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1310 font ',28' linewidth 2
	set output 'loss.png'
	replot
}
set output
