# Edit, and run in this folder: gnuplot loss-against-bytes.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'sent by all workers so far [bytes]' noenhanced
set title 'Test loss against bytes sent' noenhanced
set ylabel 'test loss per token [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '10^{/*1.15 %L}'
set format y '%g'
set xrange [2.40498e+06:1.13868e+09]
set yrange [1.34706:1.74843]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 9 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 10 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 3 lc rgb '#A7B6BE' lw 2 dt (2,3) pt 15 ps 0.9
set style line 11 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#34444B' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#34444B' lw 1.5 dt 1 pt 6 ps 1.9
set style line 5 lc rgb '#171F22' lw 2 dt (14,4) pt 5 ps 0.9
set style line 13 lc rgb '#171F22' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#5F7C8A' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 14 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 8 ps 1.9
set style line 7 lc rgb '#A7B6BE' lw 2 dt (6,3) pt 13 ps 0.9
set style line 15 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#34444B' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 16 lc rgb '#34444B' lw 1.5 dt 1 pt 10 ps 1.9
set arrow from graph 0.9630, graph 0.0406 to graph 1.0361, graph 0.0000 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.0000 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.7017, graph 0.0555 to graph 1.0361, graph 0.0606 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.0606 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.5892, graph 0.0585 to graph 1.0361, graph 0.1212 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.1212 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.5892, graph 0.0700 to graph 1.0361, graph 0.1818 nohead back lc rgb '#A7B6BE' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.1818 left front noenhanced tc rgb '#A7B6BE'
set arrow from graph 0.5892, graph 0.0748 to graph 1.0361, graph 0.2424 nohead back lc rgb '#A7B6BE' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.2424 left front noenhanced tc rgb '#A7B6BE'
set arrow from graph 0.5892, graph 0.0819 to graph 1.0361, graph 0.3030 nohead back lc rgb '#171F22' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.3030 left front noenhanced tc rgb '#171F22'
set arrow from graph 0.5892, graph 0.1269 to graph 1.0361, graph 0.3636 nohead back lc rgb '#34444B' lw 1 dt (3,3)
set label '8' at graph 1.0441, graph 0.3636 left front noenhanced tc rgb '#34444B'
set arrow from graph 0.4404, graph 0.1521 to graph 1.0361, graph 0.4242 nohead back lc rgb '#34444B' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.4242 left front noenhanced tc rgb '#34444B'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,773 font 'sans-serif,17' background rgb 'white'
	set output 'loss-against-bytes.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-against-bytes.png'
}
if (!svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'loss-against-bytes.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-against-bytes.txt'
}
plot NaN notitle, \
	'loss-against-bytes.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 1 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 2 using 1:3:4 with filledcurves fc rgb '#A7B6BE' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 3 using 1:3:4 with filledcurves fc rgb '#34444B' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 4 using 1:3:4 with filledcurves fc rgb '#171F22' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 5 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 6 using 1:3:4 with filledcurves fc rgb '#A7B6BE' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 7 using 1:3:4 with filledcurves fc rgb '#34444B' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 0 using 1:2 with linespoints ls 1 title '1  all-reduce', \
	'loss-against-bytes.dat' index 1 using 1:2 with linespoints ls 2 title '2  DiLoCo, H 5', \
	'loss-against-bytes.dat' index 2 using 1:2 with linespoints ls 3 title '3  DiLoCo, H 10', \
	'loss-against-bytes.dat' index 3 using 1:2 with linespoints ls 4 title '4  DiLoCo, H 25', \
	'loss-against-bytes.dat' index 4 using 1:2 with linespoints ls 5 title '5  DiLoCo, H 10, outer SGD', \
	'loss-against-bytes.dat' index 5 using 1:2 with linespoints ls 6 title '6  DiLoCo, H 10, 10 % lost', \
	'loss-against-bytes.dat' index 6 using 1:2 with linespoints ls 7 title '7  DiLoCo, H 10, 30 % lost', \
	'loss-against-bytes.dat' index 7 using 1:2 with linespoints ls 8 title '8  DiLoCo, H 10, 50 % lost'
if (svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-against-bytes.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'loss-against-bytes.png'
	replot
}
set output
