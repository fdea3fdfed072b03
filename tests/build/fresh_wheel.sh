#!/bin/bash
# fresh_wheel.sh SUITE WHEEL: installs a wheel in an empty Debian system with python3-venv, and uses it.
# Run by hand as root; takes debootstrap, a package mirror, pip's index, 2 GB of disk, some minutes.
# BASE=FOLDER: copies this system, made by debootstrap, instead of making one.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
suite=${1:?usage: fresh_wheel.sh SUITE WHEEL} wheel=${2:?usage: fresh_wheel.sh SUITE WHEEL}
work=$(mktemp -d)
root=$work/$suite
trap 'umount "$root/proc" "$root/dev" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

if [ -n "${BASE:-}" ]; then
	cp -a "$BASE" "$root"
else
	debootstrap --variant=minbase --include=python3-venv,ca-certificates "$suite" "$root" >"$work/log" 2>&1 || {
		tail "$work/log" >&2
		exit 1
	}
fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/"
mkdir -p "$root/home/user"
cp "$wheel" "$top/tests/cli/problems/line.py" "$root/home/user"
certificates=${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}
cp "$certificates" "$root/home/user/certificates.crt"

cat >"$root/home/user/use.py" <<'END'
import convoy

f = convoy.sim(algo=["allreduce", "asgd"], workers=4, net="quadratic", timing=True, gradients=80, compute_s=1)
assert len(f) == 2 and f["speedup"].tolist() == [4, 4], f
r = convoy.run("slow-worker", quiet=True)
assert set(r.claims["verdict"]) == {"holds"}, r.claims
r.plot("time-per-epoch").figure.savefig("plot.png")
own = convoy.sim(net="python:line.py", algo=["allreduce", "asgd"], workers=16, slow="0:10", compute_s=0.1, lr=0.01,
                 optim="sgd:momentum=0", epochs=10, quiet=True)
assert own["time_per_epoch_s"][0] > 5 * own["time_per_epoch_s"][1], own
t = convoy.sim(algo="asgd", net="lenet", workers=4, epochs=1, lr=0.01, optim="sgd:momentum=0", quiet=True)
assert convoy.open(t["file"][0]).eval["test_accuracy"][0] > 0.5
END

# inside COMMAND: in the user's folder, with nothing of this machine's environment.
inside() {
	chroot "$root" env -i HOME=/home/user LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		PIP_CERT=/home/user/certificates.crt DEBIAN_FRONTEND=noninteractive \
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		bash -c "cd ~ && $1" </dev/null
}

train="env/bin/convoy train --algo allreduce --workers 2 --net quadratic --gradients 10 --quiet"
inside "python3 -m venv env && env/bin/pip -q install *.whl matplotlib"
echo "$suite: installed after $SECONDS s"
inside "env/bin/convoy version && env/bin/convoy sim --algo allreduce,ad-psgd --timing --slow 0:10 --quiet"
inside "env/bin/python use.py && ls plot.png"
made=zhang2017/slow-worker/paper
"$top/build/convoy" run slow-worker --out "$work/own" --quiet >"$work/log"
for file in $(cd "$work/own/$made" && ls claims.json tables/*.json plots/*.json); do
	cmp "$root/home/user/results/$made/$file" "$work/own/$made/$file"
done
echo "$suite: used after $SECONDS s; tables, claims and plot data are those of build/convoy"
if inside "$train" 2>"$work/said"; then
	echo "$suite: trains without MPI" >&2
	exit 1
fi
grep 'Open MPI was not found' "$work/said"
inside "apt-get -q update && apt-get -q -y --no-install-recommends install openmpi-bin" >"$work/log" 2>&1
inside "$train" 2>"$work/said" || { cat "$work/said"; exit 1; }
echo "$suite: all after $SECONDS s"
