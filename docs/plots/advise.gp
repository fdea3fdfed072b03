# Edit, and run in this folder: gnuplot advise.gp
set encoding utf8
set xlabel 'slowdown of worker 0'
set ylabel 'time per useful step [s]'
set y2label 'P(second is faster)'
set border 11 lc rgb '#404040'
set tics nomirror
set y2tics 0, 0.25, 1
set yrange [0:*]
set y2range [0:1]
set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8
set key above left Left reverse samplen 2 maxrows 6 noenhanced
set xrange [1:2]
set object 1 rectangle from first 1.02998157, graph 0 to first 1.17396649, graph 1 behind fc rgb '#E0E0E0' fs solid noborder
set arrow 1 from first 1.10546875, graph 0 to first 1.10546875, graph 1 nohead lc rgb '#606060' lw 1.5
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,480 font 'sans-serif,17' background rgb 'white'
	set output 'advise.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'advise.png'
}
if (!svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'advise.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'advise.txt'
}
plot 'advise.dat' using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:2 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'advise.dat' using 1:6:7 with filledcurves fc rgb '#D55E00' fs transparent solid 0.18 noborder notitle, \
	'advise.dat' using 1:5 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd', \
	'advise.dat' using 1:8 axes x1y2 with lines lc rgb '#000000' lw 1.5 dt '-' title 'P(ad-psgd is faster), right axis', \
	NaN with lines lc rgb '#606060' lw 1.5 title 'break-even and its interval'
if (svg && cairo) {
	set terminal pngcairo size 1280,960 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'advise.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,960 font ',28' linewidth 2
	set output 'advise.png'
	replot
}
set output
