# Edit, and run in this folder: gnuplot loss.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epochs' noenhanced
set title 'Test loss, momentum 0.6, learning rate 0.01' noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '%g'
set xrange [0:0.8312]
set yrange [0.0257614:313.258]
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
set arrow from graph 0.9625, graph 0.1362 to graph 1.0361, graph 0.0009 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.0009 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9625, graph 0.1362 to graph 1.0361, graph 0.0615 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.0615 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9625, graph 0.1394 to graph 1.0361, graph 0.1221 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.1221 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.9625, graph 0.1459 to graph 1.0361, graph 0.1827 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.1827 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.9625, graph 0.1614 to graph 1.0361, graph 0.2433 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.2433 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9625, graph 0.1954 to graph 1.0361, graph 0.3039 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '8' at graph 1.0441, graph 0.3039 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.0962, graph 1.0000 to graph 1.0361, graph 0.9394 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.9394 left front noenhanced tc rgb '#000000'
set arrow from graph 0.0725, graph 1.0000 to graph 1.0361, graph 1.0000 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 1.0000 left front noenhanced tc rgb '#E69F00'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,773 font 'sans-serif,17' background rgb 'white'
	set output 'loss.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss.png'
}
if (!svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'loss.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss.txt'
}
plot NaN notitle, \
	'loss.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 1 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 2 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 3 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 4 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 5 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 6 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 7 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'loss.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'loss.dat' index 0 every 3::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title '1  1 group, joined', \
	'loss.dat' index 1 using 1:2 with lines ls 2 notitle, \
	'loss.dat' index 1 every 3::0 using 1:2 with points ls 2 notitle, \
	NaN with linespoints ls 2 title '2  1 group, apart', \
	'loss.dat' index 2 using 1:2 with lines ls 3 notitle, \
	'loss.dat' index 2 every 3::0 using 1:2 with points ls 3 notitle, \
	NaN with linespoints ls 3 title '3  4 groups, joined', \
	'loss.dat' index 3 using 1:2 with lines ls 4 notitle, \
	'loss.dat' index 3 every 3::1 using 1:2 with points ls 4 notitle, \
	NaN with linespoints ls 4 title '4  4 groups, apart', \
	'loss.dat' index 4 using 1:2 with linespoints ls 5 title '5  8 groups, joined (rises to 2e+16)', \
	'loss.dat' index 5 using 1:2 with lines ls 6 notitle, \
	'loss.dat' index 5 every 3::1 using 1:2 with points ls 6 notitle, \
	NaN with linespoints ls 6 title '6  8 groups, apart', \
	'loss.dat' index 6 using 1:2 with linespoints ls 7 title '7  16 groups, joined (rises to 8e+17)', \
	'loss.dat' index 7 using 1:2 with lines ls 8 notitle, \
	'loss.dat' index 7 every 3::2 using 1:2 with points ls 8 notitle, \
	NaN with linespoints ls 8 title '8  16 groups, apart'
if (svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'loss.png'
	replot
}
set output
