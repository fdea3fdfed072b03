# What the documents print works: their Python reads results, their JSON is accepted, their links lead
# somewhere, and the program takes every command line of convoy: those that run something with
# --dry-run, others with --help.
# COST 23
. "$(dirname "$0")/lib.sh"
python=$(python_with h5py pandas) || exit 77
readme=$CONVOY_SOURCE/README.md docs=$CONVOY_SOURCE/docs

# block LANGUAGE K PAGE: the k-th block of that language.
block() {
	awk -v fence="\`\`\`$1" -v want="$2" \
		'$0 == fence { n++; on = n == want; next } /^```/ { on = 0 } on' "$3"
}

# python_prints K PAGE TEXT...: the block runs, and prints the texts.
python_prints() {
	local k=$1 page=$2 text
	shift 2
	block python "$k" "$page" >block.py
	[ -s block.py ] || fail "$page has no block $k of Python"
	"$python" block.py >out 2>err || fail "$page, block $k: $(cat err)"
	for text in "$@"; do
		says out "$text"
	done
}

# ---- Python ----
expect 0 sim --timing --samples 4096 --algo asgd --workers 3 --epochs 2 --out here --quiet
cp here/sim/*.h5 run.h5 || fail "no result"
python_prints 1 "$docs/results.md" "done " asgd " 3" "20 rows"
python_prints 2 "$docs/results.md" rank bytes_received compute_s wait_s updates -1

tour=results/tour/slow-ship/laptop/runs
mkdir -p "$tour"
expect 0 sim --net quadratic --algo asgd --workers 2 --slow 0:3 --gradients 20 --lr 0.01 --out there --quiet
cp there/sim/*.h5 "$tour/" || fail "no result"
python_prints 2 "$docs/tour.md" "asgd 0:3 "

ln -s "$CONVOY_SOURCE/results/reference" results/reference
python_prints 1 "$CONVOY_SOURCE/results/reference/README.md" "points AD-PSGD 1 1.2" "published AD-PSGD 2 1.28"

block python 2 "$docs/my-model.md" >model.py
CONVOY_PYTHON=$python expect 0 sim --net python:model.py --workers 4 --compute-s 0.1 --batch 8 --lr 0.02 --quiet
says out "status              done"

# The tour's first model, by its commands of the simulator, as they are printed.
block python 1 "$docs/tour.md" >model.py
grep -E '^\$ convoy (check|sim) .*python:model.py' "$docs/tour.md" >commands
is "$(wc -l <commands)" 2 "commands of the tour's model"
while read -r _ _ arguments; do
	CONVOY_PYTHON=$python expect 0 $arguments </dev/null
done <commands
awk '/^\$ convoy sim .*python:model.py/ { on = 1; next } /^```/ { on = 0 } on && /^(algorithm|allreduce|asgd)/' \
	"$docs/tour.md" >printed
grep -E '^(algorithm|allreduce|asgd)' out | diff printed - || fail "the tour's table is another one"

# What other pages print below their commands is what these print, but for `...` and blanks.
"$python" - "$CONVOY" "$docs" >out 2>&1 <<'END' || fail "printed: $(cat out)"
import re, shlex, subprocess, sys

convoy, docs = sys.argv[1:]
commands, wrong = 0, 0
for page in "delays.md", "faults.md", "graphs.md", "my-cluster.md":
    blocks = re.findall(r"^```\w*\n(.*?)^```$", open(f"{docs}/{page}").read(), flags=re.M | re.S)
    for command, printed in re.findall(r"^\$ convoy ((?:sim|show) .*)\n((?:(?!\$ ).*\n)*)",
                                       "$ \n".join(blocks).replace("\\\n", " "), flags=re.M):
        shown = [line.split() for line in printed.splitlines() if line.strip(". ")]
        if not shown:
            continue
        run = subprocess.run([convoy, *shlex.split(command)], capture_output=True, text=True)
        got = [line.split() for line in (run.stdout + run.stderr).splitlines()]
        commands += 1
        for line in shown:
            if line not in got:
                wrong += 1
                print(f"{page}: {command}: {' '.join(line)}")
assert commands >= 6, commands
sys.exit(wrong > 0)
END

# Its run of LeNet has the hash that is shown.
eval "\"\$CONVOY\" $(sed -nE 's/^\$ convoy (sim .*--net lenet [^#]*).*/\1/p' "$docs/tour.md") --dry-run" >out 2>err || fail "the tour's LeNet: $(cat err)"
says "$docs/tour.md" "results/sim/$(awk '$1 == "hash" { print $2 }' out).h5"

