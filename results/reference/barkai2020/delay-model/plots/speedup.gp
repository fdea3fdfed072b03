# Edit, and run in this folder: gnuplot speedup.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Speedup over one worker' noenhanced
set ylabel 'speedup' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('64' 64, '32' 32, '16' 16, '8' 8, '4' 4)
set logscale x
set logscale y
set ytics ('5' 5, '10' 10, '20' 20, '50' 50)
set xrange [3.5801:71.5064]
set yrange [2.15547:72.9849]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 10 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 5 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 2 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 6 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#E2B5CE' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 7 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#72B1D4' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#72B1D4' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,655 font 'sans-serif,17' background rgb 'white'
	set output 'speedup.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1310 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'speedup.png'
}
if (!svg && png) {
	set terminal png size 1280,1310 font ',28' linewidth 2
	set output 'speedup.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'speedup.txt'
}
plot NaN notitle, \
	'speedup.dat' index 0 using 1:2 with linespoints ls 1 title 'equal, asynchronous (1 seed)', \
	'speedup.dat' index 1 using 1:2 with linespoints ls 2 title 'equal, synchronous (1 seed)', \
	'speedup.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#E2B5CE' dt 1 lw 1.5 notitle, \
	'speedup.dat' index 2 using 1:2 with linespoints ls 3 title 'unequal, asynchronous', \
	'speedup.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#72B1D4' dt 1 lw 1.5 notitle, \
	'speedup.dat' index 3 using 1:2 with linespoints ls 4 title 'unequal, synchronous'
if (svg && cairo) {
	set terminal pngcairo size 1280,1310 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'speedup.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1310 font ',28' linewidth 2
	set output 'speedup.png'
	replot
}
set output
