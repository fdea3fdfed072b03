#!/bin/bash
# analyse.sh BUILD_FOLDER [OPTION...]: clang-tidy over the program's sources; options go to it.
# JOBS processes at once, default 1. Fails when there is a finding; .clang-tidy says what is checked.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$1
shift

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake -S "$top" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
	-DCONVOY_TESTS=OFF >"$log" 2>&1 || { cat "$log"; exit 1; }
# On stderr it counts the warnings in headers of libraries.
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u |
	xargs -d '\n' -P "${JOBS:-1}" -n 16 clang-tidy -p "$build" --quiet "$@" 2>"$log" ||
	{ grep -v 'warnings\? generated\.$\|^Suppressed\|^Use -' "$log" || true; exit 1; }
