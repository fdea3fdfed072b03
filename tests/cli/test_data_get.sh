# data get, against a server of our own: ranges, restarts, wrong contents, unpacking, Ctrl-C.
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/lib.sh"
need python3
need sha256sum
unset CONVOY_DATA
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1

expect 129 data get
expect 129 data get cifar10
says err "CONVOY_DATA"
expect 1 data get cifar11 -o there
says err "did you mean 'cifar10'"
expect 0 data get --help
says out "--url BASE"

# Without libcurl it says so, and that is all there is to test.
expect 1 data get mnist -o there --url ftp://127.0.0.1/mnist
if grep -q "without libcurl" err; then
	echo "skipped: built without libcurl"
	exit 77
fi
says err "only http and https"

# The sets as published, but small: CIFAR-10 with 100 records a file, MNIST with 3 digits.
mkdir files
cat >make.py <<'END'
import gzip, io, os, random, struct, tarfile
random.seed(5)
def records(n):
    return b"".join(bytes([i % 10]) + random.randbytes(3072) for i in range(n))
def add(tar, name, data, **more):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in more.items():
        setattr(info, key, value)
    tar.addfile(info, io.BytesIO(data))
def archive(path, evil):
    with tarfile.open(path, "w:gz", format=tarfile.USTAR_FORMAT, compresslevel=1) as tar:
        add(tar, "cifar-10-batches-bin", b"", type=tarfile.DIRTYPE)
        for i in range(1, 6):
            add(tar, "cifar-10-batches-bin/data_batch_%d.bin" % i, records(100))
        if evil:
            add(tar, "../outside", b"x")
            add(tar, "cifar-10-batches-bin/../outside", b"x")
            add(tar, "cifar-10-batches-bin//../../outside", b"x")
            add(tar, os.path.abspath("outside"), b"x")
            add(tar, "cifar-10-batches-binary/outside", b"x")
            add(tar, "cifar-10-batches-bin/link", b"", type=tarfile.SYMTYPE, linkname="..")
            add(tar, "cifar-10-batches-bin/link/outside", b"x")
            add(tar, "cifar-10-batches-bin/hard", b"", type=tarfile.LNKTYPE, linkname="../make.py")
        add(tar, "cifar-10-batches-bin/test_batch.bin", records(100))
archive("files/cifar-10-binary.tar.gz", False)
archive("files/evil.tar.gz", True)
with gzip.open("files/huge.tar.gz", "wb") as f:
    huge = tarfile.TarInfo("elsewhere/huge")
    huge.size = 2**31
    f.write(huge.tobuf() + bytes(20000))
with tarfile.open("files/empty.tar.gz", "w:gz") as tar:
    add(tar, "cifar-10-batches-bin/readme", b"nothing else")
for name, n in (("train", 3), ("t10k", 3)):
    with gzip.open("files/%s-images-idx3-ubyte.gz" % name, "wb") as f:
        f.write(struct.pack(">iiii", 2051, n, 28, 28) + random.randbytes(n * 784))
    with gzip.open("files/%s-labels-idx1-ubyte.gz" % name, "wb") as f:
        f.write(struct.pack(">ii", 2049, n) + bytes(range(n)))
END
python3 make.py
sums() {
	for name; do
		echo "$(sha256sum "files/$name" | cut -c1-64) $(stat -c %s "files/$name") $name"
	done
}
sums cifar-10-binary.tar.gz >cifar.sums
sums {train,t10k}-{images-idx3,labels-idx1}-ubyte.gz >mnist.sums
size=$(stat -c %s files/cifar-10-binary.tar.gz)

python3 "$tests/server.py" files port log &
server=$!
cleanup() { kill $server 2>/dev/null; }
await test -e port
base=http://127.0.0.1:$(cat port)

# get CODE SERVED-AS: fetches the small CIFAR-10 into ./there.
get() {
	: >log
	expect "$1" data get cifar10 -o there --url "$base/$2" --sums cifar.sums --quiet
}
asked() { is "$(awk '{ print $2, $3 }' log | tr '\n' ';')" "$1" "requests"; }
clean() { rm -rf there; }
begin() {
	clean
	mkdir there
	head -c "$1" "${2:-files/cifar-10-binary.tar.gz}" >there/cifar-10-binary.tar.gz.part
}
unpacked() {
	is "$(find there -type f | sort | tr '\n' ' ')" "$(for i in 1 2 3 4 5; do
		printf 'there/cifar-10-batches-bin/data_batch_%d.bin ' $i
	done)there/cifar-10-batches-bin/test_batch.bin "
}

# Fetched, checked, unpacked; the loader finds it, by dir and by CONVOY_DATA; not fetched twice.
get 0 range
is "$(cat out)" there/cifar-10-batches-bin
says err "cifar10:dir=there"
asked "- 200;"
unpacked
expect 0 data info cifar10:dir=there,any=true
says out "500 images, 50 of each class"
says out "there/cifar-10-batches-bin"
CONVOY_DATA=$here/there expect 0 data info cifar10:any=true
get 0 range
asked ""
clean
get 0 moved
asked "- 302;- 200;"

# Each file is on disk before it has its name, and the archive goes last.
if [ -z "${CONVOY_SANITIZE:-}" ] && strace -o calls true 2>/dev/null; then
	clean
	strace -f -o calls -e trace=fsync,rename,unlink "$CONVOY" data get cifar10 -o there \
		--url "$base/range" --sums cifar.sums --quiet >out 2>err || fail "$(cat err)"
	is "$(grep -oE '(fsync|rename|unlink)\(' calls | tr -d '\n')" \
		"$(printf 'fsync(rename(%.0s' 0 1 2 3 4 5 6)unlink("
fi

