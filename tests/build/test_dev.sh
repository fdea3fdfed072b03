#!/bin/bash
# ./dev installs what is missing and nothing else, builds aside, and hands its arguments on.
# The package manager, CMake and ctest are stand-ins that write down how they were called.
set -eu
parent=$(mktemp -d)
trap 'rm -rf "$parent"' EXIT
work="$parent/a folder"         # with a space, as any checkout may have
mkdir "$work" "$work/bin" "$work/top"
cp "$CONVOY_SOURCE/dev" "$work/top/"

stand_in() {
	{
		echo '#!/bin/bash'
		echo "work='$work' log='$work/log' top='$work/top'"
		cat
	} >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

stand_in dpkg-query <<'END'
for package; do :; done
case " ${MISSING:-} " in
*" $package "*) exit 1 ;;
esac
echo installed
END
stand_in apt-get <<'END'
echo "apt-get $*" >>"$log"
exit "${APT_CODE:-0}"
END
stand_in apt-cache <<'END'
for package; do :; done
case " ${UNKNOWN:-} " in
*" $package "*) exit 100 ;;
esac
END
stand_in id <<'END'
echo "${USER_ID:-0}"
END
stand_in sudo <<'END'
echo "sudo $1" >>"$log"
[ -z "${SUDO_FAILS:-}" ] || { echo "not in the sudoers file"; exit 1; }
exec "$@"
END
stand_in cmake <<'END'
echo "cmake $*" >>"$log"
[ -z "${CMAKE_FAILS:-}" ] || { echo "cmake is unwell"; exit 1; }
case "${BUILT:-} $*" in
"1 "*" -n") echo "ninja: no work to do." ;;
*--build*)
	[ -z "${SLOW:-}" ] || { echo "[312/984] Building C object a.o"; sleep 2; }
	echo "${NINJA_STATUS:-[%f/%t] }Building" ;;
*)
	[ -z "${SLOW:-}" ] || { echo "-- Found HDF5"; sleep 2; } ;;
esac
mkdir -p "$top/build"
printf '#!/bin/bash\necho "convoy $*"\nexit 7\n' >"$top/build/convoy"
chmod +x "$top/build/convoy"
END
stand_in ctest <<'END'
echo "ctest $*"
exit "${CTEST_CODE:-0}"
END
stand_in python3 <<'END'
echo "python3 $*" >>"$log"
END
mkdir -p "$work/top/tests/build"
echo 'echo "analyse $JOBS $*"' >"$work/top/tests/build/analyse.sh"

fail() {
	echo "FAILED: $*"
	cat "$work/out" "$work/err" "$work/log"
	exit 1
}
dev() {
	: >"$work/log"
	code=0
	(cd / && PATH="$work/bin:$PATH" "$work/top/dev" "$@" >"$work/out" 2>"$work/err") || code=$?
}
said() { grep -q -- "$2" "$work/$1" || fail "no '$2' in $1"; }
unsaid() { ! grep -q -- "$2" "$work/$1" || fail "'$2' in $1"; }

dev run slow-worker --json
[ $code = 7 ] || fail "the program's exit code is $code"
said out '^convoy run slow-worker --json$'
said log "cmake -S $work/top -B $work/top/build"
unsaid log apt-get
unsaid err installing

MISSING="libjq-dev cmake" dev build
[ $code = 0 ] || fail "exit code $code"
said err '^dev: installing cmake libjq-dev$'
said log '^apt-get update'
said log '^apt-get install .*cmake libjq-dev$'
unsaid log sudo

MISSING=libjq-dev USER_ID=1000 dev build
said log '^sudo apt-get$'

MISSING=libjq-dev APT_CODE=100 dev build
[ $code = 1 ] || fail "exit code $code"
said err 'dev: apt-get update failed'
unsaid log cmake

MISSING=clang dev run x
unsaid log apt-get

# Names that differ between releases, a package that the release does not have, no lists at all.
MISSING="libclang-rt-dev libclang-common-14-dev" UNKNOWN=libclang-rt-dev dev test
said log '^apt-get install .* libclang-common-14-dev$'
MISSING=libclang-rt-dev dev test
unsaid log apt-get
MISSING="libdnnl-dev zsh" UNKNOWN=libdnnl-dev dev test
[ $code = 0 ] || fail "exit code $code"
said err 'without libdnnl-dev: '
said log '^apt-get install .*--no-install-recommends zsh$'
MISSING=zsh UNKNOWN="libc6-dev zsh" dev test
[ $code = 1 ] || fail "exit code $code"
said err 'brought no package lists'
unsaid log cmake

# Without root and sudo it stops, and says on stderr what root must run.
dev_without() {
	local left_out=$1 path="$work/without $1" tool
	shift
	mkdir -p "$path"
	for tool in bash cat chmod dirname env grep mkdir mktemp rm sed; do
		ln -sf "$(command -v $tool)" "$path/$tool"
	done
	for tool in "$work"/bin/*; do
		[ "${tool##*/}" = "$left_out" ] || ln -sf "$tool" "$path/"
	done
	: >"$work/log"
	code=0
	(PATH=$path "$work/top/dev" "$@" >"$work/out" 2>"$work/err") || code=$?
}
MISSING="libjq-dev cmake" USER_ID=1000 dev_without sudo build
[ $code = 1 ] || fail "exit code $code without root and sudo"
said err 'takes root or sudo; nothing was built'
said err '^  apt-get update && apt-get install -y --no-install-recommends cmake libjq-dev$'
unsaid log cmake
unsaid log apt-get
MISSING=libjq-dev USER_ID=1000 SUDO_FAILS=1 dev build
[ $code = 1 ] || fail "exit code $code where sudo refuses"
said err 'not in the sudoers file'
said err '^  apt-get update && apt-get install .* libjq-dev$'
unsaid log cmake
USER_ID=1000 dev_without sudo build
[ $code = 0 ] || fail "exit code $code with nothing missing"

