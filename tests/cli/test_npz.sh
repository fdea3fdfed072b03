# QUICK
# SANITIZED
# Arrays of the user's own: all forms of a file, losses, settings, and what is refused.
. "$(dirname "$0")/lib.sh"
need jq
python3 "$CONVOY_SOURCE/tests/cli/npz.py" || fail "the files cannot be written"

expect 0 list data
says out "npz "
expect 0 data info npz:file=classes.npz
says out "vectors    1 x 1 x 4"
says out "classes    3"
digest=$(sed -n 's/^digest *\([0-9a-f]*\).*/\1/p' out)

# ---- what a net sees ----

run="sim --workers 2 --algo allreduce --batch 10 --lr 0.01 --epochs 15 --compute-s 1 --quiet --json"
train() { expect 0 $run --net mlp --data "npz:file=$@"; }
train classes.npz
is "$(jq '.test_accuracy > 0.7' out)" true
model=$(jq -r .model out)
jq -r '.settings.data' out >data
says data "contents=$digest"
says data "loss=cross-entropy"
# Another order of bytes and indices, other types of the same integers, deflated: bit-identical.
train other.npz
is "$(jq -r .model out)" "$model"
train single.npz
is "$(jq '.test_accuracy > 0.7' out)" true

digests() {
	local file
	for file; do
		expect 0 data info "npz:file=$file"
		sed -n 's/^digest *\([0-9a-f]*\).*/\1/p' out
	done | sort -u | wc -l
}
is "$(digests half-*.npz)" 1
is "$(digests whole-*.npz)" 1
is "$(ls half-*.npz whole-*.npz | wc -l)" 9

train numbers.npz
is "$(jq '[.test_loss < 0.5, .test_accuracy]' -c out)" '[true,null]'
train binary.npz,loss=bce
is "$(jq '[.test_loss < 0.4, .test_accuracy > 0.8]' -c out)" '[true,true]'
train several.npz,loss=bce
is "$(jq '[.test_loss < 0.5, .test_accuracy > 0.6]' -c out)" '[true,true]'
train classes.npz,loss=mse,standardise
is "$(jq '[.test_loss < 0.5, .test_accuracy]' -c out)" '[true,null]'
train drift.npz,standardise
is "$(jq '.test_accuracy > 0.7' out)" true

# Threads, and real ranks' own reading of the file, change nothing.
expect 0 $run --net mlp --data npz:file=classes.npz --threads 2
is "$(jq -r .model out)" "$model"

# Finite differences of each loss, and both backends.
for data in numbers.npz binary.npz,loss=bce several.npz,loss=bce classes.npz; do
	expect 0 check net mlp --data "npz:file=$data"
done

# ---- images ----

expect 0 data info npz:file=images.npz,holdout=3 --json
is "$(jq -c '[.shape, .train.images, .test.images, .classes]' out)" '[[2,3,5],7,3,2]'
one=$(jq -r '.digest, .mean, .deviation' -c out)
says err "if the channels come first, say channels=first"
expect 0 data info npz:file=first.npz,channels=first,holdout=3 --json
is "$(jq -r '.digest, .mean, .deviation' -c out)" "$one"
expect 0 sim --net mlp --data npz:file=images.npz,holdout=3,crop,flip --workers 1 \
	--batch 2 --gradients 2 --quiet
is "$(grep -c "channels=first" err)" 1

# ---- settings ----

CONVOY_DATA=$PWD expect 0 data info npz:file=classes.npz,train=20,test=10,classes=5
says out "train      20 vectors"
says err "of the 5 classes have no training sample"
expect 0 data info npz:file=gap.npz
says err "1 of the 4 classes have no training sample, the first of them is 2"
expect 1 data info npz:file=classes.npz,contents=1234
says err "its samples have the digest $digest (expected 1234, by contents=1234)"
expect 1 data info npz:file=classes.npz,holdout=120
says err "holdout=120 leaves none of the 120 training samples"
expect 1 data info npz:file=classes.npz,test=61
says err "test=61, but there are 60 test samples"
expect 1 data info npz
says err "no file is named"
expect 1 data info npz:file=none.npz
says err "none.npz: no such file"
expect 1 data info npz:file=images.npz,holdout=3,standardise
says err "standardise is for floats"
expect 1 data info npz:file=classes.npz,flip
says err "crop and flip are for images of bytes"
expect 0 data info npz:file=columns.npz
says err "array 'y_train' has floats, so a net learns them as numbers (loss=mse), without an accuracy. Each row has a single 1: for classes save .argmax(axis=1)"
expect 0 data info npz:file=columns.npz,loss=bce
is "$(cat err)" ""
expect 1 data info npz:file=numbers.npz,loss=cross-entropy
says err "needs classes (expected integers from 0)"
expect 1 data info npz:file=numbers.npz,loss=bce
says err "(expected 0 to 1 for loss=bce)"
expect 1 data info npz:file=numbers.npz,classes=3
says err "classes=3 is for loss=cross-entropy"
expect 1 data info npz:file=several.npz
says err "has 2 integers for each sample (expected one, the class)"
expect 1 sim --net gpt-tiny --data npz:file=classes.npz --dry-run
says err "reads tokens"

# ---- files that are refused, each with one line ----

refused() {     # refused FILE TEXT
	expect 1 data info "npz:file=$1.npz"
	says err "$2"
	is "$(wc -l <err)" 1
	says err "$1.npz"
}
refused object "has Python objects (dtype=object), which are never loaded"
refused fields "has records of several fields"
refused text "elements of type '<U4'"
refused untyped "elements of type ''"
refused header "its header is damaged"
refused short "3832 bytes of elements, and its header says 3840"
refused huge "impossible sizes in its header"
refused nan "array 'x_train': element 7 in the file's order is nan"
refused large "is 1e+39 (expected a finite number that float32 can hold)"
refused negative "the label of sample 0 (from 0) is -1"
refused ids "the label of sample 0 (from 0) is 100000"
refused counts "array 'y_train': is 119, and x_train has 120 samples"
refused empty "array 'x_train': is 0 x 4"
refused deep "is 120 x 2 x 1 x 2 x 1"
refused widths "samples of 1 x 1 x 3 numbers, and those of x_train are 1 x 1 x 4"
refused version "version 4 of the .npy format"
refused onehot "convert one-hot rows: .argmax(axis=1)"
refused absent "has no array 'x_train' (it has x, y)"
refused cut "Unrecognized archive format, as of a truncated file (expected an .npz file"
refused crc "array 'x_train' is damaged: ZIP bad CRC"
refused words "truncated"
refused bomb "cannot be unpacked to 4026531840"
expect 1 data info npz:file=first.npz,channels=first
says err "use the end of the training samples: holdout=N"
mkfifo pipe.npz
expect 1 data info npz:file=pipe.npz
finish
