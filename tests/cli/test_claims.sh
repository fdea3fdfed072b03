#!/usr/bin/env bash
# Claims without a verdict say why, and what a filter or a "where" misspells is named.
. "$(dirname "$0")/lib.sh"
need jq

cat >exp.json <<'END'
{
  "title": "t",
  "base": { "timing": true, "samples": 640, "net": "resnet20", "workers": 2, "cluster": "power8-edr", "link": "ideal" },
  "grid": { "algo": ["allreduce", "asgd"] },
  "claims": [
    { "kind": "ours", "says": "sums", "jq": "[.runs[] | .tmie_s] | add", "shows": "[.runs[].point.agol]" },
    { "kind": "ours", "says": "elsewhere", "jq": "if .scale == \"paper\" then false else null end" },
    { "kind": "ours", "says": "time passes", "jq": "all(.runs[]; .time_s > 0 and .faults == null)",
      "shows": "[.runs[] | .settings.lr, .eval.epoch, {a: .algo}] | [.[3].a?]" } ]
}
END
expect 1 run exp.json --quiet
says out "error          sums (ours): [null, null] [no run has 'tmie_s', which is null then; did you mean 'time_s'?]"
says out "not evaluated  elsewhere (ours) [not evaluated at this scale]"
says out "holds          time passes"
says err "exp: the claim \"sums\" has an error: no run has 'tmie_s', which is null then; did you mean 'time_s'?"
is "$(grep -E '^(claims by kind|ours)' out | tr -s ' ' | tr '\n' '|')" "claims by kind hold fail undecided not evaluated error|ours 1 0 0 1 1|" "totals"
cp exp.json exp2.json
expect 1 run exp.json exp2.json --quiet
is "$(grep -E '^exp2? ' out | tr -s ' ' | cut -d' ' -f1-10 | tr '\n' '|')" "exp default 2 0 0 1 0 0 1 1|exp2 default 2 0 0 1 0 0 1 1|" "summary"
expect 1 run exp.json exp2.json --quiet --json
is "$(jq -c '.summary[0].claims' out | tail -n 1)" '{"hold":1,"fail":0,"undecided":0,"not_evaluated":1,"error":1}' "summary as JSON"
jq -e '.[0].error and (.[0] | has("verdict") | not) and .[1] == {says: "elsewhere", kind: "ours", where: "", verdict: "not evaluated", holds: null,
	reason: "not evaluated at this scale", shows: null} and (.[2] | has("reason") | not)' results/exp/default/claims.json \
	>/dev/null || fail "claims.json: $(cat results/exp/default/claims.json)"
jq '.claims[0].jq = "all(.runs[]; .time_s > 0)"' exp.json >shown.json
expect 1 run shown.json --quiet
says out "holds          sums (ours): [null, null] [shows: no run has 'agol', which is null then; did you mean 'algo'?]"
jq 'del(.claims[0])' exp.json >exp.json.new && mv exp.json.new exp.json
# Of several claims that are for other scales `run` tells the number, -v each.
jq '.claims += [.claims[0] | .says = "far away"]' exp.json >several.json
expect 0 run several.json --quiet
says out "not evaluated  2 claims [not evaluated at this scale; -v shows them]"
grep -q elsewhere out && fail "$(cat out)"
expect 0 run several.json --quiet -v
says out "not evaluated  far away (ours) [not evaluated at this scale]"
# On a terminal claims and notes are folded at its width; a pipe gets a line for each claim.
jq '.tables = [{name: "t", rows: "algo", values: ["time_s"], notes: ["a word " * 15]}] |
	.claims[0].says = "a word " * 15' exp.json >narrow.json
expect 0 run narrow.json --quiet -v
cat >terminal.py <<'END'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    while data := os.read(fd, 65536):
        text += data
except OSError:
    pass
os.waitpid(pid, 0)
print(text.decode().replace("\r", ""), end="")
END
for command in claims table; do
	python3 terminal.py "$CONVOY" $command narrow.json >folded || fail "no terminal"
	[ -s folded ] && [ "$(wc -L <folded)" -le 60 ] || fail "wider than the terminal: $(cat folded)"
