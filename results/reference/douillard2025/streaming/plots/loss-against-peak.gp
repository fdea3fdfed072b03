# Edit, and run in this folder: gnuplot loss-against-peak.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'mean message [bytes]' noenhanced
set title 'Test loss at the end against the size of a message' noenhanced
set ylabel 'test loss per token [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('5000' 5000, '10000' 10000, '20000' 20000, '50000' 50000)
set format y '%g'
set xrange [3070.17:60240.2]
set yrange [1.36179:1.37053]
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
	set output 'loss-against-peak.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-against-peak.png'
}
if (!svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-against-peak.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-against-peak.txt'
}
plot NaN notitle, \
	'loss-against-peak.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'loss-against-peak.dat' index 0 using 1:2 with linespoints ls 1 title 'all-reduce, f32', \
	'loss-against-peak.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#5F7C8A' dt 1 lw 1.5 notitle, \
	'loss-against-peak.dat' index 1 using 1:2 with linespoints ls 2 title 'DiLoCo, f32', \
	'loss-against-peak.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#77B300' dt 1 lw 1.5 notitle, \
	'loss-against-peak.dat' index 2 using 1:2 with linespoints ls 3 title 'streaming, f32', \
	'loss-against-peak.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#B4D572' dt 1 lw 1.5 notitle, \
	'loss-against-peak.dat' index 3 using 1:2 with linespoints ls 4 title 'streaming, overlapping 1 step, f32', \
	'loss-against-peak.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#416200' dt 1 lw 1.5 notitle, \
	'loss-against-peak.dat' index 4 using 1:2 with linespoints ls 5 title 'streaming, overlapping 4 steps, f32', \
	'loss-against-peak.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#1D2C00' dt 1 lw 1.5 notitle, \
	'loss-against-peak.dat' index 5 using 1:2 with linespoints ls 6 title 'streaming, overlapping 1 step, e3m0 (4', \
	NaN with points pt ' ' title 'bits)'
if (svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-against-peak.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-against-peak.png'
	replot
}
set output
