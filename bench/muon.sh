#!/bin/bash
# How fast Muon's Newton-Schulz steps are, on one thread, next to one matrix product of their shape.
#
#     ./dev bench muon
#
# SHAPES (rows x columns) changes the measurement.
set -euo pipefail
bench=${CONVOY_BENCH:?the folder with the program muon: use ./dev bench muon}/muon

# shellcheck disable=SC2086
"$bench" ${SHAPES:-128x512 256x256 384x384 384x1536 768x768 3072x768}
