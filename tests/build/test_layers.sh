#!/bin/bash
# tests/layers passes a small sound tree and names each fault put into it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# source_file FILE LINE...: a file that says what is in it, and these lines.
source_file() { printf '%s\n' '/* What is in it. */' "${@:2}" >"$1"; }

sound_tree() {
	rm -rf "$work/tree"
	mkdir -p "$work/tree"/{core,algos,nets,data,sim/link,delays,mpi,record,report,plan/spec,runner,study,cmd/show,tests,bench}
	cd "$work/tree"
	source_file core/a.h 'int a;'
	source_file sim/s.h 'int s;'
	source_file delays/d.h 'int d;'
	source_file plan/spec/p.h 'int p;'
	source_file runner/r.h 'int r;'
	source_file study/y.h 'int y;'
	source_file cmd/show/h.h 'int h;'
	source_file core/a.c '#include "core/a.h"'
	source_file sim/s.c '#include "core/a.h"' '#include "sim/s.h"'
	source_file sim/link/s.c '#include "sim/s.h"' '#include "delays/d.h"'
	source_file plan/p.c '#include "sim/s.h"' '#include "plan/spec/p.h"'
	source_file runner/r.c '#include "plan/spec/p.h"' '#include "runner/r.h"'
	source_file study/y.c '#include "runner/r.h"' '#include "study/y.h"'
	source_file cmd/main.c '#include "runner/r.h"' '#include "study/y.h"' '#include "sim/s.h"' '#include "cmd/show/h.h"'
	printf '%s_SOURCES = %s\n' CORE core/a.c SIM 'sim/s.c sim/link/s.c' PLAN plan/p.c \
		RUNNER runner/r.c STUDY study/y.c CMD cmd/main.c >sources.mk
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
fault sim/link/s.c '#include "plan/spec/p.h"' 'sim/ must not include plan/spec/p.h'
fault delays/d.h '#include "sim/s.h"' 'delays/ must not include sim/s.h'
fault plan/p.c '#include "runner/r.h"' 'plan/ must not include runner/r.h'
fault plan/spec/p.h '#include "cmd/show/h.h"' 'plan/ must not include cmd/show/h.h'
fault runner/r.c '#include "study/y.h"' 'runner/ must not include study/y.h'
fault study/y.c '#include "cmd/show/h.h"' 'study/ must not include cmd/show/h.h'
fault runner/r.c '#include "cmd/show/h.h"' 'runner/ must not include cmd/show/h.h'
fault core/a.h '#include "plan/spec/p.h"' 'core/ must not include plan/spec/p.h'
fault sim/s.c '#include "cmd/x.h"' 'no such path'
fault sim/s.c '#  include "s.h"' 'no such path'
fault sim/s.c '#include <mpi.h>' '<mpi.h> is for mpi only'
fault cmd/main.c '#include <hdf5.h>' '<hdf5.h> is for core record data tests only'
fault cmd/main.c 'H5Dcreate2(file, name);' 'creates in an HDF5 file'
fault sim/s.c '	MPI_Abort(all, 1);' 'ends all ranks'
fault core/b.c 'int b;' 'core/b.c is not listed'
fault sources.mk 'NETS_SOURCES = nets/n.c' 'nets/n.c does not exist'
fault sources.mk 'NETS_SOURCES = core/a.c' 'core/a.c is listed twice'
fault core/a.c "$(printf '/* %0101d */' 0)" 'longer than 100 columns'
fault core/a.c '/* As sim/gone.c does. */' 'names sim/gone.c, which is no file'
fault core/a.c '    int b;' 'indented with spaces'
fault core/a.c 'int b; ' 'white space at the end'
fault core/a.c '// b' 'a comment of C++'
fault core/a.c 'typedef int b;' 'a typedef of ours'
fault core/a.c 'assert_in_range(1, 0, 2);' 'cmocka 2 deprecates'
fault core/a.c "$(yes 'int b;' | head -900)" 'longer than 900 lines'
fault core/a.c "$(echo '{'; yes 'b();' | head -121; echo '}')" 'a function of 121 lines'
sound_tree
mkdir -p sim/core
source_file sim/core/a.h 'int x;'
found_out 'sim/s.c: includes "core/a.h", but compilers find sim/core/a.h first'
sound_tree
printf 'int b;' >>core/a.c
found_out 'no newline at the end'
for folder in algos/common algos/common/server; do
	sound_tree
	mkdir -p $folder
	source_file $folder/b.c 'int b = nd->run->seed;'
	found_out "$folder/b.c:2: reads nd->run"
done
for head in '#include "core/a.h"' 'int b;' '/**/' "$(printf '/*\n */')" "$(printf '/*\n *\n * b\n */')"; do
	sound_tree
	printf '%s\n' "$head" >core/a.c
	found_out 'core/a.c:[12]: no comment that says what is in the file'
done
