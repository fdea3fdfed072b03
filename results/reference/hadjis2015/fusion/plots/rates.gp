# Edit, and run in this folder: gnuplot rates.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'net' noenhanced
set title 'Rate of gradients with and without fusion, one thread' noenhanced
set ylabel 'samples per real second' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [-0.6:2.6]
set yrange [0:788.472]
set xtics noenhanced ('CIFAR CNN' 0, '5x5, 16 to 256' 1, '5x5, 64 to 64' 2) scale 0
set grid noxtics
set boxwidth 0.36
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 2 height 0 noenhanced
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
	set terminal svg size 640,567 font 'sans-serif,17' background rgb 'white'
	set output 'rates.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'rates.png'
}
if (!svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'rates.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'rates.txt'
}
plot NaN notitle, \
	'rates.dat' index 0 using 1:2 with boxes ls 1 dt 1 lw 1 fs solid 0.9 border title 'fused', \
	'rates.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'rates.dat' index 1 using 1:2 with boxes ls 2 dt 1 lw 1 fs solid 0.6 border title 'not fused', \
	'rates.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle
if (svg && cairo) {
	set terminal pngcairo size 1280,1134 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'rates.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1134 font ',28' linewidth 2
	set output 'rates.png'
	replot
}
set output
