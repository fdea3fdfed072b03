#!/bin/bash
# TIMEOUT 1800
# LABEL long
# COST 800
# PROCESSORS 2
# The program that Automake builds does what CMake's does. It is built with -O0, which takes 0.4 of the
# time and must not show in a result. What was built in is the same: HDF5, photographs, real ranks, jq,
# transfers; some of the command line's tests run as users run them, with all that MPI and OpenBLAS
# begin, which other tests spare (tests/CMakeLists.txt).
. "$(dirname "$0")/test_automake.sh"

build_with_automake() {
	make -j$(nproc)
	env -u OMPI_MCA_pml -u OMPI_MCA_mpi_yield_when_idle -u HWLOC_COMPONENTS -u OPENBLAS_NUM_THREADS \
		make check-cli CHECK="$(echo "$work"/source/tests/cli/test_{h5py,run,data_get}.sh)"
	make install DESTDIR="$work/automake"
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
	env -u OMPI_MCA_pml -u OMPI_MCA_mpi_yield_when_idle -u HWLOC_COMPONENTS -u OPENBLAS_NUM_THREADS \
		"$work/$1/usr/bin/convoy" train --algo allreduce --net quadratic --workers 3 --gradients 60 --quiet \
		--out "$work/$1.ranks" |
		sed -n 's/^model *//p' >"$work/$1.model"
	[ "$(wc -c <"$work/$1.model")" = 17 ]
}

# Photographs, decoded by libjpeg, as a file of HDF5.
pack_photographs() {
	"$work/$1/usr/bin/convoy" data pack "$work/photos" -o "$work/$1.h5" --resize 32 --quiet >"$work/$1.packed"
}

build_with_automake
[ "$(stat -c %a "$work/automake/usr/bin/convoy")" = "$(stat -c %a "$work/cmake/usr/bin/convoy")" ]
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
