# Edit, and run in this folder: gnuplot loss-workers.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Test loss against workers' noenhanced
set ylabel 'test loss per token [nats]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('1' 1, '2' 2, '5' 5, '10' 10)
set xtics ('16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set format y '%g'
set xrange [0.895025:17.8766]
set yrange [1.99325:3.39999]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 8 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 2 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 9 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 10 lc rgb '#009E73' lw 1.5 dt 1 pt 10 ps 1.9
set style line 4 lc rgb '#8C7A00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 11 lc rgb '#8C7A00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 5 lc rgb '#56B4E9' lw 2 dt 1 pt 7 ps 0.9
set style line 12 lc rgb '#56B4E9' lw 1.5 dt 1 pt 6 ps 1.9
set style line 6 lc rgb '#A2D5F2' lw 2 dt (14,4) pt 5 ps 0.9
set style line 13 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 4 ps 1.9
set style line 7 lc rgb '#72C9B2' lw 2 dt (2,3) pt 15 ps 0.9
set style line 14 lc rgb '#72C9B2' lw 1.5 dt 1 pt 14 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,743 font 'sans-serif,17' background rgb 'white'
	set output 'loss-workers.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-workers.png'
}
if (!svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-workers.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'loss-workers.txt'
}
plot NaN notitle, \
	'loss-workers.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#CC79A7' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 0 using 1:2 with linespoints ls 1 title 'ASGD, Adam', \
	'loss-workers.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#E69F00' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 1 using 1:2 with linespoints ls 2 title 'staleness-aware, Adam', \
	'loss-workers.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#009E73' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 2 using 1:2 with linespoints ls 3 title 'gap-aware, Adam', \
	'loss-workers.dat' index 3 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#8C7A00' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 3 using 1:2 with linespoints ls 4 title 'DC-ASGD, Adam', \
	'loss-workers.dat' index 4 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#56B4E9' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 4 using 1:2 with linespoints ls 5 title 'prediction, Adam', \
	'loss-workers.dat' index 5 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#A2D5F2' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 5 using 1:2 with linespoints ls 6 title 'prediction with gap-aware, Adam', \
	'loss-workers.dat' index 6 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#72C9B2' dt 1 lw 1.5 notitle, \
	'loss-workers.dat' index 6 using 1:2 with linespoints ls 7 title 'gap-aware, Adam without momentum'
if (svg && cairo) {
	set terminal pngcairo size 1280,1486 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'loss-workers.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1486 font ',28' linewidth 2
	set output 'loss-workers.png'
	replot
}
set output
