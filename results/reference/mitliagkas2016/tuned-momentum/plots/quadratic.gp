# Edit, and run in this folder: gnuplot quadratic.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Noisy quadratic: updates until the loss is 0.1' noenhanced
set ylabel 'updates' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('32' 32, '16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set format y '%g'
set xrange [0.870551:36.7583]
set yrange [0:585.514]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 8 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 9 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 10 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 11 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#E69F00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 12 lc rgb '#E69F00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 6 lc rgb '#56B4E9' lw 2 dt (2,3) pt 15 ps 0.9
set style line 13 lc rgb '#56B4E9' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 14 lc rgb '#000000' lw 1.5 dt 1 pt 6 ps 1.9
set label '∞' at first 32, graph 0.97 center tc ls 5 front
set label '∞' at first 16, graph 0.92 center tc ls 6 front
set label '∞' at first 32, graph 0.92 center tc ls 6 front
set label '∞' at first 2, graph 0.87 center tc ls 7 front
set label '∞' at first 4, graph 0.87 center tc ls 7 front
set label '∞' at first 8, graph 0.87 center tc ls 7 front
set label '∞' at first 16, graph 0.87 center tc ls 7 front
set label '∞' at first 32, graph 0.87 center tc ls 7 front
set arrow from graph 0.0370, graph 0.0820 to graph 1.0478, graph 0.0820 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label 'momentum 0.9' at graph 1.0584, graph 0.0820 left front noenhanced tc rgb '#000000'
set arrow from graph 0.5926, graph 0.3108 to graph 1.0478, graph 0.2959 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label 'momentum 0.6' at graph 1.0584, graph 0.2959 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.7778, graph 0.3416 to graph 1.0478, graph 0.3565 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label 'momentum 0.3' at graph 1.0584, graph 0.3565 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9630, graph 0.4850 to graph 1.0478, graph 0.4368 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'momentum -0.6' at graph 1.0584, graph 0.4368 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9630, graph 0.4902 to graph 1.0478, graph 0.4974 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label 'momentum -0.3' at graph 1.0584, graph 0.4974 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.9630, graph 0.5277 to graph 1.0478, graph 0.5580 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'momentum -0.9' at graph 1.0584, graph 0.5580 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9630, graph 0.6080 to graph 1.0478, graph 0.6187 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label 'momentum 0' at graph 1.0584, graph 0.6187 left front noenhanced tc rgb '#CC79A7'
set rmargin at screen 0.7522
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'quadratic.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'quadratic.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'quadratic.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'quadratic.txt'
}
plot NaN notitle, \
	'quadratic.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'quadratic.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'quadratic.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'quadratic.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'quadratic.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'quadratic.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'quadratic.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'quadratic.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'quadratic.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#E69F00' dt 1 lw 1.5 notitle, \
	'quadratic.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'quadratic.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#56B4E9' dt 1 lw 1.5 notitle, \
	'quadratic.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'quadratic.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1.5 notitle, \
	'quadratic.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	NaN with points lc rgb '#606060' pt '∞' title 'not reached', \
	NaN with points pt ' ' title "mean of 8 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'quadratic.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'quadratic.png'
	replot
}
set output
