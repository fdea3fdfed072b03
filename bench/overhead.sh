#!/bin/bash
# What the engine on real ranks adds to a plain training loop: one rank against the simulator's one
# worker on one thread, which computes gradient, step, gradient, step and nothing else. Each counts
# the seconds of LONG gradients less those of SHORT ones, so that starting and ending fall out; in turns.
#
#     ./dev bench overhead
#
# NET, DATA, BATCH, SHORT, LONG and ROUNDS change the measurement; RUN is a command that each pair
# is run through, such as a lock.
set -euo pipefail
convoy=${CONVOY:?the program convoy: use ./dev bench overhead}
net=${NET:-resnet20} data=${DATA:-shapes} batch=${BATCH:-128}
short=${SHORT:-10} long=${LONG:-60} rounds=${ROUNDS:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds COMMAND...: that it takes.
seconds() {
	local began
	began=$(date +%s.%N)
	"$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
	echo "$began $(date +%s.%N)" | awk '{ printf "%.4f", $2 - $1 }'
}

# train COMMAND GRADIENTS: one run by "sim" or "train", on one worker and one thread.
train() {
	local how=(sim --threads 1)
	[ "$1" = sim ] || how=(train -n 1)
	seconds "$convoy" "${how[@]}" --workers 1 --net "$net" --data "$data" --batch "$batch" \
		--gradients "$2" --lr 0.01 --eval-samples 1 --stat-batches 1 --quiet --out "$(mktemp -d -p "$work")"
}

# pair: milliseconds a gradient of the plain loop, and of the real engine.
pair() {
	local a b c d
	a=$(train sim "$short") b=$(train sim "$long")
	c=$(train mpi "$short") d=$(train mpi "$long")
	echo "$a $b $c $d" | awk -v n=$((long - short)) '{ print 1e3 * ($2 - $1) / n, 1e3 * ($4 - $3) / n }'
}
export -f pair train seconds
export convoy net data batch short long work

for _ in $(seq "$rounds"); do
	${RUN:-} bash -c pair
done | awk -v net="$net" -v batch="$batch" '
	function median(v, n,   i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	{ plain[NR] = $1; real[NR] = $2; off[NR] = 100 * ($2 / $1 - 1); all = all sprintf(" %+.1f", off[NR]) }
	END {
		printf "%s, batch %d: plain loop %.2f ms a gradient, one rank %.2f ms, overhead %+.1f %% (medians of %d rounds:%s)\n",
			net, batch, median(plain, NR), median(real, NR), median(off, NR), NR, all
	}'
