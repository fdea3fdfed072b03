#!/bin/bash
# The tests of real ranks with every MPI library of this machine: builds the program with each of
# them, without warnings, and prints which tests pass.
#
#     ./dev bench every_mpi             TESTS="train every_algo_real" ./dev bench every_mpi
#
# Open MPI and MPICH are found by Debian's names of their compilers (mpicc.openmpi, mpicc.mpich), Intel
# MPI by I_MPI_ROOT. CC chooses the compiler, CMAKE_OPTIONS further options, BUILD the folder of the builds.
set -uo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
builds=${BUILD:-$top/build/every_mpi}
tests=${TESTS:-wrong_world orphans train train_failure sim_ranks checkpoint calibrate every_algo_real}
export CONVOY_HOME=$top CONVOY_SOURCE=$top
failed=0

# build NAME MPICC: the program with that library.
build() {
	cmake -S "$top" -B "$builds/$1" -G Ninja -DCONVOY_WERROR=ON -DCONVOY_TESTS=OFF \
		-DMPI_C_COMPILER="$2" ${CMAKE_OPTIONS:-} >"$builds/$1.log" 2>&1 &&
		cmake --build "$builds/$1" -- convoy >>"$builds/$1.log" 2>&1
}

# run_tests NAME: each with the program of that library.
run_tests() {
	local test code began
	for test in $tests; do
		began=$SECONDS
		CONVOY=$builds/$1/convoy CONVOY_BUILD=$builds/$1 \
			bash "$top/tests/cli/test_$test.sh" >"$builds/$1-$test.log" 2>&1
		code=$?
		case $code in
		0) code=passed ;;
		77) code=skipped ;;
		*) code="failed: $builds/$1-$test.log" failed=1 ;;
		esac
		printf '%-10s %-16s %4d s  %s\n' "$1" "$test" $((SECONDS - began)) "$code"
	done
}

# try NAME MPICC
try() {
	command -v "$2" >/dev/null || return 0
	mkdir -p "$builds"
	if build "$1" "$(command -v "$2")"; then
		printf '%-10s %s\n' "$1" "$("$builds/$1/convoy" version | sed -n 's/^MPI  *//p')"
		run_tests "$1"
	else
		echo "$1: does not build: $builds/$1.log"
		failed=1
	fi
}

try openmpi mpicc.openmpi
try mpich mpicc.mpich
[ -z "${I_MPI_ROOT:-}" ] || try intel "$I_MPI_ROOT/bin/mpicc"
exit $failed
