# Edit, and run in this folder: gnuplot tuning-1.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs (1 of 2)' noenhanced
set ylabel 'test loss [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('0.0005' 0.0005, '0.001' 0.001, '0.002' 0.002, '0.005' 0.005, '0.01' 0.01, '0.02' 0.02, '0.05' 0.05)
set format y '%g'
set xrange [0.000415882:0.0601132]
set yrange [1.98378:3.08731]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 11 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 3 lc rgb '#A7B6BE' lw 2 dt (2,3) pt 15 ps 0.9
set style line 12 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#34444B' lw 2 dt 1 pt 7 ps 0.9
set style line 13 lc rgb '#34444B' lw 1.5 dt 1 pt 6 ps 1.9
set style line 5 lc rgb '#171F22' lw 2 dt (14,4) pt 5 ps 0.9
set style line 14 lc rgb '#171F22' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#5F7C8A' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 15 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 8 ps 1.9
set style line 7 lc rgb '#A7B6BE' lw 2 dt (6,3) pt 13 ps 0.9
set style line 16 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#34444B' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 17 lc rgb '#34444B' lw 1.5 dt 1 pt 10 ps 1.9
set style line 9 lc rgb '#171F22' lw 2 dt (2,3) pt 15 ps 0.9
set style line 18 lc rgb '#171F22' lw 1.5 dt 1 pt 14 ps 1.9
set arrow from graph 0.9630, graph 0.2158 to graph 1.0361, graph 0.2158 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.2158 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.8603, graph 0.5029 to graph 1.0361, graph 0.4204 nohead back lc rgb '#171F22' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.4204 left front noenhanced tc rgb '#171F22'
set arrow from graph 0.8603, graph 0.5517 to graph 1.0361, graph 0.4810 nohead back lc rgb '#34444B' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.4810 left front noenhanced tc rgb '#34444B'
set arrow from graph 0.8603, graph 0.5577 to graph 1.0361, graph 0.5416 nohead back lc rgb '#34444B' lw 1 dt (3,3)
set label '8' at graph 1.0441, graph 0.5416 left front noenhanced tc rgb '#34444B'
set arrow from graph 0.8603, graph 0.6048 to graph 1.0361, graph 0.6022 nohead back lc rgb '#171F22' lw 1 dt (3,3)
set label '9' at graph 1.0441, graph 0.6022 left front noenhanced tc rgb '#171F22'
set arrow from graph 0.8603, graph 0.6259 to graph 1.0361, graph 0.6628 nohead back lc rgb '#A7B6BE' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.6628 left front noenhanced tc rgb '#A7B6BE'
set arrow from graph 0.8603, graph 0.6476 to graph 1.0361, graph 0.7234 nohead back lc rgb '#A7B6BE' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.7234 left front noenhanced tc rgb '#A7B6BE'
set arrow from graph 0.8603, graph 0.7428 to graph 1.0361, graph 0.7840 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.7840 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.8603, graph 0.8267 to graph 1.0361, graph 0.8446 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.8446 left front noenhanced tc rgb '#5F7C8A'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,1037 font 'sans-serif,17' background rgb 'white'
	set output 'tuning-1.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,2074 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-1.png'
}
if (!svg && png) {
	set terminal png size 1280,2074 font ',28' linewidth 2
	set output 'tuning-1.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning-1.txt'
}
plot NaN notitle, \
	'tuning-1.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 0 using 1:2 with linespoints ls 1 title '1  all from one text, all-reduce', \
	'tuning-1.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 1 using 1:2 with linespoints ls 2 title '2  all from one text, diloco, period 10,', \
	NaN with points pt ' ' title 'outer lr 0.05', \
	'tuning-1.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A7B6BE' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 2 using 1:2 with linespoints ls 3 title '3  all from one text, diloco, period 10,', \
	NaN with points pt ' ' title 'outer lr 0.1', \
	'tuning-1.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#34444B' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 3 using 1:2 with linespoints ls 4 title '4  all from one text, diloco, period 10,', \
	NaN with points pt ' ' title 'outer lr 0.2', \
	'tuning-1.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#171F22' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 4 using 1:2 with linespoints ls 5 title '5  all from one text, diloco, period 10,', \
	NaN with points pt ' ' title 'outer lr 0.4', \
	'tuning-1.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 5 using 1:2 with linespoints ls 6 title '6  all from one text, diloco, period 25,', \
	NaN with points pt ' ' title 'outer lr 0.1', \
	'tuning-1.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A7B6BE' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 6 using 1:2 with linespoints ls 7 title '7  all from one text, diloco, period 25,', \
	NaN with points pt ' ' title 'outer lr 0.2', \
	'tuning-1.dat' index 7 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#34444B' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 7 using 1:2 with linespoints ls 8 title '8  all from one text, diloco, period 25,', \
	NaN with points pt ' ' title 'outer lr 0.4', \
	'tuning-1.dat' index 8 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#171F22' dt 1 lw 1.5 notitle, \
	'tuning-1.dat' index 8 using 1:2 with linespoints ls 9 title '9  all from one text, diloco, period 25,', \
	NaN with points pt ' ' title 'outer lr 0.7'
if (svg && cairo) {
	set terminal pngcairo size 1280,2074 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-1.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,2074 font ',28' linewidth 2
	set output 'tuning-1.png'
	replot
}
set output
