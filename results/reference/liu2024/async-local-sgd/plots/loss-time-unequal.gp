# Edit, and run in this folder: gnuplot loss-time-unequal.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title 'Test loss against time: very unequal workers' noenhanced
set ylabel 'test loss per token [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:2075.93]
set yrange [1.3491:1.75465]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#D55E00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 8 lc rgb '#D55E00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 2 lc rgb '#E7A672' lw 2 dt 1 pt 7 ps 0.9
set style line 9 lc rgb '#E7A672' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#CC79A7' lw 2 dt (2,3) pt 15 ps 0.9
set style line 10 lc rgb '#CC79A7' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#E2B5CE' lw 2 dt 1 pt 7 ps 0.9
set style line 11 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 6 ps 1.9
set style line 5 lc rgb '#70425B' lw 2 dt (14,4) pt 5 ps 0.9
set style line 12 lc rgb '#70425B' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#331E29' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 13 lc rgb '#331E29' lw 1.5 dt 1 pt 8 ps 1.9
set style line 7 lc rgb '#000000' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 14 lc rgb '#000000' lw 1.5 dt 1 pt 10 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,743 font 'sans-serif,17' background rgb 'white'
	set output 'loss-time-unequal.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-time-unequal.png'
}
if (!svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-time-unequal.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-time-unequal.txt'
}
plot NaN notitle, \
	'loss-time-unequal.dat' index 0 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'loss-time-unequal.dat' index 1 using 1:3:4 with filledcurves fc rgb '#E7A672' fs transparent solid 0.18 noborder notitle, \
	'loss-time-unequal.dat' index 2 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'loss-time-unequal.dat' index 3 using 1:3:4 with filledcurves fc rgb '#E2B5CE' fs transparent solid 0.18 noborder notitle, \
	'loss-time-unequal.dat' index 4 using 1:3:4 with filledcurves fc rgb '#70425B' fs transparent solid 0.18 noborder notitle, \
	'loss-time-unequal.dat' index 5 using 1:3:4 with filledcurves fc rgb '#331E29' fs transparent solid 0.18 noborder notitle, \
	'loss-time-unequal.dat' index 6 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'loss-time-unequal.dat' index 0 using 1:2 with linespoints ls 1 title 'synchronous, Nesterov (DiLoCo)', \
	'loss-time-unequal.dat' index 1 using 1:2 with linespoints ls 2 title 'synchronous, SGD', \
	'loss-time-unequal.dat' index 2 using 1:2 with linespoints ls 3 title 'asynchronous, Nesterov', \
	'loss-time-unequal.dat' index 3 using 1:2 with linespoints ls 4 title 'asynchronous, SGD', \
	'loss-time-unequal.dat' index 4 using 1:2 with linespoints ls 5 title 'delayed Nesterov', \
	'loss-time-unequal.dat' index 5 using 1:2 with linespoints ls 6 title 'delayed Nesterov, dynamic steps', \
	'loss-time-unequal.dat' index 6 using 1:2 with linespoints ls 7 title 'buffer of 4, Nesterov'
if (svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-time-unequal.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-time-unequal.png'
	replot
}
set output
