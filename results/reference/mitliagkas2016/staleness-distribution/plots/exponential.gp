# Edit, and run in this folder: gnuplot exponential.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'staleness [steps]' noenhanced
set title 'Staleness with exponential compute times' noenhanced
set ylabel 'gradients of 100000' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '%g'
set xrange [-28.16:732.16]
set yrange [0.666919:37505.3]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 6 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 7 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 8 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 9 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#E69F00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 10 lc rgb '#E69F00' lw 1.5 dt 1 pt 10 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'exponential.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'exponential.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'exponential.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'exponential.txt'
}
plot NaN notitle, \
	'exponential.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'exponential.dat' index 0 every 3::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title '4 workers', \
	'exponential.dat' index 1 using 1:2 with lines ls 2 notitle, \
	'exponential.dat' index 1 every 8::1 using 1:2 with points ls 2 notitle, \
	NaN with linespoints ls 2 title '10 workers', \
	'exponential.dat' index 2 using 1:2 with lines ls 3 notitle, \
	'exponential.dat' index 2 every 15::6 using 1:2 with points ls 3 notitle, \
	NaN with linespoints ls 3 title '20 workers', \
	'exponential.dat' index 3 using 1:2 with lines ls 4 notitle, \
	'exponential.dat' index 3 every 28::16 using 1:2 with points ls 4 notitle, \
	NaN with linespoints ls 4 title '40 workers', \
	'exponential.dat' index 4 using 1:2 with lines ls 5 notitle, \
	'exponential.dat' index 4 every 38::30 using 1:2 with points ls 5 notitle, \
	NaN with linespoints ls 5 title '60 workers'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'exponential.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'exponential.png'
	replot
}
set output
