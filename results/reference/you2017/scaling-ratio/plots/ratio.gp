# Edit, and run in this folder: gnuplot ratio.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'FLOP of a sample per parameter' noenhanced
set title 'Communication against FLOP per parameter, 64 nodes' noenhanced
set ylabel 'share of time communicating' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('20' 20, '50' 50, '100' 100, '200' 200, '500' 500)
set format y '%g'
set xrange [11.2273:732.736]
set yrange [0:0.376185]
unset key
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 9 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 10 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 11 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 12 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#E69F00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 13 lc rgb '#E69F00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 6 lc rgb '#56B4E9' lw 2 dt (2,3) pt 15 ps 0.9
set style line 14 lc rgb '#56B4E9' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 15 lc rgb '#000000' lw 1.5 dt 1 pt 6 ps 1.9
set style line 8 lc rgb '#8C7A00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 16 lc rgb '#8C7A00' lw 1.5 dt 1 pt 4 ps 1.9
set label 'AlexNet' at graph 0.2055, graph 0.4733 left front noenhanced tc rgb '#0072B2'
set arrow from graph 0.9630, graph 0.0266 to graph 0.8750, graph 0.1448 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label 'SqueezeNet' at graph 0.6710, graph 0.1600 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.7944, graph 0.0442 to graph 0.7424, graph 0.0442 nohead back lc rgb '#009E73' lw 1 dt (3,3)
set label 'ResNet-18' at graph 0.5588, graph 0.0442 left front noenhanced tc rgb '#009E73'
set arrow from graph 0.8017, graph 0.0424 to graph 0.8017, graph 0.2363 nohead back lc rgb '#CC79A7' lw 1 dt (3,3)
set label 'ResNet-50' at graph 0.7099, graph 0.2515 left front noenhanced tc rgb '#CC79A7'
set label 'LeNet (CIFAR)' at graph 0.0630, graph 0.9626 left front noenhanced tc rgb '#E69F00'
set arrow from graph 0.7868, graph 0.0919 to graph 0.6988, graph 0.2101 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label 'ResNet-20 (CIFAR)' at graph 0.3520, graph 0.2252 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.7746, graph 0.0518 to graph 0.7746, graph 0.3185 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label 'WRN-16-4 (CIFAR)' at graph 0.6114, graph 0.3336 left front noenhanced tc rgb '#000000'
set label 'VGG (CIFAR)' at graph 0.3407, graph 0.2952 left front noenhanced tc rgb '#8C7A00'
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'ratio.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'ratio.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'ratio.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'ratio.txt'
}
plot NaN notitle, \
	'ratio.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'ratio.dat' index 1 using 1:2 with linespoints ls 2 notitle, \
	'ratio.dat' index 2 using 1:2 with linespoints ls 3 notitle, \
	'ratio.dat' index 3 using 1:2 with linespoints ls 4 notitle, \
	'ratio.dat' index 4 using 1:2 with linespoints ls 5 notitle, \
	'ratio.dat' index 5 using 1:2 with linespoints ls 6 notitle, \
	'ratio.dat' index 6 using 1:2 with linespoints ls 7 notitle, \
	'ratio.dat' index 7 using 1:2 with linespoints ls 8 notitle
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'ratio.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'ratio.png'
	replot
}
set output
