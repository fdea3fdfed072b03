# Ranks end with the process that started them, however it ends; a hang-up is a wish to end.
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
need_mpi
need pgrep

# begin: a run of three ranks in the background, until it has saved something.
begin() {
	local k
	rm -rf cut
	"$CONVOY" train -n 3 --algo allreduce --net quadratic --seconds 100 --compute-s 0.01 \
		--quiet --out cut >out 2>err &
	run=$!
	for k in $(seq 200); do
		ls cut/train/*.part >/dev/null 2>&1 && break
		sleep 0.1
	done
	launcher=$(mpirun_of $run) ranks=$(ranks_of $run)
	is "$(wc -w <<<"$ranks")" 3 "ranks of $run: $(cat err)"
}

# gone PROCESS...: all of them end, within the patience of a rank without a parent.
gone() {
	local k process
	for process; do
		for k in $(seq 20); do
			runs "$process" || continue 2
		done
		fail "left: $(ps -o pid,args "$process")"
		kill -KILL "$process"
	done
}

interrupted() {
	python_on cut/train/*.part <<-'END' || fail "the file that was left"
	assert f["summary"].attrs["status"] == b"interrupted", f["summary"].attrs["status"]
	END
}

begin
kill -KILL $run
wait $run 2>/dev/null
gone $launcher $ranks
interrupted

begin
kill -KILL "$launcher"
wait $run
is $? 128 "exit code: $(cat err)"
says err "was killed by signal 9"
gone $ranks
interrupted

begin
kill -HUP $run
wait $run
is $? 143 "exit code: $(cat err)"
gone $launcher $ranks
says err "interrupted; what was reached is in"
interrupted

# nohup: a hang-up is nothing.
rm -rf cut
(trap '' HUP; exec "$CONVOY" train -n 2 --algo allreduce --net quadratic --seconds 3 \
	--compute-s 0.01 --quiet --out cut >out 2>err) &
run=$!
sleep 1.5
kill -HUP $run
wait $run
is $? 0 "with nohup: $(cat err)"
finish
