# lib.sh - builds page/convoy.html in a test's folder, or skips the test where that needs something more.
. "$(dirname "$0")/../cli/lib.sh"

for program in node clang wasm-ld cmake ninja; do
	command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
echo 'int main(void) { return 0; }' >main.c
clang --target=wasm32-wasi main.c -o main.wasm 2>err ||
	{ echo "skipped: no wasi-libc or libclang-rt-dev-wasm32"; exit 77; }
cmake -G Ninja -S "$CONVOY_SOURCE/web" -B page >out 2>&1 && cmake --build page >out 2>&1 ||
	fail "$(tail -30 out)"
