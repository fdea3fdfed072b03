# Edit, and run in this folder: gnuplot accuracy-time.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title "Test accuracy against time of the whole run, some of the\nmethods: equal workers" noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('3.5' 3.5, '4' 4, '4.5' 4.5, '5' 5, '5.5' 5.5)
set format y '%g'
set xrange [3.45965:5.51301]
set yrange [0.441854:0.650973]
set key top left Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 15 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#8C7A00' lw 2 dt 1 pt 7 ps 0.9
set style line 16 lc rgb '#8C7A00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#E69F00' lw 2 dt 1 pt 7 ps 0.9
set style line 17 lc rgb '#E69F00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 4 lc rgb '#00B5AD' lw 2 dt 1 pt 7 ps 0.9
set style line 18 lc rgb '#00B5AD' lw 1.5 dt 1 pt 6 ps 1.9
set style line 5 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 19 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 6 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 20 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 7 lc rgb '#FF6F91' lw 2 dt 1 pt 7 ps 0.9
set style line 21 lc rgb '#FF6F91' lw 1.5 dt 1 pt 6 ps 1.9
set style line 8 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 22 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 9 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 23 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 10 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 24 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 11 lc rgb '#000000' lw 2 dt (2,3) pt 15 ps 0.9
set style line 25 lc rgb '#000000' lw 1.5 dt 1 pt 14 ps 1.9
set style line 12 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 26 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 13 lc rgb '#5A3FC0' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 27 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 8 ps 1.9
set style line 14 lc rgb '#8A1C56' lw 2 dt (2,3) pt 15 ps 0.9
set style line 28 lc rgb '#8A1C56' lw 1.5 dt 1 pt 14 ps 1.9
set label 'AllReduce' at graph 0.6561, graph 0.3965 left front noenhanced tc rgb '#0072B2'
set label 'backup' at graph 0.6098, graph 0.5363 left front noenhanced tc rgb '#8C7A00'
set label 'k-sync' at graph 0.8146, graph 0.6410 left front noenhanced tc rgb '#E69F00'
set label 'local-sgd' at graph 0.3375, graph 0.2228 left front noenhanced tc rgb '#00B5AD'
set label 'd-psgd' at graph 0.5251, graph 0.3508 left front noenhanced tc rgb '#009E73'
set label 'asgd' at graph 0.1260, graph 0.1930 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.0564, graph 0.4555 to graph 0.1084, graph 0.5192 nohead back lc rgb '#FF6F91' lw 1 dt (3,3)
set label 'hogwild' at graph 0.1084, graph 0.5343 left front noenhanced tc rgb '#FF6F91'
set arrow from graph 0.1000, graph 0.2775 to graph 0.1520, graph 0.3412 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label 'gap-aware' at graph 0.1520, graph 0.3563 left front noenhanced tc rgb '#77B300'
set label 'dana' at graph 0.1260, graph 0.4406 left front noenhanced tc rgb '#56B4E9'
set label 'diloco' at graph 0.3375, graph 0.5087 left front noenhanced tc rgb '#5F7C8A'
set label 'demo' at graph 0.7635, graph 0.8944 left front noenhanced tc rgb '#000000'
set arrow from graph 0.0370, graph 0.3429 to graph 0.2170, graph 0.6005 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'ad-psgd' at graph 0.2170, graph 0.6156 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.0370, graph 0.2871 to graph 0.1690, graph 0.1022 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label 'gossip-push' at graph 0.1690, graph 0.0871 left front noenhanced tc rgb '#5A3FC0'
set label 'osgp' at graph 0.1607, graph 0.2934 left front noenhanced tc rgb '#8A1C56'
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,509 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy-time.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1018 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-time.png'
}
if (!svg && png) {
	set terminal png size 1280,1018 font ',28' linewidth 2
	set output 'accuracy-time.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy-time.txt'
}
plot NaN notitle, \
	'accuracy-time.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'accuracy-time.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#8C7A00' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'accuracy-time.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#E69F00' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'accuracy-time.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#00B5AD' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'accuracy-time.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'accuracy-time.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'accuracy-time.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#FF6F91' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	'accuracy-time.dat' index 7 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#77B300' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 7 using 1:2 with linespoints ls 8 notitle, \
	'accuracy-time.dat' index 8 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#56B4E9' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 8 using 1:2 with linespoints ls 9 notitle, \
	'accuracy-time.dat' index 9 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 9 using 1:2 with linespoints ls 10 notitle, \
	'accuracy-time.dat' index 10 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 10 using 1:2 with linespoints ls 11 notitle, \
	'accuracy-time.dat' index 11 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 11 using 1:2 with linespoints ls 12 notitle, \
	'accuracy-time.dat' index 12 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5A3FC0' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 12 using 1:2 with linespoints ls 13 notitle, \
	'accuracy-time.dat' index 13 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#8A1C56' dt 1 lw 1.5 notitle, \
	'accuracy-time.dat' index 13 using 1:2 with linespoints ls 14 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,1018 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-time.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1018 font ',28' linewidth 2
	set output 'accuracy-time.png'
	replot
}
set output
