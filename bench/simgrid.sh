#!/bin/bash
# How fast the simulator is: worker-iterations a second of asynchronous SGD, timing only, against
# SimGrid's, and against the pushes and pops of a bare 4-ary heap. CPU seconds, medians of ROUNDS
# in turns. Needs libsimgrid-dev and g++; without them SimGrid's column is empty.
#
#     ./dev bench simgrid
#
# WORKERS, GRADIENTS (convoy's), SCENES (SimGrid's) and ROUNDS change the measurement.
set -euo pipefail
convoy=${CONVOY:?the program convoy: use ./dev bench simgrid}
heap=${CONVOY_BENCH:?the folder of measurements: use ./dev bench simgrid}/heap
here=$(dirname "$0")
workers=${WORKERS:-16 128 1024 100000 1000000} rounds=${ROUNDS:-3}
gradients=${GRADIENTS:-4000000} scenes=${SCENES:-200000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'

# rate COUNT COMMAND...: of COUNT in the command's CPU seconds.
rate() {
	local count=$1
	shift
	{ time "$@" >"$work/said" 2>"$work/err"; } 2>"$work/time" || { cat "$work/err" >&2; exit 1; }
	awk -v n="$count" 'END { printf "%.0f", n / ($1 + $2) }' "$work/time"
}

ours() {
	rate "$gradients" "$convoy" sim --timing --algo asgd --workers "$1" --gradients "$gradients" \
		--net quadratic --samples 100000000 --batch 1 --compute-s 1 --host-copy-s 0 --update-s 0 \
		--delay gamma:cv=0.1 --link ideal --quiet --out "$(mktemp -d -p "$work")"
}

# SimGrid's: messages of no bytes through links that are never full; 0 where it is not installed.
theirs() {
	[ -x "$work/scenes" ] && [ "$1" -le 1024 ] || { echo 0; return; }
	rate "$scenes" "$work/scenes" --log=xbt_cfg.thres:warning --cfg=network/model:CM02 \
		--cfg=network/TCP-gamma:1e30 --cfg=network/crosstraffic:0 --cfg=contexts/stack-size:64 \
		asgd "$1" "$scenes" 0 1e15 0 1 0.1
}

g++ -O2 -o "$work/scenes" "$here/simgrid/scenes.cpp" -lsimgrid 2>"$work/err" ||
	echo "no SimGrid: $(head -n 1 "$work/err")"
for n in $workers; do
	for _ in $(seq "$rounds"); do
		echo "$n $(ours "$n") $(theirs "$n") $("$heap" "$n" | cut -d ' ' -f 2)"
	done
done | awk '
	function median(name, w,    i, j, k, x, v) {
		k = count[w]
		for (i = 1; i <= k; i++) {
			x = said[name, w, i]
			for (j = i; j > 1 && v[j - 1] > x; j--)
				v[j] = v[j - 1]
			v[j] = x
		}
		return k % 2 ? v[(k + 1) / 2] : (v[k / 2] + v[k / 2 + 1]) / 2
	}
	!($1 in count) { order[++n] = $1 }
	{ k = ++count[$1]; for (i = 2; i <= 4; i++) said[i, $1, k] = $i + 0 }
	END {
		printf "%8s %12s %12s %8s %14s %8s   (1e6 a second)\n", "workers", "convoy", "SimGrid", "ratio", "4-ary heap", "ratio"
		for (i = 1; i <= n; i++) {
			w = order[i]
			ours = median(2, w); theirs = median(3, w); heap = median(4, w)
			printf "%8d %12.3f %12s %8s %14.2f %8.3f\n", w, ours / 1e6,
				theirs ? sprintf("%.3f", theirs / 1e6) : "-",
				theirs ? sprintf("%.1f", ours / theirs) : "-", heap / 1e6, ours / heap
		}
	}'
