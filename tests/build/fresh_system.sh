#!/bin/bash
# fresh_system.sh SUITE: runs the README's two commands in an empty Debian or Ubuntu system.
# Run by hand as root; takes debootstrap, a package mirror, 6 GB of disk and half an hour.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
reference=results/reference/zhang2017/slow-worker
packages="gcc cmake libdnnl-dev libopenblas-dev libopenmpi-dev libhdf5-dev libjq-dev libcmocka-dev
	gnuplot-nox python3-h5py"

usage() {
	cat <<-END
	usage: tests/build/fresh_system.sh [OPTION...] SUITE

	Makes an empty system of the suite (bookworm, trixie, sid, noble, ...) with git and a C compiler,
	clones the last commit of this checkout into it, and runs there, as the README says:

	  ./dev run slow-worker   its tables, claims and plot data must equal $reference
	  ./dev test              every test must pass or be skipped

	Prints the versions of the packages and the outcome, and exits with 0 when all is well. The
	system is removed in any case; the output of failed tests is kept.

	  --mirror=URL     where packages come from; default: this machine's first Debian or Ubuntu
	                   mirror
	  --keyring=FILE   the mirror's keys, when this machine is of another distribution
	  --base=FOLDER    copy this system, made by debootstrap, instead of making one
	  --tests="ARGS"   arguments of ./dev test, such as "quick" or "-R unit"; default: none
	  --in=FOLDER      where the system is put; default: \${TMPDIR:-/tmp}
	END
}

fail() {
	echo "fresh_system: $*" >&2
	exit 1
}

parse_arguments() {
	mirror= keyring= base= tests= suite= folder=${TMPDIR:-/tmp}
	local argument
	for argument in "$@"; do
		case $argument in
		--mirror=*) mirror=${argument#*=} ;;
		--keyring=*) keyring=${argument#*=} ;;
		--base=*) base=${argument#*=} ;;
		--tests=*) tests=${argument#*=} ;;
		--in=*) folder=${argument#*=} ;;
		-h | --help) usage && exit ;;
		-*) fail "unknown option $argument (see --help)" ;;
		*)
			[ -z "$suite" ] || fail "one suite at a time, not $suite and $argument"
			suite=$argument
			;;
		esac
	done
	[ -n "$suite" ] || fail "which suite? (see --help)"
	[ "$(id -u)" = 0 ] || fail "making a system takes root"
}

# The first mirror of a whole release that apt on this machine knows.
machine_mirror() {
	apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Identifier: Packages' |
		sed -nE 's/^(Debian|Ubuntu) //p' | sed -n 1p
}

# make_system ROOT
make_system() {
	local root=$1 components=main script=sid
	case $mirror in
	*ubuntu*) components=main,universe script=gutsy ;;
	esac
	[ ! -e "/usr/share/debootstrap/scripts/$suite" ] || script=$suite
	debootstrap --variant=minbase --components=$components --include=ca-certificates,git,gcc,libc6-dev \
		${keyring:+"--keyring=$keyring"} "$suite" "$root" "$mirror" \
		"/usr/share/debootstrap/scripts/$script" >"$root.log" 2>&1 || {
		tail -n 20 "$root.log" >&2
		fail "debootstrap failed"
	}
}

# configure_system ROOT: a name, name service, apt as on this machine, and no daemon started.
configure_system() {
	local root=$1 proxy=
	echo "127.0.0.1 localhost $(hostname)" >"$root/etc/hosts"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod +x "$root/usr/sbin/policy-rc.d"
	# A mirror that is a snapshot has lists of a past day.
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99fresh"
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	[ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" >>"$root/etc/apt/apt.conf.d/99fresh"
}

# mount_kernel ROOT: MPI needs /proc, /sys (the cores), /dev/shm (shared memory) and /dev/pts.
# This shell's mounts are its own: they end with it, however it ends.
mount_kernel() {
	mount -t proc proc "$1/proc"
	mount -t sysfs -o ro sysfs "$1/sys"
	mkdir -p "$1/dev/pts" "$1/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$1/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
	ln -sf pts/ptmx "$1/dev/ptmx"
}

# inside ROOT COMMAND...: in the clone, with nothing of this machine's environment. Signals are
# reset, for a shell ignores SIGINT in what it starts in the background.
inside() {
	local root=$1
	shift
	chroot "$root" env --default-signal -i HOME=/root LANG=C.UTF-8 \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c 'cd /root/convoy && exec "$@"' sh "$@" </dev/null
}

# timed NAME COMMAND...: runs it, its output in the file NAME; prints its exit code and seconds.
timed() {
	local name=$1 begin=$SECONDS code=0
	shift
	"$@" >"$name" 2>&1 || code=$?
	echo "exit code $code, $((SECONDS - begin)) s"
	return $code
}

print_versions() {
	local package version
	for package in $packages; do
		version=$(chroot "$1" dpkg-query -W -f '${Version}' $package 2>/dev/null) ||
			version="not installed"
		echo "  $package $version"
	done
	inside "$1" build/convoy version | sed 's/^/  /'
}

# compare_results ROOT: what slow-worker wrote, with the reference of the same commit.
compare_results() {
	local made=$1/root/convoy/results/zhang2017/slow-worker/paper file same=0
	for file in $(cd "$1/root/convoy/$reference" && ls claims.json tables/*.json plots/*.json); do
		if ! cmp "$made/$file" "$1/root/convoy/$reference/$file"; then
			same=1
		fi
	done
	[ $same = 1 ] || echo "  tables, claims and plot data: byte for byte those of $reference"
	return $same
}

run_commands() {
	local root=$1 code=0
	mount_kernel "$root"
	echo "$suite: ./dev run slow-worker"
	if timed "$root.run" inside "$root" ./dev run slow-worker; then
		compare_results "$root" || code=1
	else
		tail -n 30 "$root.run"
		code=1
	fi
	echo "$suite: ./dev test $tests"
	timed "$root.test" inside "$root" ./dev test $tests || {
		code=1
		cp "$root.test" "$folder/fresh.$suite.log"
		echo "  its output: $folder/fresh.$suite.log"
	}
	sed -n '/tests passed/,$p' "$root.test" | grep . || tail -n 30 "$root.test"
	echo "$suite: versions"
	print_versions "$root"
	return $code
}

parse_arguments "$@"
if [ -n "${FRESH_SYSTEM_ROOT:-}" ]; then
	run_commands "$FRESH_SYSTEM_ROOT"
	exit
fi
[ -n "$mirror" ] || mirror=$(machine_mirror)
[ -n "$mirror" ] || [ -n "$base" ] || fail "apt knows no mirror here: please give --mirror"
work=$(mktemp -d "$folder/fresh.XXXXXX")
system=
trap '[ -z "$system" ] || kill -KILL $system 2>/dev/null || true; wait
	rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM HUP
root=$work/$suite
if [ -n "$base" ]; then
	cp -a "$base" "$root"
else
	make_system "$root"
fi
configure_system "$root"
git clone -q --no-local "$top" "$root/root/convoy"
echo "$suite: commit $(git -C "$root/root/convoy" describe --always --abbrev=12)"
FRESH_SYSTEM_ROOT=$root unshare --mount --pid --fork --kill-child "$0" "$@" &
system=$!
wait $system