# ---- JSON ----
mkdir -p mine
for k in 1 2; do
	block json $k "$docs/nets.md" >mine/net.json
	expect 0 show net mine/net.json
	block json $k "$docs/specs.md" >mine/mine.json
	expect 0 show experiment mine/mine.json
done
cp "$CONVOY_HOME/nets/zoo/lenet.json" mine/net.json
expect 0 run mine/mine.json --epochs 0.12 --quiet        # a claim about simulated times needs no interval
says out "holds          All-reduce's epochs take three times as long. (ours; your settings)"
block json 3 "$docs/specs.md" >mine/tuned.json
expect 0 show experiment mine/tuned.json

# ---- verdicts and links ----
# The verdicts that two pages name are those of the kept results. So are the numbers of the second,
# each after its link to a table and its row.
"$python" - "$docs" "$CONVOY_SOURCE/results/reference" >out 2>&1 <<'END' || fail "verdicts: $(cat out)"
import glob, json, re, sys
docs, reference = sys.argv[1:]
for page, least in ("papers-claims.md", 90), ("low-communication.md", 20):
    said = re.findall(r"`(?:\w+/)?([\w-]+)` #(\d+) \((\w+)\): ([a-z ]+)", open(f"{docs}/{page}").read())
    assert len(said) > least, (page, len(said))
    for name, number, kind, verdict in said:
        kept = [json.load(open(path)) for path in glob.glob(f"{reference}/*/{name}*/claims.json")]
        claims = [claims[int(number)] for claims in kept if int(number) < len(claims)]
        assert (kind, verdict.strip()) in [(c["kind"], c["verdict"]) for c in claims], (page, name, number, verdict)

numbers = 0
for line in open(f"{docs}/low-communication.md"):
    parts = re.split(r"\]\(\.\./results/reference/([\w/.-]+/tables/[\w-]+\.json)\)", line)
    for table, text in zip(parts[1::2], parts[2::2]):
        rows = json.load(open(f"{reference}/{table}"))["rows"]
        for label, value, decimals in re.findall(r"`([^`]+)`: (\d+\.?(\d*))", text):
            measured = next(row for row in rows if row["label"] == label)["cells"][0]["measured"]
            assert f"{measured:.{len(decimals)}f}" == value, (table, label, value, measured)
            numbers += 1
assert numbers > 20, numbers
END

# The measures of which specs.md says that more is better are those of the code.
awk '/^MEASURE\(/ { name = $2 } / HIGH,/ { print name }' "$CONVOY_SOURCE/record/measures.def" | tr -d '",' | sort >better
sed -n '/^More is better of /,/\. /p' "$docs/specs.md" | sed 's/\. .*//' | grep -o '`[^`]*`' | tr -d '`' | sort | diff - better >out ||
	fail "of which measures is more better? $(cat out)"

# The table of families has every algorithm once.
sed -n '/^| family /,/^$/p' "$docs/low-communication.md" | cut -d'|' -f3 | grep -o '`[^`]*`' | tr -d '`' | sort >families
is "$(cat families)" "$("$CONVOY" list algos --json | jq -r '.[].name' | sort)" "algorithms of the families"

"$python" - "$CONVOY_SOURCE"/*.md "$docs"/*.md "$docs"/experiments/{,settings/}*.md "$CONVOY_SOURCE"/results/reference/*.md "$CONVOY_SOURCE"/results/reference/*/*.md >out <<'END' || fail "links: $(cat out)"
import os, re, sys

