# Edit, and run in this folder: gnuplot my-cluster.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'workers' noenhanced
set title "Simulated: timing=true net=resnet50 data=imagenet batch=64\ncompute_s=0.05 slow=0:3\nlink=nic:latency_s=2e-6,bandwidth_GBps=12.5" noenhanced
set ylabel 'time per epoch [s]' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set xtics ('5' 5, '10' 10, '20' 20, '50' 50)
set xtics ('64' 64, '32' 32, '16' 16, '8' 8, '4' 4)
set logscale y
set ytics ('20' 20, '50' 50, '100' 100, '200' 200, '500' 500)
set xrange [3.5801:71.5064]
set yrange [13.5728:893.13]
set key top right Left reverse samplen 3 spacing 1.15 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 4 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 5 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 6 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,538 font 'sans-serif,17' background rgb 'white'
	set output 'my-cluster.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,1076 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'my-cluster.png'
}
if (!svg && png) {
	set terminal png size 1280,1076 font ',28' linewidth 2
	set output 'my-cluster.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'my-cluster.txt'
}
plot NaN notitle, \
	'my-cluster.dat' index 0 using 1:2 with linespoints ls 1 title 'allreduce', \
	'my-cluster.dat' index 1 using 1:2 with linespoints ls 2 title 'ad-psgd', \
	'my-cluster.dat' index 2 using 1:2 with linespoints ls 3 title 'asgd'
if (svg && cairo) {
	set terminal pngcairo size 1280,1076 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'my-cluster.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,1076 font ',28' linewidth 2
	set output 'my-cluster.png'
	replot
}
set output
