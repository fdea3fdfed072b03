# Edit, and run in this folder: gnuplot gap-many.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title 'Gap during training, most workers' noenhanced
set ylabel 'gap' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '10^{/*1.15 %L}'
set xrange [0:0.31187]
set yrange [2.71118e-06:0.0136853]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 8 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 9 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 10 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 11 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 5 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 12 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#A2D5F2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 13 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 7 lc rgb '#B4D572' lw 2 dt (2,3) pt 15 ps 0.9
set style line 14 lc rgb '#B4D572' lw 1.5 dt 1 pt 14 ps 1.9
set arrow from graph 0.9641, graph 0.0405 to graph 1.0361, graph 0.0104 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.0104 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9641, graph 0.1643 to graph 1.0361, graph 0.0710 nohead back lc rgb '#A2D5F2' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.0710 left front noenhanced tc rgb '#A2D5F2'
set arrow from graph 0.9641, graph 0.1883 to graph 1.0361, graph 0.1316 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.1316 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9641, graph 0.2124 to graph 1.0361, graph 0.1922 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.1922 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.9641, graph 0.2134 to graph 1.0361, graph 0.2528 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.2528 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9641, graph 0.2430 to graph 1.0361, graph 0.3134 nohead back lc rgb '#B4D572' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.3134 left front noenhanced tc rgb '#B4D572'
set arrow from graph 0.9641, graph 0.2834 to graph 1.0361, graph 0.3740 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.3740 left front noenhanced tc rgb '#77B300'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,743 font 'sans-serif,17' background rgb 'white'
	set output 'gap-many.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gap-many.png'
}
if (!svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'gap-many.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'gap-many.txt'
}
plot NaN notitle, \
	'gap-many.dat' index 0 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 1 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 2 using 1:3:4 with filledcurves fc rgb '#77B300' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 3 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 4 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 5 using 1:3:4 with filledcurves fc rgb '#A2D5F2' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 6 using 1:3:4 with filledcurves fc rgb '#B4D572' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 0 using 1:2 with linespoints ls 1 title '1  ASGD, Adam', \
	'gap-many.dat' index 1 using 1:2 with linespoints ls 2 title '2  staleness-aware, Adam', \
	'gap-many.dat' index 2 using 1:2 with linespoints ls 3 title '3  gap-aware, Adam', \
	'gap-many.dat' index 3 using 1:2 with linespoints ls 4 title '4  DC-ASGD, Adam', \
	'gap-many.dat' index 4 using 1:2 with linespoints ls 5 title '5  prediction, Adam', \
	'gap-many.dat' index 5 using 1:2 with linespoints ls 6 title '6  prediction with gap-aware, Adam', \
	'gap-many.dat' index 6 using 1:2 with linespoints ls 7 title '7  gap-aware, Adam without momentum'
if (svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gap-many.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'gap-many.png'
	replot
}
set output
