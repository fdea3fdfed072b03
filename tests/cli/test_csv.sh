# QUICK
# SANITIZED
# Tables of the user's own: columns, kinds of targets, the draw of test rows, and what is refused.
. "$(dirname "$0")/lib.sh"
need jq

# 60 rows: a number that tells the class, one that does not, an id; a class and a number as targets.
awk 'BEGIN { print "id,wide,noise,kind,price"
	for (i = 0; i < 60; i++) {
		k = i % 3
		printf "r%d,%d.%d,%d,%s,%.1f\n", i, 10 * k, i % 7, i * 37 % 11, substr("cat dog eel", 4 * k + 1, 3), 2 * k + 0.5
	} }' >animals.csv

expect 0 list data
says out "csv "
expect 0 data info csv:file=animals.csv,target=kind,without=id/price
says out "vectors    1 x 1 x 2"
says out "classes    3"
says out "train      48 vectors"
says out "test       12 vectors"
says err "column 'kind' has words, which are classes: 0 cat, 1 dog, 2 eel"
digest=$(sed -n 's/^digest *\([0-9a-f]*\).*/\1/p' out)

# Columns may be named by their number, and separated otherwise: the same numbers.
expect 0 data info csv:file=animals.csv,target=4,without=1/5
says out "$digest"
sed 1d animals.csv | cut -d, -f2-4 | tr , ';' >plain.csv
expect 0 data info csv:file=plain.csv
says out "$digest"
says err "column 3 has words"
expect 0 data info csv:file=plain.csv,seed=1
grep -q "$digest" out && fail "another draw, the same test rows"
expect 0 data info csv:file=plain.csv,share=0.5
says out "test       30 vectors"

sed '2,$s/,/e6,/' animals.csv | sed '2,$s/^r//' >large.csv
expect 0 data info csv:file=large.csv,target=kind,without=price
says err "large.csv: inputs are as large as 5.9e+07, with which training may diverge; standardise=true gives each"
expect 0 data info csv:file=large.csv,target=kind,without=price,standardise
grep -q "as large as" err && fail "standardised inputs are not large: $(cat err)"

# An index, as pandas writes one without a name, is no input; a column that counts the rows is told.
awk -F, 'NR == 1 { print "," $0 } NR > 1 { print NR - 2 "," $0 }' animals.csv >index.csv
expect 0 data info csv:file=index.csv,target=kind,without=id/price
says out "$digest"
says err "index.csv: column 1 has no name, as an index that pandas writes, and is left out. Name it to keep it"
sed '1s/^/Unnamed: 0/' index.csv >again.csv
expect 0 data info csv:file=again.csv,target=kind,without=id/price
says out "$digest"
sed '1s/^/row/' index.csv >row.csv
expect 0 data info csv:file=row.csv,target=kind,without=id/price
says out "vectors    1 x 1 x 3"
says err "row.csv: column 'row' counts the rows, so a net can learn where in the file a sample was. To leave it out: without=row"

run="sim --net mlp --workers 2 --algo asgd --batch 8 --lr 0.01 --epochs 20 --compute-s 1 --quiet --json"
expect 0 $run --data csv:file=animals.csv,target=kind,without=id/price,standardise
is "$(jq '.test_accuracy > 0.9' out)" true
says out "contents=$digest"
expect 0 $run --data csv:file=animals.csv,without=id/kind,standardise
is "$(jq '[.test_loss < 1, .test_accuracy]' -c out)" '[true,null]'
# Labels that a program wrote as floats: numbers, as a note says, or classes.
awk -F, 'BEGIN { print "a,b,y" } { print NR % 7 ",", NR % 3 "," NR % 2 ".0" }' OFS= <(seq 60) | tr -d ' ' >floats.csv
expect 0 data info csv:file=floats.csv
says err "floats.csv: the target's column has floats, so a net learns them as numbers (loss=mse), without an accuracy. All are whole, from 0 to 1: for classes give loss=cross-entropy"
expect 0 data info csv:file=floats.csv,loss=mse
is "$(cat err)" ""
expect 0 data info csv:file=floats.csv,loss=cross-entropy
says out "classes    2"
is "$(cat err)" ""
sed 's/1\.0$/1.5/' floats.csv >half.csv
expect 0 data info csv:file=half.csv
is "$(cat err)" ""
expect 1 data info csv:file=half.csv,loss=cross-entropy
says err "needs classes"

refused() {     # refused DATA TEXT
	expect 1 data info "csv:file=$1"
	says err "$2"
	is "$(wc -l <err)" 1
}
refused animals.csv "animals.csv:2: column 'id': 'r0' is no number"
refused animals.csv,target=kin "has no column 'kin', which target names (expected id, wide, noise, kind, price"
refused animals.csv,without=id/kine "has no column 'kine', which without names"
refused animals.csv,without=price "without leaves out the target's column, 5"
refused animals.csv,without=id/wide/noise/kind "has no column of numbers but the target"
expect 1 data info csv:file=animals.csv,target=kind,without=id/price,loss=bce
says err "(expected 0 to 1 for loss=bce)"
printf 'a,b,a\n1,0,2\n2,1,3\n' >twice.csv
refused twice.csv,target=a "twice.csv: 2 columns are called 'a', which target names (expected one). Give its number, from 1; the first is 1"
refused twice.csv,target=b,without=a "2 columns are called 'a', which without names"
expect 0 data info csv:file=twice.csv,target=3
says out "vectors    1 x 1 x 2"
refused none.csv "none.csv: no such file"
expect 1 data info csv
says err "no file is named"
printf 'a,b\n1,0\n,1\n' >missing.csv
refused missing.csv "missing.csv:3: column 'a': the value is missing"
printf 'a,b\n1,0\n2\n' >short.csv
refused short.csv "short.csv:3: 1 field, expected 2"
printf 'a,b\n1,0\nnan,1\n' >nan.csv
refused nan.csv "nan.csv:3: column 'a': 'nan' is no number"
printf '1,0\n1e39,1\n' >large.csv
refused large.csv "large.csv:2: column 1: '1e39' is no number that float32 can hold"
printf 'a,b\n1,0\n' >one.csv
refused one.csv "has 1 row of samples (expected 2 or more)"
printf 'a\n1\n2\n' >narrow.csv
refused narrow.csv "1 column (expected 2 to 65536"
: >empty.csv
refused empty.csv "has 0 rows of samples"
printf 'a,b\n1,"0\n' >quote.csv
expect 1 data info csv:file=quote.csv
finish
