# Edit, and run in this folder: gnuplot iterations.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'machines, 512 images each' noenhanced
set title 'Iterations of 100 epochs of AlexNet-BN' noenhanced
set ylabel 'iterations' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('64' 64, '32' 32, '16' 16, '8' 8, '4' 4, '2' 2, '1' 1)
set logscale x
set logscale y
set ytics ('5000' 5000, '10000' 10000, '20000' 20000, '50000' 50000, '100000' 100000, '200000' 200000)
set xrange [0.846745:75.5835]
set yrange [3310.62:295517]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 2 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'iterations.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'iterations.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'iterations.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'iterations.txt'
}
plot NaN notitle, \
	'iterations.dat' index 0 using 1:2 with linespoints ls 1 notitle, \
	'iterations.dat' index 1 using 1:2 with points ls 2 notitle, \
	NaN with points lc rgb '#606060' lw 1.5 pt 6 ps 1.9 title 'published'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'iterations.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'iterations.png'
	replot
}
set output
