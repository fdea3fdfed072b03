# bench/pollux.sh writes predictions.csv. Run in its folder: gnuplot PATH/docs/plots/pollux.gp
set encoding utf8
set datafile separator ','
set grid lt 1 lc rgb '#DCDCDC' lw 0.8
set border 3 lc rgb '#404040'
set tics nomirror
set logscale xy
set xrange [0.08:1]
set yrange [0.08:1]
set xtics (0.1, 0.2, 0.5, 1)
set ytics (0.1, 0.2, 0.5, 1)
set xlabel 'measured seconds of a step'
set ylabel 'predicted seconds of a step'
set title "ResNet-18 on T4 nodes: fitted to one and two nodes,\npredicted on three and four"
set key top left Left reverse samplen 2
set terminal svg size 640,538 font 'sans-serif,17' background rgb 'white'
set output 'pollux.svg'
plot 'predictions.csv' using 3:(strlen(stringcolumn(1)) == 3 ? $4 : NaN) skip 1 with points pt 7 ps 0.25 lc rgb '#0072B2' title 'three nodes', \
     'predictions.csv' using 3:(strlen(stringcolumn(1)) == 4 ? $4 : NaN) skip 1 with points pt 7 ps 0.25 lc rgb '#D55E00' title 'four nodes', \
     x with lines lc rgb '#404040' lw 1 title 'equal', \
     x * 1.18 with lines lc rgb '#404040' dt (6,3) lw 1 title '18 % more, or less', \
     x / 1.18 with lines lc rgb '#404040' dt (6,3) lw 1 notitle
