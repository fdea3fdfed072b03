# Texts in documents: each worker has its own, on any threads and ranks; what cannot be cut.
. "$(dirname "$0")/lib.sh"

# Four documents, of two alphabets: worker 0 has the first two.
for word in abc bca xyz zyx; do
	for _ in $(seq 20); do
		printf '%s %s\n' $word $word
	done
	echo
done >text.txt
data=text:file=text.txt,window=8,split=0.95
run="sim --net gpt-tiny --workers 2 --batch 4 --gradients 12 --optim adam --lr 0.01 --compute-s 1"

# model NAME ARGUMENT...: the digest of the final model is in model-NAME.
model() {
	expect 0 "${@:2}" --quiet --out "$1"
	sed -n 's/^model *//p' out >"model-$1"
	[ -s "model-$1" ] || fail "no model: $(cat out)"
}
for algo in allreduce local-sgd; do
	model "equal-$algo" $run --algo $algo --data $data
	model "one-$algo" $run --algo $algo --data $data,shares=document --threads 1
	model "two-$algo" $run --algo $algo --data $data,shares=document --threads 2
	cmp -s model-one-$algo model-two-$algo || fail "$algo: one and two threads"
	! cmp -s model-one-$algo model-equal-$algo || fail "$algo: documents change nothing"
done
if has_mpi; then
	model real train -n 2 --net gpt-tiny --batch 4 --gradients 12 --optim adam --lr 0.01 \
		--algo allreduce --data $data,shares=document
	cmp -s model-one-allreduce model-real || fail "simulated and real ranks"
fi

# A folder with one file is that file; with two, each worker has one, on any threads and ranks.
mkdir one two none-here
cp text.txt one/a.txt
head -40 text.txt | tr xyz abc >two/a.txt
tail -42 text.txt | gzip >two/b.txt.gz
model file $run --algo mla:period=2 --data $data,random=false
model folder $run --algo mla:period=2 --data text:file=one,window=8,split=0.95,random=false
cmp -s model-file model-folder || fail "a folder with one file is not that file"
files="--data text:file=two,window=8 --partition files"
model files-one $run --algo allreduce $files --threads 1
model files-two $run --algo allreduce $files --threads 2
cmp -s model-files-one model-files-two || fail "files: one and two threads"
(cd none-here && CONVOY_DATA=.. "$CONVOY" data partition text:file=two,window=8 --workers 2 --partition files) >counts ||
	fail "a folder of texts below CONVOY_DATA"
is "$(grep -c '^ *[01]' counts)" 2 "its workers"
model files-all $run --algo allreduce ${files% --part*}
! cmp -s model-files-one model-files-all || fail "files change nothing"
if has_mpi; then
	model files-real train -n 2 --net gpt-tiny --batch 4 --gradients 12 --optim adam --lr 0.01 --algo allreduce $files
	cmp -s model-files-one model-files-real || fail "files: simulated and real ranks"
fi
expect 1 sim --net gpt-tiny --workers 3 --batch 4 --gradients 5 --quiet $files
says err "two: 2 files and 3 workers (expected as many files as workers, or a divisor of their number)"
mkdir none
expect 1 sim --net gpt-tiny --workers 2 --batch 4 --gradients 5 --quiet --data text:file=none --partition files
says err "none: no file is in this folder"
expect 1 sim --net gpt-tiny --workers 2 --batch 4 --gradients 5 --quiet --data text:file=two,unit=gpt2
says err "tokens of GPT-2 are read from one file"

# Equal shares are the default: the same run.
expect 0 sim --net gpt-tiny --data $data --dry-run
sed -n 's/^hash *//p' out >hash
expect 0 sim --net gpt-tiny --data $data,shares=equal --dry-run
is "$(sed -n 's/^hash *//p' out)" "$(cat hash)"
expect 0 sim --net gpt-tiny --data $data,shares=document --dry-run
[ "$(sed -n 's/^hash *//p' out)" != "$(cat hash)" ] || fail "documents have the hash of equal shares"

expect 1 sim --net gpt-tiny --workers 5 --batch 4 --gradients 5 --data $data,shares=document --quiet
says err "parts by document: 4 documents cannot be cut into 5 parts of at least a window of 8 tokens"
expect 1 sim --net gpt-tiny --workers 2 --batch 4 --gradients 5 --quiet \
	--data $data,shares=document,document=title
says err "1 document cannot be cut into 2 parts"
expect 1 sim --net gpt-tiny --workers 2 --batch 4 --gradients 5 --quiet \
	--data $data,shares=document,streams=true
says err "Leave out one of them"

# What has no effect is refused; and a part that is too short names all that can change it.
refuses() {
	expect 1 sim --net gpt-tiny --workers 2 --batch 4 --gradients 5 --quiet --data "$1"
	says err "$2"
}
refuses $data,document=title "with shares=equal there are none. Leave it out, or use shares=document."
refuses $data,unit=word,tokenizer=g.bin "tokenizer=g.bin spells tokens of unit=gpt2, and the unit is another"
refuses text:file=text.txt,window=8,split=0 "training text has 0 tokens"
refuses text:file=text.txt,window=8,split=1 "Choose a smaller window or another split."
refuses $data,test_window=100000 "Choose a smaller test_window or another split."
refuses text:file=text.txt,valid=text.txt,window=8,test_window=100000 "Choose a smaller test_window."
finish
