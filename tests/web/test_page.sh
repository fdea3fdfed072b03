#!/bin/bash
# The page with the simulator is built, and prints the digits of the command line.
# LABEL long
# COST 30
# TIMEOUT 300
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
if command -v chromium >/dev/null; then
	{ cat page/convoy.html; echo '<script>'; cat "$CONVOY_SOURCE/tests/web/clicks.js"; echo '</script>'; } >clicks.html
	timeout 120 chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=40000 \
		--user-data-dir="$PWD/profile" --dump-dom "file://$PWD/clicks.html" 2>err | grep -o '<title>.*</title>' >title
	says title "all clicks work"
else
	echo "no chromium: the page's fields and lessons are not tried"
fi
finish
