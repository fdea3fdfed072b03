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
set style line 1 lc rgb '#5F7C8A' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 17 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 8 ps 1.9
set style line 2 lc rgb '#A7B6BE' lw 2 dt (6,3) pt 13 ps 0.9
set style line 18 lc rgb '#A7B6BE' lw 1.5 dt 1 pt 12 ps 1.9
set style line 3 lc rgb '#00B5AD' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 19 lc rgb '#00B5AD' lw 1.5 dt 1 pt 8 ps 1.9
set style line 4 lc rgb '#72D6D1' lw 2 dt (6,3) pt 13 ps 0.9
set style line 20 lc rgb '#72D6D1' lw 1.5 dt 1 pt 12 ps 1.9
set style line 5 lc rgb '#77B300' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 21 lc rgb '#77B300' lw 1.5 dt 1 pt 10 ps 1.9
set style line 6 lc rgb '#B4D572' lw 2 dt (2,3) pt 15 ps 0.9
set style line 22 lc rgb '#B4D572' lw 1.5 dt 1 pt 14 ps 1.9
set style line 7 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 23 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 8 lc rgb '#BFB572' lw 2 dt 1 pt 7 ps 0.9
set style line 24 lc rgb '#BFB572' lw 1.5 dt 1 pt 6 ps 1.9
set style line 9 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 25 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 10 lc rgb '#727272' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 26 lc rgb '#727272' lw 1.5 dt 1 pt 8 ps 1.9
set style line 11 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.9
set style line 27 lc rgb '#D55E00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 12 lc rgb '#E7A672' lw 2 dt (14,4) pt 5 ps 0.9
set style line 28 lc rgb '#E7A672' lw 1.5 dt 1 pt 4 ps 1.9
set style line 13 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 29 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 14 lc rgb '#A2D5F2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 30 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 15 lc rgb '#7A4A21' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 31 lc rgb '#7A4A21' lw 1.5 dt 1 pt 8 ps 1.9
set style line 16 lc rgb '#B59B84' lw 2 dt (6,3) pt 13 ps 0.9
set style line 32 lc rgb '#B59B84' lw 1.5 dt 1 pt 12 ps 1.9
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
set arrow from graph 0.9630, graph 0.1330 to graph 1.0368, graph 0.0000 nohead back lc rgb '#7A4A21' lw 1 dt (3,3)
set label '15' at graph 1.0450, graph 0.0000 left front noenhanced tc rgb '#7A4A21'
set arrow from graph 0.7209, graph 0.1410 to graph 1.0368, graph 0.0606 nohead back lc rgb '#77B300' lw 1 dt (3,3)
set label '5' at graph 1.0450, graph 0.0606 left front noenhanced tc rgb '#77B300'
set arrow from graph 0.9630, graph 0.3469 to graph 1.0368, graph 0.1212 nohead back lc rgb '#5F7C8A' lw 1 dt (3,3)
set label '1' at graph 1.0450, graph 0.1212 left front noenhanced tc rgb '#5F7C8A'
set arrow from graph 0.9630, graph 0.3474 to graph 1.0368, graph 0.1818 nohead back lc rgb '#B59B84' lw 1 dt (3,3)
set label '16' at graph 1.0450, graph 0.1818 left front noenhanced tc rgb '#B59B84'
set arrow from graph 0.7209, graph 0.3475 to graph 1.0368, graph 0.2424 nohead back lc rgb '#D55E00' lw 1 dt (3,3)
set label '11' at graph 1.0450, graph 0.2424 left front noenhanced tc rgb '#D55E00'
set arrow from graph 0.7209, graph 0.3475 to graph 1.0368, graph 0.3030 nohead back lc rgb '#000000' lw 1 dt (3,3)
set label '9' at graph 1.0450, graph 0.3030 left front noenhanced tc rgb '#000000'
set arrow from graph 0.7209, graph 0.3475 to graph 1.0368, graph 0.3636 nohead back lc rgb '#00B5AD' lw 1 dt (3,3)
set label '3' at graph 1.0450, graph 0.3636 left front noenhanced tc rgb '#00B5AD'
set arrow from graph 0.7209, graph 0.3475 to graph 1.0368, graph 0.4242 nohead back lc rgb '#56B4E9' lw 1 dt (3,3)
set label '13' at graph 1.0450, graph 0.4242 left front noenhanced tc rgb '#56B4E9'
set arrow from graph 0.7209, graph 0.3475 to graph 1.0368, graph 0.4848 nohead back lc rgb '#8C7A00' lw 1 dt (3,3)
set label '7' at graph 1.0450, graph 0.4848 left front noenhanced tc rgb '#8C7A00'
set arrow from graph 0.5000, graph 0.3481 to graph 1.0368, graph 0.5455 nohead back lc rgb '#A2D5F2' lw 1 dt (3,3)
set label '14' at graph 1.0450, graph 0.5455 left front noenhanced tc rgb '#A2D5F2'
set arrow from graph 0.5000, graph 0.3482 to graph 1.0368, graph 0.6061 nohead back lc rgb '#E7A672' lw 1 dt (3,3)
set label '12' at graph 1.0450, graph 0.6061 left front noenhanced tc rgb '#E7A672'
set arrow from graph 0.9630, graph 0.3483 to graph 1.0368, graph 0.6667 nohead back lc rgb '#A7B6BE' lw 1 dt (3,3)
set label '2' at graph 1.0450, graph 0.6667 left front noenhanced tc rgb '#A7B6BE'
set arrow from graph 0.5000, graph 0.3488 to graph 1.0368, graph 0.7273 nohead back lc rgb '#BFB572' lw 1 dt (3,3)
set label '8' at graph 1.0450, graph 0.7273 left front noenhanced tc rgb '#BFB572'
set arrow from graph 0.9630, graph 0.3516 to graph 1.0368, graph 0.7879 nohead back lc rgb '#B4D572' lw 1 dt (3,3)
set label '6' at graph 1.0450, graph 0.7879 left front noenhanced tc rgb '#B4D572'
set arrow from graph 0.9630, graph 0.4389 to graph 1.0368, graph 0.8485 nohead back lc rgb '#72D6D1' lw 1 dt (3,3)
set label '4' at graph 1.0450, graph 0.8485 left front noenhanced tc rgb '#72D6D1'
set arrow from graph 0.9630, graph 0.5489 to graph 1.0368, graph 0.9091 nohead back lc rgb '#727272' lw 1 dt (3,3)
set label '10' at graph 1.0450, graph 0.9091 left front noenhanced tc rgb '#727272'
set rmargin at screen 0.9275
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
	'tuning-3.dat' index 0 using 1:2 with linespoints ls 1 title '1  dynsgd, sgd, momentum 0', \
	'tuning-3.dat' index 1 using 1:2 with linespoints ls 2 title '2  dynsgd, sgd, momentum 0.9, nesterov true', \
	'tuning-3.dat' index 2 using 1:2 with linespoints ls 3 title '3  delay-adaptive, sgd, momentum 0', \
	'tuning-3.dat' index 3 using 1:2 with linespoints ls 4 title '4  delay-adaptive, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning-3.dat' index 4 using 1:2 with linespoints ls 5 title '5  gap-aware, sgd, momentum 0', \
	'tuning-3.dat' index 5 using 1:2 with linespoints ls 6 title '6  gap-aware, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 6 using 1:2 with linespoints ls 7 title '7  dc-asgd, sgd, momentum 0', \
	'tuning-3.dat' index 7 using 1:2 with linespoints ls 8 title '8  dc-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 8 using 1:2 with linespoints ls 9 title '9  nag-asgd, sgd, momentum 0', \
	'tuning-3.dat' index 9 using 1:2 with linespoints ls 10 title '10  nag-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 10 using 1:2 with linespoints ls 11 title '11  multi-asgd, sgd, momentum 0', \
	'tuning-3.dat' index 11 using 1:2 with linespoints ls 12 title '12  multi-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning-3.dat' index 12 using 1:2 with linespoints ls 13 title '13  dana, sgd, momentum 0', \
	'tuning-3.dat' index 13 using 1:2 with linespoints ls 14 title '14  dana, sgd, momentum 0.9, nesterov true', \
	'tuning-3.dat' index 14 using 1:2 with linespoints ls 15 title '15  rennala, sgd, momentum 0', \
	'tuning-3.dat' index 15 using 1:2 with linespoints ls 16 title '16  rennala, sgd, momentum 0.9, nesterov', \
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
