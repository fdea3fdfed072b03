# QUICK
# Texts: a run's hash and result know the contents of the files; bad files and settings.
. "$(dirname "$0")/lib.sh"
need jq
unset CONVOY_DATA

net="--net gpt-tiny --workers 1 --batch 4 --gradients 2"
put() { for _ in 1 2 3 4 5 6 7 8 9; do printf '%s' "$2"; done >"$1"; }
# plan DATA: the hash of a run; its settings are in out.
plan() {
	expect 0 sim $net --data "$1" --dry-run --json
	jq -r .hash out
}
contents() { jq -r .data out | sed 's/.*contents=//; s/,.*//'; }

put a.txt 'to be or not to be, '
small=text:file=a.txt,window=8
first=$(plan $small)
plan $small >/dev/null
digest=$(contents)
expect 0 data info $small --json
is "$digest" "$(jq -r .digest out)"
expect 0 sim $net --data $small --dry-run
says out "contents=$digest"

# Another text under the same name is another run; the same text again, however packed, is the same.
put a.txt 'to be or not to be; '
[ "$(plan $small)" != "$first" ] || fail "another text has the same hash"
put a.txt 'to be or not to be, '
is "$(plan $small)" "$first"
cp a.txt kept
gzip a.txt
export CONVOY_DATA=$here
is "$(plan $small)" "$first" "packed"
unset CONVOY_DATA
rm a.txt.gz
cp kept a.txt

# A text for validation counts as well.
put v.txt 'be to '
with=$(plan $small,valid=v.txt)
[ "$with" != "$first" ] || fail "a text for validation changes nothing"
put v.txt 'or to '
[ "$(plan $small,valid=v.txt)" != "$with" ] || fail "another text for validation has the same hash"

# A digest that is asked for must be there; it does not change the hash.
is "$(plan $small,contents=$digest)" "$first"
expect 1 sim $net --data $small,contents=0123456789abcdef --dry-run
says err "a.txt: the text has the digest $digest (expected 0123456789abcdef"

# The result has it; what was trained on one text is not sampled with another.
expect 0 sim $net --data $small --keep-model --quiet --out runs
file=$(ls runs/sim/*.h5)
expect 0 sample "$file" --tokens 3
put a.txt 'to be or not to be; '
expect 1 sample "$file" --tokens 3
says err "expected $digest"
cp kept a.txt

# Tiny Shakespeare is known without its file, which a dry run misses; another text under its name is
# another run.
expect 1 sim $net --data text --dry-run --json
known=$(jq -r .hash out)
mkdir -p data/tinyshakespeare
head -c 5000 /dev/zero | tr '\0' x >data/tinyshakespeare/input.txt
export CONVOY_DATA=$here/data
[ "$(plan text)" != "$known" ] || fail "another text under the name of tiny Shakespeare"
unset CONVOY_DATA

# What cannot be a text.
printf 'ab cd\xFFe' >bad.txt
expect 1 sim $net --data text:file=bad.txt,unit=word --dry-run
says err "bad.txt:1: byte 6 of the text is not UTF-8 (unit=word needs UTF-8)"
printf 'abc' >short.txt
expect 1 sim $net --data text:file=short.txt,window=8 --dry-run
says err "the training text has 2 tokens, fewer than a window of 8"
put v.txt 'be zap '
expect 1 sim $net --data text:file=a.txt,window=8,valid=v.txt,unit=word --dry-run
says err "v.txt:1: 'zap' is not in the vocabulary, which is that of the training text."
expect 1 sim $net --data text:file= --dry-run
says err "no file is named"
expect 1 sim $net --data text:file=wikitext-2/wiki.train.tokens --dry-run
says err "or fetch it: convoy data get wikitext-2 -o DIR"
finish