# A partial download is resumed; where the server gives no ranges, all of it is fetched again.
begin 70000
get 0 range
asked "bytes=70000- 206;"
unpacked
begin 70000
get 0 plain
asked "bytes=70000- 200;"
unpacked
# All of it, but never renamed: nothing is asked for.
begin "$size"
get 0 range
asked ""
unpacked

# The connection is cut again and again: each request goes on from there.
clean
get 0 cut
is "$(head -2 log | awk '{ print $2, $3 }' | tr '\n' ';')" "- 200;bytes=100000- 206;"
unpacked

# Without ranges each answer begins again: as long as one brings more than any before.
clean
get 0 more
is "$(tail -1 log | awk '{ print $2, $3 }')" "bytes=1500000- 200"
unpacked
clean
get 1 uneven
asked "- 200;bytes=100000- 200;bytes=50000- 200;"
says err "of $size bytes are in there/cifar-10-binary.tar.gz.part, but the server gives no ranges"

# A part of another file, or longer than the file; a range that is not the one asked for.
begin 70000 /dev/zero
get 0 range
asked "bytes=70000- 206;- 200;"
unpacked
begin $((size + 7)) /dev/zero
get 0 range
asked "- 200;"
unpacked
begin 70000
get 0 off
asked "bytes=70000- 206;- 200;"
unpacked

# What is not the published file: nothing is left of it. Not there: said.
clean
get 1 other
says err "contents are not those published"
is "$(find there -type f)" ""
clean
get 1 long
says err "more than the $size bytes"
is "$(find there -type f)" ""
clean
get 1 short
says err "of $size bytes are in there/cifar-10-binary.tar.gz.part"
clean
get 1 ranges-of-short
says err "416"
clean
get 1 nowhere
says err "$base/nowhere/cifar-10-binary.tar.gz"
says err "404"
is "$(find there -type f)" ""
expect 1 data get cifar10 -o there --url http://127.0.0.1:1/ --quiet
says err "127.0.0.1:1/cifar-10-binary.tar.gz"
: >plainfile
expect 1 data get cifar10 -o plainfile --url "$base/range" --quiet
says err plainfile

# The published sums are what counts without others.
clean
expect 1 data get cifar10 -o there --url "$base/range" --quiet

# An archive that means harm writes nothing outside of its folder; a broken one is named.
cp files/cifar-10-binary.tar.gz good
cp files/evil.tar.gz files/cifar-10-binary.tar.gz
sums cifar-10-binary.tar.gz >cifar.sums
clean
get 0 range
[ -L there/cifar-10-batches-bin/link ] && fail "a link was unpacked"
rm -r there/cifar-10-batches-bin/link
unpacked
[ -e outside ] && fail "the archive wrote outside of its folder"
cp files/empty.tar.gz files/cifar-10-binary.tar.gz
sums cifar-10-binary.tar.gz >cifar.sums
clean
get 1 range
says err "not all of the set's files are in it"
cp files/huge.tar.gz files/cifar-10-binary.tar.gz
sums cifar-10-binary.tar.gz >cifar.sums
clean
get 1 range
says err "'elsewhere/huge' has an impossible size"
# cannot_unpack REASON: that, or as libarchive 3.8 says it of either.
cannot_unpack() {
	grep -qE "cifar-10-binary.tar.gz: cannot unpack: ($1|Truncated tar archive detected)" err ||
		fail "err does not say: $1: $(cat err)"
}
head -c 200000 good >files/cifar-10-binary.tar.gz
sums cifar-10-binary.tar.gz >cifar.sums
clean
get 1 range
cannot_unpack "truncated gzip input"
is "$(find there -name '*.part')" ""
{ head -c 150000 good; head -c 200000 /dev/zero; } >files/cifar-10-binary.tar.gz
sums cifar-10-binary.tar.gz >cifar.sums
clean
get 1 range
cannot_unpack "gzip decompression failed"
head -c 100000 /dev/zero | tr '\0' x >files/cifar-10-binary.tar.gz
sums cifar-10-binary.tar.gz >cifar.sums
clean
get 1 range
says err "cifar-10-binary.tar.gz: cannot unpack: Unrecognized archive format"
cp good files/cifar-10-binary.tar.gz
sums cifar-10-binary.tar.gz >cifar.sums

# Ctrl-C keeps the part, whose bytes are those of the file, and the next time goes on.
clean
launch data get cifar10 -o there --url "$base/slow" --sums cifar.sums
has_some() { [ "$(stat -c %s there/cifar-10-binary.tar.gz.part 2>/dev/null || echo 0)" -gt 50000 ]; }
await has_some
# No other process may write to it meanwhile.
get 1 range
says err "another process is writing it"
ends 130 INT
part=there/cifar-10-binary.tar.gz.part
[ "$(stat -c %s $part)" -gt 50000 ] || fail "no part is left"
cmp -n "$(stat -c %s $part)" $part files/cifar-10-binary.tar.gz || fail "the part is another file's"
held=$(stat -c %s $part)
get 0 range
asked "bytes=$held- 206;"
unpacked

# MNIST stays packed; one file that is wrong is fetched again, alone.
mnist() { : >log; expect 0 data get mnist -o there --url "$base/range" --sums mnist.sums --quiet; }
clean
mnist
is "$(cat out)" there/mnist
is "$(ls there/mnist | wc -l)" 4
expect 0 data info mnist:dir=there
says out "3 images"
printf x >>there/mnist/t10k-labels-idx1-ubyte.gz
mnist
is "$(awk '{ print $1 }' log)" /range/t10k-labels-idx1-ubyte.gz
expect 1 data get mnist -o there --url "$base/range" --sums make.py
says err "make.py: line 1"
finish
