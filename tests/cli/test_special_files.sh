#!/bin/bash
# FIFOs, devices and folders where files should be: an error, at once, and never a wait for ever.
. "$(dirname "$0")/lib.sh"

# at_once CODE ARGUMENT...: ends with that code, in seconds.
at_once() {
	local code=$1
	shift
	timeout -k 1 30 "$CONVOY" "$@" >out 2>err </dev/null
	is $? "$code" "convoy $*"
}

# Results that are none, as any program may leave them in a folder.
mkdir -p runs/folder.h5
mkfifo runs/a.h5 runs/b.h5.part
ln -s /dev/zero runs/c.h5
at_once 1 watch runs
at_once 1 watch runs/a.h5
says err "'runs/a.h5' is not a regular file"
for command in trace replay; do
	at_once 1 $command runs/a.h5
	says err "'runs/a.h5' is not a regular file"
done
at_once 1 compare runs/a.h5 runs/folder.h5
at_once 0 list runs --out runs

# A run whose result, temporary file or checkpoint is such a thing.
small="--algo asgd --net quadratic --workers 2 --gradients 8 --lr 0.001 --quiet --out sims"
expect 0 sim $small
file=$(field file)
rm "$file"
mkfifo "$file"
at_once 1 sim $small
says err "cannot write '$file': it is not a regular file"
rm -f "$file" "$file.checkpoint"
mkfifo "$file.checkpoint.part"
at_once 0 sim $small
rm -f "$file" "$file.checkpoint" "$file.checkpoint.part"
mkfifo "$file.checkpoint"
at_once 0 sim $small --resume
says err "not a regular file"
# What cannot be read for another reason, as a colleague's result without permission, may be whole: it stays.
# The loop of a link fails for root as well.
rm -f "$file" "$file.checkpoint"
ln -s "${file##*/}.checkpoint" "$file.checkpoint"
at_once 1 sim $small --resume
says err "cannot read '$file.checkpoint': Too many levels of symbolic links"
rm -f "$file" "$file.checkpoint"
ln -s "${file##*/}" "$file"
at_once 1 sim $small
says err "'$file' cannot be read: Too many levels of symbolic links"
[ -L "$file" ] || fail "a result that could not be read was replaced"
rm "$file"
echo '{ "title": "Looped", "base": { "algo": "asgd", "net": "quadratic", "workers": 2, "gradients": 8,
	"lr": 0.001 }, "grid": { "seed": [1, 2] } }' >looped.json
expect 0 run looped.json --out looped --quiet
for file in looped/looped/default/runs/*.h5; do ln -sf "${file##*/}" "$file"; break; done
at_once 1 run looped.json --out looped --quiet
says err "'$file' cannot be read: Too many levels of symbolic links"
[ -L "$file" ] || fail "a result of an experiment that could not be read was replaced"

# What an option names replaces a file, or that which a link leads to, never a pipe or, as root, a device.
mkfifo pipe
ln -s pipe link
made="--timing --algo asgd --net quadratic --workers 2 --gradients 8 --compute-s 1 --quiet --out traced"
for name in pipe link /dev/null /dev/stdout; do
	at_once 1 sim $made --trace $name
	says err "cannot write '$name': it is not a regular file"
done
expect 0 sim $made --trace traced.h5
at_once 1 trace traced.h5 --format chrome -o pipe
says err "cannot write 'pipe': it is not a regular file"
[ -p pipe ] && [ -L link ] && [ -c /dev/null ] || fail "a file took the place of a pipe or a device"

# A link stays, and what it leads to is written, also where that is missing; the temporary file is next to it.
mkdir -p links far
expect 0 trace traced.h5 --format chrome -o want.json
ln -s ../far/file.json links/second.json
ln -s "$PWD/links/second.json" links/first.json
for old in "" old; do
	rm -f far/file.json
	[ -z "$old" ] || echo $old >far/file.json
	expect 0 trace traced.h5 --format chrome -o links/first.json
	[ -L links/first.json ] && [ -L links/second.json ] || fail "a file took the place of a link"
	cmp far/file.json want.json || fail "what a link leads to"
