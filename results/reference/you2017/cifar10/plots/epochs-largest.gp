# Edit, and run in this folder: gnuplot epochs-largest.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title 'Test accuracy against epochs, 64 workers' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:8.27996]
set yrange [0.107744:0.481719]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
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
	set terminal svg size 640,626 font 'sans-serif,17' background rgb 'white'
	set output 'epochs-largest.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'epochs-largest.png'
}
if (!svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'epochs-largest.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'epochs-largest.txt'
}
plot NaN notitle, \
	'epochs-largest.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'epochs-largest.dat' index 1 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'epochs-largest.dat' index 2 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'epochs-largest.dat' index 0 using 1:2 with linespoints ls 1 title 'SGD', \
	'epochs-largest.dat' index 1 using 1:2 with linespoints ls 2 title 'linear scaling, warm-up', \
	'epochs-largest.dat' index 2 using 1:2 with linespoints ls 3 title 'LARS, warm-up'
if (svg && cairo) {
	set terminal pngcairo size 1280,1252 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'epochs-largest.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1252 font ',28' linewidth 2
	set output 'epochs-largest.png'
	replot
}
set output
