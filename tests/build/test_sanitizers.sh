#!/bin/bash
# TIMEOUT 1800
# COST 900
# PROCESSORS 2
# clang, warnings as errors, address and undefined-behaviour sanitizers: every kernel, algorithm,
# engine and fuzzer, and of the command line's tests those that reach the most code. All of them:
# ./dev test sanitized.
set -eu
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
build=$CONVOY_BUILD/sanitizers

cmake -S "$CONVOY_SOURCE" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCONVOY_WERROR=ON \
	-DCONVOY_SANITIZE=ON -DCONVOY_TEST_BUILDS=OFF
cmake --build "$build"
cd "$build"
# PyTorch, SimGrid, theory and the reference judge numbers, which sanitizers do not change; hosts
# mostly wait.
commands="every_algo|sim_checkpoint|report|resume|interrupt|partial|faults|graph|hogwild|orphans"
inputs="hostile|spec|settings|schema|photos|data_get"
ctest -j$(($(nproc) + 2)) --output-on-failure --no-label-summary \
	-R "^(unit|algos|nets|engines|fuzz)_|^cli_($commands|$inputs)\$" \
	-E '^nets_(pytorch|reference|zoo)|^engines_(simgrid|theory|momentum|hosts)'
