# Edit, and run in this folder: gnuplot accuracy-32.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title 'Test accuracy, 32 workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:8.27996]
set yrange [0.08344:0.32806]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 5 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 6 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 7 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,626 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy-32.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-32.png'
}
if (!svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'accuracy-32.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy-32.txt'
}
plot NaN notitle, \
	'accuracy-32.dat' index 0 using 1:2 with linespoints ls 1 title 'NAG-ASGD', \
	'accuracy-32.dat' index 1 using 1:2 with linespoints ls 2 title 'staleness-aware', \
	'accuracy-32.dat' index 2 using 1:2 with linespoints ls 3 title 'gap-aware', \
	'accuracy-32.dat' index 3 using 1:2 with linespoints ls 4 title 'DANA with gap-aware'
if (svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-32.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'accuracy-32.png'
	replot
}
set output
