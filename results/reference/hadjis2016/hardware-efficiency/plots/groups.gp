# Edit, and run in this folder: gnuplot groups.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set title 'Seconds of 100 updates, 16 workers' noenhanced
set xlabel 'compute groups' noenhanced
set ylabel 'seconds of 100 updates' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set logscale y
set ytics ('10' 10, '20' 20, '50' 50, '100' 100)
set xrange [-0.6:4.6]
set yrange [6.79006:113.752]
set xtics noenhanced ('1 group' 0, '2 groups' 1, '4 groups' 2, '8 groups' 3, '16 groups' 4) scale 0
set grid noxtics
set boxwidth 0.24
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 9 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 10 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 11 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,597 font 'sans-serif,17' background rgb 'white'
	set output 'groups.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1194 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'groups.png'
}
if (!svg && png) {
	set terminal png size 1280,1194 font ',28' linewidth 2
	set output 'groups.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'groups.txt'
}
plot NaN notitle, \
	'groups.dat' index 0 using 1:2 with points ls 1 title 'free server', \
	'groups.dat' index 1 using 1:2 with points ls 2 title 'server takes 0.1 s a step', \
	'groups.dat' index 2 using 1:2 with points ls 3 title 'server takes 0.2 s a step'
if (svg && cairo) {
	set terminal pngcairo size 1280,1194 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'groups.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1194 font ',28' linewidth 2
	set output 'groups.png'
	replot
}
set output
