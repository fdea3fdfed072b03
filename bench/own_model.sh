#!/bin/bash
# A ResNet-20 of a user's own under convoy, and in PyTorch's own training loop: see own_model.py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CONVOY=${CONVOY:?the program: use ./dev bench own_model} CONVOY_HOME=${CONVOY_HOME:-$here/..}
export PYTHONDONTWRITEBYTECODE=1
exec "${TORCH_PYTHON:-/usr/bin/python3}" "$here/own_model.py"
