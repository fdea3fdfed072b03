# Edit, and run in this folder: gnuplot distributions.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'staleness [steps]' noenhanced
set title 'Staleness with 10 workers' noenhanced
set ylabel 'gradients of 100000' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '%g'
set xrange [-4.72:122.72]
set yrange [0.63096:158474]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 4 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 5 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 6 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'distributions.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'distributions.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'distributions.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'distributions.txt'
}
plot NaN notitle, \
	'distributions.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'distributions.dat' index 0 every 8::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title 'exponential', \
	'distributions.dat' index 1 using 1:2 with linespoints ls 2 title 'gamma, cv 0.1', \
	'distributions.dat' index 2 using 1:2 with linespoints ls 3 title 'constant'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'distributions.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'distributions.png'
	replot
}
set output
