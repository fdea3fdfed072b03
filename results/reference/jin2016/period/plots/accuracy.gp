# Edit, and run in this folder: gnuplot accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'algorithm, period in steps' noenhanced
set title 'Final test accuracy by algorithm and period' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
set format y '%g'
set xrange [0.831764:120.226]
set yrange [0:0.521915]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 9 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (2,3) pt 15 ps 0.9
set style line 11 lc rgb '#009E73' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#5A3FC0' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 12 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#72B1D4' lw 2 dt (14,4) pt 5 ps 0.9
set style line 13 lc rgb '#72B1D4' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#A7B6BE' lw 2 dt (14,4) pt 5 ps 0.9
set style line 14 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 4 ps 1.9
set style line 7 lc rgb '#72C9B2' lw 2 dt 1 pt 7 ps 0.9
set style line 15 lc rgb '#72C9B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 8 lc rgb '#A495DC' lw 2 dt (6,3) pt 13 ps 0.9
set style line 16 lc rgb '#A495DC' lw 1.5 dt 1 pt 12 ps 1.9
set arrow from graph 0.9630, graph 0.2250 to graph 1.0361, graph 0.2250 nohead back lc rgb '#A7B6BE' lw 1 dt (3,3)
set label '6' at graph 1.0441, graph 0.2250 left front noenhanced tc rgb '#A7B6BE'
set arrow from graph 0.9630, graph 0.3345 to graph 1.0361, graph 0.3345 nohead back lc rgb '#A495DC' lw 1 dt (3,3)
set label '8' at graph 1.0441, graph 0.3345 left front noenhanced tc rgb '#A495DC'
set arrow from graph 0.9630, graph 0.4646 to graph 1.0361, graph 0.4646 nohead back lc rgb '#72C9B2' lw 1 dt (3,3)
set label '7' at graph 1.0441, graph 0.4646 left front noenhanced tc rgb '#72C9B2'
set arrow from graph 0.9630, graph 0.7478 to graph 1.0361, graph 0.6885 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label '2' at graph 1.0441, graph 0.6885 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.9630, graph 0.7785 to graph 1.0361, graph 0.7491 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label '4' at graph 1.0441, graph 0.7491 left front noenhanced tc rgb '#5A3FC0'
set arrow from graph 0.9630, graph 0.7805 to graph 1.0361, graph 0.8097 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label '3' at graph 1.0441, graph 0.8097 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.9630, graph 0.8107 to graph 1.0361, graph 0.8703 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label '1' at graph 1.0441, graph 0.8703 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9630, graph 0.9618 to graph 1.0361, graph 0.9618 nohead back lc rgb '#72B1D4' lw 1 dt (3,3)
set label '5' at graph 1.0441, graph 0.9618 left front noenhanced tc rgb '#72B1D4'
set rmargin at screen 0.9434
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,773 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy.txt'
}
plot NaN notitle, \
	'accuracy.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 0 using 1:2 with linespoints ls 1 title '1  learning rate 0.002, allreduce', \
	'accuracy.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 1 using 1:2 with linespoints ls 2 title '2  learning rate 0.002, eamsgd', \
	'accuracy.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 2 using 1:2 with linespoints ls 3 title '3  learning rate 0.002, gossip-pull', \
	'accuracy.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5A3FC0' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 3 using 1:2 with linespoints ls 4 title '4  learning rate 0.002, gossip-push', \
	'accuracy.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#72B1D4' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 4 using 1:2 with linespoints ls 5 title '5  learning rate 0.02, allreduce', \
	'accuracy.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A7B6BE' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 5 using 1:2 with linespoints ls 6 title '6  learning rate 0.02, eamsgd', \
	'accuracy.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#72C9B2' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 6 using 1:2 with linespoints ls 7 title '7  learning rate 0.02, gossip-pull', \
	'accuracy.dat' index 7 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A495DC' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 7 using 1:2 with linespoints ls 8 title '8  learning rate 0.02, gossip-push'
if (svg && cairo) {
	set terminal pngcairo size 1280,1546 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1546 font ',28' linewidth 2
	set output 'accuracy.png'
	replot
}
set output
