# Edit, and run in this folder: gnuplot server-slow-time.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title "Asynchronous, with a server: no correction: one worker\n10 times slower" noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:36.5114]
set yrange [1.09504:2.30915]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 11 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 3 lc rgb '#FF6F91' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#FF6F91' lw 1.5 dt 1 pt 6 ps 1.9
set style line 4 lc rgb '#D55E00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 13 lc rgb '#D55E00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#00B5AD' lw 2 dt (14,4) pt 5 ps 0.9
set style line 14 lc rgb '#00B5AD' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#7A4A21' lw 2 dt (14,4) pt 5 ps 0.9
set style line 15 lc rgb '#7A4A21' lw 1.5 dt 1 pt 4 ps 1.9
set style line 7 lc rgb '#5A3FC0' lw 2 dt (6,3) pt 13 ps 0.9
set style line 16 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#000000' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 17 lc rgb '#000000' lw 1.5 dt 1 pt 8 ps 1.9
set style line 9 lc rgb '#8C7A00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 18 lc rgb '#8C7A00' lw 1.5 dt 1 pt 8 ps 1.9
set arrow from graph 0.1031, graph 0.1917 to graph 1.0536, graph 0.0667 nohead back lc rgb '#FF6F91' lw 1 dt (3,3)
set label 'hogwild' at graph 1.0656, graph 0.0667 left front noenhanced tc rgb '#FF6F91'
set arrow from graph 0.9620, graph 0.2015 to graph 1.0536, graph 0.1273 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'AllReduce' at graph 1.0656, graph 0.1273 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.1524, graph 0.2212 to graph 1.0536, graph 0.1879 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'k-async' at graph 1.0656, graph 0.1879 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.1558, graph 0.2760 to graph 1.0536, graph 0.2485 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '4 groups' at graph 1.0656, graph 0.2485 left front noenhanced tc rgb '#000000'
set arrow from graph 0.9491, graph 0.2904 to graph 1.0536, graph 0.3091 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label 'ssp' at graph 1.0656, graph 0.3091 left front noenhanced tc rgb '#5A3FC0'
set arrow from graph 0.1052, graph 0.3487 to graph 1.0536, graph 0.3697 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label 'asgd' at graph 1.0656, graph 0.3697 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.1051, graph 0.3500 to graph 1.0536, graph 0.4303 nohead back lc rgb '#00B5AD' lw 1 dt (3,3)
set label 'k-batch-async' at graph 1.0656, graph 0.4303 left front noenhanced tc rgb '#00B5AD'
set arrow from graph 0.1052, graph 0.3624 to graph 1.0536, graph 0.4909 nohead back lc rgb '#7A4A21' lw 1 dt (3,3)
set label 'softsync, n=4' at graph 1.0656, graph 0.4909 left front noenhanced tc rgb '#7A4A21'
set arrow from graph 0.1028, graph 0.5404 to graph 1.0536, graph 0.5516 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label 'downpour, 5 steps' at graph 1.0656, graph 0.5516 left front noenhanced tc rgb '#8C7A00'
set rmargin at screen 0.6884
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'server-slow-time.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'server-slow-time.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'server-slow-time.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'server-slow-time.txt'
}
plot NaN notitle, \
	'server-slow-time.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 1 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 2 using 1:3:4 with filledcurves fc rgb '#FF6F91' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 3 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 4 using 1:3:4 with filledcurves fc rgb '#00B5AD' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 5 using 1:3:4 with filledcurves fc rgb '#7A4A21' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 6 using 1:3:4 with filledcurves fc rgb '#5A3FC0' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 7 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 8 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'server-slow-time.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'server-slow-time.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'server-slow-time.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'server-slow-time.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'server-slow-time.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'server-slow-time.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'server-slow-time.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	'server-slow-time.dat' index 7 using 1:2 with linespoints ls 8 notitle, \
	'server-slow-time.dat' index 8 using 1:2 with linespoints ls 9 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'server-slow-time.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'server-slow-time.png'
	replot
}
set output
