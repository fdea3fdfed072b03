#!/bin/bash
# TIMEOUT 1800
# COST 900
# PROCESSORS 2
# clang, warnings as errors, address and undefined-behaviour sanitizers: every test but the builds.
set -eu
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
build=$CONVOY_BUILD/sanitizers

cmake -S "$CONVOY_SOURCE" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCONVOY_WERROR=ON \
	-DCONVOY_SANITIZE=ON -DCONVOY_TEST_BUILDS=OFF
cmake --build "$build"
cd "$build"
# PyTorch judges numbers, which sanitizers do not change; hosts and deaths are mostly waiting; the
# experiments are many runs of what the other tests run once.
ctest -j$(($(nproc) + 1)) --output-on-failure --no-label-summary \
	-E '^layers$|^cli_run_all_smoke$|^nets_pytorch|^engines_hosts$|^cli_train_failure$'
