# Edit, and run in this folder: gnuplot local-slow-time.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title "Rounds of local steps, and low communication: one worker\n10 times slower" noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:36.5114]
set yrange [1.01357:2.31229]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 13 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#00B5AD' lw 2 dt 1 pt 7 ps 0.9
set style line 14 lc rgb '#00B5AD' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#8A1C56' lw 2 dt (6,3) pt 13 ps 0.9
set style line 15 lc rgb '#8A1C56' lw 1.5 dt 1 pt 12 ps 1.9
set style line 4 lc rgb '#E69F00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 16 lc rgb '#E69F00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#D55E00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 17 lc rgb '#D55E00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 6 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 18 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 7 lc rgb '#77B300' lw 2 dt (6,3) pt 13 ps 0.9
set style line 19 lc rgb '#77B300' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#5A3FC0' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 20 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 10 ps 1.9
set style line 9 lc rgb '#56B4E9' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 21 lc rgb '#56B4E9' lw 1.5 dt 1 pt 8 ps 1.9
set style line 10 lc rgb '#000000' lw 2 dt (2,3) pt 15 ps 0.9
set style line 22 lc rgb '#000000' lw 1.5 dt 1 pt 14 ps 1.9
set style line 11 lc rgb '#8C7A00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 23 lc rgb '#8C7A00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 12 lc rgb '#CC79A7' lw 2 dt (14,4) pt 5 ps 0.9
set style line 24 lc rgb '#CC79A7' lw 1.5 dt 1 pt 4 ps 1.9
set arrow from graph 0.9535, graph 0.0645 to graph 1.0521, graph 0.0000 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label 'demo' at graph 1.0636, graph 0.0000 left front noenhanced tc rgb '#000000'
set arrow from graph 0.9422, graph 0.1949 to graph 1.0521, graph 0.0606 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label 'diloco' at graph 1.0636, graph 0.0606 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.9428, graph 0.2430 to graph 1.0521, graph 0.1212 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'local-adam' at graph 1.0636, graph 0.1212 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9620, graph 0.2511 to graph 1.0521, graph 0.1818 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'AllReduce' at graph 1.0636, graph 0.1818 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9548, graph 0.3064 to graph 1.0521, graph 0.2424 nohead back lc rgb '#8A1C56' lw 1 dt (3,3)
set label 'post-local-sgd' at graph 1.0636, graph 0.2424 left front noenhanced tc rgb '#8A1C56'
set arrow from graph 0.9470, graph 0.3076 to graph 1.0521, graph 0.3030 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label 'streaming-diloco' at graph 1.0636, graph 0.3030 left front noenhanced tc rgb '#77B300'
set arrow from graph 0.9011, graph 0.3202 to graph 1.0521, graph 0.3636 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label 'noloco' at graph 1.0636, graph 0.3636 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9414, graph 0.3230 to graph 1.0521, graph 0.4242 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label 'slowmo' at graph 1.0636, graph 0.4242 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9422, graph 0.3346 to graph 1.0521, graph 0.4848 nohead back lc rgb '#00B5AD' lw 1 dt (3,3)
set label 'local-sgd' at graph 1.0636, graph 0.4848 left front noenhanced tc rgb '#00B5AD'
set arrow from graph 0.1026, graph 0.4437 to graph 1.0521, graph 0.5455 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label 'async-local-sgd' at graph 1.0636, graph 0.5455 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.1026, graph 0.4911 to graph 1.0521, graph 0.6061 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label 'fedbuff' at graph 1.0636, graph 0.6061 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9210, graph 0.6942 to graph 1.0521, graph 0.6942 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label 'eager-diloco' at graph 1.0636, graph 0.6942 left front noenhanced tc rgb '#5A3FC0'
set rmargin at screen 0.7044
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'local-slow-time.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'local-slow-time.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'local-slow-time.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'local-slow-time.txt'
}
plot NaN notitle, \
	'local-slow-time.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 1 using 1:3:4 with filledcurves fc rgb '#00B5AD' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 2 using 1:3:4 with filledcurves fc rgb '#8A1C56' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 3 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 4 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 5 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 6 using 1:3:4 with filledcurves fc rgb '#77B300' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 7 using 1:3:4 with filledcurves fc rgb '#5A3FC0' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 8 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 9 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 10 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 11 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'local-slow-time.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'local-slow-time.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'local-slow-time.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'local-slow-time.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'local-slow-time.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'local-slow-time.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'local-slow-time.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	'local-slow-time.dat' index 7 using 1:2 with linespoints ls 8 notitle, \
	'local-slow-time.dat' index 8 using 1:2 with linespoints ls 9 notitle, \
	'local-slow-time.dat' index 9 using 1:2 with linespoints ls 10 notitle, \
	'local-slow-time.dat' index 10 using 1:2 with linespoints ls 11 notitle, \
	'local-slow-time.dat' index 11 using 1:2 with linespoints ls 12 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'local-slow-time.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'local-slow-time.png'
	replot
}
set output
