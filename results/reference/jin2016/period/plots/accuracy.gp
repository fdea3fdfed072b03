# Edit, and run in this folder: gnuplot accuracy.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'algorithm, period in steps' noenhanced
set title 'Final test accuracy by algorithm and period' noenhanced
set ylabel 'test accuracy' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [-0.6:9.6]
set yrange [0:0.52496]
set xtics noenhanced rotate by 25 right offset 0.6,0 ('all-reduce' 0, 'elastic, 1' 1, 'elastic, 10' 2, 'elastic, 100' 3, 'pull, 1' 4, 'pull, 10' 5, 'pull, 100' 6, 'push, 1' 7, 'push, 10' 8, 'push, 100' 9) scale 0
set grid noxtics
set boxwidth 0.36
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 3 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 4 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,619 font 'sans-serif,17' background rgb 'white'
	set output 'accuracy.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1238 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
}
if (!svg && png) {
	set terminal png size 1280,1238 font ',28' linewidth 2
	set output 'accuracy.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'accuracy.txt'
}
plot NaN notitle, \
	'accuracy.dat' index 0 using 1:2 with boxes ls 1 dt 1 lw 1 fs solid 0.9 border title 'learning rate 0.002', \
	'accuracy.dat' index 1 using 1:2 with boxes ls 2 dt 1 lw 1 fs solid 0.6 border title 'learning rate 0.02'
if (svg && cairo) {
	set terminal pngcairo size 1280,1238 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'accuracy.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1238 font ',28' linewidth 2
	set output 'accuracy.png'
	replot
}
set output
