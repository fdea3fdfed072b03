#!/bin/bash
# How far the simulator is off: calibrate, then predict at once, algorithm by algorithm, in rounds;
# a machine whose speed changes from minute to minute spoils no more than a cell.
#
#     ./dev bench predict
#
# NETS ("NET:DATA:GRADIENTS ..."), ALGOS, WORKERS, ROUNDS, SECONDS_EACH and CALIBRATE (more of its
# flags) change the measurement; RUN is a command that each cell is run through, such as a lock.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
convoy=${CONVOY:?the program convoy: use ./dev bench predict}
nets=${NETS-resnet20:shapes:100 lenet:shapes:400 mlp:shapes:3000}
algos=${ALGOS-allreduce asgd d-psgd ad-psgd}
workers=${WORKERS:-2}
rounds=${ROUNDS:-3}
seconds=${SECONDS_EACH:-2}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
command -v jq >/dev/null || { echo "predict: no jq" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first fifth of the gradients: while caches fill and code is made. An epoch of shapes or CIFAR-10
# is 1562.5 batches of 32.
settle() { echo "$1" | awk '{ print 0.2 * $1 / 1562.5 }'; }

# cell NET DATA GRADIENTS ALGO: a line of JSON, the row of one prediction.
cell() {
	local ranks=$workers
	[ "$4" != asgd ] || ranks=$((workers + 1))
	"$convoy" calibrate -n $ranks --workers "$workers" --net "$1" --data "$2" --seconds "$seconds" --rounds 12 \
		-o "$work/cluster.json" --quiet ${CALIBRATE:-} >"$work/figures" 2>"$work/said" ||
		{ cat "$work/said" >&2; exit 1; }
	"$convoy" predict --cluster "$work/cluster.json" --workers "$workers" --net "$1" \
		--data "$2" --gradients "$3" --algo "$4" --settle "$(settle "$3")" --lr 0.01 --rounds 1 --out "$work" --quiet --json |
		jq -c '.[0]'
}
export -f cell settle
export convoy workers seconds work

printf '%-10s %-12s %12s %12s %8s   %s\n' net algorithm predicted measured 'off %' 'of each round'
for line in $nets; do
	IFS=: read -r net data gradients <<<"$line"
	for round in $(seq "$rounds"); do
		for algo in $algos; do
			${RUN:-} bash -c 'cell "$@"' cell "$net" "$data" "$gradients" "$algo" \
				>>"$work/$net.$algo"
		done
	done
	for algo in $algos; do
		jq -rs --arg net "$net" --arg algo "$algo" '
			def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
			[$net, $algo, (map(.predicted_s_per_epoch) | median),
			 (map(.measured_s_per_epoch) | median), (map(.off_percent) | median),
			 (map(.off_percent | round | tostring) | join(" "))] | @tsv' \
			"$work/$net.$algo" |
			while IFS=$'\t' read -r n a p m o all; do
				printf '%-10s %-12s %12.4g %12.4g %+8.1f   %s\n' "$n" "$a" "$p" "$m" \
					"$o" "$all"
			done
	done
done
echo "Seconds per epoch with $workers workers: medians of $rounds rounds; off: predicted / measured - 1."
