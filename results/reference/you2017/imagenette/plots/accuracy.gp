# Edit, and run in this folder: gnuplot accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'batch' noenhanced
set title 'AlexNet-BN: test accuracy against batch' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('1024' 1024, '512' 512, '256' 256, '128' 128, '64' 64, '32' 32)
set logscale x
set format y '%g'
set xrange [27.8576:1176.27]
set yrange [0.463:0.652]
set key bottom left Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 3 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 4 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy.txt'
}
plot NaN notitle, \
	'accuracy.dat' index 0 using 1:2 with linespoints ls 1 title 'linear scaling', \
	'accuracy.dat' index 1 using 1:2 with linespoints ls 2 title 'LARS'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'accuracy.png'
	replot
}
set output
