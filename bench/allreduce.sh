#!/bin/bash
# All-reduce at the speed of the wire: ResNet-20's 269,722 floats (1.08 MB) added over n ranks. The
# hosts are network namespaces of this machine with slow NICs, so it takes root.
#
#     sudo ./dev bench allreduce
#
# Three ways in turns (bench/allreduce.c), without computing: "mpi" is MPI_Allreduce, "imp" is
# MPI_Iallreduce, "convoy" what --allreduce buckets does (mpi/allreduce/allreduce.c). On a network
# a cell is the ideal time, 2 (n - 1) / n of the bytes at the rate of the NICs, as a share of the
# median time of ROUNDS; "least" is the share of convoy's slowest round. The rate "memory" stands
# for ranks on this machine: medians in microseconds, for each number of FLOATS. RATES, HOSTS,
# FLOATS, ROUNDS change the measurement, WINDOW and SMALL the rule of
# mpi/allreduce/allreduce_rule.c. CONGESTION names TCP's congestion control, such as cubic; without
# it hosts have that of the machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../tests/support/hosts.sh"
bench=${CONVOY_BENCH:?the folder of bench programs: use ./dev bench allreduce}/allreduce
rates=${RATES:-20mbit 100mbit 1gbit memory}
hosts=${HOSTS:-2 3 4 5 6 8}
floats=${FLOATS:-269722}
sizes=${SIZES:-1 1024 16384 269722 4194304}
rounds=${ROUNDS:-5}
congestion=${CONGESTION:-$(sysctl -n net.ipv4.tcp_congestion_control)}
rule=${WINDOW:+$WINDOW ${SMALL:-}}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

hosts_need

# on_network RANKS: seconds of each way
on_network() {
	on_host 1 mpirun $hosts_mpirun --hostfile "$hosts_dir/hostfile" -n "$1" \
		"$bench" "$floats" "$rounds" 1 0 $rule
}

# in_memory RANKS FLOATS: the same; many small ones in a row
in_memory() {
	mpirun -n "$1" --oversubscribe "$bench" "$2" $((4 * rounds)) $((1 + 100000 / ($2 + 500))) 1 \
		$rule
}

network_table() {
	echo "$floats floats, NICs of $1, TCP $congestion: share of the ideal"
	printf '%-6s %8s %8s %8s %8s\n' ranks mpi imp convoy least
	hosts_rate "$1"
	for n in $hosts; do
		on_network "$n" | awk -v n="$n" -v r="$1" -v f="$floats" '{
			unit = r ~ /gbit/ ? 1e9 : 1e6
			ideal = 2 * (n - 1) / n * f * 32 / (r * unit)
			printf "%-6s %7.0f%% %7.0f%% %7.0f%% %7.0f%%\n", n, 100 * ideal / $1,
				100 * ideal / $2, 100 * ideal / $3, 100 * ideal / $6 }'
	done
}

memory_table() {
	echo "one machine: microseconds"
	printf '%-6s %10s %10s %10s %10s\n' ranks floats mpi imp convoy
	for n in $hosts; do
		for size in $sizes; do
			in_memory "$n" "$size" | awk -v n="$n" -v f="$size" '{
				printf "%-6s %10d %10.1f %10.1f %10.1f\n", n, f, 1e6 * $1, 1e6 * $2,
					1e6 * $3 }'
		done
	done
}

# use_congestion K: by the route, because a namespace may lack the right to choose all of them.
use_congestion() {
	ip -n "$(hosts_netns "$1")" route replace "$(hosts_address 0)/24" dev eth0 \
		src "$(hosts_address "$1")" congctl "$congestion"
}

most=$(printf '%s\n' $hosts | sort -n | tail -n 1)
hosts_open "$most" 1gbit
for k in $(seq "$most"); do use_congestion "$k"; done
for rate in $rates; do
	if [ "$rate" = memory ]; then memory_table; else network_table "$rate"; fi
	echo
done
