# Several processes share the runs of an experiment; some are killed or suspended. All runs are made, bit-identical.
# TIMEOUT 300
# COST 8
. "$(dirname "$0")/lib.sh"
need jq
export MALLOC_ARENA_MAX=1
# After so many seconds without a sign of life a process counts as ended.
export CONVOY_HEARTBEAT=1

cat >exp.json <<'END'
{
  "title": "Runs that processes share",
  "base": { "net": "quadratic:dim=64", "workers": 4, "link": "ideal", "compute_s": 0.1, "epochs": 0, "gradients": 6000 },
  "grid": { "algo": ["asgd", "ad-psgd"], "lr": [1e-4, 2e-4], "seed": [1, 2] },
  "scales": { "smoke": {}, "some": { "grid": [ { "gradients": [400, 1e12] } ] } },
  "tables": [ { "name": "loss", "title": "Loss", "rows": "lr", "columns": "algo", "values": ["train_loss"] } ]
}
END
runs=shared/exp/smoke/runs

# begin NUMBER ARGUMENT...: convoy run, the leader of a process group; its number is in pids[NUMBER].
begin() {
	setsid "$CONVOY" run exp.json --checkpoint-every 0.1 --threads 1 "${@:2}" >"out.$1" 2>"err.$1" &
	pids[$1]=$!
}
stop() { kill "-$1" -- "-$2" 2>/dev/null; }
cleanup() { for pid in ${pids[@]+"${pids[@]}"}; do stop KILL "$pid"; done; }
declare -A pids=()

# owned_by PID: a lock of a run names a process of that group.
owned_by() {
	local pid
	for pid in $(cat "${2:-$runs}"/.*.h5.lock 2>/dev/null | sed -n 's/^pid //p'); do
		[ "$(ps -o pgid= -p "$pid" 2>/dev/null | tr -d ' ')" = "$1" ] && return
	done
	return 1
}

# no_locks FOLDER: and no temporary files.
no_locks() {
	is "$(find "$1" -name '*.lock*' -o -name '*.new' -o -name '*.part' -o -name '*.checkpoint')" "" "left in $1"
}

expect 0 run exp.json --scale smoke --out single --threads 1 --quiet
cp out single.txt

# suspended_in_run NUMBER: stops the process while it makes a run.
suspended_in_run() {
	stop STOP ${pids[$1]}
	owned_by ${pids[$1]} && return
	stop CONT ${pids[$1]}
	return 1
}

# Four processes: the first is killed while it makes a run, the second suspended until the others have made all.
for k in 1 2; do
	begin $k --scale smoke --out shared
	await suspended_in_run $k
done
stop KILL ${pids[1]}
wait ${pids[1]} 2>/dev/null
for k in 3 4; do begin $k --scale smoke --out shared; done
for k in 3 4; do
	wait ${pids[$k]} || fail "process $k: exit code $?: $(cat err.$k)"
	is "$(sed 's/shared/single/' out.$k)" "$(cat single.txt)" "tables of process $k"
