#!/bin/bash
# What an event costs as the cluster grows: CPU seconds and memory of whole timing-only runs of
# asynchronous SGD, AD-PSGD and a ring all-reduce of messages, and the plot of it. An event is the
# difference between a run and one of half its length: starts, ends and fresh memory cancel out.
#
#     ./dev bench scale
#
# WORKERS, RINGS (workers of the all-reduce), GRADIENTS and ROUNDS change the measurement; OUT is the
# folder of scale.txt, scale.dat, scale.gp and scale.svg.
set -euo pipefail
convoy=${CONVOY:?the program convoy: use ./dev bench scale}
workers=${WORKERS:-10 100 1000 10000 100000 1000000} rings=${RINGS:-10 100 1000 10000}
gradients=${GRADIENTS:-4000000} rounds=${ROUNDS:-1} out=${OUT:-$(dirname "$0")/../build/scale}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# run ALGO WORKERS GRADIENTS LINK: "CPU seconds, kB, events". The events are printed in a command of
# its own, which finds the result: with many workers it has 10^6 counts of staleness, and prints all.
run() {
	local command=("$convoy" sim --timing --algo "$1" --workers "$2" --gradients "$3" --net quadratic
		--samples 100000000 --batch 1 --compute-s 1 --host-copy-s 0 --update-s 0
		--delay gamma:cv=0.1 --link "$4" --quiet --out "$work/out")
	/usr/bin/time -o "$work/time" -f '%U %S %M' "${command[@]}" >"$work/said"
	"${command[@]}" --json >"$work/said"
	rm -rf "$work/out"
	awk '{ printf "%.2f %d ", $1 + $2, $3 }' "$work/time"
	grep -o '"events":[^,]*' "$work/said" | head -n 1 | tr -dc '0-9\n'
}

# line ALGO WORKERS CPU_S KB EVENTS, and the same of half the length: each the quickest of its rounds
measure() {
	for _ in $(seq "$rounds"); do
		echo "$(run "$@") $(run "$1" "$2" "$5" "$4")"
	done | awk -v name="$1 $2" 'NR == 1 || $1 < cpu { cpu = $1; rest = $2 " " $3 }
		NR == 1 || $4 < half { half = $4; rest_half = $5 " " $6 }
		END { print name, cpu, rest, half, rest_half }'
}

for n in $workers; do
	measure asgd "$n" $((2 * gradients)) ideal "$gradients"
	measure ad-psgd "$n" $((2 * gradients)) ideal "$gradients"
done >"$work/lines"
for n in $rings; do     # one all-reduce; small rings make many, so that there is something to measure
	allreduces=$((2000000 / (n * n) + 1))
	measure allreduce "$n" $((2 * n * allreduces)) nic:stepwise=true $((n * allreduces))
done >>"$work/lines"

awk 'BEGIN { printf "%-10s %8s %12s %10s %12s %10s\n", "algorithm", "workers", "events", "CPU s", "ns an event", "MB" }
	{ printf "%-10s %8d %12d %10.2f %12.0f %10.0f\n", $1, $2, $5, $3,
		1e9 * ($3 - $6) / ($5 > $8 ? $5 - $8 : 1), $4 / 1024 }' "$work/lines" | tee "$out/scale.txt"
for algo in asgd ad-psgd allreduce; do
	awk -v a="$algo" 'NR > 1 && $1 == a { print $2, $5 }' "$out/scale.txt"
	printf '\n\n'
done >"$out/scale.dat"
cat >"$out/scale.gp" <<'END'
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
END
(cd "$out" && gnuplot scale.gp) && echo "the plot: $out/scale.svg"
