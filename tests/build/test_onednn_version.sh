#!/bin/bash
# A version of oneDNN that convoy does not know leaves the backend out, and configuring says so.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/include/oneapi/dnnl"
touch "$work/include/dnnl.h" "$work/libdnnl.so"

# configure VERSION [OPTION...]: configures with headers of that version; its words are in said.
configure() {
	local major minor patch version=$1
	shift
	IFS=. read -r major minor patch <<<"$version"
	printf '#define DNNL_VERSION_%s %s\n' MAJOR "$major" MINOR "$minor" PATCH "$patch" \
		>"$work/include/oneapi/dnnl/dnnl_version.h"
	cmake -S "$CONVOY_SOURCE" -B "$work/build" -G "Unix Makefiles" -DCONVOY_TESTS=OFF -DCONVOY_MPI=OFF \
		-DDNNL_INCLUDE="$work/include" -DDNNL_LIBRARY="$work/libdnnl.so" "$@" \
		>"$work/said" 2>&1 || fail "configuring with oneDNN $version failed"
	tr -s ' \n' ' ' <"$work/said" >"$work/line"
}

fail() {
	echo "FAIL: $*"
	cat "$work/said"
	exit 1
}

builds_onednn() {
	grep -rqs 'nets/onednn/conv' "$work/build/CMakeFiles/convoy_all.dir/build.make"
}

for version in 1.8.1 4.0.2 30.1.0; do
	configure $version
	grep -qF "is '$version' (expected 2.x or 3.x)" "$work/line" || fail "no warning of $version"
	! builds_onednn || fail "oneDNN $version is built with"
done
for version in 2.0.0 3.11.2; do
	configure $version
	! grep -qi 'expected 2.x or 3.x' "$work/line" || fail "a warning of $version"
	builds_onednn || fail "oneDNN $version is left out"
done
configure 3.7.2 -DCONVOY_ONEDNN=OFF
! builds_onednn || fail "oneDNN is built with though it is off"
