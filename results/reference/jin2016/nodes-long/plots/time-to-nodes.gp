# Edit, and run in this folder: gnuplot time-to-nodes.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Time to a test accuracy of 0.45 against workers' noenhanced
set ylabel 'time to an accuracy of 0.45 [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('128' 128, '64' 64, '32' 32, '16' 16, '8' 8, '4' 4)
set logscale x
set logscale y
set ytics ('20' 20, '50' 50, '100' 100, '200' 200)
set xrange [3.4822:147.033]
set yrange [18.0307:376.108]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 6 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt 1 pt 7 ps 0.9
set style line 7 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (2,3) pt 15 ps 0.9
set style line 8 lc rgb '#009E73' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#5A3FC0' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 9 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 10 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set label '∞' at first 64, graph 0.97 center tc ls 2 front
set label '∞' at first 128, graph 0.97 center tc ls 2 front
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,685 font 'sans-serif,17' background rgb 'white'
	set output 'time-to-nodes.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time-to-nodes.png'
}
if (!svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'time-to-nodes.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'time-to-nodes.txt'
}
plot NaN notitle, \
	'time-to-nodes.dat' index 0 using 1:2 with linespoints ls 1 title 'all-reduce', \
	'time-to-nodes.dat' index 1 using 1:2 with linespoints ls 2 title 'elastic', \
	'time-to-nodes.dat' index 2 using 1:2 with linespoints ls 3 title 'gossip, pull', \
	'time-to-nodes.dat' index 3 using 1:2 with linespoints ls 4 title 'gossip, push', \
	'time-to-nodes.dat' index 4 using 1:2 with linespoints ls 5 title 'parameter server', \
	NaN with points lc rgb '#606060' pt '∞' title 'not reached'
if (svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time-to-nodes.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'time-to-nodes.png'
	replot
}
set output
