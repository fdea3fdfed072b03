# Edit, and run in this folder: gnuplot accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'batch / 128' noenhanced
set title 'Test accuracy against batch / 128' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('64' 64, '32' 32, '16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set format y '%g'
set xrange [0.846745:75.5835]
set yrange [0.209358:0.715808]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
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
	set terminal svg size 640,626 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy.txt'
}
plot NaN notitle, \
	'accuracy.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 0 using 1:2 with linespoints ls 1 title 'SGD', \
	'accuracy.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 1 using 1:2 with linespoints ls 2 title 'linear scaling, warm-up', \
	'accuracy.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 2 using 1:2 with linespoints ls 3 title 'LARS, warm-up'
if (svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'accuracy.png'
	replot
}
set output
