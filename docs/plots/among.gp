# Edit, and run in this folder: gnuplot among.gp
set encoding utf8
set border 3 lc rgb '#404040'
set tics nomirror
set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8
set ylabel 'time to the same loss [s per step of all-reduce]'
set key above left Left reverse samplen 2 maxrows 8 noenhanced
set xlabel 'bandwidth [GB/s]' noenhanced
set logscale x
set format x '%g'
set xrange [0.05:50]
set logscale y
set ytics ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10)
set yrange [0.273314073:14.56972]
set arrow from first 0.05138624, graph 0 to first 0.05138624, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
set arrow from first 0.897499758, graph 0 to first 0.897499758, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
set arrow from first 2.94211295, graph 0 to first 2.94211295, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,610 font 'sans-serif,17' background rgb 'white'
	set output 'among.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1220 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'among.png'
}
if (!svg && png) {
	set terminal png size 1280,1220 font ',28' linewidth 2
	set output 'among.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'among.txt'
}
plot 'among.dat' using 1:3 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'among.dat' using 1:4 with linespoints lc rgb '#5F7C8A' lw 2 pt 11 ps 0.7 title 'diloco:period=25', \
	'among.dat' using 1:5 with linespoints lc rgb '#A7B6BE' lw 2 pt 15 ps 0.7 title 'diloco:period=10', \
	'among.dat' using 1:6 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd', \
	'among.dat' using 1:7 with linespoints lc rgb '#34444B' lw 2 pt 7 ps 0.7 title 'diloco:period=5'
if (svg && cairo) {
	set terminal pngcairo size 1280,1220 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'among.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1220 font ',28' linewidth 2
	set output 'among.png'
	replot
}
set output
