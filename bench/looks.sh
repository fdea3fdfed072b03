#!/bin/bash
# The levels of core/math/look_plan.c, and then the error and power of plans with them: for each number of looks and ratio of deviations, the level of which
# 5 % of comparisons without a difference fall below at some look. The table has the least of each.
#
#     ./dev bench looks
#
# COMPARISONS, a million by default, is how many are made for each row (some minutes of a core).
set -euo pipefail
exec "${CONVOY_BENCH:?the folder of measurements: use ./dev bench looks}/looks" "${COMPARISONS:-1000000}"
