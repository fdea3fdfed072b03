# Learning rates: scaled by the batch, warmed up from a worker's share; what is written down.
. "$(dirname "$0")/lib.sh"
# lr_is ROW VALUE ARGUMENT...: the learning rate in that row of the training curve (-1: the last).
lr_is() {
	local row=$1 value=$2 dir
	shift 2
	dir=$(mktemp -d -p "$here")
	expect 0 sim --algo asgd --workers 4 --batch 32 --net quadratic:samples=1280 --lr 0.5 \
		--train-every 0.1 --quiet --out "$dir" "$@"
	python_on "$(find "$dir" -name '*.h5')" <<-END || fail "learning rate with $*"
		lr = f["train/lr"][$row]
		assert abs(lr - $value) < 1e-12, lr
	END
}

lr_is -1 0.5
lr_is -1 0.25 --lr-scaling linear               # 4 x 32 of 256
lr_is -1 2 --lr-scaling linear --lr-batch 32
lr_is -1 1 --lr-scaling sqrt --lr-batch 32
# All workers begin together: rows end with the 4th and the 8th gradient, whose updates have the rates of
# epochs 0.075 and 0.175, before them.
lr_is 0 0.153125 --warmup 1 --warmup-from workers
lr_is 1 0.190625 --warmup 1 --warmup-from workers
lr_is 1 0.190625 --warmup 1 --warmup-from 0.25
lr_is 1 0.38125 --warmup 1 --warmup-from workers --lr-scaling linear --lr-batch 64
lr_is -1 0.5 --warmup 0.5 --warmup-from workers

# f(x) = x^2 / 2 from x = 1: steps by the rates of epoch 0, and then of the epoch after one gradient.
cosine="sim --net quadratic:dim=1,cond=1,noise=0,samples=960 --algo allreduce --workers 1 --batch 4 --lr 0.1
	--optim sgd:momentum=0,weight_decay=0 --compute-s 1 --link ideal --schedule cosine --json --quiet"
for want in 1:0.405 2:0.36551; do
	expect 0 $cosine --gradients ${want%:*} --out "$here/cosine"
	jq -e --argjson want "${want#*:}" '.test_loss - $want | fabs < 1e-5' out >/dev/null ||
		fail "cosine: $(jq .test_loss out) instead of $want"
done

# Real ranks in lockstep have the same rates; asynchronous ones have those of their replay.
ranks="--net logistic:samples=2000 --batch 10 --epochs 1 --schedule poly --warmup 0.25 --quiet --json"
expect 0 train -n 2 --algo diloco:period=5 $ranks --out "$here/ranks"
model=$(jq -r .model out)
expect 0 sim --algo diloco:period=5 --workers 2 --compute-s 1 $ranks --out "$here/ranks"
[ "$(jq -r .model out)" = "$model" ] || fail "a schedule on ranks: not the simulator's model"
expect 0 train -n 3 --algo asgd $ranks --trace "$here/ranks.h5" --out "$here/ranks"
expect 0 replay "$here/ranks.h5" --quiet

# A gain sets the outer learning rate: that of mla's formula, eta (1 + mu), and of diloco's, eta / ((1 - mu) n).
outer="sim --net quadratic:dim=4 --workers 4 --gradients 200 --compute-s 1 --lr 0.02 --out $here/outer"
expect 0 $outer --algo mla,diloco:period=5 --gain 0.95,1.9 --csv
says err "outer_lr is gain / 1.9 of mla, outer_lr is gain / 2.5 of diloco:period=5"
expect 0 $outer --algo streaming-diloco:period=6,fragments=3 --gain 0.25 --dry-run
grep -q "outer_lr=0.1," out || fail "gain of streaming-diloco: $(grep algo out)"
expect 0 $outer --algo streaming-diloco:period=6,fragments=3 --gain 0.25,0.125 --csv
says err "outer_lr is gain / (5 - 10 gain) of streaming-diloco:period=6,fragments=3"
expect 1 $outer --algo streaming-diloco --gain 0.5
says err "it is less than 0.5, however large outer_lr is"
expect 1 $outer --algo streaming-diloco:alpha=1 --gain 0.2
says err "the gain is 0.25, whatever outer_lr is"
expect 0 $outer --algo mla --gain 0.95 --json
model=$(jq -r .model out)
jq -e '.settings | .gain == "0.95" and (.algo | contains("outer_lr=0.5,"))' out >/dev/null || fail "gain of mla: $(jq .settings out)"
expect 0 $outer --algo mla:outer_lr=0.5 --json
is "$(jq -r .model out)" "$model" "gain 0.95 and outer_lr 0.5"
expect 0 $outer --algo mla:outer_lr=0.5 --gain 0.95 --json
expect 1 $outer --algo mla:outer_lr=0.7 --gain 0.95
says err "mla then has outer_lr = 0.5, and algo says 0.7. Give gain or outer_lr"
expect 1 $outer --algo asgd --gain 1
says err "asgd has no outer steps with one learning rate"
expect 1 $outer --algo mla --gain -1
says err "gain must be"

expect 0 sim --dry-run --workers 8 --warmup 1 --warmup-from workers
grep -q '^warmup_from *0.125 *given$' out || fail "a worker's share: $(grep warmup_from out)"

expect 1 sim --dry-run --warmup-from worker
says err "warmup_from must be a number"
says err "or warmup_from = workers"
expect 1 sim --dry-run --warmup-from -1
says err "warmup_from must be"
expect 1 sim --dry-run --lr-scaling lineal
says err "linear"
expect 1 sim --dry-run --lr-batch 0
says err "lr_batch must be"
expect 1 sim --dry-run --workers 16 --optim sgd:momentum=-0.9,asynchrony=-1
says err "its size must be less than 1"