def text(page):
    return re.sub(r"^```.*?^```", "", open(page, encoding="utf-8").read(), flags=re.M | re.S)

def anchors(page):
    heads = re.findall(r"^#+ +(.*)$", text(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}

broken = 0
for page in sys.argv[1:]:
    for link in re.findall(r"\]\(([^)\s]+)\)", text(page)):
        path, _, anchor = link.partition("#")
        target = os.path.join(os.path.dirname(page), path) if path else page
        if "://" in link or (os.path.exists(target) and (not anchor or anchor in anchors(target))):
            continue
        print(f"{os.path.basename(page)}: {link}")
        broken += 1
sys.exit(broken > 0)
END

# ---- files ----
# A source file or folder that a page names is there, and so is the function in parentheses after it.
# The walk-throughs of my-algorithm.md and architecture.md write files that do not exist.
"$python" - "$CONVOY_SOURCE" "$CONVOY_SOURCE"/*.md "$docs"/*.md >out <<'END' || fail "files: $(cat out)"
import os, re, sys

top, named, missing = sys.argv[1], 0, 0
folders = "algos|bench|cmake|cmd|core|data|delays|mpi|nets|plan|record|report|runner|sim|study|tests"
name = re.compile(rf"`((?:{folders})/[\w/.-]*)`(?: \(`(\w+)`(?:, `(\w+)`)?\))?")
for page in sys.argv[2:]:
    for path, *functions in name.findall(open(page, encoding="utf-8").read()):
        file = os.path.join(top, path)
        if "polynomial" in path or re.search(r"NAME|[A-Z]{4}", path):
            continue
        named += 1
        if not os.path.exists(file):
            print(f"{os.path.basename(page)}: {path}")
            missing += 1
        elif os.path.isfile(file):
            text = open(file, encoding="utf-8").read()
            for function in filter(None, functions):
                if not re.search(rf"\b{function}\b", text):
                    print(f"{os.path.basename(page)}: {path} has no {function}")
                    missing += 1
assert named > 120, named
sys.exit(missing > 0)
END

# ---- command lines ----
# Joins lines that end in \; leaves out the prompt, comments, and what follows a pipe. A line of the
# README may hold two commands, each with its prompt. The walk-through's algorithm, polynomial, is not built in.
commands() {
	sed -E ':a; /\\$/ { N; s/\\\n//; ba }' "$@" | sed -E 's/^ *`?\$ //; s/ +\$ convoy /\nconvoy /g' |
		grep -E '^((mpirun|srun) .*)?convoy [a-z]+' |
		sed -E 's/^.*(convoy [a-z]+ )/\1/; s/ +#.*//; s/ +[|>] .*//; s/^convoy //; /polynomial/d' | sort -u
}

# takes LINE: the program knows the options and the values.
takes() {
	local options=--help
	case $1 in
	list* | 'show '*) options= ;;
	sim* | train*) options=--dry-run ;;
	esac
	eval "\"\$CONVOY\" $1 $options" >out 2>err </dev/null && return
	# Only the data are missing.
	grep -qE 'set --data|No such file' err || fail "convoy $1: $(cat err)"
}

commands "$readme" "$docs"/*.md "$docs"/experiments/settings/*.md >lines
[ "$(wc -l <lines)" -gt 100 ] || fail "found $(wc -l <lines) command lines"
mkdir -p examples && ln -s "$CONVOY_SOURCE/experiments" examples
while IFS= read -r line; do
	takes "$line"
done <lines

# So it takes the examples of its help, and what its messages advise.
for command in $("$CONVOY" help | sed -nE 's/^  ([a-z]+)  .*/\1/p'); do
	"$CONVOY" help "$command"
done | sed -E 's/^  (convoy .*[^ ])   +[^ ].*$/  \1/; s/^  convoy/$ convoy/' >helps
(cd "$CONVOY_SOURCE" && grep -rhoE "'convoy [a-z]+( [a-z][a-z-]*)*'" --include=*.[ch] cmd core plan report runner sim study) |
	sed "s/'//g" | commands >hints
