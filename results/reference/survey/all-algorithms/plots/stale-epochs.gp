# Edit, and run in this folder: gnuplot stale-epochs.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epochs' noenhanced
set title "Asynchronous, with a server: stale gradients corrected:\nequal workers" noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:2.06999]
set yrange [1.09367:2.34469]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 13 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 14 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 3 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 15 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 4 lc rgb '#5F7C8A' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 16 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#00B5AD' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 17 lc rgb '#00B5AD' lw 1.5 dt 1 pt 8 ps 1.9
set style line 6 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 18 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 7 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 19 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 8 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 20 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 9 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.9
set style line 21 lc rgb '#D55E00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 10 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 22 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 11 lc rgb '#7A4A21' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 23 lc rgb '#7A4A21' lw 1.5 dt 1 pt 8 ps 1.9
set style line 12 lc rgb '#009E73' lw 2 dt (14,4) pt 5 ps 0.9
set style line 24 lc rgb '#009E73' lw 1.5 dt 1 pt 4 ps 1.9
set arrow from graph 0.9662, graph 0.1654 to graph 1.0506, graph 0.0000 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label 'dana' at graph 1.0618, graph 0.0000 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.9662, graph 0.1788 to graph 1.0506, graph 0.0606 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'multi-asgd' at graph 1.0618, graph 0.0606 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9662, graph 0.1966 to graph 1.0506, graph 0.1212 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'AllReduce' at graph 1.0618, graph 0.1212 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9662, graph 0.2572 to graph 1.0506, graph 0.1818 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label 'gap-aware' at graph 1.0618, graph 0.1818 left front noenhanced tc rgb '#77B300'
set arrow from graph 0.9662, graph 0.2897 to graph 1.0506, graph 0.2424 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label 'dc-asgd' at graph 1.0618, graph 0.2424 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.9662, graph 0.2947 to graph 1.0506, graph 0.3030 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label 'nag-asgd' at graph 1.0618, graph 0.3030 left front noenhanced tc rgb '#000000'
set arrow from graph 0.9662, graph 0.2947 to graph 1.0506, graph 0.3636 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label 'asgd' at graph 1.0618, graph 0.3636 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.9662, graph 0.2999 to graph 1.0506, graph 0.4242 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label 'ringmaster' at graph 1.0618, graph 0.4242 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.9662, graph 0.3086 to graph 1.0506, graph 0.4848 nohead back lc rgb '#00B5AD' lw 1 dt (3,3)
set label 'delay-adaptive' at graph 1.0618, graph 0.4848 left front noenhanced tc rgb '#00B5AD'
set arrow from graph 0.9662, graph 0.3907 to graph 1.0506, graph 0.5455 nohead back lc rgb '#7A4A21' lw 1 dt (3,3)
set label 'rennala' at graph 1.0618, graph 0.5455 left front noenhanced tc rgb '#7A4A21'
set arrow from graph 0.9662, graph 0.4033 to graph 1.0506, graph 0.6061 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label 'dynsgd' at graph 1.0618, graph 0.6061 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.9662, graph 0.5000 to graph 1.0506, graph 0.6667 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label 'staleness-aware' at graph 1.0618, graph 0.6667 left front noenhanced tc rgb '#E69F00'
set rmargin at screen 0.7203
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'stale-epochs.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'stale-epochs.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'stale-epochs.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'stale-epochs.txt'
}
plot NaN notitle, \
	'stale-epochs.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 1 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 2 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 3 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 4 using 1:3:4 with filledcurves fc rgb '#00B5AD' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 5 using 1:3:4 with filledcurves fc rgb '#77B300' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 6 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 7 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 8 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 9 using 1:3:4 with filledcurves fc rgb '#56B4E9' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 10 using 1:3:4 with filledcurves fc rgb '#7A4A21' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 11 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'stale-epochs.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'stale-epochs.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'stale-epochs.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'stale-epochs.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'stale-epochs.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'stale-epochs.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'stale-epochs.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	'stale-epochs.dat' index 7 using 1:2 with linespoints ls 8 notitle, \
	'stale-epochs.dat' index 8 using 1:2 with linespoints ls 9 notitle, \
	'stale-epochs.dat' index 9 using 1:2 with linespoints ls 10 notitle, \
	'stale-epochs.dat' index 10 using 1:2 with linespoints ls 11 notitle, \
	'stale-epochs.dat' index 11 using 1:2 with linespoints ls 12 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'stale-epochs.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'stale-epochs.png'
	replot
}
set output
