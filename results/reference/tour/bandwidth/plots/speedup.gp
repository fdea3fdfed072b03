# Edit, and run in this folder: gnuplot speedup.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'bandwidth of a NIC [GB/s]' noenhanced
set title '16 workers, ResNet-20' noenhanced
set ylabel 'speedup over one worker' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '%g'
set format y '%g'
set xrange [0.00758578:13.1826]
set yrange [0:16.6363]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 4 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 2 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 5 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 6 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,597 font 'sans-serif,17' background rgb 'white'
	set output 'speedup.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1194 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'speedup.png'
}
if (!svg && png) {
	set terminal png size 1280,1194 font ',28' linewidth 2
	set output 'speedup.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'speedup.txt'
}
plot NaN notitle, \
	'speedup.dat' index 0 using 1:2 with linespoints ls 1 title 'server (ASGD)', \
	'speedup.dat' index 1 using 1:2 with linespoints ls 2 title 'ring (all-reduce)', \
	'speedup.dat' index 2 using 1:2 with linespoints ls 3 title 'gossip (AD-PSGD)'
if (svg && cairo) {
	set terminal pngcairo size 1280,1194 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'speedup.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1194 font ',28' linewidth 2
	set output 'speedup.png'
	replot
}
set output
