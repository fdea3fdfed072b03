#!/bin/bash
# Runs whose ranks are killed: N runs of real ranks (200), in each of which a random rank is killed at
# a random time. None may hang, none may leave a rank that runs, none a file that cannot be read. Each is
# then resumed from its last checkpoint; where the order of events is forced, it must end with the
# unbroken run's model, bit for bit, and else with its number of gradients.
#
#     ./dev bench kills                 N=50 ./dev bench kills
#
# SEED changes the times, MPIRUN=1 starts mpirun by hand. Reading the files takes Debian's python3-h5py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../tests/support/ranks.sh"
convoy=${CONVOY:?the program convoy: use ./dev bench kills}
n=${N:-200}
RANDOM=${SEED:-1}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
killed=0 whole=0 other=0 hung=0 left=0 unread=0 running=0 resumed=0 restarted=0 same=0 differ=0 finished=0

# Algorithm, workers, ranks, gradients, whether the order of events is forced, and what else.
cells=(
	"allreduce 2 2 720 forced"
	"allreduce 4 4 1440 forced --allreduce ring"
	"d-psgd 3 3 1080 forced"
	"asgd 3 4 1080 free"
	"ad-psgd 4 4 1440 free"
)

# train CELL ARGUMENT...: becomes a run of it, of about two seconds.
train() {
	local algo workers ranks gradients order more
	read -r algo workers ranks gradients order more <<<"$1"
	shift
	set -- "$convoy" train --algo "$algo" --workers "$workers" --gradients "$gradients" \
		--net quadratic --lr 0.01 --compute-s 0.005 --train-every 1 --checkpoint-every 1 \
		--quiet --json $more "$@"
	[ -z "${MPIRUN:-}" ] ||
		set -- mpirun -n "$ranks" --oversubscribe --allow-run-as-root --bind-to none "$@"
	exec timeout -k 1 30 "$@"
}

# field NAME FILE: of a run's JSON.
field() {
	sed -nE "s/^[[:space:]]*\"$1\":[[:space:]]*\"?([^\",]*)\"?,?\$/\1/p" "$2" | head -n 1
}

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

# judge_files RUN: every file of the run that was killed.
judge_files() {
	local file said
	for file in "$work"/out/train/*.h5 "$work"/out/train/*.h5.part; do
		[ -e "$file" ] || continue
		said=$(status "$file") && [[ $said = done || $said = interrupted ]] && continue
		if [ "$said" = running ]; then
			running=$((running + 1))
		else
			unread=$((unread + 1))
			echo "run $1: $file: ${said:-$(tail -n 1 "$work/fault")}"
		fi
	done
}

# judge_end RUN CODE: how the run ended whose rank was killed.
judge_end() {
	case $2 in
	0) whole=$((whole + 1)) ;;
	124 | 137)
		if grep -qE '(killed by|exited on) signal 9' "$work/err"; then
			killed=$((killed + 1))
		else
			hung=$((hung + 1))
			echo "run $1: hung"
		fi ;;
	*) other=$((other + 1)) && echo "run $1: exit code $2: $(tail -n 1 "$work/err")" ;;
	esac
}

# resume RUN CELL REFERENCE: to its end, and compares that.
resume() {
	local code=0
	(train "$2" --out "$work/out" --resume) >"$work/json" 2>"$work/err" || code=$?
	if grep -q 'going on from' "$work/err"; then
		resumed=$((resumed + 1))
	else
		restarted=$((restarted + 1))
	fi
	if [ $code = 0 ] && [[ $2 = *" free"* ]] &&
		[ "$(field gradients "$work/json")" = "$(field gradients "$3")" ]; then
		finished=$((finished + 1))
	elif [ $code = 0 ] && [ "$(field model "$work/json")" = "$(field model "$3")" ]; then
		same=$((same + 1))
	else
		differ=$((differ + 1))
		echo "run $1: $2: resumed otherwise ($code): $(tail -n 1 "$work/err")"
	fi
}

# once RUN: a run, a kill on the way, and the rest of the run.
once() {
	local which=$(($1 % ${#cells[@]})) after=$((RANDOM % 2500)) victim=$RANDOM code=0
	local cell=${cells[which]} run pids pid
	rm -rf "$work/out"
	train "$cell" --out "$work/out" >"$work/said" 2>"$work/err" &
	run=$!
	sleep "$((after / 1000)).$(printf %03d $((after % 1000)))"
	pids=$(ranks_of $run || true)
	pid=$(sed -n "$((victim % $(wc -l <<<"$pids") + 1))p" <<<"$pids")
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
	wait $run 2>/dev/null || code=$?
	judge_end "$1" $code
	for pid in $pids; do
		! runs "$pid" || left=$((left + 1))
	done
	judge_files "$1"
	[ $code = 0 ] || resume "$1" "$cell" "$work/reference.$which"
}

for which in "${!cells[@]}"; do
	(train "${cells[which]}" --out "$work/reference") >"$work/reference.$which" 2>"$work/err" || {
		cat "$work/err"
		exit 1
	}
done
for run in $(seq "$n"); do
	once "$run"
done
echo "$n runs: $killed ended by the kill, $whole ended before it, $other otherwise; $hung hung," \
	"$left ranks still running, $unread files that cannot be read, $running not marked"
echo "$resumed resumed from a checkpoint, $restarted from the beginning: $same with the unbroken run's" \
	"bits, $finished of free order with its gradients, $differ otherwise"
[ $((hung + left + unread + differ)) = 0 ]
