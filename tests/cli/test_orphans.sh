# Ranks end with the process that started them, however it ends; a hang-up is a wish to end.
# COST 18
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
need_mpi
need pgrep
# Under nohup a hang-up is ignored, here and in all that is started.
[ -n "${HANGUP_ENDS:-}" ] || HANGUP_ENDS=1 exec env --default-signal=HUP bash "$CONVOY_SOURCE/tests/cli/test_orphans.sh"

# train: a run of three ranks in the background, until it has saved something.
train() {
	rm -rf cut
	launch train -n 3 --algo allreduce --net quadratic --seconds 100 --compute-s 0.01 --quiet --out cut
	await there 'cut/train/*.part'
	launcher=$(mpirun_of $pid) ranks=$(ranks_of $pid)
	is "$(wc -w <<<"$ranks")" 3 "ranks of $pid: $(cat err)"
	await has_guard
}

# has_guard: rank 0 has a process that marks its file; it is set to its number.
has_guard() {
	guard=$(pgrep -P "$(rank_of $pid 0)" -x convoy-guard)
}

# gone PROCESS...: all of them end long before the run would; on a quiet machine within seconds.
gone() {
	local k process
	for process; do
		for k in $(seq 60); do
			runs "$process" || continue 2
		done
		fail "left: $(ps -o pid,args "$process")"
		kill -KILL "$process"
	done
}

left() {
	python_on cut/train/*.part <<-'END' || fail "the file that was left"
	assert f["summary"].attrs["status"] == b"interrupted", f["summary"].attrs["status"]
	END
}

train
kill -KILL $pid
wait $pid 2>/dev/null
gone $launcher $ranks $guard
left

# After a run that ended well the guard has nothing to mark: it does not wait for the end of the starter.
launch train -n 2 --algo allreduce --net quadratic --gradients 200 --compute-s 0.02 --quiet --out well
await there 'well/train/*.part'
ranks=$(ranks_of $pid)
await has_guard
kill -STOP $pid
gone $ranks $guard
kill -CONT $pid
ends 0

# All at once, and the process that would mark the file last: the guard of rank 0 marks it.
train
kill -KILL $ranks $pid
wait $pid 2>/dev/null
gone $launcher $ranks $guard
left

train
kill -KILL "$launcher"
ends 128
says err "was killed by signal 9"
gone $ranks
left

train
ends 143 HUP
gone $launcher $ranks
says err "interrupted; what was reached is in"
left

# nohup: a hang-up is nothing.
rm -rf cut
(trap '' HUP; exec "$CONVOY" train -n 2 --algo allreduce --net quadratic --seconds 3 \
	--compute-s 0.01 --quiet --out cut >out 2>err) &
pid=$!
sleep 1.5
ends 0 HUP
finish
