# Edit, and run in this folder: gnuplot loss-epochs.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epochs' noenhanced
set title 'Test loss against epochs' noenhanced
set ylabel 'test loss per character [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:0.314901]
set yrange [1.98461:3.28551]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 7 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5F7C8A' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 8 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 10 ps 1.9
set style line 3 lc rgb '#A7B6BE' lw 2 dt (2,3) pt 15 ps 0.9
set style line 9 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 14 ps 1.9
set style line 4 lc rgb '#72B1D4' lw 2 dt (14,4) pt 5 ps 0.9
set style line 10 lc rgb '#72B1D4' lw 1.5 dt 1 pt 4 ps 1.9
set style line 5 lc rgb '#34444B' lw 2 dt 1 pt 7 ps 0.9
set style line 11 lc rgb '#34444B' lw 1.5 dt 1 pt 6 ps 1.9
set style line 6 lc rgb '#171F22' lw 2 dt (14,4) pt 5 ps 0.9
set style line 12 lc rgb '#171F22' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,714 font 'sans-serif,17' background rgb 'white'
	set output 'loss-epochs.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-epochs.png'
}
if (!svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'loss-epochs.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-epochs.txt'
}
plot NaN notitle, \
	'loss-epochs.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'loss-epochs.dat' index 1 using 1:3:4 with filledcurves fc rgb '#5F7C8A' fs transparent solid 0.18 noborder notitle, \
	'loss-epochs.dat' index 2 using 1:3:4 with filledcurves fc rgb '#A7B6BE' fs transparent solid 0.18 noborder notitle, \
	'loss-epochs.dat' index 3 using 1:3:4 with filledcurves fc rgb '#72B1D4' fs transparent solid 0.18 noborder notitle, \
	'loss-epochs.dat' index 4 using 1:3:4 with filledcurves fc rgb '#34444B' fs transparent solid 0.18 noborder notitle, \
	'loss-epochs.dat' index 5 using 1:3:4 with filledcurves fc rgb '#171F22' fs transparent solid 0.18 noborder notitle, \
	'loss-epochs.dat' index 0 using 1:2 with linespoints ls 1 title 'all-reduce, all from one text', \
	'loss-epochs.dat' index 1 using 1:2 with linespoints ls 2 title 'DiLoCo, H 10, all from one text', \
	'loss-epochs.dat' index 2 using 1:2 with linespoints ls 3 title 'DiLoCo, H 25, all from one text', \
	'loss-epochs.dat' index 3 using 1:2 with linespoints ls 4 title 'all-reduce, articles of their own', \
	'loss-epochs.dat' index 4 using 1:2 with linespoints ls 5 title 'DiLoCo, H 10, articles of their own', \
	'loss-epochs.dat' index 5 using 1:2 with linespoints ls 6 title 'DiLoCo, H 25, articles of their own'
if (svg && cairo) {
	set terminal pngcairo size 1280,1428 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-epochs.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1428 font ',28' linewidth 2
	set output 'loss-epochs.png'
	replot
}
set output
