# convoy watch: runs are followed by their files, and left alone.
. "$(dirname "$0")/lib.sh"
unset NO_COLOR COLUMNS LINES CONVOY_TERMINAL

expect 1 watch
says err "no run is in progress in it"
expect 1 watch nosuch
expect 129 watch a b
expect 129 watch --evry 2
says err "did you mean '--every'?"

# One that goes on: the file is there from its beginning, and says how far it is.
"$CONVOY" sim --algo asgd --net mlp --data shapes:train=2000,test=200 --workers 2 --batch 16 --lr 0.01 \
	--epochs 100000 --eval-every 1 --out results --quiet >/dev/null 2>&1 &
run=$!
await there 'results/sim/*.part'
is_on_its_way() { "$CONVOY" watch --out results --once >out 2>err && grep -q " left" out; }
await is_on_its_way
says out "asgd, 2 workers, seed 1"
grep -qE 'running +0 % +epoch .* loss .* gradients/s .* left' out || fail "$(cat out)"
is "$(wc -l <err)" 0 "stderr: $(cat err)"

# The clock of the file's server may be ahead: what is left does not grow by it.
mkdir -p ahead
cp results/sim/*.part ahead/
left_when() { touch -d "$1" ahead/*.part && "$CONVOY" watch ahead --once | grep -o '[^ ]* left'; }
left_when "+1 day" >one
is "$(left_when '+9 days')" "$(cat one)" "with files of another clock"

# It is followed until it ends: a change of state is a line, and Ctrl-C of the run is one.
"$CONVOY" watch results/sim/*.part --every 0.1 >followed &
watcher=$!
await grep -qs running followed
kill -INT $run
wait $run 2>/dev/null
wait $watcher || fail "watch: exit code $?"
is "$(awk '{ print $6 }' followed | xargs)" "running interrupted" "$(cat followed)"

# One that is killed cannot say so; its process is missed. On another machine it may be well.
"$CONVOY" sim --algo asgd --net mlp --data shapes:train=2000,test=200 --workers 2 --batch 16 --lr 0.01 \
	--epochs 100000 --eval-every 1 --out killed --quiet >/dev/null 2>&1 &
run=$!
runs() { "$CONVOY" watch killed/sim --once >out 2>err && grep -q running out; }
await runs
kill -KILL $run
wait $run 2>/dev/null
expect 0 watch killed/sim --once
grep -qE 'stopped +[0-9]+ %' out || fail "$(cat out)"
grep -q silent out && fail "$(cat out)"
expect 1 watch --out killed
says err "no run is in progress in it"

# What has ended, with its curve; narrow, in colour and without.
expect 0 sim --algo asgd --net mlp --data shapes:train=500,test=100 --workers 2 --lr 0.01 --epochs 4 \
	--eval-every 1 --out ended --quiet
expect 0 watch ended/sim --once
grep -qE 'done +100 % .*epoch 4.*accuracy 0\.[0-9]{4}' out || fail "$(cat out)"
says out "test accuracy, epoch 1"
# The measurement at the end is later than the last row of training; two of either are no curve.
expect 0 sim --algo asgd --net quadratic --workers 2 --lr 0.01 --compute-s 1 --epochs 1 --train-every 0.7 --out rows --quiet
expect 0 watch rows/sim --once
grep -qE 'done +100 % +epoch 1\.00  loss' out || fail "$(cat out)"
expect 0 sim --algo asgd --net quadratic --workers 2 --lr 0.01 --compute-s 1 --epochs 1 --train-every 0.5 --out two --quiet
expect 0 watch two/sim --once
is "$(grep -c 'training loss, epoch' out)" 0 "$(cat out)"
LC_ALL=C.UTF-8 expect 0 watch ended --once
says out █
LC_ALL=C expect 0 watch ended --once
grep -q █ out && fail "blocks where there is no UTF-8"
CONVOY_TERMINAL=1 TERM=xterm COLUMNS=40 expect 0 watch ended
says out $'\033[32m'
[ "$(sed 's/\x1b\[[0-9]*m//g' out | LC_ALL=C.UTF-8 wc -L)" -le 40 ] || fail "lines over 40: $(cat out)"
NO_COLOR=1 CONVOY_TERMINAL=1 TERM=xterm expect 0 watch ended
grep -q $'\033\[32m' out && fail "colour in spite of NO_COLOR"

# A file that is cut is none that was read, and the others are shown.
head -c 1000 ended/sim/*.h5 >ended/sim/cut.h5
expect 0 watch ended --once
says out "2 runs: 1 ended"
is "$(wc -l <err)" 0 "stderr: $(cat err)"

# An experiment: also the runs that no process has begun.
cat >two.json <<'END'
{ "title": "two", "base": { "timing": true, "samples": 2000, "epochs": 1 },
  "grid": { "algo": ["asgd", "allreduce"] } }
END
expect 0 watch two.json --once --out results
says out "2 runs: 0 ended, 0 going on, 2 waiting"
expect 0 run two.json --only algo=asgd --out results
expect 0 watch two.json --once --out results
says out "2 runs: 1 ended, 0 going on, 1 waiting"
expect 0 watch two.json --once --out results --only algo=asgd
says out "algo=asgd"

# A sweep: runs that have ended, go on and wait are counted, with the time left, also where it is no terminal.
cat >sweep.json <<'END'
{ "title": "sweep", "base": { "net": "mlp", "data": "shapes:train=2000,test=200", "workers": 2, "batch": 16, "lr": 0.01, "eval_every": 1 },
  "grid": [ { "epochs": [1], "seed": [1] }, { "epochs": [100000], "seed": [2, 3] } ] }
END
"$CONVOY" run sweep.json --jobs 1 --threads 1 --out sweeps --quiet >/dev/null 2>&1 &
run=$!
counted() { "$CONVOY" watch sweep.json --once --out sweeps >out 2>err && grep -qE "^3 runs: 1 ended, 1 going on, 1 waiting, about [0-9:]+ left$" out; }
await counted
"$CONVOY" watch sweep.json --every 0.1 --out sweeps >followed &
watcher=$!
await grep -qsE "^3 runs: 1 ended, 1 going on, 1 waiting" followed
kill -INT $run $watcher
wait $run $watcher
finish
