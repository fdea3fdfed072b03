# Edit, and run in this folder: gnuplot tuning-6.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs (6 of 6)' noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '%g'
set format y '%g'
set xrange [0.00040451:0.123606]
set yrange [1.89026:2.35605]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#5F7C8A' lw 2 dt 1 pt 7 ps 0.9
set style line 2 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 6 ps 1.9
set label '∞' at first 0.1, graph 0.97 center tc ls 1 front
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'tuning-6.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-6.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'tuning-6.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning-6.txt'
}
plot NaN notitle, \
	'tuning-6.dat' index 0 using 1:2 with linespoints ls 1 title 'eamsgd, sgd, momentum 0.9, nesterov true', \
	NaN with points lc rgb '#606060' pt '∞' title 'infinite'
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-6.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'tuning-6.png'
	replot
}
set output
