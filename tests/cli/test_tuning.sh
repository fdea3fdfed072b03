# A spec tunes settings for each method by runs of their own: which it plans, makes, keeps and repeats,
# what it chooses and where that is said; and what it refuses.
# COST 21
. "$(dirname "$0")/lib.sh"
need jq

cat >t.json <<'END'
{ "title": "tuned",
  "base": { "net": "mlp", "data": "shapes:train=128,test=40", "workers": 2, "batch": 16, "epochs": 2,
            "optim": "sgd:momentum=0", "compute_s": 0.01, "host_copy_s": 0, "link": "ideal" },
  "grid": { "algo": ["allreduce", "asgd"], "seed": [1, 2] },
  "tune": { "grid": { "lr": [0.003, 0.03, 1e8] }, "per": "algo", "measure": "train_loss", "seeds": [101, 102],
            "budget": { "epochs": 1 } },
  "tables": [ { "name": "t", "title": "lr {lr}", "rows": "algo", "values": ["test_accuracy", "lr"] } ],
  "scales": { "whole": {}, "fixed": { "tune": false, "base": { "lr": 0.02 } },
              "two": { "tune": { "grid": { "lr": [0.01, 0.02] }, "seeds": [7] } } },
  "scale": "whole",
  "claims": [ { "says": "tune's own output", "kind": "construction",
                "jq": "tuned(\"asgd\"; \"lr\") == .tuning[1].chosen.lr and all(.runs[]; .tuned.lr == (.settings.lr | tonumber))",
                "shows": "[tuned(\"allreduce\"; \"lr\"), at_edge(\"asgd\"; \"lr\")]" },
              { "says": "learnt", "kind": "ours", "jq": "at_edge(\"asgd\"; \"lr\")" } ] }
END
folder=results/t/whole

# ---- the plan, with its cost ----
expect 0 run t.json --dry-run
says out "t, scale whole: 12 tuning runs to do, 0 finished, in $folder/tuning"
says out "planned   algo=asgd lr=0.03 seed=102"
says out "t, scale whole: 4 runs to do, 0 finished, in $folder"
says out "-                 planned   algo=asgd seed=2"
is "$(grep '^lr ' out | tr -s ' ')" "lr 0.003 to be tuned"
is "$(grep -c '^about .* s ' out)" 2 "estimates"
[ -e results ] && fail "a dry run wrote something"
expect 0 run t.json --dry-run --json
jq -e '.tuning.estimate.seconds > 0 and (.tuning.runs | length) == 12 and .tuning.chosen == [] and
	all(.runs[]; .hash == null and .status == "planned") and
	all(.tuning.runs[]; .settings.epochs == "1" and .hash)' out >/dev/null || fail "$(cat out)"

# ---- the runs, the choice ----
expect 0 run t.json
is "$(ls $folder/tuning/*.h5 | wc -l) $(ls $folder/runs/*.h5 | wc -l)" "12 4" "runs"
says err "t, scale whole: 12 tuning runs, 0 of them finished before"
says err "tuned by training loss (lowest), seeds 101, 102, epochs=1, over lr 0.003, 0.03, 1e8. allreduce: lr="
says out "note: tuned by training loss (lowest)"
grep -qE "^holds +tune's own output \(construction\): \[0" out || fail "$(cat out)"
grep -qE "^undecided +learnt \(ours\) \[its filter gives no interval" out || fail "$(cat out)"
jq -e 'map(.method) == ["allreduce", "asgd"] and all(.[];
	.measure == "train_loss" and .best == "lowest" and .seeds == [101, 102] and (.points | length) == 3 and
	.points[2].diverged == 2 and (.points[0].values | length) == 2 and
	.chosen == (.points | min_by(.mean).settings))' $folder/tuning.json >/dev/null || fail "$(cat $folder/tuning.json)"
