#!/bin/bash
# Whether a change made convoy slower: this version and another in turns, for a dozen loads. Ratios
# of processor time with 95 % intervals, and of instructions; above 1 this version takes more.
#
#     ./dev bench guard [COMMIT]
#
# COMMIT, by default the one before, is built in build/compare/COMMIT; it may be a program instead.
# Instructions are counted by perf, or where it cannot, by valgrind's callgrind, for which a
# processor has no AVX-512: programs then use AVX2. LOADS (names, or a regular expression), ROUNDS
# and INSTRUCTIONS=no change the measurement.
set -euo pipefail
shopt -s inherit_errexit
new=${CONVOY:?the program convoy: use ./dev bench guard}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rounds=${ROUNDS:-7} loads=${LOADS:-.} instructions=${INSTRUCTIONS:-yes}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
timing="--timing --net quadratic:samples=1e9 --batch 1 --compute-s 1 --quiet"
pictures="--data shapes:train=640,test=64"
training="--compute-s 1 --threads 1 --lr 0.01 --quiet"

# What is measured: a name, a way to run it (plain; again: the result is there already), and the
# arguments of convoy.
all() {
	cat <<-END
	version         plain  --version
	advise          plain  advise --among allreduce,diloco:period=10 --workers 16 --net bytes:1e9 --compute-s 1 --link nic --progress diloco=0.95
	asgd-16         plain  sim $timing --algo asgd --workers 16 --gradients 400000 --delay gamma:cv=0.1
	asgd-1024       plain  sim $timing --algo asgd --workers 1024 --gradients 400000 --delay gamma:cv=0.1
	asgd-100000     plain  sim $timing --algo asgd --workers 100000 --gradients 400000 --delay gamma:cv=0.1
	start-1000000   plain  sim $timing --algo asgd --workers 1000000 --gradients 1
	ad-psgd-128     plain  sim $timing --algo ad-psgd --workers 128 --gradients 200000 --link nic
	ring-100        plain  sim $timing --algo allreduce --workers 100 --gradients 2000 --link nic:stepwise=true
	short-runs      plain  sim $timing --algo asgd --workers 4 --gradients 100 --seed 1..200 --jobs 1
	nothing-to-do   again  run slow-worker --scale smoke --quiet
	mlp             plain  sim --net mlp $pictures $training --algo asgd --workers 4 --gradients 800
	mlp-codec       plain  sim --net mlp $pictures $training --algo allreduce --codec qsgd --workers 4 --gradients 400
	resnet8         plain  sim --net resnet8 $pictures $training --algo allreduce --workers 2 --gradients 16
	gpt-tiny        plain  sim --net gpt-tiny --data text:file=$top/CHANGELOG.md $training --algo allreduce --workers 2 --gradients 20
	END
}

# build COMMIT: prints its program.
build() {
	local commit folder
	commit=$(git -C "$top" rev-parse -q --verify "$1^{commit}") || {
		echo "guard: $1: neither a program nor a commit" >&2
		exit 2
	}
	folder=$top/build/compare/$commit
	if [ ! -x "$folder/build/convoy" ]; then
		echo "guard: building $1" >&2
		mkdir -p "$folder"
		git -C "$top" archive "$commit" | tar -x -C "$folder"
		{ cmake -S "$folder" -B "$folder/build" -G Ninja -DCONVOY_TESTS=OFF &&
			cmake --build "$folder/build"; } >"$folder/log" 2>&1 || {
			echo "guard: building $1 failed: see $folder/log" >&2
			exit 1
		}
	fi
	echo "$folder/build/convoy"
}

# once WAY PROGRAM ARGUMENTS...: a run in a folder of its own; what it prints is in $work/said.
once() {
	local way=$1 out=(--out "$work/out")
	shift
	case $2 in --version | advise) out=() ;; esac
	case $way in
	again) [ -e "$work/out" ] || "$@" "${out[@]}" >"$work/said" 2>&1 ;;
	*) rm -rf "$work/out" ;;
	esac
	( cd "$work" && { time "${count[@]}" "$@" "${out[@]}" </dev/null >"$work/said" 2>&1; } 2>"$work/time" ) || {
		tail -5 "$work/said" >&2
		return 1
	}
}
count=()
TIMEFORMAT='%U %S'

# seconds WAY PROGRAM ARGUMENTS...: of processor time.
seconds() {
	once "$@"
	awk '{ print $1 + $2 }' "$work/time"
}

# counted WAY PROGRAM ARGUMENTS...: instructions, or 0 where they cannot be counted.
counted() {
	case $how in
	perf)
		count=(perf stat -x, -o "$work/perf" -e instructions:u)
		once "$@"
		awk -F, '/instructions/ { print $1 }' "$work/perf"
		;;
	callgrind)
		count=(valgrind --tool=callgrind --callgrind-out-file=/dev/null)
		once "$@"
		awk '/Collected :/ { n = $NF } END { print n + 0 }' "$work/said"
		;;
	*) echo 0 ;;
	esac
}

how=no
if [ "$instructions" != no ]; then
	if perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9]'; then
		how=perf
	elif command -v valgrind >/dev/null; then
		how=callgrind
	fi
fi
old=${1:-HEAD~1}
[ -f "$old" ] && [ -x "$old" ] && old=$(realpath "$old") || old=$(build "$old")

echo "this version: $("$new" --version | head -n 1)"
echo "the other:    $("$old" --version | head -n 1)"
case $how in
perf) echo "instructions: of user space, by perf, with the instruction set that convoy chooses" ;;
callgrind) echo "instructions: by callgrind, with AVX2" ;;
*) echo "instructions: not counted" ;;
esac
printf '%-15s %10s %10s %8s %17s %14s\n' load 'other, s' 'this, s' ratio '95 % interval' instructions
all | while read -r name way arguments; do
	[[ $name =~ $loads ]] || continue
	read -ra words <<<"$arguments"
	rm -rf "$work/out"
	for ((k = 0; k < rounds; k++)); do      # each goes first in every second round
		if ((k % 2)); then
			b=$(seconds "$way" "$new" "${words[@]}")
			a=$(seconds "$way" "$old" "${words[@]}")
		else
			a=$(seconds "$way" "$old" "${words[@]}")
			b=$(seconds "$way" "$new" "${words[@]}")
		fi
		echo "$a $b"
	done >"$work/rounds"
	echo "$(counted "$way" "$old" "${words[@]}") $(counted "$way" "$new" "${words[@]}")" >>"$work/rounds"
	awk -v name="$name" -v n="$rounds" '
		BEGIN { split("12.71 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160", t) }
		NR <= n {       # a load may take less than the clock tells
			old += $1; new += $2
			d = log(($2 > 0.001 ? $2 : 0.001) / ($1 > 0.001 ? $1 : 0.001))
			sum += d; squares += d * d
		}
		NR > n { count = $1 > 0 ? sprintf("%.3f", $2 / $1) : "-" }
		END {
			mean = sum / n
			var = n > 1 ? (squares - n * mean * mean) / (n - 1) : 0
			half = n > 1 ? (n - 1 in t ? t[n - 1] : 2) * sqrt((var > 0 ? var : 0) / n) : 0
			printf "%-15s %10.3f %10.3f %8.3f %17s %14s\n", name, old / n, new / n, exp(mean),
				sprintf("%.3f to %.3f", exp(mean - half), exp(mean + half)), count
		}' "$work/rounds"
done