done
python3 terminal.py "$CONVOY" claims narrow.json | grep -q '^               [^ ]' || fail "no indent below a verdict"
# So are the sentences of other commands, but not their tables.
advise="--vary slow=1..3 --workers 4 --net bytes:1e8,layers=1 --compute-s 0.1 --link ideal --out advised"
for command in "advise --among asgd,allreduce,local-sgd:period=4 $advise" "advise --between allreduce,asgd $advise" \
	"compare narrow.json narrow.json"; do
	python3 terminal.py bash -c "'$CONVOY' $command 2>/dev/null" | grep -v '[^ ]  ' >folded
	[ "$(wc -L <folded)" -le 60 ] && grep -q '^  [^ ]' folded || fail "$command: not folded: $(cat folded)"
	"$CONVOY" $command 2>/dev/null | grep -v '[^ ]  ' >whole
	[ "$(wc -L <whole)" -gt 60 ] || fail "$command: folded in a pipe: $(cat whole)"
	diff <(tr -s ' \n' '  ' <folded) <(tr -s ' \n' '  ' <whole) || fail "$command: another text on a terminal"
done
expect 0 claims narrow.json
is "$(grep -cE '^(holds|not evaluated) ' out)" 2 "a line for each claim"
expect 0 claims exp.json --format md
says out "| not evaluated | ours | elsewhere |  |  |  |  | not evaluated at this scale |"
expect 0 report exp.json
says results/exp/default/report.html '<p class="dim">not evaluated at this scale</p>'

# What does not apply does not fail.
expect 0 claims exp.json --strict

# A side without runs, here of a misspelt algorithm, is no claim for another scale, in plain jq either.
jq '.claims = [{kind: "ours", says: "alike", jq: "within(.runs[] | select(.algo == \"asgd\"); .runs[] | select(.algo == \"allredcue\"); 2; \"time_s\")"}]' \
	exp.json >empty.json
expect 1 run empty.json --quiet
says out "error          alike (ours) [no run has algo 'allredcue'; did you mean 'allreduce'? Known: allreduce, asgd]"
cat >plain.json <<'END'
{
  "title": "t",
  "base": { "timing": true, "samples": 640, "net": "resnet20", "workers": 2, "cluster": "power8-edr", "link": "ideal" },
  "grid": { "algo": ["allreduce", "asgd"] },
  "claims": [
    { "kind": "ours", "says": "0", "jq": "def r($a): .runs[] | select(.point.algo == $a); mean_of(r(\"asdg\"); .time_s) < 5" },
    { "kind": "ours", "says": "1", "jq": "def r($a): .runs[] | select(.point.algo == $a); [r(\"asdg\").time_s] | add < 5" },
    { "kind": "ours", "says": "2", "jq": "def r($a): .runs[] | select(.point.algo == $a); all(r(\"asdg\"); .time_s > 1e9)" },
    { "kind": "ours", "says": "3", "jq": "def r($a): .runs[] | select(.point.algo == $a); all_of(beats(r(\"asdg\"); r(\"asgd\"); \"time_s\"))" },
    { "kind": "ours", "says": "4", "jq": "[.runs[] | select(.point.algo == \"asdg\" and .time_s > 1)] | length == 0" },
    { "kind": "ours", "says": "5", "jq": ".runs[0].speedp < 5" },
    { "kind": "ours", "says": "6", "jq": "(.runs | min_by(.speedup)).point.algo == \"allreduce\"" } ]
}
END
expect 1 run plain.json --quiet
says err "plain: 7 claims have an error, the first \"0\": mean_of: there is nothing to look at"
expect 1 claims plain.json
is "$(jq -c 'map(has("error") and (has("verdict") | not))' results/plain/default/claims.json)" \
	'[true,true,true,true,true,true,true]' "errors"
says out "error          0 (ours) [mean_of: there is nothing to look at: a group has no runs]"
says out "error          3 (ours) [beats: the first side has no runs]"
says out "error          5 (ours) [no run has 'speedp', which is null then; did you mean 'speedup'? Also near: seed]"
expect 1 claims plain.json --strict

# A claim of no scale, and speedups over nothing.
jq '.claims[0].only_at = "nosuch"' plain.json >nowhere.json
expect 1 run nowhere.json --dry-run
says err "nowhere.json: claims[0]: only_at: the spec has no scale 'nosuch'"
jq '.tables = [{name: "t", rows: "algo", values: ["time_s", "speedup"]}] | .claims = [{kind: "ours", says: "quick", jq: "[.runs[].speedup] | max <= 8"},
	{kind: "ours", says: "first", beats: {a: {algo: "asgd"}, b: {algo: "allreduce"}, measure: "speedup"}}]' plain.json >over.json
