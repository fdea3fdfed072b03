# Edit, and run in this folder: gnuplot server-accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title 'Asynchronous, with a server: no correction: equal workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:5.3679]
set yrange [0:0.619215]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 11 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 3 lc rgb '#CC79A7' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#CC79A7' lw 1.5 dt 1 pt 6 ps 1.9
set style line 4 lc rgb '#D55E00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 13 lc rgb '#D55E00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#CC79A7' lw 2 dt (14,4) pt 5 ps 0.9
set style line 14 lc rgb '#CC79A7' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#0072B2' lw 2 dt (14,4) pt 5 ps 0.9
set style line 15 lc rgb '#0072B2' lw 1.5 dt 1 pt 4 ps 1.9
set style line 7 lc rgb '#D55E00' lw 2 dt (6,3) pt 13 ps 0.9
set style line 16 lc rgb '#D55E00' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#CC79A7' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 17 lc rgb '#CC79A7' lw 1.5 dt 1 pt 8 ps 1.9
set style line 9 lc rgb '#8C7A00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 18 lc rgb '#8C7A00' lw 1.5 dt 1 pt 8 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,802 font 'sans-serif,17' background rgb 'white'
	set output 'server-accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1604 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'server-accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,1604 font ',28' linewidth 2
	set output 'server-accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'server-accuracy.txt'
}
plot NaN notitle, \
	'server-accuracy.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 1 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 2 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 3 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 4 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 5 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 6 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 7 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 8 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 0 using 1:2 with linespoints ls 1 title 'AllReduce', \
	'server-accuracy.dat' index 1 using 1:2 with linespoints ls 2 title 'asgd', \
	'server-accuracy.dat' index 2 using 1:2 with linespoints ls 3 title 'hogwild', \
	'server-accuracy.dat' index 3 using 1:2 with linespoints ls 4 title 'k-async', \
	'server-accuracy.dat' index 4 using 1:2 with linespoints ls 5 title 'k-batch-async', \
	'server-accuracy.dat' index 5 using 1:2 with linespoints ls 6 title 'softsync, n=4', \
	'server-accuracy.dat' index 6 using 1:2 with linespoints ls 7 title 'ssp', \
	'server-accuracy.dat' index 7 using 1:2 with linespoints ls 8 title '4 groups', \
	'server-accuracy.dat' index 8 using 1:2 with linespoints ls 9 title 'downpour, 5 steps'
if (svg && cairo) {
	set terminal pngcairo size 1280,1604 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'server-accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1604 font ',28' linewidth 2
	set output 'server-accuracy.png'
	replot
}
set output
