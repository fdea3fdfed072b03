#!/bin/bash
# Tokens a second of gradients of a net of tokens: convoy and PyTorch in turns.
# TURNS (3), SECONDS_EACH: of a measurement (5), NET (gpt-shakespeare-cpu), BATCH (12), WINDOW (64),
# THREADS (1), TYPES ("f32 bf16"; PyTorch's bf16 is autocast), ATTENTION ("written fused written+compile
# fused+compile"; some of them), TORCH_PYTHON: the interpreter that has PyTorch. Without dropout, and
# with malloc told to keep what is freed, which PyTorch is faster with.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
net=${NET:-gpt-shakespeare-cpu} batch=${BATCH:-12} window=${WINDOW:-64} threads=${THREADS:-1}
file=$(mktemp -d)/$net-$window.json
trap 'rm -r "$(dirname "$file")"' EXIT
echo "{ \"base\": \"$net\", \"input\": [$window, 1, 1], \"params\": { \"dropout\": 0 } }" >"$file"
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=9000000000000000 MALLOC_TOP_PAD_=67108864
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
measure() {
	"${CONVOY:?the program}" bench nets "$file" --batch "$batch" --team "$threads" --precision "$1" \
		--seconds "${SECONDS_EACH:-5}" --quiet --json |
		grep -E '"(net|precision|samples_per_s|peak_share|threads|team)"' | tr -d '\n\t'
	echo " (times $window: tokens a second)"
	for attention in ${ATTENTION:-written fused written+compile fused+compile}; do
		"${TORCH_PYTHON:-/usr/bin/python3}" "$here/torch_language.py" "$net" "$batch" "$window" \
			"$attention" "${1/bf16/autocast}" "${SECONDS_EACH:-5}" "$threads"
	done
}
for ((turn = 0; turn < ${TURNS:-3}; turn++)); do
	for type in ${TYPES:-f32 bf16}; do
		measure "$type"
	done
done
