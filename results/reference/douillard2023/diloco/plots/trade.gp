# Edit, and run in this folder: gnuplot trade.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'sent by all workers [bytes]' noenhanced
set title 'Test loss at the end against bytes sent' noenhanced
set ylabel 'test loss per token [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('5e+07' 5e+07, '1e+08' 1e+08, '2e+08' 2e+08, '5e+08' 5e+08, '1e+09' 1e+09)
set format y '%g'
set xrange [3.18757e+07:1.03094e+09]
set yrange [1.35985:1.41861]
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
set label '1' at graph 0.9166, graph 0.0599 left front noenhanced tc rgb '#0072B2'
set label '2' at graph 0.5260, graph 0.1613 left front noenhanced tc rgb '#5F7C8A'
set label '3' at graph 0.3266, graph 0.2935 left front noenhanced tc rgb '#A7B6BE'
set label '4' at graph 0.0630, graph 0.8211 left front noenhanced tc rgb '#34444B'
set label '5' at graph 0.2542, graph 0.3415 left front noenhanced tc rgb '#171F22'
set label '6' at graph 0.3266, graph 0.1817 left front noenhanced tc rgb '#5F7C8A'
set label '7' at graph 0.2542, graph 0.2604 left front noenhanced tc rgb '#A7B6BE'
set label '8' at graph 0.3266, graph 0.6494 left front noenhanced tc rgb '#34444B'
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,773 font 'sans-serif,17' background rgb 'white'
	set output 'trade.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'trade.png'
}
if (!svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'trade.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'trade.txt'
}
plot NaN notitle, \
	'trade.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'trade.dat' index 0 using 1:2 with linespoints ls 1 title '1  all-reduce', \
	'trade.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'trade.dat' index 1 using 1:2 with linespoints ls 2 title '2  DiLoCo, H 5', \
	'trade.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A7B6BE' dt 1 lw 1.5 notitle, \
	'trade.dat' index 2 using 1:2 with linespoints ls 3 title '3  DiLoCo, H 10', \
	'trade.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#34444B' dt 1 lw 1.5 notitle, \
	'trade.dat' index 3 using 1:2 with linespoints ls 4 title '4  DiLoCo, H 25', \
	'trade.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#171F22' dt 1 lw 1.5 notitle, \
	'trade.dat' index 4 using 1:2 with linespoints ls 5 title '5  DiLoCo, H 10, outer SGD', \
	'trade.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'trade.dat' index 5 using 1:2 with linespoints ls 6 title '6  DiLoCo, H 10, 10 % lost', \
	'trade.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A7B6BE' dt 1 lw 1.5 notitle, \
	'trade.dat' index 6 using 1:2 with linespoints ls 7 title '7  DiLoCo, H 10, 30 % lost', \
	'trade.dat' index 7 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#34444B' dt 1 lw 1.5 notitle, \
	'trade.dat' index 7 using 1:2 with linespoints ls 8 title '8  DiLoCo, H 10, 50 % lost'
if (svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'trade.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'trade.png'
	replot
}
set output
