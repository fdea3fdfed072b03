# Edit, and run in this folder: gnuplot tuning-4.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs (4 of 4): fedbuff' noenhanced
set ylabel 'test loss [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('0.005' 0.005, '0.01' 0.01, '0.02' 0.02)
set format y '%g'
set xrange [0.00273603:0.0328943]
set yrange [0:6.49836]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 9 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 10 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 11 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 12 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#E69F00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 13 lc rgb '#E69F00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 6 lc rgb '#56B4E9' lw 2 dt (2,3) pt 15 ps 0.9
set style line 14 lc rgb '#56B4E9' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 15 lc rgb '#000000' lw 1.5 dt 1 pt 6 ps 1.9
set style line 8 lc rgb '#8C7A00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 16 lc rgb '#8C7A00' lw 1.5 dt 1 pt 4 ps 1.9
set arrow from graph 0.9630, graph 0.2157 to graph 1.0361, graph 0.0548 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.0548 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9630, graph 0.2218 to graph 1.0361, graph 0.1154 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.1154 left front noenhanced tc rgb '#000000'
set arrow from graph 0.9630, graph 0.2228 to graph 1.0361, graph 0.1760 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.1760 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9630, graph 0.2238 to graph 1.0361, graph 0.2366 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.2366 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9630, graph 0.2248 to graph 1.0361, graph 0.2972 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.2972 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9630, graph 0.2652 to graph 1.0361, graph 0.3578 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.3578 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.9630, graph 0.2823 to graph 1.0361, graph 0.4184 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '8' at graph 1.0441, graph 0.4184 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9630, graph 0.7399 to graph 1.0361, graph 0.7399 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.7399 left front noenhanced tc rgb '#CC79A7'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,773 font 'sans-serif,17' background rgb 'white'
	set output 'tuning-4.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-4.png'
}
if (!svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'tuning-4.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning-4.txt'
}
plot NaN notitle, \
	'tuning-4.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 0 using 1:2 with linespoints ls 1 title '1  outer lr 0.1, equal', \
	'tuning-4.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 1 using 1:2 with linespoints ls 2 title '2  outer lr 0.2, equal', \
	'tuning-4.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 2 using 1:2 with linespoints ls 3 title '3  outer lr 0.4, equal', \
	'tuning-4.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 3 using 1:2 with linespoints ls 4 title '4  outer lr 0.7, equal', \
	'tuning-4.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#E69F00' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 4 using 1:2 with linespoints ls 5 title '5  outer lr 0.1, very unequal', \
	'tuning-4.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#56B4E9' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 5 using 1:2 with linespoints ls 6 title '6  outer lr 0.2, very unequal', \
	'tuning-4.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 6 using 1:2 with linespoints ls 7 title '7  outer lr 0.4, very unequal', \
	'tuning-4.dat' index 7 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#8C7A00' dt 1 lw 1.5 notitle, \
	'tuning-4.dat' index 7 using 1:2 with linespoints ls 8 title '8  outer lr 0.7, very unequal'
if (svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-4.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'tuning-4.png'
	replot
}
set output
