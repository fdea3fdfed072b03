# Edit, and run in this folder: gnuplot tuning.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs' noenhanced
set ylabel 'test loss [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('0.0001' 0.0001, '0.0002' 0.0002, '0.0005' 0.0005, '0.001' 0.001, '0.002' 0.002)
set format y '%g'
set xrange [8.72801e-05:0.00343721]
set yrange [2.3453:3.95926]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 15 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 2 lc rgb '#E2B5CE' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 16 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 10 ps 1.9
set style line 3 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 17 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 4 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 18 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 5 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 19 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 6 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 20 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 7 lc rgb '#A2D5F2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 21 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 8 lc rgb '#70425B' lw 2 dt (2,3) pt 15 ps 0.9
set style line 22 lc rgb '#70425B' lw 1.5 dt 1 pt 14 ps 1.9
set style line 9 lc rgb '#F1CA72' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 23 lc rgb '#F1CA72' lw 1.5 dt 1 pt 8 ps 1.9
set style line 10 lc rgb '#B4D572' lw 2 dt (2,3) pt 15 ps 0.9
set style line 24 lc rgb '#B4D572' lw 1.5 dt 1 pt 14 ps 1.9
set style line 11 lc rgb '#BFB572' lw 2 dt 1 pt 7 ps 0.9
set style line 25 lc rgb '#BFB572' lw 1.5 dt 1 pt 6 ps 1.9
set style line 12 lc rgb '#2F6380' lw 2 dt (6,3) pt 13 ps 0.9
set style line 26 lc rgb '#2F6380' lw 1.5 dt 1 pt 12 ps 1.9
set style line 13 lc rgb '#152D3A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 27 lc rgb '#152D3A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 14 lc rgb '#416200' lw 2 dt 1 pt 7 ps 0.9
set style line 28 lc rgb '#416200' lw 1.5 dt 1 pt 6 ps 1.9
set arrow from graph 0.9630, graph 0.0370 to graph 1.0368, graph 0.0370 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '1' at graph 1.0450, graph 0.0370 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.9630, graph 0.5295 to graph 1.0368, graph 0.2727 nohead back lc rgb '#A2D5F2' lw 1 dt (3,3)
set label '7' at graph 1.0450, graph 0.2727 left front noenhanced tc rgb '#A2D5F2'
set arrow from graph 0.9630, graph 0.6178 to graph 1.0368, graph 0.3333 nohead back lc rgb '#152D3A' lw 1 dt (3,3)
set label '13' at graph 1.0450, graph 0.3333 left front noenhanced tc rgb '#152D3A'
set arrow from graph 0.9630, graph 0.6201 to graph 1.0368, graph 0.3939 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '5' at graph 1.0450, graph 0.3939 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9630, graph 0.6201 to graph 1.0368, graph 0.4545 nohead back lc rgb '#E2B5CE' lw 1 dt (3,3)
set label '2' at graph 1.0450, graph 0.4545 left front noenhanced tc rgb '#E2B5CE'
set arrow from graph 0.9630, graph 0.6205 to graph 1.0368, graph 0.5152 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '6' at graph 1.0450, graph 0.5152 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9630, graph 0.6209 to graph 1.0368, graph 0.5758 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label '4' at graph 1.0450, graph 0.5758 left front noenhanced tc rgb '#77B300'
set arrow from graph 0.9630, graph 0.6226 to graph 1.0368, graph 0.6364 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '3' at graph 1.0450, graph 0.6364 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9630, graph 0.6446 to graph 1.0368, graph 0.6970 nohead back lc rgb '#416200' lw 1 dt (3,3)
set label '14' at graph 1.0450, graph 0.6970 left front noenhanced tc rgb '#416200'
set arrow from graph 0.9630, graph 0.7035 to graph 1.0368, graph 0.7576 nohead back lc rgb '#B4D572' lw 1 dt (3,3)
set label '10' at graph 1.0450, graph 0.7576 left front noenhanced tc rgb '#B4D572'
set arrow from graph 0.9630, graph 0.7357 to graph 1.0368, graph 0.8182 nohead back lc rgb '#2F6380' lw 1 dt (3,3)
set label '12' at graph 1.0450, graph 0.8182 left front noenhanced tc rgb '#2F6380'
set arrow from graph 0.9630, graph 0.7711 to graph 1.0368, graph 0.8788 nohead back lc rgb '#F1CA72' lw 1 dt (3,3)
set label '9' at graph 1.0450, graph 0.8788 left front noenhanced tc rgb '#F1CA72'
set arrow from graph 0.9630, graph 0.9111 to graph 1.0368, graph 0.9394 nohead back lc rgb '#BFB572' lw 1 dt (3,3)
set label '11' at graph 1.0450, graph 0.9394 left front noenhanced tc rgb '#BFB572'
set arrow from graph 0.9630, graph 0.9630 to graph 1.0368, graph 1.0000 nohead back lc rgb '#70425B' lw 1 dt (3,3)
set label '8' at graph 1.0450, graph 1.0000 left front noenhanced tc rgb '#70425B'
set rmargin at screen 0.9275
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,1007 font 'sans-serif,17' background rgb 'white'
	set output 'tuning.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,2014 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning.png'
}
if (!svg && png) {
	set terminal png size 1280,2014 font ',28' linewidth 2
	set output 'tuning.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning.txt'
}
plot NaN notitle, \
	'tuning.dat' index 0 using 1:2 with linespoints ls 1 title '1  ASGD, Adam, 1 worker', \
	'tuning.dat' index 1 using 1:2 with linespoints ls 2 title '2  ASGD, Adam, 4 workers', \
	'tuning.dat' index 2 using 1:2 with linespoints ls 3 title '3  staleness-aware, Adam, 4 workers', \
	'tuning.dat' index 3 using 1:2 with linespoints ls 4 title '4  gap-aware, Adam, 4 workers', \
	'tuning.dat' index 4 using 1:2 with linespoints ls 5 title '5  DC-ASGD, Adam, 4 workers', \
	'tuning.dat' index 5 using 1:2 with linespoints ls 6 title '6  prediction, Adam, 4 workers', \
	'tuning.dat' index 6 using 1:2 with linespoints ls 7 title '7  prediction with gap-aware, Adam, 4', \
	NaN with points pt ' ' title 'workers', \
	'tuning.dat' index 7 using 1:2 with linespoints ls 8 title '8  ASGD, Adam, 16 workers', \
	'tuning.dat' index 8 using 1:2 with linespoints ls 9 title '9  staleness-aware, Adam, 16 workers', \
	'tuning.dat' index 9 using 1:2 with linespoints ls 10 title '10  gap-aware, Adam, 16 workers', \
	'tuning.dat' index 10 using 1:2 with linespoints ls 11 title '11  DC-ASGD, Adam, 16 workers', \
	'tuning.dat' index 11 using 1:2 with linespoints ls 12 title '12  prediction, Adam, 16 workers', \
	'tuning.dat' index 12 using 1:2 with linespoints ls 13 title '13  prediction with gap-aware, Adam, 16', \
	NaN with points pt ' ' title 'workers', \
	'tuning.dat' index 13 using 1:2 with linespoints ls 14 title '14  gap-aware, Adam without momentum, 16', \
	NaN with points pt ' ' title 'workers'
if (svg && cairo) {
	set terminal pngcairo size 1280,2014 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,2014 font ',28' linewidth 2
	set output 'tuning.png'
	replot
}
set output
