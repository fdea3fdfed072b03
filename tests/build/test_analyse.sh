#!/bin/bash
# TIMEOUT 600
# COST 60
# LABEL long
# clang-tidy finds nothing in the program, by the checks of .clang-tidy that are quick: ./dev analyse
# has all. Versions differ in their checks, so one of them judges.
set -eu
version=14
clang-tidy --version 2>/dev/null | grep -q "version $version\." && command -v clang >/dev/null ||
	{ echo "skipped: no clang-tidy $version, or no clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/bad.c" <<'END'
#include <stdlib.h>
#include <string.h>

char *copy(const char *text);
char *copy(const char *text)
{
	char *own = malloc(strlen(text + 1));
	return own ? strcpy(own, text) : own;
}
END
clang-tidy --quiet --config-file="$CONVOY_SOURCE/.clang-tidy" "$work/bad.c" -- >"$work/out" 2>&1 &&
	{ echo "FAILED: no fault is found"; exit 1; }
grep -q 'bad.c:7:14: error: .*strlen' "$work/out" || { cat "$work/out"; exit 1; }

bash "$CONVOY_SOURCE/tests/build/analyse.sh" "$CONVOY_BUILD/analyse" --checks='-clang-analyzer-*'
