#!/bin/bash
# N mutated inputs (5,000) and SIGNALS signals (100) against a build with address and undefined-behaviour
# sanitizers: command lines, settings, sweeps, specs, nets, clusters, tables of text, results, traces,
# checkpoints, data sets, filters, names of pictures, files of hosts, the environment, completion. No input
# may bring a report of a sanitizer, a signal, a hang, an undocumented exit code, a file outside of its
# folder, a byte that drives the terminal, an error without its reason, or a value of the environment.
# SIGINT, SIGTERM and SIGHUP come at random moments of sim, run, train, plot and report: files are whole,
# and the same command again ends like an unbroken one.
#
#     ./dev bench adverse                 N=500 SIGNALS=10 SEED=7 ./dev bench adverse
#
# SANITIZED is a program that is built so; else one is built here. The inputs follow from SEED alone: START
# is the first of them, so N=1 START=K SHOW=1 repeats the K-th. It takes Debian's python3-h5py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/.." && pwd)
if [ -z "${SANITIZED:-}" ]; then
	folder=$source/build/adverse
	cmake -S "$source" -B "$folder" -G Ninja -DCONVOY_SANITIZE=ON -DCONVOY_TESTS=OFF >&2
	cmake --build "$folder" --target convoy >&2
	SANITIZED=$folder/convoy
fi
CONVOY=$SANITIZED CONVOY_HOME=$source exec /usr/bin/python3 "$here/adverse/main.py"
