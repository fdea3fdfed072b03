# Edit, and run in this folder: gnuplot rounds-accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title 'Synchronous: equal workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:5.61502]
set yrange [0:0.619215]
set key bottom right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 8 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#8C7A00' lw 2 dt 1 pt 7 ps 0.9
set style line 9 lc rgb '#8C7A00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#E69F00' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#E69F00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 4 lc rgb '#000000' lw 2 dt (6,3) pt 13 ps 0.9
set style line 11 lc rgb '#000000' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#00B5AD' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#00B5AD' lw 1.5 dt 1 pt 6 ps 1.9
set style line 6 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 13 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 7 lc rgb '#56B4E9' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 14 lc rgb '#56B4E9' lw 1.5 dt 1 pt 10 ps 1.9
set arrow from graph 0.7124, graph 0.7888 to graph 1.0466, graph 0.6364 nohead back lc rgb '#00B5AD' lw 1 dt (3,3)
set label 'local-sgd' at graph 1.0569, graph 0.6364 left front noenhanced tc rgb '#00B5AD'
set arrow from graph 0.7774, graph 0.8321 to graph 1.0466, graph 0.6970 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label 'd-psgd' at graph 1.0569, graph 0.6970 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.9041, graph 0.8356 to graph 1.0466, graph 0.7576 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label 'k-batch-sync' at graph 1.0569, graph 0.7576 left front noenhanced tc rgb '#000000'
set arrow from graph 0.9223, graph 0.8475 to graph 1.0466, graph 0.8182 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'AllReduce' at graph 1.0569, graph 0.8182 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.7522, graph 0.8615 to graph 1.0466, graph 0.8788 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label 'sgp' at graph 1.0569, graph 0.8788 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.8772, graph 0.8947 to graph 1.0466, graph 0.9394 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label 'backup' at graph 1.0569, graph 0.9394 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9650, graph 0.9300 to graph 1.0466, graph 1.0000 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label 'k-sync' at graph 1.0569, graph 1.0000 left front noenhanced tc rgb '#E69F00'
set rmargin at screen 0.7681
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'rounds-accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'rounds-accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'rounds-accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'rounds-accuracy.txt'
}
plot NaN notitle, \
	'rounds-accuracy.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'rounds-accuracy.dat' index 1 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'rounds-accuracy.dat' index 2 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'rounds-accuracy.dat' index 3 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'rounds-accuracy.dat' index 4 using 1:3:4 with filledcurves fc rgb '#00B5AD' fs transparent solid 0.18 noborder notitle, \
	'rounds-accuracy.dat' index 5 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'rounds-accuracy.dat' index 6 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'rounds-accuracy.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'rounds-accuracy.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'rounds-accuracy.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'rounds-accuracy.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'rounds-accuracy.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'rounds-accuracy.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'rounds-accuracy.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'rounds-accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'rounds-accuracy.png'
	replot
}
set output
