#!/bin/bash
# The page with the simulator is built, and prints the digits of the command line; its fields, lessons,
# keys, files and links work in Chromium, and so does the page of a trace; what a frame of both costs.
# LABEL long
# COST 60
# TIMEOUT 600
. "$(dirname "$0")/../cli/lib.sh"

for program in node clang wasm-ld cmake ninja; do
	command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
echo 'int main(void) { return 0; }' >main.c
clang --target=wasm32-wasi main.c -o main.wasm 2>err ||
	{ echo "skipped: no wasi-libc or libclang-rt-dev-wasm32"; exit 77; }
cmake -G Ninja -S "$CONVOY_SOURCE/web" -B page >out 2>&1 && cmake --build page >out 2>&1 ||
	fail "$(tail -30 out)"
[ "$(wc -c <page/convoy.html)" -lt 2000000 ] || fail "the page has more than 2 MB"
grep -nE '(src|href)="?(https?:)?//' page/convoy.html && fail "the page loads something"
node "$CONVOY_SOURCE/tests/web/same_digits.js" "$CONVOY" page/convoy.html >out 2>&1 ||
	fail "$(cat out)"
says out "the same digits"

expect 0 sim --algo asgd --workers 4 --net quadratic --compute-s 0.1 --gradients 100 --lr 0.01 \
	--delay gamma:cv=0.3 --slow 0:4 --link nic:bandwidth_GBps=0.0001 --update-s 0.001 \
	--trace four.h5 --quiet
expect 0 trace four.h5 --html
expect 0 sim --algo asgd --workers 64 --net quadratic --samples 1e7 --timing --compute-s 0.1 \
	--gradients 150000 --delay gamma:cv=0.5 --link nic:bandwidth_GBps=0.001 --update-s 0.0002 \
	--trace long.h5 --quiet
expect 0 trace long.h5 --html
if node -e 'process.exit(require(process.argv[1]).chromium() ? 0 : 1)' "$CONVOY_SOURCE/tests/web/browser.js"; then
	node "$CONVOY_SOURCE/tests/web/clicks.js" page/convoy.html >out 2>&1 || fail "$(cat out)"
	says out "all clicks work"
	node "$CONVOY_SOURCE/tests/web/trace_clicks.js" four.html >out 2>&1 || fail "$(cat out)"
	says out "all clicks work"
	node "$CONVOY_SOURCE/tests/web/speed.js" page/convoy.html long.html || fail "too slow"
else
	echo "no chromium: fields, lessons and pages of traces are not tried"
fi
finish
