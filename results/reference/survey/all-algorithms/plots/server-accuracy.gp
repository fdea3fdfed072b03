# Edit, and run in this folder: gnuplot server-accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'virtual time [s]' noenhanced
set title "Asynchronous, with a server: no correction: equal\nworkers" noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:5.3679]
set yrange [0:0.619215]
set key bottom right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 10 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 11 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 3 lc rgb '#FF6F91' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#FF6F91' lw 1.5 dt 1 pt 6 ps 1.9
set style line 4 lc rgb '#D55E00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 13 lc rgb '#D55E00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 5 lc rgb '#00B5AD' lw 2 dt (14,4) pt 5 ps 0.9
set style line 14 lc rgb '#00B5AD' lw 1.5 dt 1 pt 4 ps 1.9
set style line 6 lc rgb '#7A4A21' lw 2 dt (14,4) pt 5 ps 0.9
set style line 15 lc rgb '#7A4A21' lw 1.5 dt 1 pt 4 ps 1.9
set style line 7 lc rgb '#5A3FC0' lw 2 dt (6,3) pt 13 ps 0.9
set style line 16 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#000000' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 17 lc rgb '#000000' lw 1.5 dt 1 pt 8 ps 1.9
set style line 9 lc rgb '#8C7A00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 18 lc rgb '#8C7A00' lw 1.5 dt 1 pt 8 ps 1.9
set arrow from graph 0.6595, graph 0.5882 to graph 1.0536, graph 0.5152 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label 'downpour, 5 steps' at graph 1.0656, graph 0.5152 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.6747, graph 0.7273 to graph 1.0536, graph 0.5758 nohead back lc rgb '#00B5AD' lw 1 dt (3,3)
set label 'k-batch-async' at graph 1.0656, graph 0.5758 left front noenhanced tc rgb '#00B5AD'
set arrow from graph 0.6965, graph 0.7499 to graph 1.0536, graph 0.6364 nohead back lc rgb '#5A3FC0' lw 1 dt (3,3)
set label 'ssp' at graph 1.0656, graph 0.6364 left front noenhanced tc rgb '#5A3FC0'
set arrow from graph 0.8281, graph 0.7640 to graph 1.0536, graph 0.6970 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '4 groups' at graph 1.0656, graph 0.6970 left front noenhanced tc rgb '#000000'
set arrow from graph 0.6753, graph 0.7709 to graph 1.0536, graph 0.7576 nohead back lc rgb '#7A4A21' lw 1 dt (3,3)
set label 'softsync, n=4' at graph 1.0656, graph 0.7576 left front noenhanced tc rgb '#7A4A21'
set arrow from graph 0.6752, graph 0.7788 to graph 1.0536, graph 0.8182 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label 'asgd' at graph 1.0656, graph 0.8182 left front noenhanced tc rgb '#CC79A7'
set arrow from graph 0.8737, graph 0.8062 to graph 1.0536, graph 0.8788 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'k-async' at graph 1.0656, graph 0.8788 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.9647, graph 0.8475 to graph 1.0536, graph 0.9394 nohead back lc rgb '#0072B2' lw 1 dt (3,3)
set label 'AllReduce' at graph 1.0656, graph 0.9394 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.6617, graph 0.8674 to graph 1.0536, graph 1.0000 nohead back lc rgb '#FF6F91' lw 1 dt (3,3)
set label 'hogwild' at graph 1.0656, graph 1.0000 left front noenhanced tc rgb '#FF6F91'
set rmargin at screen 0.6884
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,509 font 'sans-serif,17' background rgb 'white'
	set output 'server-accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1018 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'server-accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,1018 font ',28' linewidth 2
	set output 'server-accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'server-accuracy.txt'
}
plot NaN notitle, \
	'server-accuracy.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 1 using 1:3:4 with filledcurves fc rgb '#CC79A7' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 2 using 1:3:4 with filledcurves fc rgb '#FF6F91' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 3 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 4 using 1:3:4 with filledcurves fc rgb '#00B5AD' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 5 using 1:3:4 with filledcurves fc rgb '#7A4A21' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 6 using 1:3:4 with filledcurves fc rgb '#5A3FC0' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 7 using 1:3:4 with filledcurves fc rgb '#000000' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 8 using 1:3:4 with filledcurves fc rgb '#8C7A00' fs transparent solid 0.18 noborder notitle, \
	'server-accuracy.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'server-accuracy.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'server-accuracy.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'server-accuracy.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'server-accuracy.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'server-accuracy.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'server-accuracy.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	'server-accuracy.dat' index 7 using 1:2 with linespoints ls 8 notitle, \
	'server-accuracy.dat' index 8 using 1:2 with linespoints ls 9 notitle, \
	NaN with points pt ' ' title "mean of 3 seeds, ± 1 s.d."
if (svg && cairo) {
	set terminal pngcairo size 1280,1018 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'server-accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1018 font ',28' linewidth 2
	set output 'server-accuracy.png'
	replot
}
set output
