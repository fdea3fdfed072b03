# Edit, and run in this folder: gnuplot time.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Time per epoch' noenhanced
set ylabel 'time per epoch [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [-0.6:1.6]
set yrange [0:273.219]
set xtics noenhanced ('equal' 0, 'unequal' 1) scale 0
set grid noxtics
set boxwidth 0.12
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 7 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 9 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 10 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 5 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 11 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 6 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,714 font 'sans-serif,17' background rgb 'white'
	set output 'time.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time.png'
}
if (!svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'time.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'time.txt'
}
plot NaN notitle, \
	'time.dat' index 0 using 1:2 with boxes ls 1 dt 1 lw 1 fs solid 0.9 border title 'NAG-ASGD', \
	'time.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'time.dat' index 1 using 1:2 with boxes ls 2 dt 1 lw 1 fs solid 0.9 border title 'staleness-aware', \
	'time.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'time.dat' index 2 using 1:2 with boxes ls 3 dt 1 lw 1 fs solid 0.9 border title 'gap-aware', \
	'time.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'time.dat' index 3 using 1:2 with boxes ls 4 dt 1 lw 1 fs solid 0.9 border title 'DANA with gap-aware', \
	'time.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'time.dat' index 4 using 1:2 with boxes ls 5 dt 1 lw 1 fs solid 0.9 border title 'ASGD', \
	'time.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'time.dat' index 5 using 1:2 with boxes ls 6 dt 1 lw 1 fs solid 0.9 border title 'all-reduce', \
	'time.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle
if (svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'time.png'
	replot
}
set output
