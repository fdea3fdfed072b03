# Text files of users: each format alike with a byte order mark and any ends of lines, and refused,
# with line and offset, with a zero byte in it, in UTF-16, or where it is a folder.
# QUICK
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

{
	echo worker,step,seconds
	for k in $(seq 0 29); do
		printf '0,%d,0.%d\n1,%d,0.2\n' "$k" $((k % 7 + 1)) "$k"
	done
} >log.csv
printf '1 2\n3\n6 # last\n' >numbers.txt
printf '0 1\n10 2\n20 3\n' >factors.txt
printf '10 0.3\n30, 0.5 # measured\n\n50\t0.9\n' >table.txt
printf 'layer, bytes, seconds\nfirst, 40000, 0.1\nlast, 100000, 0.3\n' >net.csv
printf '0 1\n1 2\n# a ring\n2 3\n3 0\n' >edges.txt
cat >spec.json <<'END'
{ "title": "a spec",
  "base": { "algo": "asgd", "workers": 2, "timing": true, "net": "lenet", "gradients": 40, "compute_s": 1 } }
END
jq '.delay = "constant" | .workers = 4' "$CONVOY_SOURCE/sim/clusters/knl-opa.json" >machine.json
cp "$CONVOY_SOURCE/nets/zoo/lenet.json" layers.json
printf '%064d 1234 a file\n%064d 99 other\n' 0 0 >sums.txt

# use FILE: what convoy does with it, in the file `out`, without the names of files.
sim="sim --timing --algo allreduce --workers 4 --batch 20 --samples 8000 --gradients 400 --epochs 0 --json --quiet"
use() {
	case $1 in
	log.csv) "$CONVOY" $sim --compute-s 1 --net bytes:4e6 --delay "replay:file=$1" ;;
	numbers.txt) "$CONVOY" $sim --compute-s 1 --net bytes:4e6 --delay "empirical:file=$1" ;;
	factors.txt) "$CONVOY" $sim --compute-s 1 --net bytes:4e6 --delay "profile:file=$1" ;;
	table.txt) "$CONVOY" $sim --compute-s "table:file=$1" --net bytes:4e6 ;;
	net.csv) "$CONVOY" $sim --net "profile:$1" ;;
	edges.txt) "$CONVOY" show graph "file:path=$1" --workers 4 ;;
	spec.json) "$CONVOY" run "$1" --dry-run --quiet ;;
	machine.json) "$CONVOY" show cluster "$1" ;;
	layers.json) "$CONVOY" show net "$1" ;;
	sums.txt) "$CONVOY" data get text8 -o . --sums "$1" --url "http://127.0.0.1:1" ;;
	esac >out 2>err
}
answer() { use "$1"; echo $?; sed 's/"wall_s": *[^,}]*//; s/ in [0-9.]* s$//' out; }

for file in log.csv numbers.txt factors.txt table.txt net.csv edges.txt spec.json machine.json layers.json sums.txt; do
	answer $file >want
	cp $file plain
	[ $file = sums.txt ] || is "$(head -1 want)" 0 "$file: $(cat err)"
	for change in 's/^/\xef\xbb\xbf/;2,$s/^\xef\xbb\xbf//' 's/$/\r/'; do
		sed "$change" plain >$file
		answer $file >got
		cmp -s want got || fail "$file after $change: $(cat err; diff want got)"
	done
	tr '\n' '\r' <plain >$file
	answer $file >got
	cmp -s want got || fail "$file with CR: $(cat err)"
	{ head -2 plain && printf '\0\n' && tail -n +3 plain; } >$file
	use $file && fail "$file: a zero byte passes"
	says err "$file:3: a zero byte at offset $(head -2 plain | wc -c) ("
	one_line
	{ printf '\xff\xfe'; sed 's/./&\x00/g' plain; } >$file
	use $file && fail "$file: UTF-16 passes"
	says err "$file:1: a text in UTF-16 (expected UTF-8). Save it as UTF-8"
	one_line
	rm $file
	mkdir $file
	use $file && fail "$file: a folder passes"
	says err "Is a directory"
	one_line
	rmdir $file
	cp plain $file
done

# Tables of compute times, and of layers, with columns by name, order and unit.
answer table.txt >want
printf '"step time (ms)";batch_size;device\n300;10;a\n500;30;b\n900;50;c\n' >table.txt
answer table.txt >got
cmp -s want got || fail "a table with a header: $(cat err; diff want got)"
printf 'batch,time\n10,300\n' >table.txt
use table.txt && fail "columns of another name pass"
says err "table.txt:1: columns: batch, time; expected batch, seconds. Call the column 'seconds' that has"
answer net.csv >want
printf 'duration_ms\tparams\tname\n100\t10000\tfirst\n300\t25000\t"last, and least"\n' >net.csv
answer net.csv >got
cmp -s want got || fail "a profile with other columns: $(cat err; diff want got)"
finish
