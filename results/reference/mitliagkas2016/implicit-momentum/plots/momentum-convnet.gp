# Edit, and run in this folder: gnuplot momentum-convnet.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title 'Measured momentum of a convolutional net' noenhanced
set ylabel 'momentum' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set format y '%g'
set xrange [0.895025:17.8766]
set yrange [-0.0386271:1.0043]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 3 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 4 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,626 font 'sans-serif,17' background rgb 'white'
	set output 'momentum-convnet.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'momentum-convnet.png'
}
if (!svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'momentum-convnet.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'momentum-convnet.txt'
}
plot NaN notitle, \
	'momentum-convnet.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'momentum-convnet.dat' index 0 using 1:2 with linespoints ls 1 title 'exponential', \
	'momentum-convnet.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
	'momentum-convnet.dat' index 1 using 1:2 with linespoints ls 2 title 'constant (2 to 3 seeds)', \
	'momentum-convnet.dat' index 2 using 1:2 with points ls 3 notitle, \
	NaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 title 'published'
if (svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'momentum-convnet.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'momentum-convnet.png'
	replot
}
set output
