# Edit, and run in this folder: gnuplot time-per-epoch.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'slowdown of one worker' noenhanced
set title 'One slow worker of 16 (ResNet-20)' noenhanced
set ylabel 'time per epoch [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '%g'
set logscale y
set format y '%g'
set xrange [0.691831:14454.4]
set yrange [0.846699:16246.5]
set key top left Left reverse samplen 3 spacing 1.15 noenhanced
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
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'time-per-epoch.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time-per-epoch.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'time-per-epoch.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'time-per-epoch.txt'
}
plot NaN notitle, \
	'time-per-epoch.dat' index 0 using 1:2 with linespoints ls 1 title 'AD-PSGD', \
	'time-per-epoch.dat' index 1 using 1:2 with linespoints ls 2 title 'AllReduce', \
	'time-per-epoch.dat' index 2 using 1:2 with linespoints ls 3 title 'D-PSGD', \
	'time-per-epoch.dat' index 3 using 1:2 with points ls 4 notitle, \
	'time-per-epoch.dat' index 4 using 1:2 with points ls 5 notitle, \
	'time-per-epoch.dat' index 5 using 1:2 with points ls 6 notitle, \
	NaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 title 'published'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'time-per-epoch.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'time-per-epoch.png'
	replot
}
set output
