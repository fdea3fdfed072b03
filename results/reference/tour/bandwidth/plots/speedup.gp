# Edit, and run in this folder: gnuplot speedup.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set title '16 workers, ResNet-20' noenhanced
set xlabel 'network, GB/s a card' noenhanced
set ylabel 'speedup over one worker' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [-0.6:3.6]
set yrange [0:16.5779]
set xtics noenhanced ('10' 0, '1' 1, '0.1' 2, '0.01' 3) scale 0
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
	set output 'speedup.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1194 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'speedup.png'
}
if (!svg && png) {
	set terminal png size 1280,1194 font ',28' linewidth 2
	set output 'speedup.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'speedup.txt'
}
plot NaN notitle, \
	'speedup.dat' index 0 using 1:2 with boxes ls 1 dt 1 lw 1 fs solid 0.9 border title 'server (ASGD)', \
	'speedup.dat' index 1 using 1:2 with boxes ls 2 dt 1 lw 1 fs solid 0.6 border title 'ring (all-reduce)', \
	'speedup.dat' index 2 using 1:2 with boxes ls 3 dt 1 lw 1 fs solid 0.35 border title 'gossip (AD-PSGD)'
if (svg && cairo) {
	set terminal pngcairo size 1280,1194 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'speedup.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1194 font ',28' linewidth 2
	set output 'speedup.png'
	replot
}
set output
