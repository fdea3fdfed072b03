#!/bin/bash
# Runs that are too large, too long or too fast for the clock end at once, or with files of a bounded
# size; runs that are only busy end well.
. "$(dirname "$0")/lib.sh"
need jq

timing() { expect "$@" --timing --out r --quiet; }

# NICs that are full at the end: what was under way does not count as a run without an end.
timing 0 sim --algo gossip-push --workers 16 --net resnet50 --samples 1281167 --epochs 1 \
	--compute-s 0.05 --host-copy-s 0 --link nic:bandwidth_GBps=1.25
timing 0 sim --algo gossip-push --workers 16 --net resnet50 --samples 1281167 --epochs 0.2 \
	--compute-s 0.001 --host-copy-s 0 --link nic:bandwidth_GBps=0.01
timing 0 sim --algo d-psgd:overlap=true --graph complete --workers 200 --gradients 1000
timing 0 sim --algo downpour:fetch=1000000 --workers 16 --net resnet50 --gradients 2000 \
	--compute-s 0.05 --host-copy-s 0 --link nic:bandwidth_GBps=1.25

# A million workers that wait at a server: no gradient looks at all of them.
for algo in ssp k-async:k=2 ringmaster:stop=true; do
	timing 0 sim --algo $algo --workers 20000 --samples 1e7 --gradients 60000
done

# endless ARGUMENT...: refused at once, and not only by the time limit.
endless() {
	timeout -k 1 60 "$CONVOY" sim --out r --quiet "$@" >out 2>err
	is $? 1 "convoy sim $*"
	says err 'gradients, and the simulator accepts 1e+13'
}

# The clock.
timing 1 sim --algo local-sgd:period=100000 --workers 4 --link nic:latency_s=1 --compute-s 1e-20 \
	--host-copy-s 0 --gradients 1e7 --samples 1e6
says err 'virtual time stands still at'
# Nearly so: at 1e10 s, half of the gradients of 1e-6 s would be missing without a word.
timing 0 sim --algo asgd --workers 2 --net bytes:4 --link ideal --compute-s 1e-6 --seconds 10000000000.02 \
	--faults server:stall@0.0001-1e10 --samples 32000
says out 'a gradient takes 1e-06 s, and a time of 1e+10 s is exact to 2e-06 s only'

# Lengths that no run comes to the end of, by time, gradients or epochs.
endless --timing --algo asgd --workers 2 --compute-s 1e-30 --seconds 1
endless --timing --algo local-sgd:period=1000000 --workers 2 --compute-s 1e-30 --seconds 1
endless --timing --algo asgd --workers 2 --compute-s 1e-9 --seconds 1e15
endless --timing --algo asgd --workers 2 --compute-s 1e-30 --seconds 1 --gradients 1e15
endless --timing --algo asgd --workers 2 --gradients 1e15
endless --timing --algo asgd --workers 2 --samples 1e15 --epochs 1e15
endless --algo asgd --net mlp --workers 2 --epochs 1e15
endless --algo asgd --net quadratic --workers 2 --compute-s 1e-30 --seconds 1
timing 0 sim --algo asgd --workers 2 --compute-s 1e-30 --seconds 1 --gradients 5000
timing 0 sim --algo asgd --workers 2 --compute-s 0.01 --seconds 1 --gradients 1e15

# Laws that a double cannot hold.
timing 1 sim --algo asgd --workers 4 --delay gamma:cv=1e-200
says err 'gamma: cv = 1e-200 is smaller than'
timing 1 sim --algo asgd --workers 4 --delay cvb:v_mach=1e-300
says err 'v_mach = 1e-300'

# Sizes.
timing 1 sim --algo asgd --workers 16777216
says err "workers must be a whole number, from 1 to 2097150, not '16777216'"
timing 1 sim --algo asgd --workers 2097150 --shards 8
says err 'workers = 2097150: the simulator accepts 1 to 2097143 with 8 shards of a server'
timing 1 sim --algo asgd --workers 100000 --net gpt2 --compute-s h100 --batch 8 --link nic
says err 'need more than the 50000 samples of an epoch, which the default data set shapes has. Give --samples, or --data'
timing 1 sim --algo asgd --workers 10000 --batch 8 --samples 9999
says err 'need more than the 9999 samples of an epoch. Give more --samples'
expect 1 sim --algo asgd --workers 100000 --net resnet50 --gradients 10 --quiet
says err 'GB of memory'

# Address space, without which the libraries would wait or crash: refused before anything begins.
# A sanitizer's own memory does not fit below such a limit.
[ -n "${CONVOY_SANITIZE:-}" ] || (
	ulimit -v 300000 2>/dev/null || exit 0
	OPENBLAS_NUM_THREADS=1 timeout -k 1 30 "$CONVOY" run slow-worker --quiet >out 2>err
	code=$?
	grep -q '^OpenBLAS error: Memory' err && exit 0         # 0.3.34 ends the process before main()
	is "$code" 128 "exit code with little address space"
	says err "Raise it."
) || fail "little address space"

[ -n "${CONVOY_SANITIZE:-}" ] || (
	ulimit -v 300000 2>/dev/null || exit 0
	for command in "list algos" help "sim --timing"; do
		timeout -k 1 30 "$CONVOY" $command >out 2>err   # OpenBLAS's own exit waits for ever
		code=$?
		grep -q '^OpenBLAS error: Memory' err && exit 0
		# those that multiply nothing work, unless all libraries are linked
		[ "$code $command" = "0 ${command#sim*}" ] || is "$code" 128 \
			"exit code of '$command' with little address space"
	done
) || fail "little address space"

