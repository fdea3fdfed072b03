# Edit, and run in this folder: gnuplot loss-time.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title 'Training loss against time' noenhanced
set ylabel 'training loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:9.49337]
set yrange [1.67179:2.26967]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set key title "mean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 5 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 6 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 3 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 7 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 8 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'loss-time.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-time.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'loss-time.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-time.txt'
}
plot NaN notitle, \
	'loss-time.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'loss-time.dat' index 1 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'loss-time.dat' index 2 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'loss-time.dat' index 0 using 1:2 with linespoints ls 1 title 'AllReduce', \
	'loss-time.dat' index 1 using 1:2 with linespoints ls 2 title 'D-PSGD', \
	'loss-time.dat' index 2 using 1:2 with linespoints ls 3 title 'AD-PSGD', \
	'loss-time.dat' index 3 using 1:2 with linespoints ls 4 title 'ASGD (1 seed)'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-time.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'loss-time.png'
	replot
}
set output
