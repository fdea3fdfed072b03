# Edit, and run in this folder: gnuplot tuning.gp
set encoding utf8
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set xlabel 'learning rate' noenhanced
set title 'Tuning runs' noenhanced
set ylabel 'test loss' noenhanced
set border 3 lc rgb '#404040'
set tics nomirror
set logscale x
set format x '10^{/*1.15 %L}'
set format y '%g'
set xrange [3.68917e-05:0.135532]
set yrange [1.36759:6.82409]
set key below horizontal center Left reverse samplen 3 spacing 1.15 maxcols 1 height 1 noenhanced
set style line 1 lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 0.9
set style line 81 lc rgb '#0072B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 2 lc rgb '#72B1D4' lw 2 dt (14,4) pt 5 ps 0.9
set style line 82 lc rgb '#72B1D4' lw 1.5 dt 1 pt 4 ps 1.9
set style line 3 lc rgb '#8C7A00' lw 2 dt 1 pt 7 ps 0.9
set style line 83 lc rgb '#8C7A00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 4 lc rgb '#BFB572' lw 2 dt (14,4) pt 5 ps 0.9
set style line 84 lc rgb '#BFB572' lw 1.5 dt 1 pt 4 ps 1.9
set style line 5 lc rgb '#E69F00' lw 2 dt 1 pt 7 ps 0.9
set style line 85 lc rgb '#E69F00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 6 lc rgb '#F1CA72' lw 2 dt (14,4) pt 5 ps 0.9
set style line 86 lc rgb '#F1CA72' lw 1.5 dt 1 pt 4 ps 1.9
set style line 7 lc rgb '#8C7A00' lw 2 dt (6,3) pt 13 ps 0.9
set style line 87 lc rgb '#8C7A00' lw 1.5 dt 1 pt 12 ps 1.9
set style line 8 lc rgb '#BFB572' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 88 lc rgb '#BFB572' lw 1.5 dt 1 pt 10 ps 1.9
set style line 9 lc rgb '#009E73' lw 2 dt 1 pt 7 ps 0.9
set style line 89 lc rgb '#009E73' lw 1.5 dt 1 pt 6 ps 1.9
set style line 10 lc rgb '#72C9B2' lw 2 dt (14,4) pt 5 ps 0.9
set style line 90 lc rgb '#72C9B2' lw 1.5 dt 1 pt 4 ps 1.9
set style line 11 lc rgb '#009E73' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 91 lc rgb '#009E73' lw 1.5 dt 1 pt 8 ps 1.9
set style line 12 lc rgb '#72C9B2' lw 2 dt (6,3) pt 13 ps 0.9
set style line 92 lc rgb '#72C9B2' lw 1.5 dt 1 pt 12 ps 1.9
set style line 13 lc rgb '#56B4E9' lw 2 dt (14,4) pt 5 ps 0.9
set style line 93 lc rgb '#56B4E9' lw 1.5 dt 1 pt 4 ps 1.9
set style line 14 lc rgb '#A2D5F2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 94 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 15 lc rgb '#CC79A7' lw 2 dt (6,3) pt 13 ps 0.9
set style line 95 lc rgb '#CC79A7' lw 1.5 dt 1 pt 12 ps 1.9
set style line 16 lc rgb '#E2B5CE' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 96 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 10 ps 1.9
set style line 17 lc rgb '#CC79A7' lw 2 dt 1 pt 7 ps 0.9
set style line 97 lc rgb '#CC79A7' lw 1.5 dt 1 pt 6 ps 1.9
set style line 18 lc rgb '#E2B5CE' lw 2 dt (14,4) pt 5 ps 0.9
set style line 98 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 4 ps 1.9
set style line 19 lc rgb '#D55E00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 99 lc rgb '#D55E00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 20 lc rgb '#E7A672' lw 2 dt (6,3) pt 13 ps 0.9
set style line 100 lc rgb '#E7A672' lw 1.5 dt 1 pt 12 ps 1.9
set style line 21 lc rgb '#CC79A7' lw 2 dt (14,4) pt 5 ps 0.9
set style line 101 lc rgb '#CC79A7' lw 1.5 dt 1 pt 4 ps 1.9
set style line 22 lc rgb '#E2B5CE' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 102 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 8 ps 1.9
set style line 23 lc rgb '#0072B2' lw 2 dt (14,4) pt 5 ps 0.9
set style line 103 lc rgb '#0072B2' lw 1.5 dt 1 pt 4 ps 1.9
set style line 24 lc rgb '#72B1D4' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 104 lc rgb '#72B1D4' lw 1.5 dt 1 pt 8 ps 1.9
set style line 25 lc rgb '#D55E00' lw 2 dt (6,3) pt 13 ps 0.9
set style line 105 lc rgb '#D55E00' lw 1.5 dt 1 pt 12 ps 1.9
set style line 26 lc rgb '#E7A672' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 106 lc rgb '#E7A672' lw 1.5 dt 1 pt 10 ps 1.9
set style line 27 lc rgb '#CC79A7' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 107 lc rgb '#CC79A7' lw 1.5 dt 1 pt 8 ps 1.9
set style line 28 lc rgb '#E2B5CE' lw 2 dt (6,3) pt 13 ps 0.9
set style line 108 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 12 ps 1.9
set style line 29 lc rgb '#8C7A00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 109 lc rgb '#8C7A00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 30 lc rgb '#BFB572' lw 2 dt (6,3) pt 13 ps 0.9
set style line 110 lc rgb '#BFB572' lw 1.5 dt 1 pt 12 ps 1.9
set style line 31 lc rgb '#E69F00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 111 lc rgb '#E69F00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 32 lc rgb '#F1CA72' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 112 lc rgb '#F1CA72' lw 1.5 dt 1 pt 8 ps 1.9
set style line 33 lc rgb '#56B4E9' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 113 lc rgb '#56B4E9' lw 1.5 dt 1 pt 8 ps 1.9
set style line 34 lc rgb '#A2D5F2' lw 2 dt (6,3) pt 13 ps 0.9
set style line 114 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 12 ps 1.9
set style line 35 lc rgb '#000000' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 115 lc rgb '#000000' lw 1.5 dt 1 pt 8 ps 1.9
set style line 36 lc rgb '#727272' lw 2 dt (6,3) pt 13 ps 0.9
set style line 116 lc rgb '#727272' lw 1.5 dt 1 pt 12 ps 1.9
set style line 37 lc rgb '#009E73' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 117 lc rgb '#009E73' lw 1.5 dt 1 pt 10 ps 1.9
set style line 38 lc rgb '#72C9B2' lw 2 dt (2,3) pt 15 ps 0.9
set style line 118 lc rgb '#72C9B2' lw 1.5 dt 1 pt 14 ps 1.9
set style line 39 lc rgb '#8C7A00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 119 lc rgb '#8C7A00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 40 lc rgb '#BFB572' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 120 lc rgb '#BFB572' lw 1.5 dt 1 pt 8 ps 1.9
set style line 41 lc rgb '#000000' lw 2 dt (14,4) pt 5 ps 0.9
set style line 121 lc rgb '#000000' lw 1.5 dt 1 pt 4 ps 1.9
set style line 42 lc rgb '#727272' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 122 lc rgb '#727272' lw 1.5 dt 1 pt 8 ps 1.9
set style line 43 lc rgb '#D55E00' lw 2 dt 1 pt 7 ps 0.9
set style line 123 lc rgb '#D55E00' lw 1.5 dt 1 pt 6 ps 1.9
set style line 44 lc rgb '#E7A672' lw 2 dt (14,4) pt 5 ps 0.9
set style line 124 lc rgb '#E7A672' lw 1.5 dt 1 pt 4 ps 1.9
set style line 45 lc rgb '#56B4E9' lw 2 dt 1 pt 7 ps 0.9
set style line 125 lc rgb '#56B4E9' lw 1.5 dt 1 pt 6 ps 1.9
set style line 46 lc rgb '#A2D5F2' lw 2 dt (14,4) pt 5 ps 0.9
set style line 126 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 4 ps 1.9
set style line 47 lc rgb '#0072B2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 127 lc rgb '#0072B2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 48 lc rgb '#72B1D4' lw 2 dt (6,3) pt 13 ps 0.9
set style line 128 lc rgb '#72B1D4' lw 1.5 dt 1 pt 12 ps 1.9
set style line 49 lc rgb '#009E73' lw 2 dt (14,4) pt 5 ps 0.9
set style line 129 lc rgb '#009E73' lw 1.5 dt 1 pt 4 ps 1.9
set style line 50 lc rgb '#72C9B2' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 130 lc rgb '#72C9B2' lw 1.5 dt 1 pt 8 ps 1.9
set style line 51 lc rgb '#009E73' lw 2 dt (6,3) pt 13 ps 0.9
set style line 131 lc rgb '#009E73' lw 1.5 dt 1 pt 12 ps 1.9
set style line 52 lc rgb '#72C9B2' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 132 lc rgb '#72C9B2' lw 1.5 dt 1 pt 10 ps 1.9
set style line 53 lc rgb '#E69F00' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 133 lc rgb '#E69F00' lw 1.5 dt 1 pt 8 ps 1.9
set style line 54 lc rgb '#F1CA72' lw 2 dt (6,3) pt 13 ps 0.9
set style line 134 lc rgb '#F1CA72' lw 1.5 dt 1 pt 12 ps 1.9
set style line 55 lc rgb '#8C7A00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 135 lc rgb '#8C7A00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 56 lc rgb '#D55E00' lw 2 dt (2,3) pt 15 ps 0.9
set style line 136 lc rgb '#D55E00' lw 1.5 dt 1 pt 14 ps 1.9
set style line 57 lc rgb '#E7A672' lw 2 dt 1 pt 7 ps 0.9
set style line 137 lc rgb '#E7A672' lw 1.5 dt 1 pt 6 ps 1.9
set style line 58 lc rgb '#56B4E9' lw 2 dt (6,3) pt 13 ps 0.9
set style line 138 lc rgb '#56B4E9' lw 1.5 dt 1 pt 12 ps 1.9
set style line 59 lc rgb '#A2D5F2' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 139 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 10 ps 1.9
set style line 60 lc rgb '#8C7A00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 140 lc rgb '#8C7A00' lw 1.5 dt 1 pt 10 ps 1.9
set style line 61 lc rgb '#BFB572' lw 2 dt (2,3) pt 15 ps 0.9
set style line 141 lc rgb '#BFB572' lw 1.5 dt 1 pt 14 ps 1.9
set style line 62 lc rgb '#56B4E9' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 142 lc rgb '#56B4E9' lw 1.5 dt 1 pt 10 ps 1.9
set style line 63 lc rgb '#A2D5F2' lw 2 dt (2,3) pt 15 ps 0.9
set style line 143 lc rgb '#A2D5F2' lw 1.5 dt 1 pt 14 ps 1.9
set style line 64 lc rgb '#000000' lw 2 dt (2,3) pt 15 ps 0.9
set style line 144 lc rgb '#000000' lw 1.5 dt 1 pt 14 ps 1.9
set style line 65 lc rgb '#727272' lw 2 dt 1 pt 7 ps 0.9
set style line 145 lc rgb '#727272' lw 1.5 dt 1 pt 6 ps 1.9
set style line 66 lc rgb '#000000' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 146 lc rgb '#000000' lw 1.5 dt 1 pt 10 ps 1.9
set style line 67 lc rgb '#727272' lw 2 dt (2,3) pt 15 ps 0.9
set style line 147 lc rgb '#727272' lw 1.5 dt 1 pt 14 ps 1.9
set style line 68 lc rgb '#CC79A7' lw 2 dt (2,3) pt 15 ps 0.9
set style line 148 lc rgb '#CC79A7' lw 1.5 dt 1 pt 14 ps 1.9
set style line 69 lc rgb '#E2B5CE' lw 2 dt 1 pt 7 ps 0.9
set style line 149 lc rgb '#E2B5CE' lw 1.5 dt 1 pt 6 ps 1.9
set style line 70 lc rgb '#D55E00' lw 2 dt (14,4) pt 5 ps 0.9
set style line 150 lc rgb '#D55E00' lw 1.5 dt 1 pt 4 ps 1.9
set style line 71 lc rgb '#E7A672' lw 2 dt (14,3,3,3) pt 9 ps 0.9
set style line 151 lc rgb '#E7A672' lw 1.5 dt 1 pt 8 ps 1.9
set style line 72 lc rgb '#009E73' lw 2 dt (2,3) pt 15 ps 0.9
set style line 152 lc rgb '#009E73' lw 1.5 dt 1 pt 14 ps 1.9
set style line 73 lc rgb '#72C9B2' lw 2 dt 1 pt 7 ps 0.9
set style line 153 lc rgb '#72C9B2' lw 1.5 dt 1 pt 6 ps 1.9
set style line 74 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 154 lc rgb '#000000' lw 1.5 dt 1 pt 6 ps 1.9
set style line 75 lc rgb '#727272' lw 2 dt (14,4) pt 5 ps 0.9
set style line 155 lc rgb '#727272' lw 1.5 dt 1 pt 4 ps 1.9
set style line 76 lc rgb '#000000' lw 2 dt (6,3) pt 13 ps 0.9
set style line 156 lc rgb '#000000' lw 1.5 dt 1 pt 12 ps 1.9
set style line 77 lc rgb '#727272' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 157 lc rgb '#727272' lw 1.5 dt 1 pt 10 ps 1.9
set style line 78 lc rgb '#E69F00' lw 2 dt (6,3) pt 13 ps 0.9
set style line 158 lc rgb '#E69F00' lw 1.5 dt 1 pt 12 ps 1.9
set style line 79 lc rgb '#F1CA72' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 159 lc rgb '#F1CA72' lw 1.5 dt 1 pt 10 ps 1.9
set style line 80 lc rgb '#E69F00' lw 2 dt (20,4,6,4) pt 11 ps 0.9
set style line 160 lc rgb '#E69F00' lw 1.5 dt 1 pt 10 ps 1.9
set label '∞' at first 0.1, graph 0.97 center tc ls 10 front
set label '∞' at first 0.1, graph 0.92 center tc ls 12 front
set label '∞' at first 0.1, graph 0.87 center tc ls 15 front
set label '∞' at first 0.03, graph 0.82 center tc ls 18 front
set label '∞' at first 0.1, graph 0.82 center tc ls 18 front
set label '∞' at first 0.1, graph 0.77 center tc ls 25 front
set label '∞' at first 0.1, graph 0.72 center tc ls 30 front
set label '∞' at first 0.1, graph 0.67 center tc ls 35 front
set label '∞' at first 0.1, graph 0.62 center tc ls 37 front
set label '∞' at first 0.1, graph 0.97 center tc ls 39 front
set label '∞' at first 0.03, graph 0.92 center tc ls 40 front
set label '∞' at first 0.1, graph 0.92 center tc ls 40 front
set label '∞' at first 0.1, graph 0.87 center tc ls 41 front
set label '∞' at first 0.1, graph 0.82 center tc ls 43 front
set label '∞' at first 0.03, graph 0.77 center tc ls 44 front
set label '∞' at first 0.1, graph 0.77 center tc ls 44 front
set label '∞' at first 0.1, graph 0.72 center tc ls 45 front
set label '∞' at first 0.03, graph 0.67 center tc ls 46 front
set label '∞' at first 0.1, graph 0.67 center tc ls 46 front
set label '∞' at first 0.1, graph 0.62 center tc ls 49 front
set label '∞' at first 0.1, graph 0.97 center tc ls 50 front
set label '∞' at first 0.1, graph 0.92 center tc ls 54 front
set label '∞' at first 0.1, graph 0.87 center tc ls 57 front
set label '∞' at first 0.1, graph 0.82 center tc ls 59 front
set label '∞' at first 0.1, graph 0.77 center tc ls 61 front
set label '∞' at first 0.1, graph 0.72 center tc ls 63 front
set label '∞' at first 0.1, graph 0.67 center tc ls 67 front
set label '∞' at first 0.1, graph 0.62 center tc ls 69 front
set label '∞' at first 0.1, graph 0.97 center tc ls 71 front
set label '∞' at first 0.1, graph 0.92 center tc ls 73 front
set label '∞' at first 0.1, graph 0.87 center tc ls 75 front
set label '∞' at first 0.1, graph 0.82 center tc ls 77 front
set label '∞' at first 0.1, graph 0.77 center tc ls 79 front
set label '∞' at first 0.1, graph 0.72 center tc ls 80 front
terminals = ' '.GPVAL_TERMINALS.' '
svg = strstrt(terminals, ' svg ') > 0
cairo = strstrt(terminals, ' pngcairo ') > 0
png = !cairo && strstrt(terminals, ' png ') > 0
if (svg) {
	set terminal svg size 640,3617 font 'sans-serif,17' background rgb 'white'
	set output 'tuning.svg'
}
if (!svg && cairo) {
	set terminal pngcairo size 1280,7234 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning.png'
}
if (!svg && png) {
	set terminal png size 1280,7234 font ',28' linewidth 2
	set output 'tuning.png'
}
if (!svg && !cairo && !png) {
	set terminal dumb 100 32
	set output 'tuning.txt'
}
plot NaN notitle, \
	'tuning.dat' index 0 using 1:2 with linespoints ls 1 title 'AllReduce, sgd, momentum 0', \
	'tuning.dat' index 1 using 1:2 with linespoints ls 2 title 'AllReduce, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 2 using 1:2 with linespoints ls 3 title 'backup, sgd, momentum 0', \
	'tuning.dat' index 3 using 1:2 with linespoints ls 4 title 'backup, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 4 using 1:2 with linespoints ls 5 title 'k-sync, sgd, momentum 0', \
	'tuning.dat' index 5 using 1:2 with linespoints ls 6 title 'k-sync, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 6 using 1:2 with linespoints ls 7 title 'k-batch-sync, sgd, momentum 0', \
	'tuning.dat' index 7 using 1:2 with linespoints ls 8 title 'k-batch-sync, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 8 using 1:2 with linespoints ls 9 title 'local-sgd, sgd, momentum 0', \
	'tuning.dat' index 9 using 1:2 with linespoints ls 10 title 'local-sgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 10 using 1:2 with linespoints ls 11 title 'd-psgd, sgd, momentum 0', \
	'tuning.dat' index 11 using 1:2 with linespoints ls 12 title 'd-psgd, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 12 using 1:2 with linespoints ls 13 title 'sgp, sgd, momentum 0', \
	'tuning.dat' index 13 using 1:2 with linespoints ls 14 title 'sgp, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 14 using 1:2 with linespoints ls 15 title 'asgd, sgd, momentum 0', \
	'tuning.dat' index 15 using 1:2 with linespoints ls 16 title 'asgd, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 16 using 1:2 with linespoints ls 17 title 'hogwild, sgd, momentum 0', \
	'tuning.dat' index 17 using 1:2 with linespoints ls 18 title 'hogwild, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 18 using 1:2 with linespoints ls 19 title 'k-async, sgd, momentum 0', \
	'tuning.dat' index 19 using 1:2 with linespoints ls 20 title 'k-async, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 20 using 1:2 with linespoints ls 21 title 'k-batch-async, sgd, momentum 0', \
	'tuning.dat' index 21 using 1:2 with linespoints ls 22 title 'k-batch-async, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 22 using 1:2 with linespoints ls 23 title 'softsync, n=4, sgd, momentum 0', \
	'tuning.dat' index 23 using 1:2 with linespoints ls 24 title 'softsync, n=4, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 24 using 1:2 with linespoints ls 25 title 'ssp, sgd, momentum 0', \
	'tuning.dat' index 25 using 1:2 with linespoints ls 26 title 'ssp, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 26 using 1:2 with linespoints ls 27 title '4 groups, sgd, momentum 0', \
	'tuning.dat' index 27 using 1:2 with linespoints ls 28 title '4 groups, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 28 using 1:2 with linespoints ls 29 title 'downpour, 5 steps, sgd, momentum 0', \
	'tuning.dat' index 29 using 1:2 with linespoints ls 30 title 'downpour, 5 steps, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 30 using 1:2 with linespoints ls 31 title 'staleness-aware, sgd, momentum 0', \
	'tuning.dat' index 31 using 1:2 with linespoints ls 32 title 'staleness-aware, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 32 using 1:2 with linespoints ls 33 title 'dynsgd, sgd, momentum 0', \
	'tuning.dat' index 33 using 1:2 with linespoints ls 34 title 'dynsgd, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 34 using 1:2 with linespoints ls 35 title 'delay-adaptive, sgd, momentum 0', \
	'tuning.dat' index 35 using 1:2 with linespoints ls 36 title 'delay-adaptive, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 36 using 1:2 with linespoints ls 37 title 'gap-aware, sgd, momentum 0', \
	'tuning.dat' index 37 using 1:2 with linespoints ls 38 title 'gap-aware, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 38 using 1:2 with linespoints ls 39 title 'dc-asgd, sgd, momentum 0', \
	'tuning.dat' index 39 using 1:2 with linespoints ls 40 title 'dc-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 40 using 1:2 with linespoints ls 41 title 'nag-asgd, sgd, momentum 0', \
	'tuning.dat' index 41 using 1:2 with linespoints ls 42 title 'nag-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 42 using 1:2 with linespoints ls 43 title 'multi-asgd, sgd, momentum 0', \
	'tuning.dat' index 43 using 1:2 with linespoints ls 44 title 'multi-asgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 44 using 1:2 with linespoints ls 45 title 'dana, sgd, momentum 0', \
	'tuning.dat' index 45 using 1:2 with linespoints ls 46 title 'dana, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 46 using 1:2 with linespoints ls 47 title 'rennala, sgd, momentum 0', \
	'tuning.dat' index 47 using 1:2 with linespoints ls 48 title 'rennala, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 48 using 1:2 with linespoints ls 49 title 'ringmaster, sgd, momentum 0', \
	'tuning.dat' index 49 using 1:2 with linespoints ls 50 title 'ringmaster, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 50 using 1:2 with linespoints ls 51 title 'post-local-sgd, sgd, momentum 0', \
	'tuning.dat' index 51 using 1:2 with linespoints ls 52 title 'post-local-sgd, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 52 using 1:2 with linespoints ls 53 title 'slowmo, sgd, momentum 0', \
	'tuning.dat' index 53 using 1:2 with linespoints ls 54 title 'slowmo, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 54 using 1:2 with linespoints ls 55 title 'local-adam, adam', \
	'tuning.dat' index 55 using 1:2 with linespoints ls 56 title 'diloco, sgd, momentum 0', \
	'tuning.dat' index 56 using 1:2 with linespoints ls 57 title 'diloco, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 57 using 1:2 with linespoints ls 58 title 'streaming-diloco, sgd, momentum 0', \
	'tuning.dat' index 58 using 1:2 with linespoints ls 59 title 'streaming-diloco, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 59 using 1:2 with linespoints ls 60 title 'eager-diloco, sgd, momentum 0', \
	'tuning.dat' index 60 using 1:2 with linespoints ls 61 title 'eager-diloco, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 61 using 1:2 with linespoints ls 62 title 'noloco, sgd, momentum 0', \
	'tuning.dat' index 62 using 1:2 with linespoints ls 63 title 'noloco, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 63 using 1:2 with linespoints ls 64 title 'demo, sgd, momentum 0', \
	'tuning.dat' index 64 using 1:2 with linespoints ls 65 title 'demo, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 65 using 1:2 with linespoints ls 66 title 'fedbuff, sgd, momentum 0', \
	'tuning.dat' index 66 using 1:2 with linespoints ls 67 title 'fedbuff, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 67 using 1:2 with linespoints ls 68 title 'async-local-sgd, sgd, momentum 0', \
	'tuning.dat' index 68 using 1:2 with linespoints ls 69 title 'async-local-sgd, sgd, momentum 0.9,', \
	NaN with points pt ' ' title 'nesterov true', \
	'tuning.dat' index 69 using 1:2 with linespoints ls 70 title 'ad-psgd, sgd, momentum 0', \
	'tuning.dat' index 70 using 1:2 with linespoints ls 71 title 'ad-psgd, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 71 using 1:2 with linespoints ls 72 title 'gossip-pull, sgd, momentum 0', \
	'tuning.dat' index 72 using 1:2 with linespoints ls 73 title 'gossip-pull, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 73 using 1:2 with linespoints ls 74 title 'gossip-push, sgd, momentum 0', \
	'tuning.dat' index 74 using 1:2 with linespoints ls 75 title 'gossip-push, sgd, momentum 0.9, nesterov', \
	NaN with points pt ' ' title 'true', \
	'tuning.dat' index 75 using 1:2 with linespoints ls 76 title 'osgp, sgd, momentum 0', \
	'tuning.dat' index 76 using 1:2 with linespoints ls 77 title 'osgp, sgd, momentum 0.9, nesterov true', \
	'tuning.dat' index 77 using 1:2 with linespoints ls 78 title 'easgd, sgd, momentum 0', \
	'tuning.dat' index 78 using 1:2 with linespoints ls 79 title 'easgd, sgd, momentum 0.9', \
	'tuning.dat' index 79 using 1:2 with linespoints ls 80 title 'eamsgd, sgd, momentum 0.9, nesterov true', \
	NaN with points lc rgb '#606060' pt '∞' title 'infinite'
if (svg && cairo) {
	set terminal pngcairo size 1280,7234 font 'Sans,17' fontscale 1.6 linewidth 2 pointscale 3
	set output 'tuning.png'
	replot
}
if (svg && png) {
	set terminal png size 1280,7234 font ',28' linewidth 2
	set output 'tuning.png'
	replot
}
set output
