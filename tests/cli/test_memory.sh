# A net with memory: streams in order, its bits everywhere that a gradient is computed, bad input.
. "$(dirname "$0")/lib.sh"

net="--net transformer-xl-tiny --batch 4 --optim adam --lr 0.003 --eval-every 0"
text="--data chain:train=9000,test=3000,streams=true"

# bits NAME COMMAND ARGUMENT...: NAME.model <- the model that the command ends with.
bits() {
	local name=$1
	shift
	expect 0 "$@" --quiet --out "$name"
	sed -n 's/^\(model\|test_loss\) *//p' out >"$name.model"
	[ -s "$name.model" ] || fail "$name: no model"
}

same() {
	cmp -s "$1.model" "$2.model" || fail "$1: $(cat "$1.model"), $2: $(cat "$2.model")"
}

# One thread and two; a trace is computed again; other ranks compute.
two="sim --algo asgd --workers 2 --gradients 20 --delay gamma:cv=0.5 $net $text"
bits one $two --threads 1
bits two $two --threads 2
same one two
expect 0 $two --quiet --trace trace.h5
expect 0 replay trace.h5 --threads 2 --quiet
says out "verdict           identical"
if has_mpi; then
	bits ranks $two --sim-ranks 2 --threads 1
	same one ranks
fi

# A memory matters: without one the same run ends elsewhere.
cat >none.json <<-'END'
	{ "base": "transformer-xl-tiny", "params": { "memory": 0, "test_memory": 0 } }
END
bits none $two --net none.json
! cmp -s one.model none.model || fail "no memory, the same model"

# Longer than an epoch (17 rounds), from a checkpoint and at once: with unequal streams and dropout.
cat >drop.json <<-'END'
	{ "base": "transformer-xl-tiny", "params": { "dropout": 0.2, "attention_dropout": 0.1 } }
END
long="--algo allreduce --workers 2 --shares 0:3 $net $text --net drop.json"
expect 0 sim $long --epochs 1.2 --quiet --out parts
bits whole sim $long --epochs 1.6
expect 0 sim $long --epochs 1.6 --out parts --resume
says err "resuming from"
sed -n 's/^\(model\|test_loss\) *//p' out >parts.model
same whole parts

# Real ranks, which share the streams as simulated ones do; resumed as those are.
if has_mpi; then
	ranks="--algo allreduce --workers 2 $net $text"
	bits simulated sim $ranks --epochs 1.5
	bits real train $ranks --epochs 1.5
	same simulated real
	expect 0 train $ranks --epochs 1.2 --quiet --out again
	resumes train $ranks --epochs 1.5 --out again --resume
	says err "resuming from"
	sed -n 's/^\(model\|test_loss\) *//p' out >again.model
	same real again
fi

# What cannot be.
expect 1 sim --gradients 1 $net --data chain
says err "Choose --data chain:streams=true"
expect 1 sim --gradients 1 --workers 16 $net --data chain:train=3000,streams=true
says err "the net has a memory of 32 tokens, and the training text 64 streams of 32 tokens"
expect 1 sim --gradients 1 --workers 16 $net --data chain:train=2000,streams=true
says err "16 workers with batches of 4 need more than the 62 samples of an epoch"
says err ". Give --batch 3 or less, or fewer --workers"
expect 1 sim --gradients 1 $net --data chain:test=40,streams=true
says err "has a memory of 48 tokens in evaluation, and the validation text has"
expect 1 sim --gradients 1 $net --data chain:test=40,test_window=50,streams=true
says err "fewer than a window of 50"
if has_mpi; then        # a calibration has the memory of a run
	expect 1 calibrate -n 1 --net transformer-xl-tiny --batch 64 --data chain:train=3000,streams=true --seconds 0.1 -o x.json
	says err "the net has a memory of 32 tokens, and the training text 64 streams of 32 tokens"
fi
finish
