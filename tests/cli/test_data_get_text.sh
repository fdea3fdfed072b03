# data get of texts, against a server of our own: zip archives, with a folder of their own and without.
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/lib.sh"
need python3
need sha256sum
unset CONVOY_DATA
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1

expect 1 data get mnist -o there --url ftp://127.0.0.1/mnist
if grep -q "without libcurl" err; then
	echo "skipped: built without libcurl"
	exit 77
fi
expect 1 data get wikitext2 -o there
says err "did you mean 'wikitext-2'"

# The sets as published, but small.
mkdir files
cat >make.py <<'END'
import zipfile
def archive(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in files["files"].items():
            z.writestr(name, text)
line = " = Title = \n \n the cat <unk> the mat \n"
for name in ("wikitext-2", "wikitext-103"):
    archive("files/%s-v1.zip" % name, files={
        name + "/": "", name + "/wiki.train.tokens": line * 20,
        name + "/wiki.valid.tokens": line * 3, name + "/wiki.test.tokens": line * 2})
archive("files/enwik8.zip", files={"enwik8": "<mediawiki> \u00e9 </mediawiki>\n" * 40,
                                   "../outside": "x", "sub/outside": "x", "/outside": "x"})
archive("files/text8.zip", files={"text8": " anarchism originated as a term" * 40})
archive("files/bare.zip", files={"readme": "nothing else"})
with open("files/input.txt", "w") as f:
    f.write("First Citizen:\nBefore we proceed any further, hear me speak.\n\n" * 20)
END
python3 make.py

python3 "$tests/server.py" files port log &
server=$!
cleanup() { kill $server 2>/dev/null; }
for _ in $(seq 200); do
	[ -e port ] && break
	sleep 0.05
done
[ -e port ] || fail "the server does not start"
base=http://127.0.0.1:$(cat port)

# get CODE SET FILE: fetches that set as FILE.
get() {
	: >log
	echo "$(sha256sum "files/$3" | cut -c1-64) $(stat -c %s "files/$3") $3" >sums
	expect "$1" data get "$2" -o there --url "$base/range" --sums sums --quiet
}
held() { is "$(find there -type f | LC_ALL=C sort | tr '\n' ' ')" "$1"; }
words="there/%s/wiki.test.tokens there/%s/wiki.train.tokens there/%s/wiki.valid.tokens "

# Fetched, checked, unpacked and found, as the note says; not fetched twice.
get 0 wikitext-2 wikitext-2-v1.zip
is "$(cat out)" there/wikitext-2
says err "set CONVOY_DATA=there and use it as --data text:unit=word,file=wikitext-2/wiki.train.tokens,valid=wikitext-2/wiki.valid.tokens"
held "$(printf "${words//%s/wikitext-2}")"
CONVOY_DATA=there expect 0 data info "$(sed 's/.*--data //' err),window=4"
says out "vocabulary 7"
get 0 wikitext-2 wikitext-2-v1.zip
is "$(cat log)" "" "requests"
get 0 wikitext-103 wikitext-103-v1.zip
held "$(printf "${words//%s/wikitext-103}${words//%s/wikitext-2}")"
rm -r there

# Archives without a folder get one; nothing else of them is written.
get 0 enwik8 enwik8.zip
get 0 text8 text8.zip
held "there/enwik8/enwik8 there/text8/text8 "
[ ! -e outside ] || fail "the archive wrote outside of its folder"
export CONVOY_DATA=there
expect 0 data info text:unit=byte,file=text8/text8
expect 0 data info text:unit=byte,file=enwik8/enwik8
unset CONVOY_DATA
get 0 tinyshakespeare input.txt
CONVOY_DATA=there expect 0 data info text
says out "nothing published to compare it with"

# What is not the published file is refused; so is an archive without it.
rm -r there
expect 1 data get text8 -o there --url "$base/range" --quiet
[ ! -e there/text8 ] || fail "a file that is not the published one was unpacked"
cp files/bare.zip files/text8.zip
get 1 text8 text8.zip
says err "not all of the set's files are in it"
head -c 200 files/enwik8.zip >files/text8.zip
get 1 text8 text8.zip
says err "text8.zip: cannot unpack"
finish
