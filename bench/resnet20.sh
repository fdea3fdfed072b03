#!/bin/bash
# Samples a second of ResNet-20's gradients (forward and backward, f32): convoy's onednn backend
# beside PyTorch (Debian's python3-torch, channels_last), taken in turns so that both see the
# same machine; medians over the rounds. Without PyTorch, convoy alone.
#
# CONVOY_BENCH: folder of the program `nets`. BATCHES, ROUNDS, SECONDS_EACH change the measurement.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
nets=${CONVOY_BENCH:?the folder with the program nets: use ./dev bench resnet20}/nets
batches=${BATCHES:-16 32 128}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-3}
python=/usr/bin/python3
export CONVOY_HOME=${CONVOY_HOME:-$here/..}

has_torch=1
if ! "$python" -c 'import torch' 2>/dev/null; then
	has_torch=
	echo "no PyTorch here (Debian's python3-torch): measuring convoy alone" >&2
fi

median() {
	sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

ours() {
	"$nets" onednn resnet20 "$1" "$2" "$seconds"
}

theirs() {
	"$python" "$here/torch_resnet20.py" "$1" 1 "$seconds"
}

echo "ResNet-20 gradients, samples/s, medians of $rounds rounds of $seconds s"
printf '%6s %14s %14s %7s %15s %8s\n' batch convoy/1 torch/1 ratio convoy/2 scaling
for batch in $batches; do
	one='' two='' torch=''
	for ((i = 0; i < rounds; i++)); do
		one+=$(ours "$batch" 1)$'\n'
		[ -z "$has_torch" ] || torch+=$(theirs "$batch")$'\n'
		two+=$(ours "$batch" 2)$'\n'
	done
	printf '%s %s %s %s\n' "$batch" "$(printf %s "$one" | median)" \
		"$(printf '%s' "${torch:-0}" | median)" "$(printf %s "$two" | median)" |
		awk '{ printf "%6d %14.0f %14s %7s %15.0f %8.2f\n", $1, $2, $3 ? sprintf("%.0f", $3) : "-",
		       $3 ? sprintf("%.2f", $2 / $3) : "-", $4, $4 / $2 }'
done
