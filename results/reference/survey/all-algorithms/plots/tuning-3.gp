# Edit, and run in this folder: gnuplot tuning-3.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs (3 of 6)' noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('0.001' 0.001, '0.002' 0.002, '0.005' 0.005, '0.01' 0.01, '0.02' 0.02, '0.05' 0.05, '0.1' 0.1)
set format y '%g'
set xrange [0.000831764:0.120226]
set yrange [1.67944:3.47428]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#56B4E9' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 17 lc rgb '#56B4E9' lw 1.5 dt 1 pt 8 ps 1.9
set style line 2 lc rgb '#A2D5F2' lw 2 dt (6,3) pt 13 ps 0.9
set style line 18 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 12 ps 1.9
set style line 3 lc rgb '#000000' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 19 lc rgb '#000000' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#727272' lw 2 dt (6,3) pt 13 ps 0.9
set style line 20 lc rgb '#727272' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#009E73' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 21 lc rgb '#009E73' lw 1.5 dt 1 pt 10 ps 1.9
set style line 6 lc rgb '#72C9B2' lw 2 dt (2,3) pt 15 ps 0.9
set style line 22 lc rgb '#72C9B2' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#8C7A00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 23 lc rgb '#8C7A00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 8 lc rgb '#BFB572' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 24 lc rgb '#BFB572' lw 1.5 dt 1 pt 8 ps 1.9
set style line 9 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 25 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 10 lc rgb '#727272' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 26 lc rgb '#727272' lw 1.5 dt 1 pt 8 ps 1.9
set style line 11 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.9
set style line 27 lc rgb '#D55E00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 12 lc rgb '#E7A672' lw 2 dt (14,4) pt 5 ps 0.9
set style line 28 lc rgb '#E7A672' lw 1.5 dt 1 pt 4 ps 1.9
set style line 13 lc rgb '#56B4E9' lw 2 dt 1 pt 7 ps 0.9
set style line 29 lc rgb '#56B4E9' lw 1.5 dt 1 pt 6 ps 1.9
set style line 14 lc rgb '#A2D5F2' lw 2 dt (14,4) pt 5 ps 0.9
set style line 30 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 4 ps 1.9
set style line 15 lc rgb '#0072B2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 31 lc rgb '#0072B2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 16 lc rgb '#72B1D4' lw 2 dt (6,3) pt 13 ps 0.9
set style line 32 lc rgb '#72B1D4' lw 1.5 dt 1 pt 12 ps 1.9
set label '∞' at first 0.1, graph 0.97 center tc ls 3 front
set label '∞' at first 0.1, graph 0.92 center tc ls 5 front
set label '∞' at first 0.1, graph 0.87 center tc ls 7 front
set label '∞' at first 0.03, graph 0.82 center tc ls 8 front
set label '∞' at first 0.1, graph 0.82 center tc ls 8 front
set label '∞' at first 0.1, graph 0.77 center tc ls 9 front
set label '∞' at first 0.1, graph 0.72 center tc ls 11 front
set label '∞' at first 0.03, graph 0.67 center tc ls 12 front
set label '∞' at first 0.1, graph 0.67 center tc ls 12 front
set label '∞' at first 0.1, graph 0.62 center tc ls 13 front
set label '∞' at first 0.03, graph 0.97 center tc ls 14 front
set label '∞' at first 0.1, graph 0.97 center tc ls 14 front
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,1183 font 'sans-serif,17' background rgb 'white'
	set output 'tuning-3.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,2366 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-3.png'
}
if (!svg && png) {
	set terminal png size 1280,2366 font ',28' linewidth 2
	set output 'tuning-3.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning-3.txt'
}
plot NaN notitle, \
	'tuning-3.dat' index 0 using 1:2 with linespoints ls 1 title 'dynsgd, sgd, momentum 0', \
	'tuning-3.dat' index 1 using 1:2 with linespoints ls 2 title 'dynsgd, sgd, momentum 0.9, nesterov true', \
	'tuning-3.dat' index 2 using 1:2 with linespoints ls 3 title 'delay-adaptive, sgd, momentum 0', \
	'tuning-3.dat' index 3 using 1:2 with linespoints ls 4 title 'delay-adaptive, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning-3.dat' index 4 using 1:2 with linespoints ls 5 title 'gap-aware, sgd, momentum 0', \
	'tuning-3.dat' index 5 using 1:2 with linespoints ls 6 title 'gap-aware, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 6 using 1:2 with linespoints ls 7 title 'dc-asgd, sgd, momentum 0', \
	'tuning-3.dat' index 7 using 1:2 with linespoints ls 8 title 'dc-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 8 using 1:2 with linespoints ls 9 title 'nag-asgd, sgd, momentum 0', \
	'tuning-3.dat' index 9 using 1:2 with linespoints ls 10 title 'nag-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 10 using 1:2 with linespoints ls 11 title 'multi-asgd, sgd, momentum 0', \
	'tuning-3.dat' index 11 using 1:2 with linespoints ls 12 title 'multi-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 12 using 1:2 with linespoints ls 13 title 'dana, sgd, momentum 0', \
	'tuning-3.dat' index 13 using 1:2 with linespoints ls 14 title 'dana, sgd, momentum 0.9, nesterov true', \
	'tuning-3.dat' index 14 using 1:2 with linespoints ls 15 title 'rennala, sgd, momentum 0', \
	'tuning-3.dat' index 15 using 1:2 with linespoints ls 16 title 'rennala, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	NaN with points lc rgb '#606060' pt '∞' title 'infinite'
if (svg && cairo) {
	set terminal pngcairo size 1280,2366 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning-3.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,2366 font ',28' linewidth 2
	set output 'tuning-3.png'
	replot
}
set output
