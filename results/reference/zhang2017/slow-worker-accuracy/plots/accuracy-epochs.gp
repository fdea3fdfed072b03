# Edit, and run in this folder: gnuplot accuracy-epochs.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title 'Test accuracy against epochs, one slow worker of 16' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0.22025:1.02999]
set yrange [0.34803:0.44791]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 2 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 5 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 2 lc rgb '#E7A672' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 6 lc rgb '#E7A672' lw 1.5 dt 1 pt 8 ps 1.9
set style line 3 lc rgb '#753300' lw 2 dt (6,3) pt 13 ps 0.9
set style line 7 lc rgb '#753300' lw 1.5 dt 1 pt 12 ps 1.9
set style line 4 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 8 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,655 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy-epochs.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1310 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-epochs.png'
}
if (!svg && png) {
	set terminal png size 1280,1310 font ',28' linewidth 2
	set output 'accuracy-epochs.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy-epochs.txt'
}
plot NaN notitle, \
	'accuracy-epochs.dat' index 0 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'accuracy-epochs.dat' index 1 using 1:3:4 with filledcurves fc rgb '#E7A672' fs transparent solid 0.18 noborder notitle, \
	'accuracy-epochs.dat' index 2 using 1:3:4 with filledcurves fc rgb '#753300' fs transparent solid 0.18 noborder notitle, \
	'accuracy-epochs.dat' index 3 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'accuracy-epochs.dat' index 0 using 1:2 with linespoints ls 1 title 'AD-PSGD, none slow', \
	'accuracy-epochs.dat' index 1 using 1:2 with linespoints ls 2 title 'AD-PSGD, one 10X slower', \
	'accuracy-epochs.dat' index 2 using 1:2 with linespoints ls 3 title 'AD-PSGD, one 100X slower', \
	'accuracy-epochs.dat' index 3 using 1:2 with linespoints ls 4 title 'AllReduce, none slow'
if (svg && cairo) {
	set terminal pngcairo size 1280,1310 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy-epochs.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1310 font ',28' linewidth 2
	set output 'accuracy-epochs.png'
	replot
}
set output
