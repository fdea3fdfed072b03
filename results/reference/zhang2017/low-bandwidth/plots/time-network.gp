# Edit, and run in this folder: gnuplot time-network.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'bandwidth [GB/s]' noenhanced
set title "Time per epoch by the network's bandwidth (ResNet-20, 16\nworkers, latency 12 µs)" noenhanced
set ylabel 'time per epoch [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '%g'
set logscale y
set ytics ('2' 2, '5' 5, '10' 10, '20' 20, '50' 50)
set xrange [0.0032179:1.14485]
set yrange [1.04846:62.7218]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 4 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 2 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 5 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 6 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,509 font 'sans-serif,17' background rgb 'white'
	set output 'time-network.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1018 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time-network.png'
}
if (!svg && png) {
	set terminal png size 1280,1018 font ',28' linewidth 2
	set output 'time-network.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'time-network.txt'
}
plot NaN notitle, \
	'time-network.dat' index 0 using 1:2 with linespoints ls 1 title 'AD-PSGD', \
	'time-network.dat' index 1 using 1:2 with linespoints ls 2 title 'AllReduce', \
	'time-network.dat' index 2 using 1:2 with linespoints ls 3 title 'D-PSGD'
if (svg && cairo) {
	set terminal pngcairo size 1280,1018 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time-network.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1018 font ',28' linewidth 2
	set output 'time-network.png'
	replot
}
set output
