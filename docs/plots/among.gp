# Edit, and run in this folder: gnuplot among.gp
set encoding utf8
set terminal svg size 640,662 font 'sans-serif,17' background rgb 'white'
set output 'among.svg'
set xlabel 'bandwidth [GB/s]' noenhanced
set title "Time to the same loss; dashed: another algorithm becomes the\nfirst" noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set key above left Left reverse samplen 2 maxrows 8 noenhanced
set xrange [0.05:50]
set ylabel 'time to the same loss [s per step of all-reduce]' noenhanced
set grid x y lt 1 lc rgb '#DCDCDC' lw 0.8
set logscale x
set format x '%g'
set logscale y
set ytics ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10)
set yrange [0.273314073:14.56972]
set arrow 1 from first 0.05277248, graph 0 to first 0.05277248, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
set arrow 2 from first 0.921711494, graph 0 to first 0.921711494, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
set arrow 3 from first 3.02148196, graph 0 to first 3.02148196, graph 1 nohead lc rgb '#606060' lw 1.2 dt 2
plot 'among.dat' using 1:2 with linespoints lc rgb '#0072B2' lw 2 pt 7 ps 0.7 title 'allreduce', \
	'among.dat' using 1:3 with linespoints lc rgb '#5F7C8A' lw 2 pt 11 ps 0.7 title 'diloco:period=25', \
	'among.dat' using 1:4 with linespoints lc rgb '#A7B6BE' lw 2 pt 15 ps 0.7 title 'diloco:period=10', \
	'among.dat' using 1:5 with linespoints lc rgb '#D55E00' lw 2 pt 5 ps 0.7 title 'ad-psgd', \
	'among.dat' using 1:6 with linespoints lc rgb '#34444B' lw 2 pt 7 ps 0.7 title 'diloco:period=5'
terminals = ' '.GPVAL_TERMINALS.' '
cairo = strstrt(terminals, ' pngcairo ') > 0
if (cairo) {
	set terminal pngcairo size 1280,1324 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
}
if (!cairo && strstrt(terminals, ' png ')) {
	set terminal png size 1280,1324 font ',28' linewidth 2
}
if (cairo || strstrt(terminals, ' png ')) {
	set output 'among.png'
	replot
}
set output
