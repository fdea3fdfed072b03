# Edit, and run in this folder: gnuplot epoch.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'nodes' noenhanced
set title 'Time per epoch, 64 samples per node' noenhanced
set ylabel 'time per epoch [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set xtics ('2048' 2048, '1024' 1024, '512' 512, '256' 256, '128' 128, '64' 64, '32' 32)
set logscale x
set logscale y
set ytics ('5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500)
set xrange [27.0958:2418.67]
set yrange [2.965:785.429]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
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
	set output 'epoch.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'epoch.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'epoch.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'epoch.txt'
}
plot NaN notitle, \
	'epoch.dat' index 0 using 1:2 with linespoints ls 1 title 'AlexNet-BN', \
	'epoch.dat' index 1 using 1:2 with linespoints ls 2 title 'ResNet-50'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'epoch.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'epoch.png'
	replot
}
set output
