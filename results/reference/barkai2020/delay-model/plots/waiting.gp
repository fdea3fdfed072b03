# Edit, and run in this folder: gnuplot waiting.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title "Share of the workers' time spent waiting for others" noenhanced
set ylabel 'share of time waiting' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('64' 64, '32' 32, '16' 16, '8' 8, '4' 4)
set logscale x
set format y '%g'
set xrange [3.5801:71.5064]
set yrange [0:0.730076]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 2 height 0 noenhanced
set key title "\nmean of 10 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 3 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 4 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'waiting.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'waiting.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'waiting.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'waiting.txt'
}
plot NaN notitle, \
	'waiting.dat' index 0 using 1:2 with linespoints ls 1 title 'equal (1 seed)', \
	'waiting.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'waiting.dat' index 1 using 1:2 with linespoints ls 2 title 'unequal'
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'waiting.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'waiting.png'
	replot
}
set output
