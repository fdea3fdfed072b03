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
set xrange [50702:1.75091e+08]
set yrange [1.34773:1.73609]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 7 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 8 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 3 lc rgb '#77B300' lw 2 dt (6,3) pt 13 ps 0.9
set style line 9 lc rgb '#77B300' lw 1.5 dt 1 pt 12 ps 1.9
set style line 4 lc rgb '#B4D572' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 10 lc rgb '#B4D572' lw 1.5 dt 1 pt 10 ps 1.9
set style line 5 lc rgb '#416200' lw 2 dt (2,3) pt 15 ps 0.9
set style line 11 lc rgb '#416200' lw 1.5 dt 1 pt 14 ps 1.9
set style line 6 lc rgb '#1D2C00' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#1D2C00' lw 1.5 dt 1 pt 6 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,743 font 'sans-serif,17' background rgb 'white'
	set output 'loss-against-bytes.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-against-bytes.png'
}
if (!svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-against-bytes.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-against-bytes.txt'
}
plot NaN notitle, \
	'loss-against-bytes.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 1 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 2 using 1:3:4 with filledcurves fc rgb '#77B300' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 3 using 1:3:4 with filledcurves fc rgb '#B4D572' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 4 using 1:3:4 with filledcurves fc rgb '#416200' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 5 using 1:3:4 with filledcurves fc rgb '#1D2C00' fs transparent solid 0.18 noborder notitle, \
	'loss-against-bytes.dat' index 0 using 1:2 with linespoints ls 1 title 'all-reduce, f32', \
	'loss-against-bytes.dat' index 1 using 1:2 with linespoints ls 2 title 'DiLoCo, f32', \
	'loss-against-bytes.dat' index 2 using 1:2 with linespoints ls 3 title 'streaming, f32', \
	'loss-against-bytes.dat' index 3 using 1:2 with linespoints ls 4 title 'streaming, overlapping 1 step, f32', \
	'loss-against-bytes.dat' index 4 using 1:2 with linespoints ls 5 title 'streaming, overlapping 4 steps, f32', \
	'loss-against-bytes.dat' index 5 using 1:2 with linespoints ls 6 title 'streaming, overlapping 1 step, e3m0 (4', \
	NaN with points pt ' ' title 'bits)'
if (svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-against-bytes.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-against-bytes.png'
	replot
}
set output
