# Edit, and run in this folder: gnuplot log.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Time of 100 updates, each worker its own group' noenhanced
set ylabel 'time of 100 updates [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set logscale y
set ytics ('10' 10, '20' 20, '50' 50, '100' 100)
set xrange [0.890818:20.2061]
set yrange [5.93879:138.907]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#000000' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 2 lc rgb '#000000' lw 1.5 dt 1 pt 8 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'log.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'log.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'log.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'log.txt'
}
plot NaN notitle, \
	'log.dat' index 0 using 1:2 with linespoints ls 1 title 'simulated', \
	'log.dat' index 1 using 1:2 with points ls 2 notitle, \
	NaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 title 'published'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'log.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'log.png'
	replot
}
set output
