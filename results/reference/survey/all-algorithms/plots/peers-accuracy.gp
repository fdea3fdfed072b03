# Edit, and run in this folder: gnuplot peers-accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title 'Without a server, and elastic averaging: equal workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:5.368]
set yrange [0:0.619215]
set key bottom right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 8 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 9 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (2,3) pt 15 ps 0.9
set style line 10 lc rgb '#009E73' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#5A3FC0' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 11 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#8A1C56' lw 2 dt (2,3) pt 15 ps 0.9
set style line 12 lc rgb '#8A1C56' lw 1.5 dt 1 pt 14 ps 1.9
set style line 6 lc rgb '#E69F00' lw 2 dt (6,3) pt 13 ps 0.9
set style line 13 lc rgb '#E69F00' lw 1.5 dt 1 pt 12 ps 1.9
set style line 7 lc rgb '#5F7C8A' lw 2 dt 1 pt 7 ps 0.9
set style line 14 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 6 ps 1.9
set arrow from graph 0.6570, graph 0.7461 to graph 1.0454, graph 0.6186 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label 'eamsgd' at graph 1.0554, graph 0.6186 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.6570, graph 0.7461 to graph 1.0454, graph 0.6792 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label 'easgd' at graph 1.0554, graph 0.6792 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.6557, graph 0.7976 to graph 1.0454, graph 0.7398 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label 'gossip-pull' at graph 1.0554, graph 0.7398 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.6557, graph 0.8105 to graph 1.0454, graph 0.8005 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label 'gossip-push' at graph 1.0554, graph 0.8005 left front noenhanced tc rgb '#5A3FC0'
set arrow from graph 0.6862, graph 0.8260 to graph 1.0454, graph 0.8611 nohead back lc rgb '#8A1C56' lw 1 dt (3,3)
set label 'osgp' at graph 1.0554, graph 0.8611 left front noenhanced tc rgb '#8A1C56'
set arrow from graph 0.6557, graph 0.8294 to graph 1.0454, graph 0.9217 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'ad-psgd' at graph 1.0554, graph 0.9217 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9647, graph 0.8475 to graph 1.0454, graph 0.9823 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'AllReduce' at graph 1.0554, graph 0.9823 left front noenhanced tc rgb '#0072B2'
set rmargin at screen 0.7841
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'peers-accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'peers-accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'peers-accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'peers-accuracy.txt'
}
plot NaN notitle, \
	'peers-accuracy.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'peers-accuracy.dat' index 1 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'peers-accuracy.dat' index 2 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'peers-accuracy.dat' index 3 using 1:3:4 with filledcurves fc rgb '#5A3FC0' fs transparent solid 0.18 noborder notitle, \
	'peers-accuracy.dat' index 4 using 1:3:4 with filledcurves fc rgb '#8A1C56' fs transparent solid 0.18 noborder notitle, \
	'peers-accuracy.dat' index 5 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'peers-accuracy.dat' index 6 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'peers-accuracy.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'peers-accuracy.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'peers-accuracy.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'peers-accuracy.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'peers-accuracy.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'peers-accuracy.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'peers-accuracy.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'peers-accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'peers-accuracy.png'
	replot
}
set output
