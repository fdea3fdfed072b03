#!/bin/bash
# SANITIZED
# Files made to do harm: specs, nets, results and names of pictures neither run commands, nor read
# the environment, nor drive the terminal, nor use all memory.
. "$(dirname "$0")/lib.sh"

# ---- filters of claims ----
cat >claims.json <<'END'
{ "title": "claims",
  "base": { "algo": "asgd", "workers": 2, "timing": true, "net": "lenet", "gradients": 200 },
  "claims": [
    { "kind": "ours", "says": "all of it", "where": "-", "jq": "true", "shows": "env" },
    { "kind": "ours", "says": "one", "where": "-", "jq": "true", "shows": "$ENV.TOKEN // \"unset\"" },
    { "kind": "ours", "says": "control", "where": "-", "jq": "true", "shows": "\"a\\u001b]0;b\\u0007\\u009b1m\"" },
    { "kind": "ours", "says": "memory", "where": "-", "jq": "reduce range(40) as $i (\"x\"; . + .) | length > 0" },
    { "kind": "ours", "says": "message", "where": "-", "jq": "error(\"x\" * 100000)" } ] }
END
TOKEN=secret-of-mine expect 1 run claims.json --out c
grep -rq secret-of-mine out err c && fail "a filter read the environment"
says out 'all of it (ours): {}'
says out 'one (ours): unset'
says out 'the filter used too much memory'
grep -q $'[\033\007]' out && fail "a filter's answer drives the terminal"
grep -q "$(printf 'x%.0s' $(seq 500))" out && fail "a filter's message has no bound"

# Where descriptors have run out, that is said.
for n in 6 7; do
	(
		ulimit -n $n
		timeout 60 "$CONVOY" claims claims.json --out c 2>&1 | grep -m1 'jq: ' >why
	) 2>/dev/null
	grep -q crashed why && fail "$n descriptors: $(cat why)"
done

# ---- names of pictures ----
picture() {
	expect 0 sim --algo asgd,allreduce --workers 2,4 --timing --gradients 400 --plot "$1" --out p
}
picture "x'; system('touch pwned'); y='.svg"
[ -s "x'; system('touch pwned'); y='.svg" ] || fail "not drawn"
picture $'x\nsystem(\'touch pwned\')\n.svg'
picture '<touch pwned;.svg'
picture '|touch pwned;.svg'
picture '`touch pwned`.svg'
picture '-persist.svg'
[ -s ./-persist.svg ] || fail "not drawn"
[ ! -e pwned ] || fail "the name of a picture was run"
long=$(printf 'n%.0s' $(seq 200))
picture "$long.svg"
[ -s "$long.svg" ] || fail "the name was cut"
mkdir home
echo 'set terminal dumb; system("touch read")' >home/.gnuplot
HOME=$here/home picture plain.svg
[ ! -e read ] || fail "the user's own settings of gnuplot were read"

# ---- labels with quotes ----
cat >quotes.json <<'END'
{ "title": "quotes",
  "base": { "algo": "asgd", "workers": 2, "timing": true, "net": "lenet", "gradients": 200 },
  "grid": { "workers": [2, 4], "slow": ["none", "0:3"] },
  "plots": [ { "name": "q", "title": "''quoted'' \"and\" `twice`", "from": "runs", "x": "workers", "y": "time_s",
    "series": "slow", "labels": { "none": "'none'", "0:3": "it''s \\slow" } },
    { "name": "x", "title": "a]]>b]]>]]>", "from": "runs", "x": "workers", "y": "time_s", "series": "slow",
    "xlabel": "]]]>", "labels": { "none": "<&]]>", "0:3": "]]>'x'\n]]>" } } ] }
END
expect 0 run quotes.json --out q
grep -q 'was not drawn' err && fail "a label with quotes was not drawn"
says q/quotes/default/plots/q.svg "''quoted''"
says q/quotes/default/plots/q.svg "it''s \\slow"
if python=$(python_with xml.dom.minidom); then
	"$python" -c 'import sys, xml.dom.minidom as x
text = x.parse(sys.argv[1]).toxml()
assert "a]] >b]] >]] >" in text.replace("&gt;", ">"), text' q/quotes/default/plots/x.svg ||
		fail "a label with ]]> made an SVG that is no XML, or has no such label"
