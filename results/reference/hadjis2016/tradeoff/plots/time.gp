# Edit, and run in this folder: gnuplot time.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'compute groups' noenhanced
set title 'Time to a test loss of 0.4, learning rate 0.03' noenhanced
set ylabel 'virtual time [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set format y '%g'
set xrange [0.895025:17.8766]
set yrange [0:194.858]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 2 height 0 noenhanced
set key title "\nmean of 5 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 5 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 6 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 7 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 8 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set label '∞' at first 16, graph 0.97 center tc ls 2 front
set label '∞' at first 8, graph 0.92 center tc ls 3 front
set label '∞' at first 16, graph 0.92 center tc ls 3 front
set label '∞' at first 4, graph 0.87 center tc ls 4 front
set label '∞' at first 8, graph 0.87 center tc ls 4 front
set label '∞' at first 16, graph 0.87 center tc ls 4 front
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,626 font 'sans-serif,17' background rgb 'white'
	set output 'time.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time.png'
}
if (!svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'time.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'time.txt'
}
plot NaN notitle, \
	'time.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'time.dat' index 0 using 1:2 with linespoints ls 1 title 'momentum 0', \
	'time.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'time.dat' index 1 using 1:2 with linespoints ls 2 title 'momentum 0.3', \
	'time.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'time.dat' index 2 using 1:2 with linespoints ls 3 title 'momentum 0.6', \
	'time.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'time.dat' index 3 using 1:2 with linespoints ls 4 title 'momentum 0.9', \
	NaN with points lc rgb '#606060' pt '∞' title 'not reached'
if (svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'time.png'
	replot
}
set output
