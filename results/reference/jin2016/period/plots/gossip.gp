# Edit, and run in this folder: gnuplot gossip.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'epoch' noenhanced
set title "Gossip by pull: test accuracy against epochs, small\nlearning rate" noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [0:2.06999]
set yrange [0.26547:0.435318]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 5 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#009E73' lw 2 dt (2,3) pt 15 ps 0.9
set style line 6 lc rgb '#009E73' lw 1.5 dt 1 pt 14 ps 1.9
set style line 3 lc rgb '#72C9B2' lw 2 dt 1 pt 7 ps 0.9
set style line 7 lc rgb '#72C9B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 4 lc rgb '#00563F' lw 2 dt (14,4) pt 5 ps 0.9
set style line 8 lc rgb '#00563F' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,685 font 'sans-serif,17' background rgb 'white'
	set output 'gossip.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gossip.png'
}
if (!svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'gossip.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'gossip.txt'
}
plot NaN notitle, \
	'gossip.dat' index 0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'gossip.dat' index 1 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.18 noborder notitle, \
	'gossip.dat' index 2 using 1:3:4 with filledcurves fc rgb '#72C9B2' fs transparent solid 0.18 noborder notitle, \
	'gossip.dat' index 3 using 1:3:4 with filledcurves fc rgb '#00563F' fs transparent solid 0.18 noborder notitle, \
	'gossip.dat' index 0 using 1:2 with linespoints ls 1 title 'all-reduce', \
	'gossip.dat' index 1 using 1:2 with linespoints ls 2 title 'pull, period 1', \
	'gossip.dat' index 2 using 1:2 with linespoints ls 3 title 'pull, period 10', \
	'gossip.dat' index 3 using 1:2 with linespoints ls 4 title 'pull, period 100'
if (svg && cairo) {
	set terminal pngcairo size 1280,1370 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'gossip.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1370 font ',28' linewidth 2
	set output 'gossip.png'
	replot
}
set output