fi
# Numbers of seeds in a kept plot that no int holds.
sed -i 's/"seeds":[^]]*\]/"seeds":[1e30,-1e30]/' q/quotes/default/plots/q.json
grep -q 1e30 q/quotes/default/plots/q.json || fail "no numbers of seeds: $(cat q/quotes/default/plots/q.json)"
expect 0 report --plots q

# ---- labels, values and names that mean something to what they are pasted into ----
cat >paste.json <<'END'
{ "title": "}\\input{/etc/passwd}% & $x$",
  "base": { "algo": "asgd", "workers": 2, "timing": true, "net": "lenet", "gradients": 200 },
  "grid": { "workers": [2, 4], "slow": ["none", "0:3"] },
  "labels": { "2": "[9cm]$(touch pwned)", "4": "*\\write18{touch pwned}", "workers": "]]><script>x</script>",
    "none": "=cmd|' /C calc'!A0,\"x\"", "0:3": "`touch pwned`\"; system(\"touch pwned\"); \"%s%n" },
  "tables": [ { "name": "t", "title": "}\\end{table}\\input{x}", "rows": "workers", "columns": "slow", "values": ["time_s"] } ],
  "plots": [ { "name": "q", "title": "}\\input{x}", "from": "runs", "x": "workers", "y": "time_s", "series": "slow" } ],
  "claims": [ { "kind": "ours", "says": "'\"$(touch pwned)", "jq": "\"(\" | true) elif $_k == 1 then ( \")\" | true" },
    { "kind": "ours", "says": "]]><script>x</script>", "jq": "false" } ] }
END
expect 1 run paste.json --out paste
says err 'paste.json: claims[0]: jq: '
jq '.claims[0].jq = "\"(\" | . == \"(\"" | .claims[1].shows = "\"]]><script>\""' paste.json >paste.json.new && mv paste.json.new paste.json
expect 0 run paste.json --out paste
is "$(jq -c 'map(.verdict)' paste/paste/default/claims.json)" '["holds","fails"]' "each its own verdict"
expect 0 table paste.json --out paste --format latex
says out '\caption{\}\textbackslash{}end\{table\}\textbackslash{}input\{x\}}'
says out '{}[9cm]\$(touch pwned) & '
says out '{}*\textbackslash{}write18\{touch pwned\} & '
expect 0 plot paste.json --out paste --format tex
grep -q '\\input' paste/paste/default/plots/q.tex && fail "a title is a command of LaTeX"
expect 0 report paste.json --out paste
grep -q '<script>' paste/paste/default/report.html && fail "a label is markup"
[ ! -e pwned ] || fail "a label was run"
expect 1 sim --algo asgd,allreduce --workers 2,4 --timing --gradients 400 --plot 'a}\input{x}.tex' --out p
says err "LaTeX does not take a file of this name"
for name in ../../evil .evil sub/evil; do
	jq --arg name $name '.name = $name' paste/paste/default/plots/q.json >paste/paste/default/plots/r.json
	expect 1 report --plots paste
	says err "expected 'name': a name of letters"
done
[ -z "$(find . -name '*evil*')" ] || fail "a plot was written elsewhere"
jq '.series[0].algo = "a,b\n\"c\""' paste/paste/default/plots/q.json >paste/paste/default/plots/q.new
mv paste/paste/default/plots/q.new paste/paste/default/plots/q.json
rm paste/paste/default/plots/r.json
expect 0 report --plots paste
says paste/paste/default/plots/q.csv '"a,b'
is "$(python3 -c 'import csv, sys; print(len({len(r) for r in csv.reader(open(sys.argv[1], newline=""))}))' paste/paste/default/plots/q.csv)" \
	1 "numbers of columns"
# The scripts of the shells put words on the command line as they are.
jq 'del(.claims) | .grid.slow = ["none", "0:3"] | .grid.net = ["lenet", "$(touch pwned)", "a;touch pwned", "x y"] | .scales = {}' paste.json >words.json
for what in "run words.json --only net=" "plot words.json --net " "run words.json --"; do
	expect 0 complete $what
	cut -f 1 out | grep -q '[$;` ]' && fail "complete offers what a shell runs: $(cat out)"
done
jq --arg name 'a"]; b [label="c\' '.layers[0].name = $name | .input = [4, 4, 1]' "$CONVOY_HOME/nets/zoo/mlp.json" >net.json
expect 1 show net net.json --plot
says err "at most 32 letters, digits, '_' and '-'"

