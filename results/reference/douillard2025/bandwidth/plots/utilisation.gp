# Edit, and run in this folder: gnuplot utilisation.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'bandwidth of a NIC [GB/s]' noenhanced
set title "Share of time communicating, two replicas, 1 billion\nparameters" noenhanced
set ylabel 'share of time communicating' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '%g'
set format y '%g'
set xrange [0.037398:95.0921]
set yrange [-0.0399001:1.0374]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 6 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 7 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (6,3) pt 13 ps 0.9
set style line 8 lc rgb '#77B300' lw 1.5 dt 1 pt 12 ps 1.9
set style line 4 lc rgb '#B4D572' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 9 lc rgb '#B4D572' lw 1.5 dt 1 pt 10 ps 1.9
set style line 5 lc rgb '#416200' lw 2 dt (2,3) pt 15 ps 0.9
set style line 10 lc rgb '#416200' lw 1.5 dt 1 pt 14 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,714 font 'sans-serif,17' background rgb 'white'
	set output 'utilisation.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'utilisation.png'
}
if (!svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'utilisation.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'utilisation.txt'
}
plot NaN notitle, \
	'utilisation.dat' index 0 using 1:2 with linespoints ls 1 title 'data parallel, 16 bits', \
	'utilisation.dat' index 1 using 1:2 with linespoints ls 2 title 'DiLoCo, 16 bits', \
	'utilisation.dat' index 2 using 1:2 with linespoints ls 3 title 'streaming DiLoCo, 16 bits', \
	'utilisation.dat' index 3 using 1:2 with linespoints ls 4 title 'streaming, overlapping 1 step, 16 bits', \
	'utilisation.dat' index 4 using 1:2 with linespoints ls 5 title 'streaming, overlapping 1 step, 4 bits', \
	'utilisation.dat' index 5 using 1:2 with points ls 6 notitle, \
	'utilisation.dat' index 6 using 1:2 with points ls 7 notitle, \
	'utilisation.dat' index 7 using 1:2 with points ls 8 notitle, \
	'utilisation.dat' index 8 using 1:2 with points ls 9 notitle, \
	'utilisation.dat' index 9 using 1:2 with points ls 10 notitle, \
	NaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 title 'published'
if (svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'utilisation.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'utilisation.png'
	replot
}
set output
