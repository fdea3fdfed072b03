#!/bin/bash
# Whether servers serve equal workers alike, on real ranks: the fewest gradients that a worker gave
# to the model over the most, for every algorithm with a server. Workers wait out their minibatch,
# so that cores are not what they compete for.
#
#     ./dev bench fairness
#
# WORKERS, GRADIENTS and COMPUTE_S change the measurement; ALGOS names the algorithms.
set -euo pipefail
convoy=${CONVOY:?the program convoy: use ./dev bench fairness}
workers=${WORKERS:-4} gradients=${GRADIENTS:-1200} compute_s=${COMPUTE_S:-0.01}
command -v jq >/dev/null || { echo "fairness: no jq" >&2; exit 1; }
/usr/bin/python3 -c 'import h5py' || { echo "fairness: no python3-h5py" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Those that keep vectors at a server; for others the fact is a dash.
served() {
	local name
	for name in $("$convoy" list algos --json | jq -r '.[].name'); do
		"$convoy" show algo "$name" --json | jq -r 'select(.memory | startswith("-") | not) | .name'
	done
}

printf '%-18s %10s   %s\n' algorithm 'least/most' 'gradients applied, by worker'
for algo in ${ALGOS:-$(served)}; do
	"$convoy" train --algo "$algo" --workers "$workers" --net quadratic --lr 0.001 --gradients "$gradients" \
		--compute-s "$compute_s" --eval-every 0 --quiet --out "$work/$algo" >/dev/null
	/usr/bin/python3 - "$algo" "$work/$algo"/*/*.h5 <<-'END'
		import sys, h5py
		with h5py.File(sys.argv[2]) as f:
		    each = [n for rank, n in zip(f["nodes/rank"], f["nodes/updates"]) if rank >= 0]
		print("%-18s %10.3f   %s" % (sys.argv[1], min(each) / max(each), " ".join(map(str, each))))
	END
done
