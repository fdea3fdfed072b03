# Traces: runs of either engine, recorded and replayed bit-identically; their timelines.
# COST 16
. "$(dirname "$0")/lib.sh"

# replayed FILE WHAT: the replay ends with the recorded model.
replayed() {
	expect 0 replay "$1" --quiet
	says out "verdict           identical"
}

# A timeline is JSON; complete events of a thread do not overlap; every arrow has two ends.
cat >judge.py <<'END'
import collections, json, sys

events = json.load(open(sys.argv[1]))["traceEvents"]
lanes = collections.defaultdict(list)
for e in events:
    if e["ph"] == "X":
        lanes[e["tid"]].append((round(e["ts"] * 1e3), round((e["ts"] + e["dur"]) * 1e3)))
for lane in lanes.values():
    lane.sort()
    assert all(a[1] <= b[0] for a, b in zip(lane, lane[1:])), "spans overlap"
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert set(lanes) == set(names), names
begun = {e["id"]: e for e in events if e["ph"] == "s"}
ended = {e["id"]: e for e in events if e["ph"] == "f"}
assert begun.keys() == ended.keys() and len(begun) == int(sys.argv[2]), len(begun)
for name in sys.argv[3:]:
    assert name in names.values(), names
END
timeline() {
	expect 0 trace "$1" --format chrome -o timeline.json
	python3 judge.py timeline.json "${@:2}" || fail "the timeline of $1"
}

# A page holds the events of its trace: the spans of gradients, and every message.
cat >judge_page.py <<'END'
import array, base64, json, re, sys, zlib

page = open(sys.argv[1]).read()
facts, columns = (re.search(f'id="data-{name}">\n(.*)\n</script>', page)[1] for name in ("facts", "columns"))
facts, data, at = json.loads(facts), zlib.decompress(base64.b64decode(columns)), 0
def take(code, n):
    global at
    column = array.array(code, data[at:at + n * array.array(code).itemsize])
    at += n * column.itemsize
    return column
spans, messages = facts["spans"], facts["messages"]
time, sent = take("d", 2 * spans), take("d", 2 * messages)
first = take("i", 2 * facts["nodes"] + 1)
peer, number, stale, value = take("i", spans), take("i", spans), take("i", spans), take("f", spans)
source, target, size = take("i", messages), take("i", messages), take("f", messages)
state, kind = take("B", spans), take("B", spans)
assert at == len(data) and first[-1] == spans, "the columns are not complete"
for lane in range(2 * facts["nodes"]):
    for i in range(first[lane], first[lane + 1] - 1):
        assert time[2 * i] < time[2 * i + 1] <= time[2 * i + 2] + 1e-12, "spans overlap"
trace = json.load(open(sys.argv[2]))
assert len(trace["events"]) == facts["events"] and trace["workers"] == facts["workers"]
node = lambda rank: rank if rank >= 0 else facts["workers"]
own = sorted((e["begun_s"], e["time_s"], node(e["peer"]), node(e["rank"]), e["bytes"])
             for e in trace["events"] if e["kind"] == "message" and e["peer"] != e["rank"])
