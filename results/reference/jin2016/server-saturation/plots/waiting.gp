# Edit, and run in this folder: gnuplot waiting.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title "Share of the workers' time spent waiting" noenhanced
set ylabel 'share of time waiting' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('128' 128, '64' 64, '32' 32, '16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set format y '%g'
set xrange [0.823591:155.417]
set yrange [-0.0327888:0.852509]
set key top left Left reverse samplen 3 spacing 1.15 noenhanced
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
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'waiting.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'waiting.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'waiting.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'waiting.txt'
}
plot NaN notitle, \
	'waiting.dat' index 0 using 1:2 with linespoints ls 1 title 'server', \
	'waiting.dat' index 1 using 1:2 with linespoints ls 2 title 'elastic, every step', \
	'waiting.dat' index 2 using 1:2 with linespoints ls 3 title 'elastic, every 10 steps', \
	'waiting.dat' index 3 using 1:2 with linespoints ls 4 title 'gossip, pull', \
	'waiting.dat' index 4 using 1:2 with linespoints ls 5 title 'all-reduce'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'waiting.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'waiting.png'
	replot
}
set output
