#!/bin/bash
# TIMEOUT 1800
# COST 60
# Automake builds the same convoy as CMake, out of tree, and both install the same files. Here, configure
# finds what CMake found, the Makefile would compile the same sources, and the files that are not the
# program are the same; test_automake_program.sh builds the program, too.
set -eu
command -v autoreconf >/dev/null && command -v automake >/dev/null ||
	{ echo "skipped: no Automake"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A copy, because autoreconf writes into the sources.
copy_sources() {
	cd "$CONVOY_SOURCE"
	if git rev-parse >/dev/null 2>&1; then
		git ls-files -z --cached --others --exclude-standard
	else
		find . -path ./build -prune -o -type f -print0
	fi | while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done | tar -c --null -T - | tar -x -C "$work/source"
}

configure_with_automake() {
	cd "$work/source"
	autoreconf -i 2>&1 | tee "$work/said"
	! grep -E '^(sources\.mk|Makefile\.am):.*warning' "$work/said" >/dev/null || exit 1
	mkdir "$work/build"
	cd "$work/build"
	"$work/source/configure" -q --prefix=/usr --enable-werror --disable-dependency-tracking \
		CFLAGS=-O0
}

# sources_of FILE: the sources that its rules or lists name by their objects.
sources_of() {
	tr -s ' \t:|' '\n' <"$1" | sed -nE 's/^(CMakeFiles\/convoy(_all|_mpi)?\.dir\/)?([a-z0-9_/]+)\.(c\.)?o$/\3.c/p' | sort -u
}

# The sources and what their #if ask for; where Ninja built, which alone lists them in one file.
compare_sources() {
	[ -f "$CONVOY_BUILD/build.ninja" ] || { echo "not compared: sources, without Ninja"; return; }
	printf 'include Makefile\nlist:\n\t@echo $(convoy_OBJECTS) >objects\n\t@echo $(AM_CPPFLAGS) >defined\n' >list.mk
	make -s -f list.mk list
	sources_of objects >automake.sources
	grep -E '^build CMakeFiles/convoy(_all|_mpi)?\.dir/' "$CONVOY_BUILD/build.ninja" >rules
	sources_of rules >cmake.sources
	[ "$(wc -l <cmake.sources)" -gt 200 ]
	diff automake.sources cmake.sources
	for define in FETCH MPI ONEDNN; do
		[ "$(grep -c "CONVOY_HAVE_$define=1" defined)" = \
			"$(grep -m1 -c "CONVOY_HAVE_$define=1" "$CONVOY_BUILD/build.ninja")" ]
	done
	make -s commit.h core/math/vec.o >/dev/null
}

# A file that configure wrote into a folder of the sources' names is no source.
distribute() {
	make -s distdir >/dev/null
	[ -f convoy-*/cmake/convoy.pc.in ]
	[ ! -e convoy-*/cmake/convoy.pc ]
}

install_with_cmake() {
	cmake --install "$CONVOY_BUILD" --prefix "$work/cmake/usr" >/dev/null
}

# files TREE: every file with its mode and sum, but the program, and the page that ./dev web may have made.
files() {
	(cd "$1" && find . -type f ! -path '*/bin/convoy' ! -path '*/web/convoy.html' -printf '%m %p\n' -exec cksum {} +) | sort
}

mkdir "$work/source"
copy_sources
configure_with_automake
compare_sources
distribute
make -s install-data DESTDIR="$work/automake" >/dev/null
install_with_cmake

files "$work/automake" >"$work/automake.files"
files "$work/cmake" >"$work/cmake.files"
grep -q 'share/convoy/experiments/.*json' "$work/cmake.files"
grep -q 'share/convoy/nets/zoo/.*json' "$work/cmake.files"
grep -q 'share/convoy/sim/clusters/.*json' "$work/cmake.files"
grep -q 'share/doc/convoy/LICENSE' "$work/cmake.files"
grep -q 'share/doc/convoy/docs/.*md' "$work/cmake.files"
grep -q 'share/doc/convoy/results/reference/.*gz' "$work/cmake.files"
diff "$work/automake.files" "$work/cmake.files"
