#!/bin/bash
# How fast gradients are packed and unpacked, on one thread: 1e9 bytes of floats a second.
#
#     ./dev bench codecs
#
# FLOATS (of the gradient), LAYERS and CODECS change the measurement.
set -euo pipefail
bench=${CONVOY_BENCH:?the folder with the program codecs: use ./dev bench codecs}/codecs
codecs=${CODECS:-fp16 bf16 onebit terngrad qsgd qsgd:levels=127 topk topk:ratio=0.001}

# shellcheck disable=SC2086
"$bench" "${FLOATS:-4000000}" "${LAYERS:-50}" $codecs