# Elsewhere than on Debian it says what is needed, and goes on.
MISSING=cmake dev_without dpkg-query build
[ $code = 0 ] || fail "exit code $code without dpkg-query"
said err 'not Debian or Ubuntu.*docs/install.md.*OpenBLAS, cJSON, HDF5'
said log '^cmake -S'
unsaid log apt-get

# A build folder that was copied or moved is built again, and no other.
old_build() {
	mkdir -p "$work/top/$1"
	printf 'CMAKE_CACHEFILE_DIR:INTERNAL=%s\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n' "$2" "$3" \
		>"$work/top/$1/CMakeCache.txt"
	: >"$work/top/$1/old"
}
old_build build "$work/top/build" "$work/top"
dev build
[ -f "$work/top/build/old" ] || fail "the build folder was removed"
unsaid err 'building it again'
unsaid log Ninja
ln -s "$work/top" "$work/link"
old_build build "$work/link/build" "$work/link"
dev build
[ -f "$work/top/build/old" ] || fail "the build folder was removed: another name of the same"
old_build build /nowhere/build /nowhere
dev build
[ $code = 0 ] || fail "exit code $code"
[ ! -f "$work/top/build/old" ] || fail "the moved build folder is still there"
said err '^dev: build/ was made as /nowhere/build; building it again$'
said log '-G Ninja'
mkdir -p "$work/elsewhere/build"
old_build build "$work/elsewhere/build" "$work/elsewhere"
old_build build/test "$work/elsewhere/build/test" "$work/elsewhere"
dev test
[ ! -f "$work/top/build/test/old" ] || fail "the copied build folder is still there"
said err 'dev: build/ was made as'
old_build build/test "$work/elsewhere/build/test" "$work/elsewhere"
dev test
said err '^dev: build/test/ was made as .*elsewhere/build/test; building it again$'

dev test -R unit
[ $code = 0 ] || fail "exit code $code"
said log CONVOY_WERROR=ON
said out '^ctest .*-R unit$'

dev test quick -V
[ $code = 0 ] || fail "exit code $code"
said log "cmake -S $work/top -B $work/top/build/quick .*-DCONVOY_WERROR=ON -DCONVOY_QUICK=ON"
unsaid log "$work/top/build/test"
said out "^ctest --test-dir $work/top/build/quick .*-V$"
unsaid out "quick .*quick"

# What only the full tests need is not installed for the quick ones.
MISSING=clang dev test quick
unsaid log apt-get
MISSING=libcmocka-dev dev test quick
said log '^apt-get install .*libcmocka-dev'

MISSING="clang-tidy zsh" dev analyse
said log '^apt-get install .*clang-tidy$'
said out "^analyse [0-9]* $work/top/build/analyse$"

# Tools of the wheel are installed once, next to it.
tools=$work/top/build/wheel/tools/bin
mkdir -p "$tools"
echo 'echo "made by $*"' >"$tools/python"
echo 'exit 0' >"$tools/auditwheel"
chmod +x "$tools"/*
MISSING=python3-venv dev wheel
[ $code = 0 ] || fail "exit code $code"
said log '^apt-get install .*python3-venv$'
said log 'cmake --build .* --target wheel_programs$'
said out "^made by $work/top/python/wheel.py $work/top/build $work/top/build/wheel$"
unsaid log '^python3'

dev coverage -L unit
[ $code = 0 ] || fail "exit code $code"
said log "cmake -S $work/top -B $work/top/build/coverage .*-DCONVOY_COVERAGE=ON"
said out "^ctest --test-dir $work/top/build/coverage .*-L unit$"
said log "^python3 $work/top/tests/coverage/report.py $work/top/build/coverage$"
CTEST_CODE=8 dev coverage
[ $code = 8 ] || fail "exit code $code where tests fail"
said log "^python3 .*report.py"

CMAKE_FAILS=1 dev test
[ $code = 1 ] || fail "exit code $code"
said err 'cmake is unwell'
said err 'configuring failed'

# What takes long says how far it is, and nothing of it is left.
SLOW=1 DEV_PROGRESS_S=0.7 dev build
[ $code = 0 ] || fail "exit code $code"
said err '^dev: building: 312 of 984, [12] s$'
said err '^dev: configuring: -- Found HDF5, [12] s$'
CMAKE_FAILS=1 SLOW=1 DEV_PROGRESS_S=0.7 dev build
[ $code = 1 ] || fail "exit code $code"

# On a terminal the build says how far it is; elsewhere, unless it takes long, nothing.
on_terminal() {
	script -qec "PATH='$work/bin:$PATH' '$work/top/dev' build" /dev/null </dev/null >"$work/out" 2>&1
}
dev build
[ $code = 0 ] || fail "exit code $code"
unsaid out Building
unsaid err Building
on_terminal || fail "exit code $? on a terminal"
said out 'dev: building: %f of %t  Building'
BUILT=1 on_terminal || fail "exit code $? on a terminal"
unsaid out 'no work'
unsaid out Building

dev nonsense
[ $code = 129 ] || fail "exit code $code"
said err "unknown command 'nonsense'"
dev help
[ $code = 0 ] || fail "exit code $code"
said out '^usage: ./dev'
