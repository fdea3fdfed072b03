# Edit, and run in this folder: gnuplot loss-workers.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Test loss against workers' noenhanced
set ylabel 'test loss per token [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set format y '%g'
set xrange [0.895025:17.8766]
set yrange [1.99325:3.39999]
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
set arrow from graph 0.9630, graph 0.5591 to graph 1.0361, graph 0.5136 nohead back lc rgb '#A2D5F2' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.5136 left front noenhanced tc rgb '#A2D5F2'
set arrow from graph 0.9630, graph 0.6277 to graph 1.0361, graph 0.5742 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.5742 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9630, graph 0.6321 to graph 1.0361, graph 0.6348 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.6348 left front noenhanced tc rgb '#77B300'
set arrow from graph 0.9630, graph 0.6903 to graph 1.0361, graph 0.6955 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.6955 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9630, graph 0.7402 to graph 1.0361, graph 0.7561 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.7561 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9630, graph 0.7415 to graph 1.0361, graph 0.8167 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.8167 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.9630, graph 0.8900 to graph 1.0361, graph 0.8900 nohead back lc rgb '#B4D572' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.8900 left front noenhanced tc rgb '#B4D572'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,743 font 'sans-serif,17' background rgb 'white'
	set output 'loss-workers.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-workers.png'
}
if (!svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-workers.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-workers.txt'
}
plot NaN notitle, \
	'loss-workers.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 0 using 1:2 with linespoints ls 1 title '1  ASGD, Adam', \
	'loss-workers.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#E69F00' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 1 using 1:2 with linespoints ls 2 title '2  staleness-aware, Adam', \
	'loss-workers.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#77B300' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 2 using 1:2 with linespoints ls 3 title '3  gap-aware, Adam', \
	'loss-workers.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#8C7A00' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 3 using 1:2 with linespoints ls 4 title '4  DC-ASGD, Adam', \
	'loss-workers.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#56B4E9' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 4 using 1:2 with linespoints ls 5 title '5  prediction, Adam', \
	'loss-workers.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A2D5F2' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 5 using 1:2 with linespoints ls 6 title '6  prediction with gap-aware, Adam', \
	'loss-workers.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#B4D572' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 6 using 1:2 with linespoints ls 7 title '7  gap-aware, Adam without momentum'
if (svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-workers.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-workers.png'
	replot
}
set output
