#!/bin/bash
# ./dev installs what is missing and nothing else, builds aside, and hands its arguments on.
# The package manager, CMake and ctest are stand-ins that write down how they were called.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/top"
cp "$CONVOY_SOURCE/dev" "$work/top/"

stand_in() {
	{
		echo '#!/bin/bash'
		echo "log=$work/log top=$work/top"
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
stand_in id <<'END'
echo "${USER_ID:-0}"
END
stand_in sudo <<'END'
echo "sudo $1" >>"$log"
exec "$@"
END
stand_in cmake <<'END'
echo "cmake $*" >>"$log"
[ -z "${CMAKE_FAILS:-}" ] || { echo "cmake is unwell"; exit 1; }
case "${BUILT:-} $*" in
"1 "*" -n") echo "ninja: no work to do." ;;
*--build*) echo "${NINJA_STATUS:-[%f/%t] }Building" ;;
esac
mkdir -p "$top/build"
printf '#!/bin/bash\necho "convoy $*"\nexit 7\n' >"$top/build/convoy"
chmod +x "$top/build/convoy"
END
stand_in ctest <<'END'
echo "ctest $*"
END

fail() {
	echo "FAILED: $*"
	cat "$work/out" "$work/err" "$work/log"
	exit 1
}
dev() {
	: >"$work/log"
	code=0
	(cd / && PATH=$work/bin:$PATH "$work/top/dev" "$@" >"$work/out" 2>"$work/err") || code=$?
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

CMAKE_FAILS=1 dev test
[ $code = 1 ] || fail "exit code $code"
said err 'cmake is unwell'
said err 'configuring failed'

# On a terminal the build says how far it is, elsewhere nothing.
on_terminal() {
	script -qec "PATH=$work/bin:$PATH $work/top/dev build" /dev/null </dev/null >"$work/out" 2>&1
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
