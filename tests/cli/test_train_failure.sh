# What goes wrong with real ranks: all of them end, the cause is named once, the file is whole.
# COST 55
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
need_mpi
need pgrep

# grown SIZE: the file of the run is larger than that.
grown() { [ "$(stat -c %s cut/train/*.part)" -gt "$1" ]; }

# saved: waits until the run has written what its first seconds gave, however busy the machine is.
saved() {
	await there 'cut/train/*.part'
	await grown "$(stat -c %s cut/train/*.part)"
}

# train ARGUMENT...: a run of three ranks in the background, until it has saved something.
train() {
	rm -rf cut
	launch train -n 3 --algo allreduce --net quadratic --seconds 60 --compute-s 0.01 \
		--quiet --out cut "$@"
	saved
}

# train_by_hand: the same, of mpirun itself.
train_by_hand() {
	rm -rf cut
	mpi_by_hand 3 "$CONVOY" train --algo asgd --net quadratic --lr 0.01 --seconds 60 \
		--compute-s 0.01 --quiet --out cut >out 2>err &
	pid=$!
	saved
}

# stops CODE: the run does, at once, with no rank left, and with a whole file.
stops() {
	local since=$SECONDS ranks left
	ranks=$(ranks_of $pid)
	ends "$1"
	[ $((SECONDS - since)) -lt 30 ] || fail "it took $((SECONDS - since)) s to end"
	for left in $ranks; do
		runs "$left" && fail "a rank is left"
	done
	python_on cut/train/*.part <<-'END' || fail "the file that was left"
	assert f["summary"].attrs["status"] == b"interrupted", f["summary"].attrs["status"]
	gradients, rows = f["summary"].attrs["gradients"], len(f["train/loss"])
	assert gradients > 2 and rows > 2, (gradients, rows)
	END
}

# killed RANK: how a rank that was killed is named. Hydra does not say which was the first.
killed() {
	is_mpi "Open MPI" && echo "rank $1 on $(hostname)" || echo "ranks* .*"
}

# A rank that dies.
for k in 1 0; do
	train
	kill -KILL "$(rank_of $pid $k)"
	stops 137
	is "$(grep -c "$(killed $k).*killed by signal 9" err)" 1 "$(cat err)"
	says err "what was reached is in cut/train/"
	says err "Likely by the kernel, as memory ran out"
done
train
kill -PIPE "$(rank_of $pid 1)"
stops 141
says err "killed by signal 13"
says err "Likely the program that reads the output has ended"

# Hydra's own code for a killed rank is 9, 137 or 255, depending on the version.
mpi_by_hand 2 bash -c 'kill -KILL $$' >out 2>err && fail "a killed rank, and exit code 0"
code_of_killed=$?

# The same with mpirun by hand, which names the dead rank. The file is marked by a rank that is left,
# which names it too if it finds it before mpirun ends all, or by the process that outlives them.
for k in 1 0; do
	train_by_hand
	kill -KILL "$(rank_of $pid $k)"
	if is_mpi "Open MPI"; then
		stops 137
		says err "what was reached is in cut/train/"
		says err "rank $k with PID"
	else
		stops "$code_of_killed"
		says err "what was reached is in cut/train/"
		says out "BAD TERMINATION"
	fi
done

# One that hangs is named, and the run ends when it shall; so is rank 0.
for k in 2 0; do
	train --late 1 --hang 2
	kill -STOP "$(rank_of $pid $k)"
	stops 128
	is "$(grep -c "rank $k on $(hostname) hangs" err)" 1 "$(cat err)"
done

# When no other rank reports either, it is named all the same; when it goes on, so does the run.
train --heartbeat 1
stopped="$(rank_of $pid 1) $(rank_of $pid 2)"
kill -STOP $stopped
for k in 1 2; do
	await grep -q "rank $k on $(hostname): no heartbeat" err
done
kill -CONT $stopped
sleep 0.5
kill -TERM $pid
stops 143
for k in 1 2; do
	is "$(grep -c "rank $k on $(hostname): no heartbeat" err)" 1 "$(cat err)"
done

# A batch system ends mpirun.
train
kill -TERM "$(mpirun_of $pid)"
stops "$(is_mpi "Open MPI" && echo 1 || echo 143)"
says err "what was reached is in"

# A full disk: said, and what was saved before is kept.
mkdir small
if unshare -m mount -t tmpfs none small 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs -o size=48k none small && exec "$CONVOY" train -n 2 \
		--net quadratic --gradients 40000 --train-every 0.001 --quiet --out small' >out 2>err
	is $? 128 "full disk: $(cat err)"
	says err "No space left on device"
fi

# A full /dev/shm: said before ranks start, by ranks that mpirun has started, and before a model that
# all share is put there. Each ends with our code, not with that of an error of MPI.
# shared BYTES FILLED COMMAND...: with so large a /dev/shm.
shared() {
	unshare -m sh -c 'mount -t tmpfs -o size=$0 none /dev/shm && head -c $1 /dev/zero >/dev/shm/fill
		shift; exec "$@"' "$@" >out 2>err
}
if unshare -m mount -t tmpfs none /dev/shm 2>/dev/null && is_mpi "Open MPI"; then
	set -- "$CONVOY" train --net quadratic --gradients 40 --quiet --out small
	shared 64k 65536 "$@" -n 2
	is $? 128 "full shared memory: $(cat err)"
	says err "error: /dev/shm has 0.00 MB left (expected a few MB for each rank of MPI)"
	shared 64k 65536 "$mpi_launcher" --allow-run-as-root --oversubscribe -n 2 "$@"
	is $? 128 "full shared memory, mpirun by hand: $(cat err)"
	says err "fatal: MPI failed: "
	says err "/dev/shm has 0.0 MB left"
	shared 20m 0 "$CONVOY" train -n 2 --algo hogwild --net quadratic:dim=5100000 --gradients 2 \
		--quiet --out small
	is $? 128 "a model larger than shared memory: $(cat err)"
	says err "hogwild: its workers share a model of 20.4 MB in /dev/shm, which has "
	grep -q MPI_ERR err && fail "an error of MPI's: $(cat err)"
fi

# A launcher that cannot start the ranks.
if is_mpi "Open MPI"; then
	printf '#!/bin/sh\nexit 255\n' >agent         # as of ssh, for a host that it does not find
	chmod +x agent
	expect 128 train --net quadratic --gradients 10 --lr 0.01 --quiet --hosts nohost.invalid:2 \
		--mpirun "--mca plm_rsh_agent $PWD/agent"
	says err "failed with exit code"
fi
finish
