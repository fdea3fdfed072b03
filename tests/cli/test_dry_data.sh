#!/usr/bin/env bash
# A dry run says which data are missing, after its plan, and ends as the run would.
. "$(dirname "$0")/lib.sh"

need jq
unset CONVOY_DATA
fetch='or fetch it: convoy data get'
lenet="--net lenet --algo asgd --workers 2 --batch 4 --gradients 4 --lr 0.01"
sub=data/cifar-10-batches-bin
extract="cifar10:dir=data,any=true,train=10,test=10"

# lacking SET FILE COMMAND...: the plan on stdout, the file and what fetches it on stderr, exit 1.
lacking() {
	expect 1 "${@:3}" --dry-run
	says err "$2"
	says err "$fetch $1 -o DIR"
	[ -s out ] || fail "no plan: ${*:3}"
}

mkdir -p experiments/p $sub
tree=$CONVOY_HOME
export CONVOY_HOME=$here
ln -s "$tree/nets" nets
cat >experiments/p/seen.json <<'END'
{ "title": "S", "base": { "net": "lenet", "workers": 2, "batch": 4, "gradients": 4, "lr": 0.01 },
  "grid": { "algo": ["asgd", "allreduce"], "data": ["cifar10", "mnist:dir=nowhere", "shapes"] } }
END

lacking cifar10 'data set cifar10: no folder given for data_batch_1.bin' run seen
says out 'p/seen, scale default: 6 runs to do'
says out memory
says err 'nowhere/train-images-idx3-ubyte: no such file'
says err "$fetch mnist -o DIR"
is "$(grep -c 'convoy data get' err)" 2 "each data set once"
expect 0 run seen --dry-run --data shapes
expect 0 run seen --dry-run --timing --samples 100
is "$(cat err)" ""
[ ! -e results ] || fail "a dry run wrote something"

lacking cifar10 'data/data_batch_1.bin: no such file' sim $lenet --data cifar10:dir=data
lacking cifar10 'data/data_batch_1.bin: no such file' sim $lenet --data cifar10:dir=data --json
jq -e .hash out >/dev/null || fail "no JSON"
lacking cifar10 'data/data_batch_1.bin: no such file' sim $lenet --data cifar10:dir=data --seed 1,2
if has_mpi; then
	lacking cifar10 'data/data_batch_1.bin: no such file' train $lenet --data cifar10:dir=data
	expect 0 train $lenet --data cifar10:dir=data --hosts other:4 --dry-run
fi
lacking mnist 'data set mnist: no folder given' \
	tune --net lenet --data mnist --workers 4 --batch 16 --groups 1..2 --compute-s 1
says out 'at most'

# What a part of the set asks for is looked for, and no more.
head -c 30730 /dev/zero >$sub/data_batch_1.bin
lacking cifar10 'data/test_batch.bin: no such file' sim $lenet --data "$extract"
cp $sub/data_batch_1.bin $sub/test_batch.bin
expect 0 sim $lenet --data "$extract" --dry-run
lacking cifar10 'data/data_batch_2.bin: no such file' sim $lenet --data cifar10:dir=data

# Finished runs need no more data; but without files of one's own it is not known which run it is.
expect 0 sim $lenet --data "$extract" --quiet
mv $sub/test_batch.bin kept
lacking cifar10 'data/test_batch.bin: no such file' sim $lenet --data "$extract"
mv kept $sub/test_batch.bin
expect 0 sim $lenet --data "$extract"
says err "finished before"
rm -r data
lacking cifar10 'data/data_batch_1.bin: no such file' sim $lenet --data "$extract" --seed 2

expect 1 sim --net mlp --algo asgd --gradients 4 --data imagenet:crop=32 --dry-run
says err 'data set imagenet: no folder given'
says err "are those of ImageNet's 1281167 images"
says out crop=32
expect 1 sim $lenet --data packed:file=nowhere.h5 --dry-run
says err "'convoy data pack' makes such a file"

# A missing text: its size and symbols are assumed, which is said; timing-only runs read it too.
text="--net gpt-shakespeare-cpu --data text:file=gone.txt --workers 2 --batch 4"
lacks_text() {
	expect 1 "$@" --dry-run
	[ -s out ] || fail "no plan: $*"
	says err 'gone.txt: not all of the text is there. Assumed: 1115394 tokens, 65 symbols.'
	is "$(grep -c 'gone.txt: there is no such file' err)" 1 "$*"
}
jq -n '{ title: "T", base: { net: "gpt-shakespeare-cpu", data: "text:file=gone.txt", workers: 2, gradients: 4 },
	grid: { seed: [1, 2] } }' >experiments/p/text.json
lacks_text run text
lacks_text sim $text
lacks_text sim $text --seed 1,2
lacks_text sim $text --timing
lacks_text tune $text --groups 1..2 --compute-s 1
# Of a published text they are known, and so its net can be planned.
expect 1 run barkai2020/language --scale paper --dry-run
says err "wikitext-103/wiki.train.tokens: not all of the text is there. Assumed: 103227021 tokens, 267735 symbols."
says out "algo=dana"
# text8 is ASCII: as many bytes as characters. 'data get text8' says unit=byte.
for unit in byte char; do
	expect 1 sim --net gpt-tiny --data text:unit=$unit,file=text8/text8 --dry-run
	says err "Assumed: 100000000 tokens, 27 symbols."
done
expect 1 sim $text --timing
is "$(grep -c Assumed err)" 0 "no dry run"
if has_mpi; then
	lacks_text train $text
	expect 0 train $text --hosts other:2 --dry-run
fi
finish
