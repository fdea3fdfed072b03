# Edit, and run in this folder: gnuplot accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'batch' noenhanced
set title 'Test accuracy against batch' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('8192' 8192, '4096' 4096, '2048' 2048, '1024' 1024, '512' 512, '256' 256, '128' 128)
set logscale x
set format y '%g'
set xrange [108.383:9674.69]
set yrange [-0.0392908:1.02156]
set key bottom left Left reverse samplen 3 spacing 1.15 noenhanced
set key title "mean of 3 seeds, ± 1 s.d." noenhanced
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
	'accuracy.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#0072B2' dt 1 lw 1.5 notitle, \
	'accuracy.dat' index 0 using 1:2 with linespoints ls 1 title 'linear scaling', \
	'accuracy.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#D55E00' dt 1 lw 1.5 notitle, \
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
