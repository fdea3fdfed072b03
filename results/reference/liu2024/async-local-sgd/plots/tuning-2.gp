# Edit, and run in this folder: gnuplot tuning-2.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs (2 of 4): async-local-sgd' noenhanced
set ylabel 'test loss [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('0.005' 0.005, '0.01' 0.01, '0.02' 0.02)
set format y '%g'
set xrange [0.00273603:0.0328943]
set yrange [0:7.22112]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 17 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 18 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 19 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 20 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#E69F00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 21 lc rgb '#E69F00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 6 lc rgb '#56B4E9' lw 2 dt (2,3) pt 15 ps 0.9
set style line 22 lc rgb '#56B4E9' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 23 lc rgb '#000000' lw 1.5 dt 1 pt 6 ps 1.9
set style line 8 lc rgb '#8C7A00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 24 lc rgb '#8C7A00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 9 lc rgb '#8A1C56' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 25 lc rgb '#8A1C56' lw 1.5 dt 1 pt 8 ps 1.9
set style line 10 lc rgb '#5A3FC0' lw 2 dt (6,3) pt 13 ps 0.9
set style line 26 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 12 ps 1.9
set style line 11 lc rgb '#7A4A21' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 27 lc rgb '#7A4A21' lw 1.5 dt 1 pt 10 ps 1.9
set style line 12 lc rgb '#5F7C8A' lw 2 dt (2,3) pt 15 ps 0.9
set style line 28 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 14 ps 1.9
set style line 13 lc rgb '#77B300' lw 2 dt 1 pt 7 ps 0.9
set style line 29 lc rgb '#77B300' lw 1.5 dt 1 pt 6 ps 1.9
set style line 14 lc rgb '#FF6F91' lw 2 dt (14,4) pt 5 ps 0.9
set style line 30 lc rgb '#FF6F91' lw 1.5 dt 1 pt 4 ps 1.9
set style line 15 lc rgb '#00B5AD' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 31 lc rgb '#00B5AD' lw 1.5 dt 1 pt 8 ps 1.9
set style line 16 lc rgb '#72B1D4' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 32 lc rgb '#72B1D4' lw 1.5 dt 1 pt 10 ps 1.9
set arrow from graph 0.9630, graph 0.1895 to graph 1.0368, graph 0.0000 nohead back lc rgb '#FF6F91' lw 1 dt (3,3)
set label '14' at graph 1.0450, graph 0.0000 left front noenhanced tc rgb '#FF6F91'
set arrow from graph 0.9630, graph 0.1897 to graph 1.0368, graph 0.0606 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label '10' at graph 1.0450, graph 0.0606 left front noenhanced tc rgb '#5A3FC0'
set arrow from graph 0.9630, graph 0.1917 to graph 1.0368, graph 0.1212 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '6' at graph 1.0450, graph 0.1212 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9630, graph 0.1921 to graph 1.0368, graph 0.1818 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label '5' at graph 1.0450, graph 0.1818 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.9630, graph 0.1928 to graph 1.0368, graph 0.2424 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label '1' at graph 1.0450, graph 0.2424 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9630, graph 0.1932 to graph 1.0368, graph 0.3030 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label '13' at graph 1.0450, graph 0.3030 left front noenhanced tc rgb '#77B300'
set arrow from graph 0.9630, graph 0.1935 to graph 1.0368, graph 0.3636 nohead back lc rgb '#8A1C56' lw 1 dt (3,3)
set label '9' at graph 1.0450, graph 0.3636 left front noenhanced tc rgb '#8A1C56'
set arrow from graph 0.9630, graph 0.1953 to graph 1.0368, graph 0.4242 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '7' at graph 1.0450, graph 0.4242 left front noenhanced tc rgb '#000000'
set arrow from graph 0.9630, graph 0.1993 to graph 1.0368, graph 0.4848 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label '2' at graph 1.0450, graph 0.4848 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9630, graph 0.2023 to graph 1.0368, graph 0.5455 nohead back lc rgb '#00B5AD' lw 1 dt (3,3)
set label '15' at graph 1.0450, graph 0.5455 left front noenhanced tc rgb '#00B5AD'
set arrow from graph 0.9630, graph 0.2159 to graph 1.0368, graph 0.6061 nohead back lc rgb '#7A4A21' lw 1 dt (3,3)
set label '11' at graph 1.0450, graph 0.6061 left front noenhanced tc rgb '#7A4A21'
set arrow from graph 0.9630, graph 0.2304 to graph 1.0368, graph 0.6667 nohead back lc rgb '#72B1D4' lw 1 dt (3,3)
set label '16' at graph 1.0450, graph 0.6667 left front noenhanced tc rgb '#72B1D4'
set arrow from graph 0.9630, graph 0.2451 to graph 1.0368, graph 0.7273 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label '12' at graph 1.0450, graph 0.7273 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.9630, graph 0.2457 to graph 1.0368, graph 0.7879 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label '3' at graph 1.0450, graph 0.7879 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.9630, graph 0.3610 to graph 1.0368, graph 0.8485 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '8' at graph 1.0450, graph 0.8485 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9630, graph 0.8158 to graph 1.0368, graph 0.9091 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label '4' at graph 1.0450, graph 0.9091 left front noenhanced tc rgb '#CC79A7'
set rmargin at screen 0.9275
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,1125 font 'sans-serif,17' background rgb 'white'
	set output 'tuning-2.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,2250 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-2.png'
}
if (!svg && png) {
	set terminal png size 1280,2250 font ',28' linewidth 2
	set output 'tuning-2.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning-2.txt'
}
plot NaN notitle, \
	'tuning-2.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 0 using 1:2 with linespoints ls 1 title '1  outer lr 0.0175, equal', \
	'tuning-2.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 1 using 1:2 with linespoints ls 2 title '2  outer lr 0.035, equal', \
	'tuning-2.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 2 using 1:2 with linespoints ls 3 title '3  outer lr 0.07, equal', \
	'tuning-2.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 3 using 1:2 with linespoints ls 4 title '4  outer lr 0.2, equal', \
	'tuning-2.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#E69F00' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 4 using 1:2 with linespoints ls 5 title '5  outer lr 0.0175, very unequal', \
	'tuning-2.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#56B4E9' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 5 using 1:2 with linespoints ls 6 title '6  outer lr 0.035, very unequal', \
	'tuning-2.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 6 using 1:2 with linespoints ls 7 title '7  outer lr 0.07, very unequal', \
	'tuning-2.dat' index 7 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#8C7A00' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 7 using 1:2 with linespoints ls 8 title '8  outer lr 0.2, very unequal', \
	'tuning-2.dat' index 8 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#8A1C56' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 8 using 1:2 with linespoints ls 9 title '9  outer momentum 0, outer lr 0.0875, equal', \
	'tuning-2.dat' index 9 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5A3FC0' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 9 using 1:2 with linespoints ls 10 title '10  outer momentum 0, outer lr 0.175, equal', \
	'tuning-2.dat' index 10 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#7A4A21' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 10 using 1:2 with linespoints ls 11 title '11  outer momentum 0, outer lr 0.35, equal', \
	'tuning-2.dat' index 11 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 11 using 1:2 with linespoints ls 12 title '12  outer momentum 0, outer lr 0.7, equal', \
	'tuning-2.dat' index 12 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#77B300' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 12 using 1:2 with linespoints ls 13 title '13  outer momentum 0, outer lr 0.0875, very', \
	NaN with points pt ' ' title 'unequal', \
	'tuning-2.dat' index 13 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#FF6F91' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 13 using 1:2 with linespoints ls 14 title '14  outer momentum 0, outer lr 0.175, very', \
	NaN with points pt ' ' title 'unequal', \
	'tuning-2.dat' index 14 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#00B5AD' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 14 using 1:2 with linespoints ls 15 title '15  outer momentum 0, outer lr 0.35, very', \
	NaN with points pt ' ' title 'unequal', \
	'tuning-2.dat' index 15 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#72B1D4' dt 1 lw 1.5 notitle, \
	'tuning-2.dat' index 15 using 1:2 with linespoints ls 16 title '16  outer momentum 0, outer lr 0.7, very', \
	NaN with points pt ' ' title 'unequal'
if (svg && cairo) {
	set terminal pngcairo size 1280,2250 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-2.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,2250 font ',28' linewidth 2
	set output 'tuning-2.png'
	replot
}
set output
