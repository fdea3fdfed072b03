#!/bin/bash
# CMake finds libraries that have no .pc file, names all that are missing at once, and needs cmocka
# for the tests only.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pc"

# configure ARGUMENT...: without .pc files of the required libraries.
configure() {
	code=0
	PKG_CONFIG_LIBDIR=$work/pc cmake -S "$CONVOY_SOURCE" -B "$work/build" \
		-DCONVOY_MPI=OFF -DCONVOY_ONEDNN=OFF "$@" >"$work/out" 2>&1 || code=$?
}
fail() {
	echo "FAILED: $*"
	cat "$work/out"
	exit 1
}

configure
[ $code = 0 ] || fail "without .pc files: exit code $code"
grep -q "without cmocka: the tests are left out" "$work/out" || fail "cmocka is not named"
[ ! -e "$work/build/tests" ] || fail "tests without cmocka"
configure -DCONVOY_TESTS=ON
[ $code != 0 ] || fail "tests are asked for, and cmocka is missing: exit code 0"
rm -rf "$work/build"

configure -DCMAKE_FIND_ROOT_PATH="$work" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
	-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY
[ $code != 0 ] || fail "without libraries: exit code 0"
said=$(tr -s ' \n' ' ' <"$work/out")
for library in "OpenBLAS (cblas.h)" "cJSON (cjson/cJSON.h)" "zlib (zlib.h)" "liblzma (lzma.h)" \
	"libjpeg (jpeglib.h)" "libarchive (archive.h)" "HDF5 (hdf5.h)" "libjq (jq.h)" "Random123 (Random123/philox.h)"; do
	grep -qF "$library" <<<"$said" || fail "$library is not named as missing"
done
grep -qF docs/install.md <<<"$said" || fail "docs/install.md is not named"
