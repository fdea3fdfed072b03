# Edit, and run in this folder: gnuplot groups.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'compute groups' noenhanced
set title 'Time of 100 updates, 16 workers' noenhanced
set ylabel 'time of 100 updates [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set logscale y
set ytics ('10' 10, '20' 20, '50' 50, '100' 100)
set xrange [0.895025:17.8766]
set yrange [6.74667:113.931]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 4 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 5 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 6 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'groups.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'groups.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'groups.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'groups.txt'
}
plot NaN notitle, \
	'groups.dat' index 0 using 1:2 with linespoints ls 1 title 'free server', \
	'groups.dat' index 1 using 1:2 with linespoints ls 2 title 'server takes 0.1 s a step', \
	'groups.dat' index 2 using 1:2 with linespoints ls 3 title 'server takes 0.2 s a step'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'groups.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'groups.png'
	replot
}
set output
