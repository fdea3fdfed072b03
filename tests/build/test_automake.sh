#!/bin/bash
# TIMEOUT 1800
# COST 800
# PROCESSORS 2
# Automake builds the same convoy as CMake, out of tree, and both install the same files. It is built
# with -O0, which takes 0.4 of the time and must not show in a result. What configure found is what
# CMake found: HDF5, photographs, real ranks, jq, transfers. Both programs say the same of it, and do
# the same with it; some of the command line's tests run as users run them, with all that MPI and
# OpenBLAS begin, which other tests spare (tests/CMakeLists.txt).
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

build_with_automake() {
	cd "$work/source"
	autoreconf -i
	mkdir "$work/build"
	cd "$work/build"
	"$work/source/configure" -q --prefix=/usr --enable-werror --disable-dependency-tracking \
		CFLAGS=-O0
	make -j$(nproc)
	env -u OMPI_MCA_pml -u HWLOC_COMPONENTS -u OPENBLAS_NUM_THREADS \
		make check-cli CHECK="$(echo "$work"/source/tests/cli/test_{h5py,run,data_get}.sh)"
	make install DESTDIR="$work/automake"
}

install_with_cmake() {
	cmake --install "$CONVOY_BUILD" --prefix "$work/cmake/usr" >/dev/null
}

# files TREE: every file with its mode, and its sum unless it is the program.
files() {
	(cd "$1" && find . -type f -printf '%m %p\n' && find . -type f ! -path '*/bin/convoy' -exec cksum {} +) | sort
}

# The installed program finds the files next to it, wherever its tree lies and whichever user calls.
check_installed() {
	local program=$work/$1/usr/bin/convoy zoo=$work/$1/usr/share/convoy/nets/zoo
	cp "$zoo/mlp.json" "$zoo/only-here.json"
	(cd / && env -u CONVOY_HOME "$program" show experiment slow-worker >"$work/$1.show")
	(cd / && env -u CONVOY_HOME "$program" list nets >"$work/$1.nets")
	grep -q only-here "$work/$1.nets"
}

# What training gives, to the last digit, without the name of the file it is in.
train() {
	"$work/$1/usr/bin/convoy" sim --algo asgd --net mlp --data shapes:train=400,test=100 \
		--workers 3 --batch 10 --lr 0.01 --epochs 1 --quiet --json --out "$work/$1.out" |
		grep -v '"file"' >"$work/$1.json"
	grep -q train_loss "$work/$1.json"
}

# What was built in, without where the program lies.
features() {
	"$work/$1/usr/bin/convoy" doctor |
		sed -nE '/^(hdf5|openblas|onednn|mpi|mpirun|backends|instructions) /{ s|/.*/||; p }' >"$work/$1.features"
}

# The model of three ranks, to the last bit.
train_on_ranks() {
	env -u OMPI_MCA_pml -u HWLOC_COMPONENTS -u OPENBLAS_NUM_THREADS "$work/$1/usr/bin/convoy" \
		train --algo allreduce --net quadratic --workers 3 --gradients 60 --quiet --out "$work/$1.ranks" |
		sed -n 's/^model *//p' >"$work/$1.model"
	[ "$(wc -c <"$work/$1.model")" = 17 ]
}

# Photographs, decoded by libjpeg, as a file of HDF5.
pack_photographs() {
	"$work/$1/usr/bin/convoy" data pack "$work/photos" -o "$work/$1.h5" --resize 32 --quiet >"$work/$1.packed"
}

mkdir "$work/source"
copy_sources
build_with_automake
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
! grep -aF "$work" "$work/automake/usr/bin/convoy" || exit 1

check_installed automake
check_installed cmake
diff "$work/automake.show" "$work/cmake.show"
diff "$work/automake.nets" "$work/cmake.nets"

train automake
train cmake
diff "$work/automake.json" "$work/cmake.json"

features automake
features cmake
grep -q '^backends  *[a-z]' "$work/cmake.features"
diff "$work/automake.features" "$work/cmake.features"
if grep -qE '^(mpi|mpirun)  *none' "$work/cmake.features"; then
	echo "not checked: no MPI"
else
	train_on_ranks automake
	train_on_ranks cmake
	diff "$work/automake.model" "$work/cmake.model"
fi
for split in train val; do
	mkdir -p "$work/photos/$split/n01"
	for kind in smooth grey cmyk progressive; do
		cp "$CONVOY_SOURCE/tests/fuzz/corpus/jpeg/$kind" "$work/photos/$split/n01/$kind.JPEG"
	done
done
pack_photographs automake
pack_photographs cmake
cmp "$work/automake.h5" "$work/cmake.h5"