expect 1 run over.json --quiet
says err "over.json: tables[0]: no run has a speedup, because the spec has no baseline"
is "$(grep -c '^error .*\[no run has a speedup, because the spec has no baseline\]' out)" 2 "claims about speedups"

# No filter is a part of another one's program.
jq '.claims = [{kind: "ours", says: "first", jq: "\"(\" | true) elif .k == 1 then .v | ( \")\" | true"},
	{kind: "ours", says: "second", jq: "false"}]' plain.json >hostile.json
expect 1 run hostile.json --quiet
says err "hostile.json: claims[0]: jq: "

# A group is no other group than itself: known before the runs where both sides say the same, after them where the runs are the same.
jq '.claims = [{kind: "ours", says: "alike", within: {a: {algo: "asgd"}, b: {algo: "asgd"}, measure: "time_s", distance: 1}}]' exp.json >self.json
expect 1 run self.json --dry-run
says err "self.json: claims[0]: both sides have the same runs. A comparison needs two groups, or a group and a number"
jq '.claims = [{kind: "ours", says: "alike", order: {of: [{algo: "asgd"}, {algo: "allreduce"}, {algo: "allreduce"}], measure: "time_s"}}]' exp.json >self.json
expect 1 run self.json --quiet
says err "self.json: claims[0]: both sides have the same runs"
jq '.claims = [{kind: "ours", says: "alike", within: {a: {algo: "asgd"}, b: {algo: ["asgd"], workers: 2}, measure: "time_s", distance: 1}},
	{kind: "ours", says: "twice", jq: "def r: .runs[] | select(.point.algo == \"asgd\"); beats(r; r; \"time_s\")"},
	{kind: "ours", says: "halves", within: {a: {algo: "asgd", seed: 1}, b: {algo: "asgd", seed: 2}, measure: "time_s", distance: 1}},
	{kind: "ours", says: "a part", within: {a: {algo: "asgd", seed: 1}, b: {algo: "asgd"}, measure: "time_s", distance: 1}},
	{kind: "ours", says: "changed", jq: "def r: .runs[] | select(.point.algo == \"asgd\"); beats(r | .time_s /= 2; r; \"time_s\")"},
	{kind: "ours", says: "rounded", jq: "def r: .runs[] | select(.point.algo == \"asgd\"); beats(r | .time_s = 0.3; r | .time_s = 0.1 + 0.2; \"time_s\")"}] |
	.grid.seed = [1, 2]' exp.json >self.json
expect 1 run self.json --quiet
says out "error          alike (ours) [within: both sides have the same runs]"
says out "error          twice (ours) [beats: both sides have the same runs]"
says out "error          a part (ours) [within: both sides have the same runs]"
is "$(jq -c 'map(.verdict)' results/self/default/claims.json)" '[null,null,"holds",null,"holds","undecided"]' "groups and themselves"
is "$(jq -c '.[5].interval | [.difference, .interval, .why]' results/self/default/claims.json)" '[0,[0,0],"equal"]' "a difference by rounding"
grep -q '^holds *halves (ours) {difference [-0-9.e]*}' out || fail "an interval of one seed: $(cat out)"

# Before anything runs.
jq '.tables = [{name: "t", rows: "algo", values: "time_s", where: {algo: ["asgd", "allreduc"]}}] |
	.plots = [{name: "p", from: "runs", x: "workers", y: "time_s", where: {workers: 4}}]' \
	exp.json >where.json
expect 0 run where.json --dry-run
says err "where.json: tables[0]: where: no run has algo=allreduc; did you mean 'allreduce'?"
says err "where.json: plots[0]: where: no run has workers=4; known: 2"
is "$(grep -c where: err)" 2 "warnings"
# A processor without instructions for bf16 computes in f32, and so does convoy without onednn; a
# claim can ask.
cat >half.json <<'END'
{
  "title": "In what was it computed?",
  "base": { "net": "mlp", "data": "shapes:train=64,test=16", "workers": 1, "batch": 8, "gradients": 2, "algo": "asgd" },
  "grid": { "precision": ["f32", "bf16"] },
  "claims": [ { "kind": "ours", "says": "as asked", "learnt": false, "timed": false, "jq": "all(.runs[]; .computed_in == .point.precision)", "shows": "[.runs[].computed_in]" } ]
}
END
ONEDNN_MAX_CPU_ISA=AVX2 expect 0 run half.json --out half
says err "computing in f32"
is "$(jq -c '.[0] | [.holds, .shows]' half/half/default/claims.json)" '[false,["f32","f32"]]'
finish