# A step too large: what to lower, with its value, and who else is to blame.
run="sim --net quadratic --gradients 400 --quiet"
expect 0 $run --algo asgd --workers 8 --lr 1e9 --optim sgd:momentum=0.8
says out "status              diverged"
says err "diverged after"
says err "not finite; usual cause here: momentum 0.8 with 8 asynchronous workers, whose asynchrony adds a momentum of about 0.88; try --optim sgd:momentum=0, and if that diverges --lr 0.1 or less too"
one_line
# What keeps the momentum of both together, where there is one.
expect 0 $run --algo asgd --workers 4 --lr 1e9
says err "try --optim sgd:momentum=0.6, and if that diverges --lr 0.1 or less too"
expect 0 $run --algo asgd --workers 4 --lr 1e9 --optim sgd:momentum=0
says err "a learning rate of 1e+09 with stale gradients of 4 workers; try --lr 0.1 or less, or an algorithm that corrects them: --algo gap-aware"
expect 0 $run --algo asgd --workers 16 --lr 1e9 --optim sgd:momentum=0
says err "try --lr 0.0625 or less, or"
expect 0 $run --algo asgd --workers 1 --lr 1e9
says err "a learning rate of 1e+09 with momentum 0.9; try --lr 0.1 or less, or --warmup 1"
expect 0 $run --algo allreduce --workers 4 --lr 1e9 --lr-scaling linear --lr-batch 32
says err "a learning rate of 4e+09 for a batch of 128 in all, without warm-up; try --warmup 5, or --lr 0.1 or less"
expect 0 $run --algo allreduce --workers 2 --lr 1e9 --optim sgd:momentum=0
grep -q "finite; usual cause here: a learning rate of 1e+09; try --lr 0.1 or less$" err || fail "$(cat err)"
# No gradient is late where a worker steps on its own model, or all wait for each other; nor is
# momentum to blame that each worker has of its own.
for algo in easgd eamsgd decoupled-diloco fedbuff fadas ca2fl groups ringmaster:threshold=1; do
	expect 0 $run --algo $algo --workers 4 --lr 1e15
	says err "usual cause here: a learning rate of 1e+15 with momentum 0.9; try --lr 0.1 or less, or --warmup 1"
done
for algo in groups:groups=4 ringleader; do
	expect 0 $run --algo $algo --workers 4 --lr 1e15
	says err "momentum 0.9 with 4 asynchronous workers; try --optim sgd:momentum=0, and"
done
expect 0 $run --algo multi-asgd --workers 16 --lr 1e15
grep -q "cause here: a learning rate of 1e+15 with stale gradients of 16 workers; try --lr 0.0625 or less$" err ||
	fail "$(cat err)"
# The notes of a table say it once for each cause.
expect 0 sim --net quadratic --gradients 400 --quiet --algo asgd,allreduce --workers 4,8 --lr 0.001,1e9
says out "note: algo=asgd workers=4 lr=1e9 diverged; usual cause here: momentum 0.9 with 4 asynchronous"
says out "note: algo=allreduce workers=4 lr=1e9 diverged; usual cause here: a learning rate of 1e+09 with"
is "$(grep -c "usual cause" out)" 2 "notes"
# A table without such a run says nothing of it.
cat >two.json <<'END'
{ "title": "two", "base": { "net": "quadratic", "workers": 4, "algo": "asgd", "gradients": 40 },
  "grid": { "lr": [0.001, 1e9] },
  "tables": [ { "name": "small", "rows": "lr", "values": "train_loss", "where": { "lr": 0.001 } },
              { "name": "both", "rows": "lr", "values": "train_loss" } ] }
END
expect 0 run two.json
is "$(grep -c "usual cause" out)" 1 "notes below tables"
# A loss that grew is named once, and the run is as done as it was.
expect 0 $run --algo asgd --workers 8 --lr 0.5 --gradients 60
says out "status              done"
grep -qE "warning: the loss ends [0-9.e+]+ times above where it began; usual cause here: momentum 0.9 with 8 asynchronous workers" err ||
	fail "$(cat err)"
one_line
expect 0 $run --algo asgd --workers 8 --lr 0.001
is "$(wc -l <err)" 0 "$(cat err)"
# One that was above for a moment, 1e15 times here, ends below.
awk 'BEGIN { print "x,label"; for (i = 0; i < 64; i++) print 1e6 + 37 * i % 11 * 1e4 "," i % 2 }' >spike.csv
expect 0 sim --net mlp --data csv:file=spike.csv --algo allreduce --workers 2 --batch 16 --lr 0.1 --gradients 80 \
	--compute-s 0.1 --quiet --json
is "$(jq '.train_loss < 1' out) $(grep -vc 'inputs are as large' err)" "true 0" "$(cat err)"

# What was asked for of a trace is asked for again.
expect 0 sim --algo asgd --workers 4 --net quadratic --gradients 200 --lr 0.5 --lr-scaling linear \
	--warmup 1 --warmup-from workers --optim lars --trace run.trace.h5 --quiet
expect 0 replay run.trace.h5 --quiet
for optim in adam lamb closed-loop sgd:asynchrony=-1; do
	expect 0 sim --algo asgd --workers 4 --net quadratic --gradients 100 --optim "$optim" \
		--lr 0.01 --trace t.h5 --quiet
	expect 0 replay t.h5 --quiet
	expect 0 show optim "${optim%%:*}"
done
finish
