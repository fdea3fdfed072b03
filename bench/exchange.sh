#!/bin/bash
# AD-PSGD's exchange of models, sequential and duplex: seconds from one to the next of an active worker that computes almost
# nothing, on two hosts, and the ideal, one model of 269,722 floats (1.08 MB) at the rate of the
# NICs, as a share of that. The hosts are network namespaces of this machine with slow
# NICs, so it takes root.
#
#     sudo ./dev bench exchange
#
# RATES, FLOATS, SECONDS_EACH change the measurement.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../tests/support/hosts.sh"
convoy=${CONVOY:?the program convoy: use ./dev bench exchange}
rates=${RATES:-20mbit 100mbit 1gbit}
floats=${FLOATS:-269722}
seconds=${SECONDS_EACH:-8}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}

hosts_need
hosts_open 2 1gbit

# exchange HOW: the median of the seconds between two models that worker 1 receives
exchange() {
	rm -rf "$hosts_dir/out" "$hosts_dir/trace.h5"
	on_host 1 env CONVOY_HOME="$CONVOY_HOME" "$convoy" train --algo "ad-psgd:exchange=$1" --workers 2 \
		--net "quadratic:dim=$floats,noise=0" --batch 1 --seconds "$seconds" --lr 1e-6 \
		--eval-every 0 --eval-samples 1 --stat-batches 1 --trace "$hosts_dir/trace.h5" \
		--hostfile "$hosts_dir/hostfile" --mpirun "$hosts_mpirun" \
		--out "$hosts_dir/out" --quiet >/dev/null
	"$convoy" trace "$hosts_dir/trace.h5" |
		awk -v least=$((4 * floats)) '$2 " " $3 " " $4 == "worker 1 message" {
			for (i = 5; i < NF; i++) if ($(i + 1) ~ /^bytes/ && $i >= least) {
				if (++n > 3) print $1 - last; last = $1 } }' |
		sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

printf '%-10s %-12s %10s %8s\n' rate exchange seconds share
for rate in $rates; do
	hosts_rate "$rate"
	for how in sequential duplex; do
		exchange $how | awk -v r="$rate" -v f="$floats" -v how=$how '{
			unit = r ~ /gbit/ ? 1e9 : 1e6
			printf "%-10s %-12s %10.4f %7.0f%%\n", r, how, $1, 100 * f * 32 / (r * unit) / $1 }'
	done
done