page_own = sorted(zip(sent[::2], sent[1::2], source, target, (int(x) for x in size)))
assert own == page_own and list(sent[::2]) == sorted(sent[::2]), "messages"
begun = {(k // 2, time[2 * i]): i for k in range(0, 2 * facts["nodes"], 2) for i in range(first[k], first[k + 1])}
computed = [e for e in trace["events"] if e["kind"] == "computed" and e["seconds"] > 0]
for e in computed:
    i = begun[node(e["rank"]), e["begun_s"]]
    assert state[i] == 0 and number[i] == e["gradients"], e
    assert e["loss"] is None or abs(value[i] - e["loss"]) <= 1e-6 * abs(e["loss"]), e
print("gradients:", len(computed), "applied:", sum(x >= 0 for x in stale) > 0)
END
page() {
	expect 0 trace "$1" --html page.html
	is "$(cat out)" page.html
	grep -nE '(src|href)="?(https?:)?//' page.html && fail "the page loads something"
	"$CONVOY" trace "$1" --format json >events.json
	python3 judge_page.py page.html events.json >out || fail "the page of $1"
	says out "gradients: $2"
}

# Simulated runs, with delays, slow workers and schedules that go by the count of gradients.
for algo in allreduce asgd d-psgd "ad-psgd --graph bipartite-complete" "osgp --graph star"; do
	expect 0 sim --algo $algo --workers 4 --net quadratic --gradients 120 --lr 0.05 \
		--delay gamma:cv=0.5 --slow 0:3 --schedule cosine --warmup 1 --update-s 1e-5 \
		--trace sim.h5 --quiet
	replayed sim.h5
done
expect 0 sim --algo asgd --workers 2 --net mlp --data shapes:train=128,test=32 --batch 8 \
	--optim sgd:momentum=0.9 --trace sim.h5 --quiet
model=$(sed -n 's/^model *//p' out)
expect 0 replay sim.h5 --threads 3 --json
is "$(jq -r '.recorded, .replayed, .verdict' out | tr '\n' ' ')" "$model $model identical "
sent=$(jq '.gradients * 2' out)
timeline sim.h5 "$sent" "worker 0" "worker 1" server
page sim.h5 "16 applied: True"
expect 0 trace sim.h5
is "$(grep -c ' computed ' out)" 16
expect 0 trace sim.h5 --format json
jq -e '.events | length > 60' out >/dev/null || fail "events as JSON"

# A run that is finished is made again for its trace; one of timing alone has no model.
expect 0 sim --algo asgd --workers 2 --timing --samples 640 --trace timing.h5
timeline timing.h5 40 server
page timing.h5 20
expect 0 trace timing.h5 --html
says out timing.html
[ -s timing.html ] || fail "no page by the trace's name"
expect 0 trace timing.h5
is "$(grep -c ' computed ' out)" 20
grep -q nan out && fail "a loss of a run of timing alone: $(grep -m1 nan out)"
expect 1 replay timing.h5
says err "is of a timing-only run"
one_line

# What is no trace is refused in one line.
head -c 3000 sim.h5 >cut.h5
expect 1 replay cut.h5
says err "cut.h5"
one_line
expect 1 trace "$(ls results/sim/*.h5 | head -1)"
says err "the result of a run, not a trace"
one_line
expect 1 replay none.h5
says err "does not exist"
expect 1 trace cut.h5 --html
says err "cut.h5"
one_line
expect 129 replay
says err "no trace is named"
expect 129 trace --html
says err "no trace is named"
expect 129 trace sim.h5 page.html
says err "one trace at a time"
expect 129 trace sim.h5 page.html --html -o other.html
says err "the page has two names"
expect 1 trace sim.h5 --html page.pdf
says err "expected a name that ends in .html"
one_line
expect 1 trace sim.h5 --html no/page.html
says err "no/page.html"
expect 129 trace sim.h5 --format pdf
for page in "--html" "--plot picture.svg"; do
	expect 129 trace sim.h5 $page --format chrome
	says err "--format chrome is of printed events, and ${page%% *} prints none"
done
expect 1 sim --algo asgd --net quadratic --gradients 10 --trace no/such/folder.h5
says err "cannot write 'no/such/folder.h5'"
expect 1 trace sim.h5 --plot picture.tex
says err "expected a name that ends in .svg, .png or .pdf"
if command -v gnuplot >/dev/null; then
	expect 0 trace sim.h5 --plot picture.pdf
	says out ./picture.pdf
	is "$(head -c 4 picture.pdf)" %PDF
	expect 0 sim --timing --algo asgd --workers 2 --net quadratic --compute-s 0.1 --gradients 10 \
		--timeline line.pdf --quiet
	is "$(head -c 4 line.pdf)" %PDF
fi

# A net that has changed since is no longer the recorded one.
jq '.' "$CONVOY_HOME/nets/zoo/mlp.json" >own.json
expect 0 sim --algo asgd --workers 2 --net ./own.json --data shapes:train=128,test=32 --batch 8 \
	--trace own.h5 --quiet
replayed own.h5
echo >>own.json
expect 1 replay own.h5
says err "is not what it was"

if command -v gnuplot >/dev/null; then
	expect 0 trace sim.h5 --plot gantt.svg
	says out gantt.svg
	[ -s gantt.svg ] && [ -s gantt.dat ] || fail "no picture"
	# The slow worker is named, and seen: it has a third of the bars, with lines between them.
	expect 0 sim --algo ad-psgd --workers 3 --net quadratic:dim=20 --compute-s 0.01 --slow 0:3 --gradients 30 --lr 0.01 \
		--timeline slow.svg --quiet
	says slow.svg "ad-psgd, 3 workers, slow 0:3, quadratic, seed 1"
	says slow.svg ">computing<"
	# The colours of the page: of all that is drawn with gnuplot, and of answers (report/plot/plot.h).
	expect 0 sim --algo diloco:period=5 --workers 3 --net quadratic:dim=20 --compute-s 0.01 --link nic:bandwidth_GBps=1e-5 --gradients 30 \
		--lr 0.01 --timeline states.svg --quiet
	for state in computing communicating; do
		color=$(grep -oE -m 1 -- "--$state: #[0-9a-f]{6}" "$CONVOY_SOURCE/web/page.css" | grep -o '#.*')
		grep -q "rgb '$color' .* title '$state'" states.gp || fail "$state is not $color: $(cat states.gp)"
	done
	# Work of a worker that fails is lost, on all kinds of timelines; what is in flight at the end is not.
	expect 0 sim --algo asgd --workers 3 --net quadratic:dim=20 --compute-s 0.1 --link ideal --gradients 30 --lr 0.01 \
		--faults 1:leave@0.35-0.85 --timeline lost.svg --trace lost.h5 --quiet
	says lost.svg ">lost work<"
	is "$(sed -n '/# lost work/,$p' lost.dat | tail -n +3 | tr '\n' ' ')" "0.3 0.35 1 " "lost work"
	lost=$(grep -oE -m 1 -- "--dropped: #[0-9a-f]{6}" "$CONVOY_SOURCE/web/page.css" | grep -o '#.*')
	grep -q "rgb '$lost' .* title 'lost work'" lost.gp || fail "lost work is not $lost: $(cat lost.gp)"
	is "$("$CONVOY" trace lost.h5 --format chrome | grep -o '"name":"lost work"' | wc -l)" 1 "lost work in the Trace Event format"
	! grep -qE ">(waiting|communicating|away)<" slow.svg || fail "the legend names bars that there are not"
	awk -F"points = '" '/<polygon/ { n = split($2, p, /[ ,]/); if (p[2] == row && p[1] - end < 0.5) { print; bad = 1 }
		row = p[2]; end = p[3]; bars++ } END { exit bad || bars != 32 }' slow.svg || fail "no line between two gradients"
fi

# Real ranks.
if has_mpi; then
	for run in "asgd --net quadratic --gradients 800" "ad-psgd --net quadratic --gradients 800" \
		"ad-psgd:exchange=duplex --net mlp --data shapes:train=256,test=64 --batch 8 --epochs 2"; do
		expect 0 train -n 5 --algo $run --lr 0.02 --schedule cosine --trace real.h5 --quiet
		replayed real.h5
	done
	timeline real.h5 "$("$CONVOY" trace real.h5 | grep -c ' message ')" "worker 4"
	page real.h5 "$("$CONVOY" trace real.h5 | grep -c ' computed ')"
	expect 0 train --algo ad-psgd --workers 3 --net quadratic --gradients 90 --trace real.h5 \
		--checkpoint-every 0.5 --quiet
	replayed real.h5
	expect 129 train --algo asgd --workers 2 --net quadratic --trace real.h5 --resume
	says err "a trace is of a whole run"
	expect 0 train --algo asgd --workers 2 --server shared --net quadratic --gradients 60 \
		--trace real.h5 --quiet
	replayed real.h5
	expect 0 train --algo allreduce --workers 3 --net quadratic --gradients 60 --trace real.h5 \
		--quiet
	replayed real.h5
	expect 0 train --algo allreduce --workers 3 --net quadratic --gradients 60 \
		--allreduce whole --trace real.h5 --quiet
	expect 0 replay real.h5
	grep -q 'verdict  *\(identical\|rounding\)$' out || fail "all-reduces of three: $(cat out)"
	expect 0 train --algo allreduce --workers 3 --net quadratic:dim=103 --gradients 60 \
		--allreduce ring --trace real.h5 --quiet
	replayed real.h5
	for workers in 2 3; do
		expect 0 train --algo allreduce --workers $workers --net resnet8 --batch 4 \
			--data shapes:train=64,test=16 --gradients 9 --lr 0.01 --bucket 20000 \
			--trace real.h5 --quiet
		expect 0 replay real.h5
		says out "verdict           identical"
	done
fi
finish
