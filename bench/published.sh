#!/bin/bash
# Published scaling curves of Horovod and TensorFlow next to convoy's predictions from figures of one node
# (docs/validation.md).
#
#     ./dev bench published
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CONVOY=${CONVOY:?the program convoy: use ./dev bench published}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
export PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 "$here/pollux/published.py"
