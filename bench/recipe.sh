#!/bin/bash
# Time and loss of nanoGPT's recipe for a CPU, with one evaluation: convoy and PyTorch in turns.
# FILE: tiny Shakespeare. TURNS (2), STEPS (2000), THREADS (1), ATTENTION (fused, written: PyTorch's),
# TORCH_PYTHON: the interpreter that has PyTorch.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
steps=${STEPS:-2000} threads=${THREADS:-1}
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

# The spec's settings, with the run's length, and an evaluation at its end alone.
convoy_trains() {
	local began=$EPOCHREALTIME
	"${CONVOY:?the program}" run karpathy/nanogpt-shakespeare --only seed="$1" --quiet --again --json \
		--data "text:file=${FILE:?the text},window=64" --set gradients="$steps" --set eval_every=1000 \
		--set train_every=1000 --jobs 1 --threads "$threads" --out "$out" >"$out/convoy.json" 2>"$out/err" ||
		{ cat "$out/err"; exit 1; }
	jq -c --arg began "$began" --arg ended "$EPOCHREALTIME" --argjson threads "$threads" \
		'.runs[0] | {convoy: .hash, seed, threads: $threads, wall_s: (($ended | tonumber) - ($began | tonumber)),
		 validation_loss: .test_loss}' "$out/convoy.json"
}
for ((turn = 1; turn <= ${TURNS:-2}; turn++)); do
	convoy_trains "$turn"
	for attention in ${ATTENTION:-fused}; do
		"${TORCH_PYTHON:-/usr/bin/python3}" "$here/torch_recipe.py" "$FILE" "$steps" "$turn" "$threads" \
			"$attention"
	done
done
