#!/bin/bash
# Samples a second of gradients, and peak memory: convoy and PyTorch, for the nets of the papers.
# See bench/torch_turns.py for the variables that change the measurement.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CONVOY=${CONVOY:?the program: use ./dev bench torch} CONVOY_HOME=${CONVOY_HOME:-$here/..}
exec /usr/bin/python3 "$here/torch_turns.py"
