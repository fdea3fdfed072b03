#!/bin/bash
# tests/layers passes a small sound tree and names each fault put into it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sound_tree() {
	rm -rf "$work/tree"
	mkdir -p "$work/tree"/{core,algos,nets,data,sim,report,cmd,tests,bench}
	cd "$work/tree"
	printf 'int a;\n' >core/a.h
	printf 'int s;\n' >sim/s.h
	printf '#include "core/a.h"\n' >core/a.c
	printf '#include "core/a.h"\n#include "sim/s.h"\n' >sim/s.c
	printf '#include "core/a.h"\n#include "sim/s.h"\n' >cmd/main.c
	printf 'CORE_SOURCES = \\\n\tcore/a.c\nSIM_SOURCES = sim/s.c\nCMD_SOURCES = cmd/main.c\n' \
		>sources.mk
}

layers() { bash "$CONVOY_SOURCE/tests/layers" "$work/tree" >"$work/out" 2>&1; }

# found_out MESSAGE: the tree as it stands now is refused for that.
found_out() {
	if layers || ! grep -q -- "$1" "$work/out"; then
		echo "FAILED: not found: $1"
		cat "$work/out"
		exit 1
	fi
}

# fault FILE TEXT MESSAGE: the text added to the file is found out.
fault() {
	sound_tree
	printf '%s\n' "$2" >>"$1"
	found_out "$3"
}

sound_tree
layers || { cat "$work/out"; exit 1; }

fault core/a.c '#include "sim/s.h"' 'core/ must not include sim/s.h'
fault sim/s.c '#include "cmd/x.h"' 'no such path'
fault sim/s.c '#  include "s.h"' 'no such path'
fault sim/s.c '#include <mpi.h>' '<mpi.h> is for mpi only'
fault cmd/main.c '#include <hdf5.h>' '<hdf5.h> is for report data tests only'
fault core/b.c 'int b;' 'core/b.c is not listed'
fault sources.mk 'NETS_SOURCES = nets/n.c' 'nets/n.c does not exist'
fault sources.mk 'NETS_SOURCES = core/a.c' 'core/a.c is listed twice'
fault core/a.c "$(printf '/* %0101d */' 0)" 'longer than 100 columns'
fault core/a.c '    int b;' 'indented with spaces'
fault core/a.c 'int b; ' 'white space at the end'
fault core/a.c '// b' 'a comment of C++'
fault core/a.c 'typedef int b;' 'a typedef of ours'
fault core/a.c "$(yes 'int b;' | head -400)" 'longer than 400 lines'
fault core/a.c "$(echo '{'; yes 'b();' | head -61; echo '}')" 'a function of 61 lines'
sound_tree
printf 'int b;' >>core/a.c
found_out 'no newline at the end'
