# What killed runs have left in a folder goes with the next run there; what a living one writes stays.
. "$(dirname "$0")/lib.sh"

few="--timing --samples 5000 --net quadratic:dim=1000 --workers 2 --quiet"
expect 0 sim $few --algo asgd
folder=results/sim
left=$(printf '0123456789abcdef.h5.%s ' checkpoint.part part.new new checkpoint.1.part checkpoint.200.3.part part.1.new 12.new)

leave() {
	for name in $left; do
		echo rest >"$folder/$name"
	done
}

leave
expect 0 sim $few --algo allreduce
for name in $left; do
	[ -e "$folder/$name" ] && fail "$name is still there"
done

# What is no such file stays: results, what was reached, checkpoints, links, folders, pipes.
echo kept >outside
ln -s "$PWD/outside" "$folder/1.h5.part.new"
mkdir "$folder/2.h5.part.new"
mkfifo "$folder/3.h5.part.new"
for name in 4.h5.part 5.h5.checkpoint 6.part.new 7.h5.newer 8.h5.a.new 9.h5..new 8.h5.a.new 9.h5..new; do
	echo rest >"$folder/$name"
done
expect 0 sim $few --algo asgd --seed 2
is "$(cat outside)" kept "the file that a link leads to"
for name in 1.h5.part.new 2.h5.part.new 3.h5.part.new 4.h5.part 5.h5.checkpoint 6.part.new 7.h5.newer; do
	[ -e "$folder/$name" ] || fail "$name is gone"
done

# Another process is at it: it holds the lock that convoy's own writers hold.
if python=$(python_with fcntl); then
	leave
	"$python" - "$folder" $left <<'END' &
import fcntl, os, struct, sys, time
held = [open(os.path.join(sys.argv[1], name), "r+b") for name in sys.argv[2:]]
for f in held:
    fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
open("held", "w").close()
time.sleep(60)
END
	holder=$!
	await test -e held
	expect 0 sim $few --algo asgd --seed 3
	for name in $left; do
		[ -e "$folder/$name" ] || fail "$name was taken from a process that is at it"
	done
	kill "$holder"
	wait "$holder" 2>/dev/null
	expect 0 sim $few --algo asgd --seed 4
	for name in $left; do
		[ -e "$folder/$name" ] && fail "$name is still there, and no process uses it"
	done
fi

# The folder of an experiment.
expect 0 run slow-worker --quiet --algo ad-psgd --slow none --epochs 1
folder=$(echo results/zhang2017/slow-worker/*/runs)
leave
expect 0 run slow-worker --quiet --algo ad-psgd --slow none --epochs 1
for name in $left; do
	[ -e "$folder/$name" ] && fail "$name is still there"
done
finish