# A limit of the sizes of files is an error, and leaves no temporary file.
(
	ulimit -f 8
	expect 128 sim --net quadratic --lr 1e-4 --gradients 4000 --train-every 0.001 --quiet --out f
	says err "File too large"
	expect 128 run slow-worker --quiet --epochs 1 --out f
	says err "File too large"
	says err "the same command resumes"
	expect 128 sim --timing --samples 5000 --algo asgd --workers 2,3 --net lenet --quiet --out f
	says err "error: nothing more can be written into f/sim"
	expect 128 sim --timing --algo asgd --gradients 4000 --trace f.h5 --quiet --out f
	says err "cannot write 'f.h5': File too large"
)
is "$(find f f.h5* -name '*.new' -o -name '*.part' 2>/dev/null)" "" "what a limit of sizes has left"

# A clock of many workers that does not fit is refused with what it takes, before it begins.
[ -n "${CONVOY_SANITIZE:-}" ] || (
	ulimit -v 2500000 2>/dev/null || exit 0
	expect 1 sim --timing --algo asgd --workers 2000000 --net bytes:4e6 --samples 1000000000 \
		--gradients 2000000 --epochs 0 --compute-s 0.05 --link ideal
	says err "2000000 workers need about 3.63 GB of memory, and a process has at most 2.56 GB here"
) || fail "a clock of two million workers"

# So is an array of a file, before its elements are read.
[ -n "${CONVOY_SANITIZE:-}" ] || (
	python3 - <<-'END'
	import struct, zipfile
	def put(name, descr, shape, size):
	    head = str({"descr": descr, "fortran_order": False, "shape": shape}).encode() + b"\n"
	    with z.open(name + ".npy", "w") as f:
	        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head)
	        for _ in range(shape[0] // 1000):
	            f.write(bytes(1000 * size))
	with zipfile.ZipFile("zeros.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
	    for split, n in ("train", 200000), ("test", 1000):
	        put("x_" + split, "|i1", (n, 1000), 1000)
	        put("y_" + split, "<i8", (n,), 8)
	END
	ulimit -v 700000 2>/dev/null || exit 0
	export OPENBLAS_NUM_THREADS=1
	expect 1 data info npz:file=zeros.npz
	says err "'x_train': takes 0.8 GB of memory, and a process has at most 0.717 GB here"
) || fail "an array that is too large"

# A limit that is high enough for a run lets it run, and go on, to the same model.
small="sim --algo asgd --net mlp --data shapes:train=500,test=100 --workers 2 --lr 0.01 --threads 1 --json --quiet"
[ -n "${CONVOY_SANITIZE:-}" ] || (
	expect 0 $small --gradients 80 --out free
	model=$(jq -r .model out)
	ulimit -v 8000000 2>/dev/null || exit 0
	expect 0 $small --gradients 40 --out bounded
	expect 0 $small --gradients 80 --out bounded --resume
	is "$(jq -r .model out)" "$model" "the model under a limit"
) || fail "8 GB of address space"

# As many arcs as a graph may have, at random.
timing 0 sim --algo d-psgd --graph random-regular:degree=99 --workers 4000 --samples 1e6 --gradients 4000
expect 1 sim --algo d-psgd --graph complete --workers 100000 --samples 1e8 --gradients 10 --timing
says err 'arcs'

# A timeline of many gradients: each row is looked at a few times, and not once for each other one.
timeout -k 1 60 "$CONVOY" sim --timing --algo asgd --workers 2 --net quadratic --samples 1e5 \
	--compute-s 1 --gradients 2e5 --timeline long.svg --out r --quiet >out 2>err
is $? 0 "a timeline of 2e5 gradients"

# Failures that leave no progress: the end comes before the memory does.
[ -n "${CONVOY_SANITIZE:-}" ] || (
	ulimit -v 3000000 2>/dev/null || exit 0
	timing 1 sim --algo asgd --workers 16 --net quadratic --samples 1e5 --compute-s 0.01 \
		--gradients 6400 --faults 'all:fail@mtbf_s=100,restart_s=1' \
		--recovery restart:interval_s=0.5,cost_s=300
	says err "after 100000 failures and 0 checkpoints the job has done 0 s of work in 625758 s"
	says err "it fails again before a checkpoint is saved"
) || fail "checkpoints that are never saved"

# A small stack: what reads and writes results has its buffers elsewhere.
(
	ulimit -Ss 256
	timing 0 sim --algo asgd --workers 4 --compute-s 1 --gradients 100
) || fail "a small stack"

# Curves of a long run.
timing 0 sim --algo asgd --workers 4 --gradients 1500000 --train-every 1e-5
size=$(stat -c %s "$(field file)")
[ "$size" -lt 12000000 ] || fail "a result of $size bytes"

# Rows of a trace stay in memory until its end.
expect 1 sim --timing --algo asgd --gradients 100000000000 --compute-s 1 --trace long.h5 --quiet
says err "trace: the rows of 1e+11 gradients need 3.52e+04 GB of memory or more"
[ ! -e long.h5 ] || fail "a trace of a run that cannot be"
finish
