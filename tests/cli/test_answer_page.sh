# --report of advise and sim: pages that parse, need nothing else, say what the answer says, and take no text as markup.
. "$(dirname "$0")/lib.sh"
need jq python3

net="--net bytes:1e8,layers=1 --quiet"
ideal="$net --compute-s 0.1 --link ideal --workers 4"

cat >parse.py <<'END'
"""Parses a page as HTML and as XML, and prints its texts outside style and pictures, a line each."""
import html.parser
import re
import sys
import xml.dom.minidom

VOID = {'meta', 'rect', 'line', 'circle', 'polyline', 'polygon'}
ALLOWED = {'html', 'head', 'title', 'style', 'body', 'main', 'h1', 'h2', 'p', 'div', 'table', 'thead', 'tbody', 'tr', 'th',
           'td', 'ul', 'li', 'figure', 'figcaption', 'svg', 'g', 'text', 'tspan', 'dl', 'dt', 'dd', 'code', 'small', 'pre',
           'footer'} | VOID


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts, self.seen = [], [], set()

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED, tag
        self.seen.add(tag)
        for name, value in attrs:
            assert not name.startswith('on') and name not in ('href', 'src', 'style', 'action'), name
            assert not re.search(r'\b(nan|inf)\b', value), value
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if data.strip() and 'style' not in self.open and 'svg' not in self.open:
            self.texts.append(data.strip())


for path in sys.argv[1:]:
    text = open(path, encoding='utf-8').read()
    page = Page()
    page.feed(text)
    assert not page.open, (path, page.open)
    xml.dom.minidom.parseString(text.replace('<!DOCTYPE html>', '', 1).encode())
    assert '@media print' in text and '@page{size:A4' in text and 'prefers-color-scheme:dark' in text and 'viewport' in text
    assert not re.search(r'url\(|@import', text), path
    with open(path + '.texts', 'w', encoding='utf-8') as out:
        print('\n'.join(page.texts), file=out)
END
pages() { python3 parse.py "$@" 2>wrong || fail "$*: $(tail -1 wrong)"; }

# ---- a ranking: along a parameter, as a map, and at a point; the page says what the text says ----
ask="advise --among allreduce,asgd,local-sgd:period=4 --slow 0:2 --progress asgd=0.5 $ideal"
expect 0 $ask --report point.html
grep "is the first to the same loss" out >sentence
is "$(grep -c '<svg' point.html)" 3 "bars and two timelines"
expect 0 $ask --vary slow=1..8 --points 3 --report line.html --json
[ "$(jq -r .answer out)" ] || fail "JSON and a page"
expect 0 $ask --vary slow=1..8 --vary compute_s=0.01..1 --points 2 --report map.html
expect 0 advise --among allreduce,gossip-push $net --compute-s 0.1 --workers 8 --link nic --vary bandwidth=0.1..100 --vary slow=1..2 \
	--points 2 --report stars.html
says stars.html "*: an algorithm is not ranked there"
is "$(grep -o '<tspan>\*</tspan>' stars.html | wc -l)" 2 "stars of the map"
says line.html '<polyline class="line s0"'
says map.html "First to the same loss, by slow and compute_s"
# An algorithm has the colour of the picture that the same command draws, and states those of all timelines.
expect 0 advise --among allreduce,asgd,local-sgd:period=4/8 $ideal --progress asgd=0.9,local-sgd=0.8 --plot both.svg --report both.html
is "$(tr '>' '\n' <both.html | grep -oE '<g color="#[0-9A-F]{6}' | head -4 | grep -o '#.*')" \
	"$(grep -oE "boxxyerror fc rgb '#[0-9A-F]{6}" both.gp | grep -o '#.*')" "colours"
says both.html ".chart .computing{fill:#0072b2}"

# ---- a break-even ----
expect 0 advise --between allreduce,asgd --vary slow=1..3 --progress 1,0.8+-0.05 --points 3 --draws 12 $ideal --report even.html
says even.html 'class="mark"'
says even.html 'dashed: the break-even, grey: its interval; bands: 90 % of the draws'
says even.html '<polygon class="s1 band"'
expect 0 advise --between allreduce,asgd --vary slow=1..3 --progress 1,0.1+-0.01 --points 3 --draws 12 $ideal --report never.html --plot never.svg
says never.html "Nothing for this answer: without a break-even"
! grep -q "Give what is uncertain\|dashed: the break-even" never.html || fail "a page without a break-even is about one"
says never.gp "set yrange [-0.05:1.05]"

# ---- runs of sim ----
expect 0 sim --timing --algo allreduce,asgd --slow none,0:2 $ideal --gradients 800 --report runs.html
expect 0 sim --timing --algo allreduce $ideal --gradients 800 --report one.html
# What all runs rest on, not only the quickest, and the settings that are given.
for part in "26214400 (allreduce, none; allreduce, 0:2)" "bytes:bytes=1e8,layers=1"; do
	says runs.html "$part"
done
says one.html "<dt>compute_s</dt>"

