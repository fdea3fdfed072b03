# Edit, and run in this folder: gnuplot accuracy-nodes.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Final test accuracy against workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('128' 128, '64' 64, '32' 32, '16' 16, '8' 8, '4' 4)
set logscale x
set format y '%g'
set xrange [3.4822:147.033]
set yrange [0.337935:0.55307]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 6 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt 1 pt 7 ps 0.9
set style line 7 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (2,3) pt 15 ps 0.9
set style line 8 lc rgb '#009E73' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#5A3FC0' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 9 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 10 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,685 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy-nodes.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-nodes.png'
}
if (!svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'accuracy-nodes.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy-nodes.txt'
}
plot NaN notitle, \
	'accuracy-nodes.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'accuracy-nodes.dat' index 0 using 1:2 with linespoints ls 1 title 'all-reduce', \
	'accuracy-nodes.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'accuracy-nodes.dat' index 1 using 1:2 with linespoints ls 2 title 'elastic', \
	'accuracy-nodes.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'accuracy-nodes.dat' index 2 using 1:2 with linespoints ls 3 title 'gossip, pull', \
	'accuracy-nodes.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5A3FC0' dt 1 lw 1.5 notitle, \
	'accuracy-nodes.dat' index 3 using 1:2 with linespoints ls 4 title 'gossip, push', \
	'accuracy-nodes.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'accuracy-nodes.dat' index 4 using 1:2 with linespoints ls 5 title 'parameter server'
if (svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-nodes.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'accuracy-nodes.png'
	replot
}
set output