jq -e '.notes | any(startswith("tuned by"))' $folder/tables/t.json >/dev/null || fail "no note"
says $folder/tables/t.txt "lr tuned"
says $folder/tables/tuning.csv "asgd,0.03,train_loss,"
is "$(jq '.rows | length' $folder/tables/tuning.json)" 6 "rows of the tuning table"
jq -e 'all(.[]; .tuned.lr and (.tuned_by | startswith("lr=")))' $folder/runs.json >/dev/null || fail "runs.json"
for file in $folder/runs/*.h5; do
	grep -qa "of lr 0.003, 0.03, 1e8, by training loss" "$file" || fail "$file does not say what was chosen"
done
if [ -e $folder/plots/tuning.csv ]; then
	is "$(cut -d, -f1 $folder/plots/tuning.csv | sort -u | xargs)" "allreduce asgd series" "lines of the plot"
fi

# A run with the choice is the run that a spec without tuning has.
lr=$(jq '.[1].chosen.lr' $folder/tuning.json)
jq "del(.tune, .tables, .claims, .scales, .scale) | .base.lr = $lr | .grid.algo = [\"asgd\"]" t.json >plain.json
expect 0 run plain.json --dry-run --json
is "$(jq -c '[.runs[].hash]' out)" "$(jq -c '[.[] | select(.algo == "asgd").hash]' $folder/runs.json)" hashes

# ---- again: nothing is made; what is missing is made, and gives the same ----
cp -r results first
expect 0 run t.json
says err "4 runs, 4 of them finished before"
grep -q "tuning runs" err && fail "tuning runs are made again"
rm "$(ls $folder/tuning/*.h5 | head -1)"
expect 0 run t.json --dry-run
says out "t, scale whole: 1 tuning run to do, 11 finished"
is "$(grep -c '^-  *planned' out)" 2 "runs without a choice"
expect 0 run t.json
says err "12 tuning runs, 11 of them finished before"
expect 0 run t.json --out other --jobs 2 --threads 1 --quiet
for file in tuning.json claims.json tables/t.json tables/tuning.csv; do
	cmp first/t/whole/$file $folder/$file && cmp $folder/$file other/t/whole/$file || fail "$file differs"
done

# ---- reports ----
expect 0 report t.json
says $folder/report.html "Tuning runs"
says $folder/report.html "tuned by training loss"
expect 0 table t.json --format latex
says out "\\caption{Tuning runs}"
expect 1 plot t.json --name tunin
says err "did you mean 'tuning'"
expect 0 watch t.json --once
says out "16 runs: 16 ended"
mkdir -p experiments/p kept/p/t/tables
cp t.json experiments/p/
cp $folder/tables/*.json kept/p/t/tables/
cp $folder/{runs,tuning}.json kept/p/t/
CONVOY_HOME=$PWD expect 0 report --claims kept
is "$(jq -c 'map(.verdict)' kept/p/t/claims.json)" '["holds","undecided"]' "claims of kept results"
CONVOY_HOME=$PWD expect 0 report --md kept --out pages
says pages/experiments/settings/p.md "| allreduce, 0.03"

# ---- the command line, scales, parts ----
expect 0 run t.json --lr 0.02 --dry-run
says err "t: lr is given, and not tuned"
says out "4 runs to do, 0 finished, in $folder+"
grep -q tuning out && fail "tuning runs though the setting is given"
expect 0 run t.json --lr 0.02 --quiet
says out "lr 0.02"
expect 0 run t.json --scale fixed --dry-run
grep -q tuning out && fail "tuning runs though the scale has none"
expect 0 run t.json --scale two --only algo=asgd --out parts --quiet
is "$(ls parts/t/two/tuning/*.h5 | wc -l) $(ls parts/t/two/runs/*.h5 | wc -l)" "2 2" "a part"
expect 1 run t.json --seed 101
says err "t.json: tune: seeds: 101 is a seed of the runs too (tuning needs seeds of its own). Choose another."

# The edge of a grid is said, and that all points are equal; a tuning run that fails leaves out its method.
jq '.tune.grid = { "compute_s": [0.1, 0.2, 0.3] } | .tune.measure = "time_s" | .tune.best = "highest"' t.json |
	jq '.base += { "timing": true, "samples": 320 } | del(.claims, .scales, .scale) | .tables[0].values = "time_s"' >e.json
expect 0 run e.json --quiet
says out "allreduce: compute_s=0.3 (compute_s at the edge of the grid); asgd: compute_s=0.3"
is "$(jq -c '[.[].edge]' results/e/default/tuning.json)" '[["compute_s"],["compute_s"]]' edges
jq 'del(.tune.grid) | .tune.grids = { "allreduce": { "compute_s": [0.1, 0.2, 0.3, 0.4] }, "asgd": { "algo":
	["easgd:tau=9", "local-sgd:period=4", "local-sgd:post=0,period=1", "local-sgd:period=2"] } } |
	.base.link = "nic:latency_s=1"' e.json >inner.json
expect 0 run inner.json --quiet
says out "algo=local-sgd:post=0,period=1 (period of algo at the edge of the grid)"
is "$(jq -c '[.[].edge]' results/inner/default/tuning.json)" '[["compute_s"],["period of algo"]]' "an option at the edge"
jq '.tune.grid = { "lr": [1, 2] }' e.json >equal.json
expect 0 run equal.json --quiet
says out "asgd: lr=1 (the first: all points are equal)"
# So it is where only the best are equal; a claim about what was chosen is undecided.
jq '.tune.grid = { "lr": [1, 2], "compute_s": [0.1, 0.3] } | .claims = [{ kind: "construction", says: "first",
	jq: "tuned(\"asgd\"; \"lr\") == 1", shows: "tuned(\"asgd\"; \"lr\")" }, { kind: "construction", says: "first",
	jq: "at_edge(\"asgd\"; \"lr\")" }]' e.json >tied.json
expect 0 run tied.json --quiet
says out "compute_s=0.3 (the first: 2 points are equally good)"
says out "undecided      first (construction): 1 [tuning asgd decides nothing: 2 points are equally good]"
is "$(jq -c 'map(.verdict)' results/tied/default/claims.json)" '["undecided","undecided"]' "verdicts"
expect 0 run e.json --dry-run --json --out broken
stands=broken/e/default/tuning/$(jq -r '.tuning.runs[0].hash' out).h5
mkdir -p "$stands"
expect 1 run e.json --out broken --quiet
says err "1 tuning run without a result"
says err "2 runs without a result"
is "$(jq -c '[.[].method]' broken/e/default/tuning.json)" '["asgd"]' "the methods that have a choice"
rmdir "$stands" && expect 0 run e.json --out broken --quiet
cmp broken/e/default/tuning.json results/e/default/tuning.json || fail "resumed: another choice"

# Each method with a grid of its own, also of variants of itself; each point of the grid a method.
jq 'del(.tune.grid, .scales, .scale, .claims, .tables) | .grid.algo = ["allreduce", "easgd"] | .tune.seeds = [7] |
	.tune.grids = { "allreduce": { "lr": [0.01, 0.1] }, "easgd": { "algo": ["easgd:tau=1", "easgd:tau=4"] } }' t.json >own.json
expect 0 run own.json --quiet
says out "easgd: algo=easgd:tau="
is "$(jq -c '[.[].point.algo] | unique' results/own/default/runs.json)" '["allreduce","easgd"]' points
jq -e '.[2] | .settings.algo | test("tau=[14]")' results/own/default/runs.json >/dev/null || fail "no variant"
jq 'del(.tune.per) | .grid.workers = [2, 4]' e.json >each.json
expect 0 run each.json --quiet
is "$(jq -c 'map(.method)' results/each/default/tuning.json)" '["allreduce, 2","allreduce, 4","asgd, 2","asgd, 4"]' methods

# The documents' example, shortened.
awk '$0 == "```json" { n++; on = n == 3; next } /^```/ { on = 0 } on' "$CONVOY_SOURCE/docs/specs.md" |
	jq '.base.data = "shapes:train=128,test=40" | .base.epochs = 2 | .base.workers = 2' >doc.json
expect 0 run doc.json --quiet
says out "note: tuned by training loss (lowest), seed 101, epochs=2, over lr 0.01, 0.03, 0.1, 0.3."
says out "ASGD is within two points of all-reduce. (ours): learning rate: {asgd: 0."

# ---- what is refused ----
# refuse TEXT FILTER: the spec that the jq filter makes.
refuse() {
	jq "del(.tables, .claims, .scales, .scale) | $2" t.json >bad.json
	expect 1 run bad.json --out refused --quiet
	says err "bad.json: tune$1"
	one_line
}
refuse ": grids: the grid of asgd has size 2, that of allreduce 3 (all methods need grids of equal size). Give each as many points." \
	'del(.tune.grid) | .tune.grids = { "asgd": { "lr": [1, 2] }, "allreduce": { "lr": [1, 2, 3] } }'
refuse ": grids: the method asgd has no grid; did you mean 'asgdd'?" \
	'del(.tune.grid) | .tune.grids = { "asgdd": { "lr": [1] }, "allreduce": { "lr": [1] } }'
refuse ": seeds: 2 is a seed of the runs too" '.tune.seeds = [101, 2]'
refuse ": seeds: seed must be a list of at least one value" '.tune.seeds = []'
refuse ": unknown measure 'test_acuracy'; did you mean 'test_accuracy'?" '.tune.measure = "test_acuracy"'
refuse ": measure 'wall_s' is of the real clock" '.tune.measure = "wall_s"'
refuse ": measure 'speedup': tuning runs have no baseline" '.tune.measure = "speedup"'
refuse ": the grid is empty" '.tune.grid = {}'
refuse ": grid: lr must be a list of at least one value" '.tune.grid.lr = []'
refuse ": grid: unknown setting 'lrr'; did you mean 'lr'?" '.tune.grid = { "lrr": [1] }'
refuse ": lr is an axis of the grid too" '.grid.lr = [0.1]'
refuse ": lr is tuned and in the budget" '.tune.budget.lr = 1'
refuse ": the seed cannot be tuned" '.tune.grid = { "seed": [7] }'
refuse ": per: unknown setting 'algos'; did you mean 'algo'?" '.tune.per = "algos"'
refuse ": per: 'net' is no axis of the grid (it has: algo)" '.tune.per = ["algo", "net"]'
refuse ": per is empty (expected axes, such as [\"algo\"]). Name the axes whose values are the methods, or leave it out: all axes." '.tune.per = []'
refuse ": per: 'algo' stands there twice" '.tune.per = ["algo", "algo"]'
refuse ": per: without algo, asgd would have the settings that are chosen with allreduce. Name algo in per, or one algorithm in the budget." \
	'.grid.net = ["mlp", "logistic"] | .tune.per = "net"'
refuse ": budget: algo tells the methods apart. Take it out of the budget, or name other axes in per." '.tune.budget.algo = "asgd"'
refuse ": best cannot be 'most' (highest or lowest)" '.tune.best = "most"'
refuse ": 'measure' is missing" 'del(.tune.measure)'
refuse ": unknown key 'seed'; did you mean 'seeds'?" '.tune.seed = 1'
refuse ": timing-only runs have no measure 'train_loss'" '.base += { "timing": true, "samples": 320 }'
refuse ": grid: lr: the value 0.1 stands there twice, in two spellings" '.tune.grid.lr = ["0.1", "1e-1"]'
[ -e refused ] && fail "something was written"
jq 'del(.tables, .claims, .scales, .scale) | .tune.grid = { "graph": ["ring", "complete"] }' t.json >bad.json
expect 1 run bad.json
says err "graph 'ring': allreduce has none"
jq '.tables[0].name = "tuning"' t.json >bad.json
expect 1 run bad.json
says err "bad.json: tables: the name 'tuning' is that of the tuning runs. Choose another."
jq '.plots = [{ "name": "tuning-2", "title": "mine", "from": "runs", "x": "time_s", "y": "lr" }]' t.json >bad.json
expect 1 run bad.json
says err "bad.json: plots: the name 'tuning-2' is that of the tuning runs. Choose another."
# warn TEXT FILTER [ARGUMENT...]: the same is warned of; without a text nothing is.
warn() {
	jq "del(.tables, .claims, .scales, .scale) | $2" t.json >odd.json
	expect 0 run odd.json --dry-run "${@:3}"
	[ -z "$1" ] || says err "odd.json: tune: $1"
	is "$(grep -c warning err)" "$([ -z "$1" ] && echo 0 || echo 1)" "warnings: $(cat err)"
}
grids='del(.tune.grid) | .tune.grids = { "allreduce": { "lr": [1, 2] }, "asgd": { "lr": [1, 2] }'
warn "grids: no run is of the method 'foo'; known: allreduce, asgd" "$grids, \"foo\": { \"lr\": [1, 2] } }"
warn "grids: no run is of the method 'asgdd'; did you mean 'asgd'?" "$grids, \"asgdd\": { \"lr\": [1, 2] } }"
warn "the grid has one point: nothing is chosen" '.tune.grid.lr = [0.01]'
warn "" "$grids }" --algo asgd
warn "" '.grid.net = ["mlp", "logistic"] | .tune.per = "net" | .tune.budget.algo = "asgd"'
# More than sixteen lines are several plots: here nine of each method.
jq 'del(.tables, .claims, .scales, .scale) | .base += { "timing": true, "samples": 320 } | .grid.seed = [1] |
	.tune += { "measure": "time_s", "seeds": [101], "grid": { "compute_s": [0.01, 0.02], "batch": [1, 2, 4, 8, 16, 32, 64, 80, 160] } }' \
	t.json >many.json
expect 0 run many.json --quiet
lines() { jq -r '.series[].label' results/many/default/plots/"$1".json | cut -d, -f1 | sort | uniq -c | xargs; }
is "$(lines tuning-1)" "9 allreduce" "lines of the first plot"
is "$(lines tuning-2)" "9 asgd" "lines of the second plot"
# What an earlier cut made goes with it, and files that no cut made stay.
(
	cd results/many/default/plots && sed 's/tuning-1/tuning/' tuning-1.gp >tuning.gp &&
		touch tuning.{dat,svg,json,pdf} tuning-old.svg && cp tuning-1.gp tuning-7.gp
)
expect 0 plot many.json --format svg
is "$(cd results/many/default/plots && echo tuning[.-][!12]*)" "tuning-7.gp tuning-old.svg tuning.pdf" "files of other cuts"
expect 0 plot many.json --format term --name tuning-2
says out "Tuning runs (2 of 2): asgd"
grep -q "Tuning runs (1 of 2)" out && fail "the other plot is drawn too"
grep -q $'\f' out && fail "a form feed, which clears some terminals"
# A measure that no run has is known when the first of them is made, which is the last, and when it was made before.
for measure in gap_mean test_perplexity; do
	jq "del(.tables, .claims, .scales, .scale) | .tune.measure = \"$measure\"" t.json >gap.json
	for k in 1 2; do
		expect 1 run gap.json --out $measure --quiet
		says err "gap.json: tune: the tuning run 'algo=allreduce lr=0.003 seed=101' has no measure '$measure'. Choose another."
		one_line
	done
	is "$(ls $measure/gap/default/tuning/*.h5 | wc -l)" 1 "tuning runs"
done
jq 'del(.tables, .claims, .scales, .scale) | .tune.measure = "staleness_head_max" | .base += { "timing": true, "samples": 320 }' \
	t.json >gap.json
expect 1 run gap.json --out timing --quiet
says err "has no measure 'staleness_head_max'. Choose another."
jq '.claims = [{ "says": "x", "kind": "construction", "jq": "tuned(\"asg\"; \"lr\") == 1" }]' t.json >claim.json
expect 1 run claim.json --quiet
says out "no method 'asg' is tuned"

finish