done
is "$(ls $runs/*.h5 | wc -l)" 8 "results without the second process"
stat -c '%n %i %Y' $runs/*.h5 >before
stop CONT ${pids[2]}
wait ${pids[2]} || fail "the suspended process: exit code $?: $(cat err.2)"
is "$(sed 's/shared/single/' out.2)" "$(cat single.txt)" "tables of the suspended process"
stat -c '%n %i %Y' $runs/*.h5 >after
cmp -s before after || fail "the suspended process wrote results: $(diff before after)"
no_locks shared
cat err.3 err.4 | grep -q "waiting for [0-9]* runs\? that other processes make" || fail "none has waited"
python_on "$(ls $runs/*.h5 | head -1)" $runs/*.h5 <<'END' || fail "results differ from those of one process"
def values(path):
    found = {}
    def add(name, x):
        if not name.startswith("environment"):
            found.update({name + "@" + k: v.tobytes() for k, v in x.attrs.items()})
            found.update({name: x[()].tobytes()} if isinstance(x, h5py.Dataset) and x.dtype.kind != "O" else {})
    with h5py.File(path, "r") as f:
        f.visititems(add)
    return found

for path in sys.argv[2:]:
    a, b = values(path), values(path.replace("shared/", "single/"))
    assert len(a) > 20 and a == b, (path, [k for k in set(a) | set(b) if a.get(k) != b.get(k)])
END
for file in tables/loss.csv runs.json claims.json; do
	sed 's|shared/exp|single/exp|' "shared/exp/smoke/$file" | cmp -s - "single/exp/smoke/$file" || fail "$file differs"
done

# While a process is at work, the plan, the report and the list of results are of what is finished.
begin 1 --scale some --out busy --jobs 2
locks() { ls busy/exp/some/runs/.*.h5.lock 2>/dev/null | wc -l; }
second_run() { there "busy/exp/some/runs/*.h5" && [ "$(ls busy/exp/some/runs/*.part 2>/dev/null | wc -l)" = 1 ]; }
await second_run
expect 0 run exp.json --scale some --out busy --dry-run
is "$(grep -c planned out)" 1 "planned runs"
expect 0 report exp.json --scale some --out busy
grep -q "1 of 2 runs missing" busy/exp/some/report.html || fail "the report does not say that a run is missing"
expect 0 list runs --out busy

# Another spec of that name cannot share the folder.
mkdir other
sed 's/"ideal"/"nic"/' exp.json >other/exp.json
expect 1 run other/exp.json --scale some --out busy
says err "is at work there, with other settings or another text of the spec"
says err "other/exp.json"

CONVOY_HEARTBEAT=soon expect 1 run exp.json --scale some --out busy
says err "CONVOY_HEARTBEAT=soon: expected whole seconds"
one_line

# Another version cannot, either: it says so in the lock of its process.
lock=$(ls busy/exp/some/runs/.sweep.*.lock)
sed -e 's/^version .*/version 0.1 old/' -e 's/^machine .*/machine ?/' -e 's/^key ./key x/' "$lock" >"${lock%.lock}.1.lock"
expect 1 run exp.json --scale some --out busy
says err "another version of convoy is at work there, 0.1 old"
one_line
rm "${lock%.lock}.1.lock"

# Ctrl-C releases what the process holds, and another one goes on from its checkpoints.
is "$(locks)" 1 "lock of the run"
kill -INT ${pids[1]}
wait ${pids[1]}
is $? 130 "exit code after Ctrl-C"
is "$(find busy -name '*.lock*')" "" "locks after Ctrl-C"
is "$(find busy -name '*.checkpoint' | wc -l)" 1 "checkpoints"

# A process that opens data gives signs of life.
{ echo x,label; yes $'1.5,1\n2.5,0' | head -n 4000000; } >large.csv
cat >large.json <<'END'
{ "title": "A large table", "base": { "net": "mlp", "data": "csv:file=large.csv", "workers": 1, "compute_s": 1, "epochs": 0, "gradients": 1 },
  "grid": { "seed": [1] } }
END
"$CONVOY" run large.json --threads 1 --out large >out.1 2>err.1 &
lives() { grep -qs '^beat 0*[2-9]$' large/large/default/runs/.sweep.*.lock; }
await lives
ls -A large/large/default/runs | grep '[.]h5' && fail "no sign of life before the run began"
wait $! || fail "a large table: $(cat err.1)"

# Sweeps of 'convoy sim' share as well.
sweep="sim --net quadratic --workers 2 --compute-s 1 --gradients 300 --lr 0.001,0.002 --seed 1..3 --quiet"
"$CONVOY" $sweep --out sweeps >out.1 2>err.1 &
expect 0 $sweep --out sweeps
wait $! || fail "the other sweep: $(cat err.1)"
is "$(cat out)" "$(cat out.1)" "tables of both sweeps"
no_locks sweeps
finish
