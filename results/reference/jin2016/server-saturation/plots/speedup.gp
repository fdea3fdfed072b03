# Edit, and run in this folder: gnuplot speedup.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Speedup over one worker (ResNet-18, 6 GB/s)' noenhanced
set ylabel 'speedup' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('128' 128, '64' 64, '32' 32, '16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set logscale y
set ytics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
set xrange [0.823591:155.417]
set yrange [0.749897:145.128]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 6 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt 1 pt 7 ps 0.9
set style line 7 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#A7B6BE' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 4 ps 1.9
set style line 4 lc rgb '#009E73' lw 2 dt (2,3) pt 15 ps 0.9
set style line 9 lc rgb '#009E73' lw 1.5 dt 1 pt 14 ps 1.9
set style line 5 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
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
	'speedup.dat' index 0 using 1:2 with linespoints ls 1 title 'server', \
	'speedup.dat' index 1 using 1:2 with linespoints ls 2 title 'elastic, every step', \
	'speedup.dat' index 2 using 1:2 with linespoints ls 3 title 'elastic, every 10 steps', \
	'speedup.dat' index 3 using 1:2 with linespoints ls 4 title 'gossip, pull', \
	'speedup.dat' index 4 using 1:2 with linespoints ls 5 title 'all-reduce'
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
