# Edit, and run in this folder: gnuplot peers-slow-time.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title "Without a server, and elastic averaging: one worker 10\ntimes slower" noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:36.5115]
set yrange [1.09504:2.30915]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
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
set arrow from graph 0.9620, graph 0.2015 to graph 1.0454, graph 0.0904 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'AllReduce' at graph 1.0554, graph 0.0904 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.1022, graph 0.2196 to graph 1.0454, graph 0.1510 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'ad-psgd' at graph 1.0554, graph 0.1510 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9446, graph 0.2238 to graph 1.0454, graph 0.2116 nohead back lc rgb '#8A1C56' lw 1 dt (3,3)
set label 'osgp' at graph 1.0554, graph 0.2116 left front noenhanced tc rgb '#8A1C56'
set arrow from graph 0.1022, graph 0.2512 to graph 1.0454, graph 0.2722 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label 'gossip-push' at graph 1.0554, graph 0.2722 left front noenhanced tc rgb '#5A3FC0'
set arrow from graph 0.1022, graph 0.3049 to graph 1.0454, graph 0.3328 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label 'gossip-pull' at graph 1.0554, graph 0.3328 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.1024, graph 0.3522 to graph 1.0454, graph 0.3934 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label 'eamsgd' at graph 1.0554, graph 0.3934 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.1024, graph 0.3522 to graph 1.0454, graph 0.4540 nohead back lc rgb '#E69F00' lw 1 dt (3,3)
set label 'easgd' at graph 1.0554, graph 0.4540 left front noenhanced tc rgb '#E69F00'
set rmargin at screen 0.7841
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'peers-slow-time.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'peers-slow-time.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'peers-slow-time.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'peers-slow-time.txt'
}
plot NaN notitle, \
	'peers-slow-time.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'peers-slow-time.dat' index 1 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'peers-slow-time.dat' index 2 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'peers-slow-time.dat' index 3 using 1:3:4 with filledcurves fc rgb '#5A3FC0' fs transparent solid 0.18 noborder notitle, \
	'peers-slow-time.dat' index 4 using 1:3:4 with filledcurves fc rgb '#8A1C56' fs transparent solid 0.18 noborder notitle, \
	'peers-slow-time.dat' index 5 using 1:3:4 with filledcurves fc rgb '#E69F00' fs transparent solid 0.18 noborder notitle, \
	'peers-slow-time.dat' index 6 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'peers-slow-time.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'peers-slow-time.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'peers-slow-time.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'peers-slow-time.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'peers-slow-time.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'peers-slow-time.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'peers-slow-time.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'peers-slow-time.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'peers-slow-time.png'
	replot
}
set output
