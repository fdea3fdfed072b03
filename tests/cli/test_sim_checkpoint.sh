# A training run in virtual time that is killed or interrupted, and resumed, ends as one that was not.
. "$(dirname "$0")/lib.sh"

cat >exp.json <<'END'
{
  "title": "Two short runs",
  "base": { "net": "quadratic", "workers": 8, "lr": 0.001, "delay": "gamma:cv=0.5",
            "measures": "all", "epochs": 0, "gradients": 90000, "eval_every": 4 },
  "grid": { "algo": ["asgd", "ad-psgd"] },
  "tables": [ { "name": "all", "title": "All", "rows": "algo",
                "values": ["time_s", "train_loss", "gap_mean", "staleness_mean", "spread"] } ]
}
END

# The same command resumes what a killed experiment had begun.
expect 0 run exp.json --quiet --out whole
launch run exp.json --quiet --out parts --checkpoint-every 0.05
await there 'parts/exp/default/runs/*.checkpoint'
sleep "0.$((RANDOM % 2))$((RANDOM % 10))"
await there 'parts/exp/default/runs/*.checkpoint'
kids=$(cat /proc/$pid/task/$pid/children)
kill -KILL $pid $kids
wait $pid 2>/dev/null
ls parts/exp/default/runs/*.checkpoint >/dev/null || fail "no checkpoint was left"
expect 0 run exp.json --out parts --checkpoint-every 0.1
says err "resuming from"
diff -r whole/exp/default/tables parts/exp/default/tables || fail "other tables"
is "$(ls parts/exp/default/runs)" "$(ls whole/exp/default/runs)" "what is left"

# Ctrl-C saves a checkpoint, however rarely one is due.
settings="--algo allreduce --net quadratic --workers 8 --gradients 200000 --lr 0.001"
expect 0 sim $settings --quiet --out whole
cp out whole.txt
interrupted 'parts/sim/*.part' sim $settings --quiet --out parts --checkpoint-every 1000
ls parts/sim/*.checkpoint >/dev/null || fail "Ctrl-C left no checkpoint"
expect 0 sim $settings --out parts --resume
says err "resuming from"
is "$(field model)" "$(field model whole.txt)" "the model after Ctrl-C"
is "$(ls parts/sim)" "$(ls whole/sim)" "what is left"

# What cannot be is refused.
expect 1 sim --timing --samples 1000 --epochs 1 --checkpoint-every 5
says err "checkpoint_every: a timing-only run has no checkpoint"
expect 129 sim $settings --resume --trace run.h5
says err "a trace is of a whole run"

finish
