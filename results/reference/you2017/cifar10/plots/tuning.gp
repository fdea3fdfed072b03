# Edit, and run in this folder: gnuplot tuning.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs' noenhanced
set ylabel 'accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '%g'
set format y '%g'
set xrange [0.000197791:15.1675]
set yrange [0:0.72352]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 11 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 12 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 13 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#E69F00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 14 lc rgb '#E69F00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 6 lc rgb '#56B4E9' lw 2 dt (2,3) pt 15 ps 0.9
set style line 15 lc rgb '#56B4E9' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 16 lc rgb '#000000' lw 1.5 dt 1 pt 6 ps 1.9
set style line 8 lc rgb '#8C7A00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 17 lc rgb '#8C7A00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 9 lc rgb '#8A1C56' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 18 lc rgb '#8A1C56' lw 1.5 dt 1 pt 8 ps 1.9
set arrow from graph 0.6512, graph 0.0290 to graph 1.0361, graph 0.0000 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.0000 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.5535, graph 0.1381 to graph 1.0361, graph 0.0606 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.0606 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.3488, graph 0.1382 to graph 1.0361, graph 0.1212 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.1212 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.5535, graph 0.1382 to graph 1.0361, graph 0.1818 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.1818 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.5535, graph 0.1382 to graph 1.0361, graph 0.2424 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.2424 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.4465, graph 0.1428 to graph 1.0361, graph 0.3030 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.3030 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.8559, graph 0.4177 to graph 1.0361, graph 0.4177 nohead back lc rgb '#8A1C56' lw 1 dt (3,3)
set label '9' at graph 1.0441, graph 0.4177 left front noenhanced tc rgb '#8A1C56'
set arrow from graph 0.9630, graph 0.8294 to graph 1.0361, graph 0.8095 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '8' at graph 1.0441, graph 0.8095 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9630, graph 0.8501 to graph 1.0361, graph 0.8701 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.8701 left front noenhanced tc rgb '#000000'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,773 font 'sans-serif,17' background rgb 'white'
	set output 'tuning.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning.png'
}
if (!svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'tuning.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning.txt'
}
plot NaN notitle, \
	'tuning.dat' index 0 using 1:2 with linespoints ls 1 title '1  SGD, 1 worker', \
	'tuning.dat' index 1 using 1:2 with linespoints ls 2 title '2  SGD, 8 workers', \
	'tuning.dat' index 2 using 1:2 with linespoints ls 3 title '3  SGD, 64 workers', \
	'tuning.dat' index 3 using 1:2 with linespoints ls 4 title '4  linear scaling, warm-up, 1 worker', \
	'tuning.dat' index 4 using 1:2 with linespoints ls 5 title '5  linear scaling, warm-up, 8 workers', \
	'tuning.dat' index 5 using 1:2 with linespoints ls 6 title '6  linear scaling, warm-up, 64 workers', \
	'tuning.dat' index 6 using 1:2 with linespoints ls 7 title '7  LARS, warm-up, 1 worker', \
	'tuning.dat' index 7 using 1:2 with linespoints ls 8 title '8  LARS, warm-up, 8 workers', \
	'tuning.dat' index 8 using 1:2 with linespoints ls 9 title '9  LARS, warm-up, 64 workers'
if (svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'tuning.png'
	replot
}
set output
