#!/bin/bash
# Few bits a second: ResNet-20's epoch under all-reduce, D-PSGD and AD-PSGD on four hosts, at
# several rates of every host's NIC. The hosts are network namespaces of this machine, so it takes
# root; a gradient takes COMPUTE_S seconds, more than this machine needs for it, so that hosts do
# not wait for each other's processor.
#
#     sudo ./dev bench low_bandwidth
#
# "allreduce" is the default, "ring" convoy's ring. RATES, ALGOS, HOSTS, NET, DATA, BATCH, COMPUTE_S, SECONDS_EACH change the measurement.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../tests/support/hosts.sh"
convoy=${CONVOY:?the program convoy: use ./dev bench low_bandwidth}
rates=${RATES:-1gbit 100mbit 20mbit}
read -ra algos <<<"${ALGOS:-allreduce ring d-psgd ad-psgd}"
n=${HOSTS:-4}
net=${NET:-resnet20}
data=${DATA:-shapes:test=128}
batch=${BATCH:-16}
compute=${COMPUTE_S:-0.5}
seconds=${SECONDS_EACH:-20}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}

hosts_need
hosts_open "$n" 1gbit

# epoch ALGO: seconds
epoch() {
	local algo=$1 how=buckets
	[ "$algo" != ring ] || algo=allreduce how=ring
	rm -rf "$hosts_dir/out"
	on_host 1 "$convoy" train --algo "$algo" --allreduce "$how" --workers "$n" --net "$net" --data "$data" \
		--batch "$batch" --compute-s "$compute" --seconds "$seconds" --eval-every 0 \
		--stat-batches 1 --hostfile "$hosts_dir/hostfile" --mpirun "$hosts_mpirun" \
		--out "$hosts_dir/out" --json --quiet |
		awk '/"time_per_epoch_s"/ { sub(",", "", $2); print $2 }'
}

echo "$net on $data, $n hosts, batch $batch, $compute s a gradient: seconds an epoch"
printf '%-10s' rate
for algo in "${algos[@]}"; do printf ' %10s %6s' "$algo" ratio; done
echo
for rate in $rates; do
	hosts_rate "$rate"
	printf '%-10s' "$rate"
	first=
	for algo in "${algos[@]}"; do
		value=$(epoch "$algo")
		first=${first:-$value}
		awk -v v="$value" -v f="$first" 'BEGIN { printf " %10.1f %6.2f", v, f / v }'
	done
	echo
done
