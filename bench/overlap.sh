#!/bin/bash
# All-reduce during the backward pass: seconds that a step of ResNet-50 takes on two hosts when its
# gradient (94 MB) is added bucket by bucket while it is computed, when the same buckets wait for
# the whole of it, and when it goes in one piece or round convoy's ring. The hosts are network
# namespaces of this machine with slow NICs, so it takes root.
#
#     sudo ./dev bench overlap
#
# The ways take turns. A run's figure is the median of its steps but the first three; what is
# printed are the median, the least and the largest of ROUNDS runs, and the median's distance from
# computing alone, which is one worker without a network.
# RATES, ROUNDS, NET, DATA, BATCH, BUCKET, STEPS, WAYS change the measurement.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../tests/support/hosts.sh"
convoy=${CONVOY:?the program convoy: use ./dev bench overlap}
rates=${RATES:-2gbit}
rounds=${ROUNDS:-5}
net=${NET:-resnet50}
batch=${BATCH:-64}
bucket=${BUCKET:-4194304}
steps=${STEPS:-8}
data=${DATA:-shapes:train=1024,test=16}
read -ra ways <<<"${WAYS:-alone buckets buckets-after whole ring}"
export CONVOY_HOME=${CONVOY_HOME:-$here/..}

hosts_need
hosts_open 2 1gbit

# middle: the median of the numbers on stdin, the least and the largest
middle() {
	sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)], v[1], v[NR] }'
}

# train WAY TRACE
train() {
	local how=${1%-after} workers=2 overlap=true
	[ "$1" = "$how" ] || overlap=false
	[ "$1" != alone ] || how=whole workers=1
	on_host 1 env CONVOY_HOME="$CONVOY_HOME" "$convoy" train --algo allreduce \
		--workers $workers --allreduce "$how" --bucket "$bucket" --overlap $overlap \
		--net "$net" --data "$data" --batch "$batch" --gradients $((workers * steps)) \
		--lr 1e-6 --eval-every 0 --eval-samples 1 --stat-batches 1 --trace "$2" \
		--hostfile "$hosts_dir/hostfile" --mpirun "$hosts_mpirun" \
		--out "$hosts_dir/out" --quiet >/dev/null
}

# step WAY: seconds from one all-reduce of worker 0 to the next
step() {
	rm -rf "$hosts_dir/out" "$hosts_dir/trace.h5"
	train "$1" "$hosts_dir/trace.h5"
	"$convoy" trace "$hosts_dir/trace.h5" |
		awk '$2 " " $3 " " $4 == "worker 0 sum" { if (++n > 4) print $1 - last; last = $1 }' |
		middle | cut -d' ' -f1
}

for rate in $rates; do
	hosts_rate "$rate"
	for ((round = 0; round < rounds; round++)); do
		for way in "${ways[@]}"; do
			step "$way" | tee -a "$hosts_dir/$rate.$way" |
				sed "s/^/$rate, round $((round + 1)): $way /" >&2
		done
	done
	echo "$net, batch $batch, buckets of $bucket bytes, NICs of $rate: seconds a step, $rounds runs"
	printf '%-16s %8s %8s %8s %8s\n' way median least largest sending
	for way in "${ways[@]}"; do
		middle <"$hosts_dir/$rate.$way" | {
			read -r median least largest
			[ "$way" != alone ] || echo "$median" >"$hosts_dir/alone"
			awk -v w="$way" -v m="$median" -v l="$least" -v h="$largest" \
				-v a="$(cat "$hosts_dir/alone" 2>/dev/null || echo nan)" 'BEGIN {
				printf "%-16s %8.3f %8.3f %8.3f %8.3f\n", w, m, l, h, m - a }'
		}
	done
done