# ---- texts that drive the terminal, or are markup ----
cat >texts.json <<'END'
{ "title": "T\u001b[31m\u009b1m <script>x</script> \u202etxt.exe\u2066 \u200f\u200e\u061c\u2028\ufeff",
  "plots": [ { "name": "p", "title": "\u202bR", "from": "runs", "x": "workers", "y": "time_s", "xlabel": "\u2067x" } ],
  "labels": { "2": "two \u202d", "4": "four" }, "grid": { "workers": [2, 4] },
  "base": { "algo": "asgd", "workers": 2, "timing": true, "net": "lenet", "gradients": 200 },
  "tables": [ { "name": "t", "title": "*a* [b](javascript:c)\u001b]0;d\u0007", "rows": "workers",
    "columns": "algo", "values": ["time_s"] } ] }
END
expect 0 run texts.json --out t
cat out err t/texts/default/tables/* >shown
expect 0 report texts.json --out t
cat t/texts/default/report.html t/texts/default/plots/p.{svg,csv,gp} >>shown
grep -q $'[\033\007\177]' shown && fail "a text drives the terminal"
grep -q $'\302\233' shown && fail "a C1 control character is shown"
for hidden in 330\\234 342\\200\\2{16,17,50,52,53,55,56} 342\\201\\2{46,47} 357\\273\\277; do
	LC_ALL=C grep -q "$(printf "\\$hidden")" shown && fail "the hidden character \\$hidden is shown"
done
grep -q '<script>' t/texts/default/report.html && fail "a title is markup"
says t/texts/default/report.html "Content-Security-Policy"
says t/texts/default/tables/t.md '### \*a\* [b\](javascript:c)'

# Names of the user's own: exact for a script, printable on a terminal.
expect 0 sim --algo asgd --workers 2 --timing --gradients 200 --out $'o\033]0;x\007'
grep -q $'o\033]0;x\007/sim/' out || fail "a name is not as it was given"
if command -v script >/dev/null; then
	cat >on_a_terminal <<-'END'
		"$CONVOY" sim --algo asgd --workers 2 --timing --gradients 200 --out $'o\033]0;x\007'
		"$CONVOY" complete plot $'o\033'
	END
	script -qec "bash on_a_terminal" typescript >shown
	grep -q $'[\033\007]' shown && fail "a name drives the terminal"
	says shown 'o ]0;x /sim/'
fi

# A path that is not UTF-8 is no reason for JSON or attributes that are none.
expect 0 sim --algo asgd --workers 2 --timing --gradients 200 --out $'b\377d' --json
iconv -f UTF-8 -t UTF-8 out >/dev/null || fail "JSON that is not UTF-8"
says out '"b?d/sim/'
if python=$(python_with h5py); then
	"$python" -c 'import glob, h5py
for group in h5py.File(glob.glob(b"b\xffd/sim/*.h5")[0], "r").values():
    for value in group.attrs.values():
        if isinstance(value, bytes):
            value.decode()' || fail "a text attribute that is not UTF-8"
fi

# ---- symbolic links in the way of what is written ----
echo precious >precious
mkdir -p l
ln -s "$here/precious" l/run.h5.part
expect 0 sim --algo asgd --workers 2 --net quadratic --lr 0.01 --gradients 200 --file l/run.h5
rm l/run.h5
ln -s "$here/precious" l/run.h5.part.new
ln -s "$here/precious" l/run.h5.new
ln -s "$here/precious" l/x.gp.new
ln -s "$here/absent" l/t.h5.new
expect 0 sim --algo asgd --workers 2 --net quadratic --lr 0.01 --gradients 200 --file l/run.h5
expect 0 sim --algo asgd --workers 2,4 --timing --gradients 200 --plot l/x.svg --out l
expect 0 sim --algo asgd --workers 2 --net quadratic --lr 0.01 --gradients 100 --out l --trace l/t.h5
[ ! -e absent ] || fail "a trace followed a symbolic link"
is "$(cat precious)" precious "a symbolic link was followed"
[ -z "$(ls l | grep '\.new$')" ] || fail "what a killed process left is still there"

# ---- sizes and names of specs ----
expect 1 run /dev/zero
says err 'larger than 64 MiB'
cp claims.json $'a\nb.json'
expect 1 run $'a\nb.json'
says err 'must not hold line breaks'
cp claims.json index.html.json
expect 1 run index.html.json
says err 'report --all'

# ---- the table that ends a run of several experiments ----
expect 1 run claims.json $'no\xed\xa0\x80such' --quiet
says out 'no???such'

finish
