#!/bin/bash
# How far convoy's clock is off on real clusters: fits a cluster to measured step times on one and two
# nodes, then predicts three and four nodes (docs/validation.md).
#
#     DATA=FOLDER ./dev bench pollux
#
# FOLDER has resnet18-cifar10.csv and resnet50-imagenet-up-to-two-nodes.csv, with the columns placement
# (GPUs of each node, a digit a node), local_bsz and step_time. They are excerpts of placements.csv in the
# artifact of Pollux (OSDI 2021): https://github.com/petuum/adaptdl, branch osdi21-artifact, folder
# simulator/traces, Apache-2.0. OUT (results/pollux) gets the clusters one-node.json and nodes.json, the
# fit, and the predictions as a table. COLLECTIVE=double-tree (ring) is another all-reduce between nodes; it
# was tried after the rows were known. THREE=111,444 also fits these placements of three nodes, and gives three
# nodes a rate of their own; what counts then, predict.py says. resnet50.py predicts ResNet-50 with it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CONVOY=${CONVOY:?the program convoy: use ./dev bench pollux}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
export PYTHONDONTWRITEBYTECODE=1
out=${OUT:-results/pollux${COLLECTIVE:+-$COLLECTIVE}${THREE:+-three}}
if [ -z "${DATA:-}" ]; then
	echo "pollux: skipped: DATA names no folder of measured step times (see bench/pollux.sh)" >&2
	exit 0
fi
mkdir -p "$out"
/usr/bin/python3 "$here/pollux/fit.py" "$DATA" "$out"
/usr/bin/python3 "$here/pollux/predict.py" "$DATA" "$out"
