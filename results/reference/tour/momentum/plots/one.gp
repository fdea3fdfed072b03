# Edit, and run in this folder: gnuplot one.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'gradients' noenhanced
set title 'One worker: momentum helps' noenhanced
set ylabel 'loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set format y '%g'
set xrange [0:8318.72]
set yrange [0.000210354:8.80977]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set key title "mean of 5 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 3 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 4 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'one.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'one.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'one.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'one.txt'
}
plot NaN notitle, \
	'one.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'one.dat' index 1 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'one.dat' index 0 using 1:2 with lines ls 1 notitle, \
	'one.dat' index 0 every 20::0 using 1:2 with points ls 1 notitle, \
	NaN with linespoints ls 1 title 'momentum 0', \
	'one.dat' index 1 using 1:2 with lines ls 2 notitle, \
	'one.dat' index 1 every 20::10 using 1:2 with points ls 2 notitle, \
	NaN with linespoints ls 2 title 'momentum 0.9'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'one.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'one.png'
	replot
}
set output
