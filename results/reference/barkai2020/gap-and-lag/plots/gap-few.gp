# Edit, and run in this folder: gnuplot gap-few.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title 'Gap during training, fewest workers' noenhanced
set ylabel 'gap' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '10^{/*1.15 %L}'
set xrange [0:1.55866]
set yrange [9.66791e-07:0.000980722]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 4 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 9 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 10 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 11 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 12 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 5 lc rgb '#A2D5F2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 13 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 6 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 14 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 15 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#B4D572' lw 2 dt (2,3) pt 15 ps 0.9
set style line 16 lc rgb '#B4D572' lw 1.5 dt 1 pt 14 ps 1.9
set arrow from graph 0.9625, graph 0.0411 to graph 1.0361, graph 0.0000 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.0000 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.9625, graph 0.0420 to graph 1.0361, graph 0.0606 nohead back lc rgb '#B4D572' lw 1 dt (3,3)
set label '8' at graph 1.0441, graph 0.0606 left front noenhanced tc rgb '#B4D572'
set arrow from graph 0.9625, graph 0.0625 to graph 1.0361, graph 0.1212 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.1212 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9625, graph 0.0653 to graph 1.0361, graph 0.1818 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.1818 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9625, graph 0.0869 to graph 1.0361, graph 0.2424 nohead back lc rgb '#A2D5F2' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.2424 left front noenhanced tc rgb '#A2D5F2'
set arrow from graph 0.9625, graph 0.1706 to graph 1.0361, graph 0.3030 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.3030 left front noenhanced tc rgb '#000000'
set arrow from graph 0.9625, graph 0.1746 to graph 1.0361, graph 0.3636 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.3636 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9625, graph 0.2198 to graph 1.0361, graph 0.4242 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.4242 left front noenhanced tc rgb '#77B300'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,773 font 'sans-serif,17' background rgb 'white'
	set output 'gap-few.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gap-few.png'
}
if (!svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'gap-few.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'gap-few.txt'
}
plot NaN notitle, \
	'gap-few.dat' index 0 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 1 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 2 using 1:3:4 with filledcurves fc rgb '#77B300' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 3 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 4 using 1:3:4 with filledcurves fc rgb '#A2D5F2' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 5 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 6 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 7 using 1:3:4 with filledcurves fc rgb '#B4D572' fs transparent solid 0.18 noborder notitle, \
	'gap-few.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'gap-few.dat' index 0 every 3::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title '1  NAG-ASGD, momentum 0.9', \
	'gap-few.dat' index 1 using 1:2 with lines ls 2 notitle, \
	'gap-few.dat' index 1 every 3::0 using 1:2 with points ls 2 notitle, \
	NaN with linespoints ls 2 title '2  staleness-aware, momentum 0.9', \
	'gap-few.dat' index 2 using 1:2 with lines ls 3 notitle, \
	'gap-few.dat' index 2 every 3::0 using 1:2 with points ls 3 notitle, \
	NaN with linespoints ls 3 title '3  gap-aware, momentum 0.9', \
	'gap-few.dat' index 3 using 1:2 with lines ls 4 notitle, \
	'gap-few.dat' index 3 every 3::1 using 1:2 with points ls 4 notitle, \
	NaN with linespoints ls 4 title '4  DANA, momentum 0.9', \
	'gap-few.dat' index 4 using 1:2 with lines ls 5 notitle, \
	'gap-few.dat' index 4 every 3::1 using 1:2 with points ls 5 notitle, \
	NaN with linespoints ls 5 title '5  DANA with gap-aware, momentum 0.9', \
	'gap-few.dat' index 5 using 1:2 with lines ls 6 notitle, \
	'gap-few.dat' index 5 every 3::1 using 1:2 with points ls 6 notitle, \
	NaN with linespoints ls 6 title '6  DC-ASGD, momentum 0.9', \
	'gap-few.dat' index 6 using 1:2 with lines ls 7 notitle, \
	'gap-few.dat' index 6 every 3::2 using 1:2 with points ls 7 notitle, \
	NaN with linespoints ls 7 title '7  ASGD, no momentum', \
	'gap-few.dat' index 7 using 1:2 with lines ls 8 notitle, \
	'gap-few.dat' index 7 every 3::2 using 1:2 with points ls 8 notitle, \
	NaN with linespoints ls 8 title '8  gap-aware, no momentum'
if (svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gap-few.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'gap-few.png'
	replot
}
set output
