# Edit, and run in this folder: gnuplot gap-many.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title 'Gap during training, most workers' noenhanced
set ylabel 'gap' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '10^{/*1.15 %L}'
set xrange [0:1.55866]
set yrange [1.25963e-09:215087]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 4 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 6 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 7 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 4 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 9 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 5 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 10 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,685 font 'sans-serif,17' background rgb 'white'
	set output 'gap-many.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gap-many.png'
}
if (!svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'gap-many.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'gap-many.txt'
}
plot NaN notitle, \
	'gap-many.dat' index 0 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 1 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 2 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 3 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 4 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'gap-many.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'gap-many.dat' index 0 every 3::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title 'NAG-ASGD, momentum 0.9', \
	'gap-many.dat' index 1 using 1:2 with lines ls 2 notitle, \
	'gap-many.dat' index 1 every 3::0 using 1:2 with points ls 2 notitle, \
	NaN with linespoints ls 2 title 'staleness-aware, momentum 0.9', \
	'gap-many.dat' index 2 using 1:2 with lines ls 3 notitle, \
	'gap-many.dat' index 2 every 3::1 using 1:2 with points ls 3 notitle, \
	NaN with linespoints ls 3 title 'DANA, momentum 0.9', \
	'gap-many.dat' index 3 using 1:2 with linespoints ls 4 title 'DC-ASGD, momentum 0.9', \
	'gap-many.dat' index 4 using 1:2 with lines ls 5 notitle, \
	'gap-many.dat' index 4 every 3::2 using 1:2 with points ls 5 notitle, \
	NaN with linespoints ls 5 title 'ASGD, no momentum'
if (svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gap-many.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'gap-many.png'
	replot
}
set output
