#!/bin/bash
# `convoy run --all --scale SCALE` (smoke), killed by SIGKILL at N random moments (10), each time begun
# again with the same command. What it ends with must be what an unbroken one ends with: all tables of
# simulated runs, byte for byte. What real ranks take, and real computing, no two runs share: those
# tables must be there. At the end the files of five runs are damaged, which must be named and made again.
#
#     ./dev bench interrupts                 N=20 SEED=7 ./dev bench interrupts
#
# EXPERIMENTS="NAME..." runs these instead of all. Nothing may be left that is not whole.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
convoy=${CONVOY:?the program convoy: use ./dev bench interrupts}
n=${N:-10} scale=${SCALE:-smoke}
RANDOM=${SEED:-$$}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
differ=0

# everything FOLDER: becomes the command that is killed.
everything() {
	exec "$convoy" run ${EXPERIMENTS:---all} --scale "$scale" --out "$1" >"$work/out" 2>"$work/err"
}

milliseconds() { date +%s%3N; }

# real FOLDER: the experiments there that have runs on real ranks, or show how long they computed.
real() {
	local runs
	for runs in $(find "$1" -name runs.json); do
		if grep -q '"engine":[[:space:]]*"mpi"' "$runs" ||
			grep -rqs 'Real times' "${runs%/*}/tables"; then
			dirname "${runs#"$1"/}"
		fi
	done
}

# tables FOLDER: their checksums, without those of real ranks.
tables() {
	(cd "$1" && find . -path '*/tables/*' -type f | sort | xargs cksum) |
		if [ -s "$work/real" ]; then grep -vFf "$work/real"; else cat; fi
}

from=$(milliseconds)
(everything "$work/whole") || { cat "$work/err"; exit 1; }
took=$(($(milliseconds) - from))
real "$work/whole" >"$work/real"
tables "$work/whole" >"$work/tables"
echo "unbroken: $took ms, $(wc -l <"$work/tables") files of tables compared," \
	"$(wc -l <"$work/real") experiments of real time"

# Later kills come where earlier ones did not get to, so that every part of the way is hit.
for i in $(seq "$n"); do
	(everything "$work/killed") &
	pid=$!
	after=$(((RANDOM * 32768 + RANDOM) % (2 * took / n + 500)))
	sleep "$((after / 1000)).$(printf %03d $((after % 1000)))"
	if kill -KILL $pid 2>/dev/null; then said=killed; else said="over before"; fi
	wait $pid 2>/dev/null || true
	echo "$i: $said after $after ms, $(find "$work/killed" -name '*.h5' 2>/dev/null | wc -l) results"
done
(everything "$work/killed") || { cat "$work/err"; exit 1; }
tables "$work/killed" | diff "$work/tables" - || differ=1
(cd "$work/whole" && find . -path '*/tables/*' | sort) |
	diff - <(cd "$work/killed" && find . -path '*/tables/*' | sort) || differ=1

mapfile -t files < <(find "$work/killed" -name '*.h5' | shuf -n 5 --random-source=<(yes $RANDOM))
for file in "${files[@]}"; do
	truncate -s $((RANDOM % $(stat -c %s "$file"))) "$file"
done
(everything "$work/killed") || { cat "$work/err"; exit 1; }
named=$(grep -c 'counts as not made' "$work/err" || true)
tables "$work/killed" | diff "$work/tables" - || differ=1
left=$(find "$work/killed" -name '*.part' -o -name '*.new' | wc -l)
echo "$n kills: tables $([ $differ = 0 ] && echo 'the same, byte for byte' || echo differ);" \
	"$named of ${#files[@]} damaged files named and made again; $left files left aside"
[ $((differ + left)) = 0 ] && [ "$named" = ${#files[@]} ]