# ---- `convoy report` of a saved answer ----
for kind in point even one; do
	case $kind in
	one) expect 0 sim --timing --algo allreduce $ideal --gradients 800 --json ;;
	point) expect 0 $ask --json ;;
	even) expect 0 advise --between allreduce,asgd --vary slow=1..3 --points 3 $ideal --json ;;
	esac
	cp out saved-$kind.json
	echo mine >saved-$kind.html.trace
	expect 0 report saved-$kind.json
	is "$(cat saved-$kind.html.trace)" mine "a file next to the page"
	[ "$(ls saved-$kind.html.trace* | wc -l)" = 1 ] || fail "a trace is left: $(ls)"
	is "$(cat out)" saved-$kind.html
done
# Of a single run, what it rests on stands there once, as on the page that sim wrote.
is "$(grep -o "<dt>[a-z_]*</dt>" saved-one.html)" "$(grep -o "<dt>[a-z_]*</dt>" one.html)" "facts of one run"

# ---- texts are no markup, and damaged answers no crash ----
evil='<script>alert(1)</script><img src=x onerror=y>&quot;"'"'"
python3 - "$evil" <<'END'
import copy
import json
import sys


def walk(x):
    if isinstance(x, dict):
        return {k: walk(v) for k, v in x.items()}
    return [walk(v) for v in x] if isinstance(x, list) else sys.argv[1] if isinstance(x, str) else x


point, even = (json.load(open(f'saved-{kind}.json')) for kind in ('point', 'even'))
json.dump(walk(point), open('evil.json', 'w'))
changes = [
    (point, {'ranking': None}), (point, {'ranking': []}), (point, {'ranking': [1, 'x', None]}),
    (point, {'points': [], 'changes': []}), (point, {'points': [[1, 2]], 'changes': 3}),
    (point, {'points': [{'a': 'b'}, {'a': 1}], 'changes': [7]}),
    (point, {'points': [{'a': 1, 'b': 2}, {'a': 1, 'b': 3}, {'a': 2, 'b': 2}]}),
    (point, {'points': [{'a': 0, 'b': 0}, {'a': 0, 'b': 1}, {'a': 1, 'b': 0}, {'a': 1, 'b': 1}]}),
    (point, {'given': 3, 'assumed': [4]}), (point, {'given': {'net': 5, 'workers': '1e99', 'bogus': 'x'}}),
    (point, {'ranking': [dict(point['ranking'][0], same_loss_s=1e308), dict(point['ranking'][1], same_loss_s=-1)]}),
    (point, {'left_out': 'x', 'options': {'a': 1}, 'gaps': [1]}),
    (even, {'points': []}), (even, {'between': [1, 2]}), (even, {'break_even': 7}), (even, {'points': [{'x': 1}, {'x': 1}]}),
    (even, {'finer': [{'x': 'y'}]}), (even, {'switches': [1]}), (even, {'points': [{'x': 0}, {'x': 1e308}]}),
    (even, {'sensitivity': 4, 'progress': ['a', 'b']}),
    (even, {'finer': [], 'points': [dict(p, x=x) for p, x in zip(even['points'], (1, 0, 9))]}),
    (even, {'finer': [], 'points': [dict(even['points'][0], x=x, first_s=dict.fromkeys(('median', 'low', 'high'), t))
                                    for x, t in ((1, 1e-9), (5, 1.79e308))]})]
for i, (answer, change) in enumerate(changes):
    odd = copy.deepcopy(answer)
    odd.update(change)
    if i % 5:
        odd['given'] = odd['given'] if 'given' in change else {}
    json.dump(odd, open(f'odd-{i}.json', 'w'))
END
expect 0 report evil.json
! grep -q '<script\|<img' evil.html || fail "a text is markup"
for odd in odd-*.json; do
	timeout 20 "$CONVOY" report $odd >out 2>err
	[ $? -le 1 ] || fail "$odd: $(cat err)"
done
[ "$(ls odd-*.html | wc -l)" -gt 8 ] || fail "few pages of odd answers"

# ---- all of them parse ----
pages *.html
says point.html.texts "$(cat sentence)"
says point.html.texts "local-sgd:period=4"
says point.html.texts "Measure next"
"$CONVOY" advise --among allreduce,gossip-push --net bytes:1e8,layers=1 --quiet --compute-s 0.1 --workers 8 \
	--link nic:bandwidth_GBps=0.1 --report ends.html >out
[ "$(sed 's/.*Where this answer ends//; s/Measure next.*//' <(tr '\n' ' ' <ends.html) | grep -c 'gossip-push is not ranked')" = 1 ] ||
	fail "what is not ranked stands elsewhere"
says point.html.texts "$ask --report point.html"
says line.html.texts "From slow"
says even.html.texts "asgd is faster than allreduce above slow"
says even.html.texts "of the variance of the answer"
says even.html.texts "When is asgd faster than allreduce?"
says runs.html.texts "asgd, 0:2"
says runs.html.texts "is the quickest"
says saved-even.html.texts "convoy advise --between allreduce,asgd --vary slow=1..3 --net bytes:1e8,layers=1"
says evil.html.texts "<script>alert(1)</script>"

# ---- what is refused, before any run ----
expect 1 $ask --report page.txt --out never
says err "--report page.txt: expected a name that ends in .html"
expect 1 $ask --report nowhere/page.html --out never
says err "there is no folder nowhere"
[ ! -e never ] || fail "runs were made"
finish
