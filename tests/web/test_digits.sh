#!/bin/bash
# The page with the simulator is built, is one small file, and prints the digits of the command line, in
# Chromium where that is installed.
# COST 30
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

[ "$(wc -c <page/convoy.html)" -lt 2000000 ] || fail "the page has more than 2 MB"
grep -nE '(src|href)="?(https?:)?//' page/convoy.html && fail "the page loads something"
node "$CONVOY_SOURCE/tests/web/same_digits.js" "$CONVOY" page/convoy.html >out 2>&1 ||
	fail "$(cat out)"
says out "the same digits"
sed -n '/^no chromium/p' out
finish