done
is "$(echo $(ls links far))" "far: file.json links: first.json second.json"
ln -s ../far/traced.h5 links/traced.h5
expect 0 sim $made --trace links/traced.h5
[ -L links/traced.h5 ] || fail "a trace took the place of a link"
expect 0 trace far/traced.h5
if far=$(mktemp -d /dev/shm/convoy-XXXXXX); then       # another file system
	ln -s "$far/file.json" links/shm.json
	expect 0 trace traced.h5 --format chrome -o links/shm.json
	cmp links/shm.json "$far/file.json" || fail "a link to another file system"
	rm -r "$far"
fi
ln -s circle links/circle
ln -s nowhere/file.json links/lost.json
ln -s /dev/stdout links/stdout
at_once 1 trace traced.h5 --format chrome -o links/circle
at_once 1 trace traced.h5 --format chrome -o links/lost.json
says err "cannot write 'links/lost.json': No such file or directory"
at_once 1 trace traced.h5 --format chrome -o links/stdout
says err "cannot write 'links/stdout': it is not a regular file"
[ -L links/circle ] && [ -L links/lost.json ] && [ -L links/stdout ] || fail "a file took the place of a link"
# A link of another account may name a file to be overwritten: it is replaced itself.
echo precious >precious
ln -s "$PWD/precious" links/other.json
if [ "$(id -u)" = 0 ] && chown -h 12345 links/other.json; then
	expect 0 trace traced.h5 --format chrome -o links/other.json
	[ ! -L links/other.json ] || fail "a link of another account was followed"
	is "$(cat precious)" precious
fi

# A plot whose files are such things, and a list of trained runs that is a link: nothing else is written.
ln -s /dev/zero zero.gp
mkfifo fifo.gp
timed="--algo asgd --net quadratic --timing --compute-s 1 --samples 100 --workers 2,4 --gradients 8 --quiet"
for name in zero fifo; do
	at_once 1 sim $timed --out none --plot $name.svg
	says err "it would replace ./$name.gp, which no plot of convoy made"
done
echo precious >precious
rm -rf sims
learnt="--algo allreduce --net quadratic --workers 2 --lr 0.001 --gradients 8 --quiet"
expect 0 sim $learnt --compute-s 1,2 --out lists
lists=$(ls lists/sim/.*.trained) || fail "no list of trained runs"
rm -f lists/sim/*.h5
for list in $lists; do ln -sf "$PWD/precious" "$list"; done
at_once 0 sim $learnt --compute-s 1,2 --out lists
is "$(cat precious)" precious "a file that a link names"
for list in $lists; do rm "$list"; mkfifo "$list"; done
rm -f lists/sim/*.h5
at_once 0 sim $learnt --compute-s 1,2 --out lists

# Photographs, data and tables.
mkdir -p photos/train/a photos/val/a
mkfifo photos/train/a/f.JPEG photos/val/a/f.JPEG
ln -s /dev/zero photos/train/a/g.JPEG
at_once 128 sim --algo asgd --data imagenet:dir=photos --net resnet50 --workers 1 --batch 1 \
	--gradients 1 --quiet
mkdir mnist
for name in train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte \
	t10k-labels-idx1-ubyte; do
	mkfifo mnist/$name
done
at_once 1 sim --algo asgd --data mnist:dir=mnist --net lenet --workers 1 --gradients 1 --quiet
says err "no such file"
mkfifo table.csv spec.json
at_once 1 delay fit table.csv
says err "not a regular file"
at_once 1 run spec.json
says err "not a regular file"

# What the user names in /dev is read: a pipe of the shell, and stdin.
echo '{ "title": "One", "base": { "timing": true, "workers": 2, "samples": 100, "gradients": 4 } }' >one.json
expect 0 run <(cat one.json) --dry-run --quiet
expect 0 run /dev/stdin --dry-run --quiet <one.json
# A log of steps, whose kind is looked at first, is not.
expect 1 delay fit <(printf '{"rank": 0, "step": 0, "seconds": 1}\n{"rank": 0, "step": 1, "seconds": 1}\n')
says err ": not a regular file, and a log is read more than once. Write it to a file first"
expect 1 delay fit /dev/stdin < <(printf 'worker,step,seconds\n0,0,1\n')
says err "/dev/stdin: not a regular file, and a log is read more than once"

finish
