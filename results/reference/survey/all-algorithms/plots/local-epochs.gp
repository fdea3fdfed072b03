# Edit, and run in this folder: gnuplot local-epochs.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epochs' noenhanced
set title "Rounds of local steps, and low communication: equal\nworkers" noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:2.06999]
set yrange [1.01357:2.31229]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 13 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#009E73' lw 2 dt 1 pt 7 ps 0.9
set style line 14 lc rgb '#009E73' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (6,3) pt 13 ps 0.9
set style line 15 lc rgb '#009E73' lw 1.5 dt 1 pt 12 ps 1.9
set style line 4 lc rgb '#E69F00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 16 lc rgb '#E69F00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 17 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 6 lc rgb '#D55E00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 18 lc rgb '#D55E00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#56B4E9' lw 2 dt (6,3) pt 13 ps 0.9
set style line 19 lc rgb '#56B4E9' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#8C7A00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 20 lc rgb '#8C7A00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 9 lc rgb '#56B4E9' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 21 lc rgb '#56B4E9' lw 1.5 dt 1 pt 10 ps 1.9
set style line 10 lc rgb '#000000' lw 2 dt (2,3) pt 15 ps 0.9
set style line 22 lc rgb '#000000' lw 1.5 dt 1 pt 14 ps 1.9
set style line 11 lc rgb '#000000' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 23 lc rgb '#000000' lw 1.5 dt 1 pt 10 ps 1.9
set style line 12 lc rgb '#CC79A7' lw 2 dt (2,3) pt 15 ps 0.9
set style line 24 lc rgb '#CC79A7' lw 1.5 dt 1 pt 14 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,919 font 'sans-serif,17' background rgb 'white'
	set output 'local-epochs.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1838 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'local-epochs.png'
}
if (!svg && png) {
	set terminal png size 1280,1838 font ',28' linewidth 2
	set output 'local-epochs.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'local-epochs.txt'
}
plot NaN notitle, \
	'local-epochs.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 1 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 2 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 3 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 4 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 5 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 6 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 7 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 8 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 9 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 10 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 11 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'local-epochs.dat' index 0 using 1:2 with linespoints ls 1 title 'AllReduce', \
	'local-epochs.dat' index 1 using 1:2 with linespoints ls 2 title 'local-sgd', \
	'local-epochs.dat' index 2 using 1:2 with linespoints ls 3 title 'post-local-sgd', \
	'local-epochs.dat' index 3 using 1:2 with linespoints ls 4 title 'slowmo', \
	'local-epochs.dat' index 4 using 1:2 with linespoints ls 5 title 'local-adam', \
	'local-epochs.dat' index 5 using 1:2 with linespoints ls 6 title 'diloco', \
	'local-epochs.dat' index 6 using 1:2 with linespoints ls 7 title 'streaming-diloco', \
	'local-epochs.dat' index 7 using 1:2 with linespoints ls 8 title 'eager-diloco', \
	'local-epochs.dat' index 8 using 1:2 with linespoints ls 9 title 'noloco', \
	'local-epochs.dat' index 9 using 1:2 with linespoints ls 10 title 'demo', \
	'local-epochs.dat' index 10 using 1:2 with linespoints ls 11 title 'fedbuff', \
	'local-epochs.dat' index 11 using 1:2 with linespoints ls 12 title 'async-local-sgd'
if (svg && cairo) {
	set terminal pngcairo size 1280,1838 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'local-epochs.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1838 font ',28' linewidth 2
	set output 'local-epochs.png'
	replot
}
set output
