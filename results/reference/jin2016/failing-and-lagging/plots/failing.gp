# Edit, and run in this folder: gnuplot failing.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'fault' noenhanced
set title 'Time per epoch when workers of 16 leave' noenhanced
set ylabel 'time per epoch [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [-0.6:2.6]
set yrange [32.8597:41.0398]
set xtics noenhanced rotate by 25 right offset 0.6,0 ('none' 0, 'one leaves and returns' 1, 'two leave' 2) scale 0
set grid noxtics
set boxwidth 0.24
set key top left Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#5F7C8A' lw 2 dt 1 pt 7 ps 0.9
set style line 4 lc rgb '#5F7C8A' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#5A3FC0' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 5 lc rgb '#5A3FC0' lw 1.5 dt 1 pt 8 ps 1.9
set style line 3 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 6 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,574 font 'sans-serif,17' background rgb 'white'
	set output 'failing.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1148 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'failing.png'
}
if (!svg && png) {
	set terminal png size 1280,1148 font ',28' linewidth 2
	set output 'failing.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'failing.txt'
}
plot NaN notitle, \
	'failing.dat' index 0 using 1:2 with points ls 1 title 'elastic', \
	'failing.dat' index 1 using 1:2 with points ls 2 title 'gossip, push', \
	'failing.dat' index 2 using 1:2 with points ls 3 title 'parameter server'
if (svg && cairo) {
	set terminal pngcairo size 1280,1148 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'failing.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1148 font ',28' linewidth 2
	set output 'failing.png'
	replot
}
set output