commands helps >examples.lines
[ "$(wc -l <examples.lines)" -gt 40 ] || fail "found $(wc -l <examples.lines) examples"
[ "$(wc -l <hints)" -gt 10 ] || fail "found $(wc -l <hints) hints"
while IFS= read -r line; do
	takes "$line"
done <examples.lines
while IFS= read -r line; do
	eval "\"\$CONVOY\" $line --help" >out 2>err || fail "convoy $line: $(cat err)"
done <hints

# No training run among them diverges: not of the quadratic functions, nor, in ./dev test long, of LeNet.
grep -hE "^sim .*--net ($(in_long 'lenet|')quadratic)[: ]" lines examples.lines | grep -v -e --timing -e polynomial |
	sed -E 's/ --(timeline|trace|plot|values|seed|gradients|epochs) +[^ ]+//g; s/ --json//' | sort -u >trained
[ "$(wc -l <trained)" -gt 6 ] || fail "found $(wc -l <trained) training runs"
while IFS= read -r line; do
	eval "\"\$CONVOY\" $line --gradients 200 --seed 1..3 --out trained.runs --quiet" >out 2>err </dev/null || true   # one is of a failure
	grep -hE "diverged|above where" out err >bad && fail "convoy $line: $(cat bad)"
done <trained

# Every codec and delay has its row.
for kind in codecs delays; do
	for name in $("$CONVOY" list $kind --json | jq -r '.[].name'); do
		grep -q "^| \`$name[:\`]" "$docs/$kind.md" || fail "$kind.md has no $name"
	done
done

# The README counts the algorithms, prints what its simulation prints, and has the kept table's shares.
says "$readme" "with $("$CONVOY" list algos --json | jq length) synchronous"
awk '/^\$ convoy sim/ { on = 1 } /^```/ { on = 0 } on' "$readme" >shown
eval "\"\$CONVOY\" $(commands shown) --out what-if --quiet" >out 2>err || fail "the README's simulation: $(cat err)"
grep -E '^(algorithm|[a-z-]+(:[a-z=0-9]+)?) ' shown >rows
is "$(wc -l <rows)" 4 "rows of the README's simulation"
while IFS= read -r line; do
	says out "$line"
done <rows
jq -r '.rows[] | .label as $at | .cells | to_entries[] | select(.value.published) |
	"\(.key) \(100 - 100 * .value.published | round) \($at): \(100 - 100 * .value.measured | round) %"' \
	"$CONVOY_SOURCE/results/reference/douillard2025/bandwidth/tables/utilisation.json" >shares
for method in 0 1 4; do
	for share in 50 80 90; do
		says "$readme" "| $(sed -n "s/^$method $share //p" shares) |"
	done
done
says "$CONVOY_SOURCE/CITATION.cff" "version: $("$CONVOY" version | sed -n 's/^convoy //p')"

# Experiments are found by the names that are given, and have the scales.
cat lines examples.lines | grep -vE ' (mine|[a-z]+)/?[a-z-]*\.json| (mine|results)' |
	sed -nE 's/^(run|report|plot|table|claims|watch) ([a-z][a-z0-9/-]*)(.* --scale ([a-z0-9-]+))?.*$/\2 \4/p' |
	sort -u >named
[ "$(wc -l <named)" -gt 50 ] || fail "found $(wc -l <named) experiments"
while read -r name scale; do
	expect 0 show experiment "$name" --json
	[ -z "$scale" ] || jq -e --arg s "$scale" '.scales | has($s)' out >/dev/null || fail "$name has no scale '$scale'"
done <named
# Lessons are run by their bare names, and listed.
(cd "$CONVOY_SOURCE/experiments/tour" && basename -s .json ./*.json) >lessons
is "$("$CONVOY" list lessons --json | jq -r '.[].name' | xargs)" "$(xargs <lessons)" "lessons"
while read -r name; do
	expect 0 run "$name" --dry-run
	says out "tour/$name, scale "
	grep -q "$name" "$docs/tour.md" || fail "the tour does not name the lesson $name"
done <lessons
finish
