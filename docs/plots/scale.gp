set terminal svg size 640,400 dynamic background "white"
set output "scale.svg"
set logscale x
set xlabel "workers"
set ylabel "CPU time per event [ns]"
set yrange [0:]
set key top left
set grid
plot "scale.dat" index 0 with linespoints title "ASGD", \
     "" index 1 with linespoints title "AD-PSGD", \
     "" index 2 with linespoints title "ring all-reduce, message by message"
