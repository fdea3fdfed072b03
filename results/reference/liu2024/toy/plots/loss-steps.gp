# Edit, and run in this folder: gnuplot loss-steps.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epochs of all workers together' noenhanced
set title 'Loss on training samples against epochs' noenhanced
set ylabel 'loss on training samples [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:8.28]
set yrange [0.686536:1.37156]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 6 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 2 lc rgb '#A7B6BE' lw 2 dt (2,3) pt 15 ps 0.9
set style line 7 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 14 ps 1.9
set style line 3 lc rgb '#CC79A7' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#CC79A7' lw 1.5 dt 1 pt 4 ps 1.9
set style line 4 lc rgb '#E2B5CE' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 9 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#70425B' lw 2 dt (6,3) pt 13 ps 0.9
set style line 10 lc rgb '#70425B' lw 1.5 dt 1 pt 12 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,685 font 'sans-serif,17' background rgb 'white'
	set output 'loss-steps.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-steps.png'
}
if (!svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'loss-steps.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-steps.txt'
}
plot NaN notitle, \
	'loss-steps.dat' index 0 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'loss-steps.dat' index 1 using 1:3:4 with filledcurves fc rgb '#A7B6BE' fs transparent solid 0.18 noborder notitle, \
	'loss-steps.dat' index 2 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'loss-steps.dat' index 3 using 1:3:4 with filledcurves fc rgb '#E2B5CE' fs transparent solid 0.18 noborder notitle, \
	'loss-steps.dat' index 4 using 1:3:4 with filledcurves fc rgb '#70425B' fs transparent solid 0.18 noborder notitle, \
	'loss-steps.dat' index 0 using 1:2 with linespoints ls 1 title 'synchronous, Nesterov 0.7 (DiLoCo)', \
	'loss-steps.dat' index 1 using 1:2 with linespoints ls 2 title 'synchronous, SGD 0.7', \
	'loss-steps.dat' index 2 using 1:2 with linespoints ls 3 title 'asynchronous, Nesterov 0.07', \
	'loss-steps.dat' index 3 using 1:2 with linespoints ls 4 title 'asynchronous, SGD 0.7', \
	'loss-steps.dat' index 4 using 1:2 with linespoints ls 5 title 'delayed Nesterov 0.7, dynamic steps'
if (svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-steps.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'loss-steps.png'
	replot
}
set output
