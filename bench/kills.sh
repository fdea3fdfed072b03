#!/bin/bash
# Runs whose ranks are killed: N runs of real ranks (200), each with a random rank killed at a random
# time. None may hang, none may leave a rank behind, none a file that cannot be read.
#
#     ./dev bench kills                 N=50 ./dev bench kills
#
# RANKS (4), SEED, ALGOS change it. Reading the files takes Debian's python3-h5py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
convoy=${CONVOY:?the program convoy: use ./dev bench kills}
n=${N:-200}
ranks=${RANKS:-4}
read -ra algos <<<"${ALGOS:-allreduce asgd d-psgd ad-psgd}"
RANDOM=${SEED:-1}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hung=0 left=0 unread=0 killed=0 whole=0 unnamed=0

# status FILE: of a result; fails when it cannot be read.
status() {
	/usr/bin/python3 -c 'if True:
		import sys, h5py
		f = h5py.File(sys.argv[1], "r")
		for group in "train", "eval", "nodes":
			for column in f[group].values():
				column[...]
		print(f["summary"].attrs["status"].decode())' "$1" 2>"$work/fault"
}

# judge_files: every file of the run that was killed.
judge_files() {
	local file said
	for file in "$work"/out/train/*; do
		[ -e "$file" ] || continue
		said=$(status "$file") && [[ $said = done || $said = interrupted ]] && continue
		unread=$((unread + 1))
		echo "run $1: $file: ${said:-$(tail -n 1 "$work/fault")}"
	done
}

# runs PROCESS: true unless it has ended, or ends within a second.
runs() {
	local k
	for k in $(seq 10); do
		grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null || return 1
		sleep 0.1
	done
}

# once RUN: a run, and a kill on the way.
once() {
	local algo=${algos[$1 % ${#algos[@]}]} after=$((RANDOM % 2500)) victim=$((RANDOM % ranks + 1))
	local run mpirun pids pid code=0
	rm -rf "$work/out"
	timeout -k 1 30 "$convoy" train -n "$ranks" --algo "$algo" --net quadratic --seconds 2 \
		--compute-s 0.005 --train-every 0.02 --seed "$1" --out "$work/out" --quiet \
		>"$work/said" 2>"$work/err" &
	run=$!
	sleep "$((after / 1000)).$(printf %03d $((after % 1000)))"
	mpirun=$(pgrep -P "$(pgrep -P $run convoy || echo 0)" mpirun || true)
	pids=$(pgrep -P "${mpirun:-0}" || true)
	pid=$(sed -n "${victim}p" <<<"$pids")
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
	wait $run || code=$?
	case $code in
	0) whole=$((whole + 1)) ;;
	124 | 137)
		if grep -q 'was killed by signal 9' "$work/err"; then
			killed=$((killed + 1))
		elif [ $code = 124 ]; then
			hung=$((hung + 1))
			echo "run $1: $algo hung, rank $victim killed after $after ms"
		fi ;;
	*)
		unnamed=$((unnamed + 1))
		echo "run $1: exit code $code: $(tail -n 1 "$work/err")" ;;
	esac
	for pid in $pids; do
		! runs "$pid" || left=$((left + 1))
	done
	judge_files "$1"
}

for run in $(seq "$n"); do
	once "$run"
done
echo "$n runs of $ranks ranks: $killed ended by the kill, $whole ended before it," \
	"$unnamed otherwise; $hung hung, $left ranks left behind, $unread files that cannot be read"
[ $((hung + left + unread)) = 0 ]
