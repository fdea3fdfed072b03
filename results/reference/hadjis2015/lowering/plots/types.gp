# Edit, and run in this folder: gnuplot types.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'channels in to channels out' noenhanced
set title '5x5 convolutions of d channels to o, d x o = 4096' noenhanced
set ylabel 'rate [samples/s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set format x '%g'
set format y '%g'
set xrange [-0.6:5.6]
set yrange [0:603.39]
set xtics noenhanced rotate by 25 right offset 0.6,0 ('16 to 256' 0, '32 to 128' 1, '64 to 64' 2, '128 to 32' 3, '256 to 16' 4, '512 to 8' 5) scale 0
set grid noxtics
set boxwidth 0.24
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 3 height 0 noenhanced
set key title "\nmean of 3 seeds, ± 1 s.d." noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 4 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 5 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 6 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,606 font 'sans-serif,17' background rgb 'white'
	set output 'types.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1212 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'types.png'
}
if (!svg && png) {
	set terminal png size 1280,1212 font ',28' linewidth 2
	set output 'types.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'types.txt'
}
plot NaN notitle, \
	'types.dat' index 0 using 1:2 with boxes ls 1 dt 1 lw 1 fs solid 0.9 border title 'type 1', \
	'types.dat' index 0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'types.dat' index 1 using 1:2 with boxes ls 2 dt 1 lw 1 fs solid 0.6 border title 'type 2', \
	'types.dat' index 1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle, \
	'types.dat' index 2 using 1:2 with boxes ls 3 dt 1 lw 1 fs solid 0.35 border title 'type 3', \
	'types.dat' index 2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 fixed lc rgb '#000000' dt 1 lw 1 notitle
if (svg && cairo) {
	set terminal pngcairo size 1280,1212 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'types.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1212 font ',28' linewidth 2
	set output 'types.png'
	replot
}
set output
