#!/bin/bash
# How far convoy's clock is off where workers average rarely over slow links (docs/validation.md).
#
#     DATA=FOLDER ./dev bench diloco
#
# FOLDER has runs.csv, the runs at 1 and 5 Gbit/s and unshaped of diloco-measured
# (https://github.com/Adnan082/diloco-measured at 7b07885, experiment 01_cu_grid, Apache-2.0), with the
# columns algorithm, H, bandwidth, repeat, steps, compute_ms_median, syncs, sync_ms_median, wall_ms_mean,
# optimizer_ms_mean. Prints predictions for 50 and 200 Mbit/s, which are compared with nothing here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CONVOY=${CONVOY:?the program convoy: use ./dev bench diloco}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
export PYTHONDONTWRITEBYTECODE=1
if [ -z "${DATA:-}" ]; then
	echo "diloco: skipped: DATA names no folder of measured steps (see bench/diloco.sh)" >&2
	exit 0
fi
/usr/bin/python3 "$here/wan/diloco.py" "$DATA"
