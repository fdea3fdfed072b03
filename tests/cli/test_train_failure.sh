# What goes wrong with real ranks: all of them end, the cause is named once, the file is whole.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../support/ranks.sh"
need_mpi
need pgrep

# begin ARGUMENT...: a run of three ranks in the background, until it has saved something.
begin() {
	rm -rf cut
	"$CONVOY" train -n 3 --algo allreduce --net quadratic --seconds 60 --compute-s 0.01 \
		--quiet --out cut "$@" >out 2>err &
	run=$!
	sleep 3.5
}

# begin_by_hand: the same, of mpirun itself.
begin_by_hand() {
	rm -rf cut
	mpirun -n 3 --oversubscribe --allow-run-as-root --bind-to none "$CONVOY" train --algo asgd \
		--net quadratic --lr 0.01 --seconds 60 --compute-s 0.01 --quiet --out cut >out 2>err &
	run=$!
	sleep 3.5
}

# ends CODE: the run does, at once, with no rank left, and with a whole file.
ends() {
	local since=$SECONDS ranks left
	ranks=$(ranks_of $run)
	wait $run
	is $? "$1" "exit code: $(cat err)"
	[ $((SECONDS - since)) -lt 15 ] || fail "it took $((SECONDS - since)) s to end"
	for left in $ranks; do
		runs "$left" && fail "a rank is left"
	done
	python_on cut/train/*.part <<-'END' || fail "the file that was left"
	assert f["summary"].attrs["status"] == b"interrupted", f["summary"].attrs["status"]
	assert f["summary"].attrs["gradients"] > 100 and len(f["train/loss"]) > 5
	END
}

# A rank that dies.
for k in 1 0; do
	begin
	kill -KILL "$(rank_of $run $k)"
	ends 137
	is "$(grep -c "rank $k on $(hostname) was killed by signal 9" err)" 1 "$(cat err)"
	says err "what was reached is in cut/train/"
done

# The same with mpirun by hand, which tells the cause: who is left marks the file.
for k in 1 0; do
	begin_by_hand
	kill -KILL "$(rank_of $run $k)"
	ends 137
	says err "rank $k has died; what was reached is in cut/train/"
	says err "rank $k with PID"
done

# One that hangs is named, and the run ends when it shall; so is rank 0.
for k in 2 0; do
	begin --late 1 --hang 2
	kill -STOP "$(rank_of $run $k)"
	ends 128
	is "$(grep -c "rank $k on $(hostname) hangs" err)" 1 "$(cat err)"
done

# When nobody else reports either, it is named all the same; when it goes on, so does the run.
begin --late 1
stopped="$(rank_of $run 1) $(rank_of $run 2)"
kill -STOP $stopped
sleep 2.5
kill -CONT $stopped
sleep 0.5
kill -TERM $run
ends 143
for k in 1 2; do
	is "$(grep -c "rank $k on $(hostname) has not been heard" err)" 1 "$(cat err)"
done

# A batch system ends mpirun.
begin
kill -TERM "$(mpirun_of $run)"
ends 1
says err "interrupted; what was reached is in"

# A full disk: said, and what was saved before is kept.
mkdir small
if unshare -m mount -t tmpfs none small 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs -o size=48k none small && exec "$CONVOY" train -n 2 \
		--net quadratic --gradients 40000 --train-every 0.001 --quiet --out small' >out 2>err
	is $? 1 "full disk: $(cat err)"
	says err "No space left on device"
fi

finish
