# Edit, and run in this folder: gnuplot accuracy-time-8.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title 'Test accuracy against time, 8 workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:1696.67]
set yrange [0.348072:0.578328]
set key bottom right Left reverse samplen 3 spacing 1.15 noenhanced
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
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy-time-8.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-time-8.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'accuracy-time-8.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy-time-8.txt'
}
plot NaN notitle, \
	'accuracy-time-8.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'accuracy-time-8.dat' index 0 every 6::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title 'all-reduce', \
	'accuracy-time-8.dat' index 1 using 1:2 with lines ls 2 notitle, \
	'accuracy-time-8.dat' index 1 every 6::1 using 1:2 with points ls 2 notitle, \
	NaN with linespoints ls 2 title 'elastic', \
	'accuracy-time-8.dat' index 2 using 1:2 with lines ls 3 notitle, \
	'accuracy-time-8.dat' index 2 every 6::2 using 1:2 with points ls 3 notitle, \
	NaN with linespoints ls 3 title 'gossip, pull', \
	'accuracy-time-8.dat' index 3 using 1:2 with lines ls 4 notitle, \
	'accuracy-time-8.dat' index 3 every 6::3 using 1:2 with points ls 4 notitle, \
	NaN with linespoints ls 4 title 'gossip, push', \
	'accuracy-time-8.dat' index 4 using 1:2 with lines ls 5 notitle, \
	'accuracy-time-8.dat' index 4 every 6::4 using 1:2 with points ls 5 notitle, \
	NaN with linespoints ls 5 title 'parameter server'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-time-8.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'accuracy-time-8.png'
	replot
}
set output
