# A run that is killed and resumed ends as one that was not.
# COST 60
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
need_mpi
need pgrep

settings() {
	echo --net "${net:-logistic:samples=480}" --data "shapes:train=${train:-480},test=64" --batch 16 --stat-batches 1 \
		--lr 0.02 --epochs 5 --optim sgd:momentum=0.9 --warmup 2 \
		--compute-s "${compute:-0.015}"
}

# kill_ranks PID: every rank that the process started.
kill_ranks() {
	local pid
	for pid in $(ranks_of "$1"); do
		kill -9 "$pid"
	done
}

# same_result ALGO ARGUMENT...: unbroken, and killed after a checkpoint and resumed.
same_result() {
	expect 0 train --algo $* $(settings) --quiet --out whole
	cp out whole.txt
	# shellcheck disable=SC2046
	launch train --algo $* $(settings) --quiet --out parts --checkpoint-every 1
	await there 'parts/train/*.checkpoint'
	kill_ranks $pid
	wait $pid && fail "$1: was not killed in time"
	# As if the kill had come before the next checkpoint was whole.
	touch "$(echo parts/train/*.checkpoint).7777777.0"
	resumes train --algo $* $(settings) --out parts --checkpoint-every 1 --resume \
		--checkpoint-keep 0
	says err "resuming from"
	for key in model train_loss test_loss test_accuracy; do
		is "$(field $key)" "$(field $key whole.txt)" "$key of $*"
	done
	is "$(ls parts/train)" "$(basename "$(field file)")" "what is left"
	rm -rf whole parts
}

net=mlp same_result asgd --workers 1
net=mlp long same_result allreduce --workers 2 --eval-every 2
# A minute and a half under sanitizers, which see its buckets in other tests.
[ -n "${CONVOY_SANITIZE:-}" ] ||
	net=resnet8 train=160 compute=0.02 same_result allreduce --workers 2 --bucket 50000 --eval-every 5
same_result d-psgd --workers 3
long same_result d-psgd --workers 2 --overlap false

# One that is kept at the end is the only one: what an earlier run left of others goes.
kept() {
	expect 0 train -n 2 --algo allreduce --net quadratic --gradients 40 --quiet --out kept
}
kept
rm "$(field file)"
touch "$(field file).checkpoint.7."{0,1}
kept
is "$(ls kept/train | grep -c checkpoint)" 3 "checkpoints at the end: $(ls kept/train)"

# Ctrl-C, and what batch systems send, have the run save a checkpoint first.
expect 0 train --algo allreduce --workers 2 $(settings) --quiet --out plain
cp out plain.txt
for signal in INT:130 USR1:138 $(in_long TERM:143); do
	launch train --algo allreduce --workers 2 $(settings) --quiet --out cut
	await there 'cut/train/*.part'
	sleep 0.2
	ends ${signal#*:} ${signal%:*}
	ls cut/train/*.checkpoint >/dev/null || fail "$signal left no checkpoint"
	resumes train --algo allreduce --workers 2 $(settings) --quiet --out cut --resume
	is "$(field model)" "$(field model plain.txt)" "the model after $signal"
	rm -r cut
done

# Nothing to resume is no error; what is damaged, or of another run, is.
expect 0 train --algo asgd --workers 2 --net quadratic --gradients 50 --lr 0.01 --resume --checkpoint-every 300
says err "from the beginning"
says err "checkpoint_every = 300: no checkpoint is due before the end: these are epochs on real ranks"
launch train --algo asgd --workers 2 $(settings) --quiet --out bad --checkpoint-every 0.5
await there 'bad/train/*.checkpoint'
kill_ranks $pid
wait $pid
for file in bad/train/*.checkpoint.*.1; do
	printf 'x' | dd of="$file" bs=1 seek=300 conv=notrunc 2>/dev/null
done
expect 1 train --algo asgd --workers 2 $(settings) --quiet --out bad --resume
says err "was not written by this account's convoy, or was changed since: it is not resumed"

# Only what was written with the key of this account is resumed. A short run keeps a checkpoint.
export CONVOY_KEY_FILE=$here/state/keys/mine
longer() { echo train --algo asgd --workers 2 --net quadratic --lr 0.01 --quiet --out signed --gradients "$@"; }

# seal FILE: its last eight bytes are FNV-1a over the words before them, as they were without a key.
seal() {
	local n=$(($(stat -c %s "$1") - 8)) h=$((0xcbf29ce484222325)) x k
	for x in $(head -c $((n / 8 * 8)) "$1" | od -An -v -td8); do
		h=$(((h ^ x) * 0x100000001b3))
		h=$((h ^ (h >> 32 & 0xffffffff)))
	done
	for x in $(tail -c +$((n / 8 * 8 + 1)) "$1" | head -c $((n % 8)) | od -An -v -tu1); do
		h=$(((h ^ x) * 0x100000001b3))
	done
	for k in 0 8 16 24 32 40 48 56; do
		printf "\\x$(printf %02x $((h >> k & 255)))"
	done | dd of="$1" bs=1 seek=$n conv=notrunc 2>/dev/null
}

expect 0 $(longer 50)
is "$(stat -c '%a %s' state state/keys state/keys/mine | cut -d ' ' -f 1 | tr '\n' ' ')" "700 700 600 "
is "$(stat -c %s state/keys/mine)" 16 "bytes of the key"
cp -r signed unsigned
for file in signed/train/*.checkpoint.50.1; do
	printf '\377\377\377\377\377\377' | dd of="$file" bs=1 seek=160 conv=notrunc 2>/dev/null
	seal "$file"
done
expect 1 $(longer 80) --resume
says err "'$file' was not written by this account's convoy, or was changed since: it is not resumed"
rm signed/train/*.checkpoint*
expect 0 $(longer 80) --resume
says err "from the beginning"
for file in unsigned/train/*.checkpoint unsigned/train/*.checkpoint.*; do
	seal "$file"
done
expect 1 $(longer 80) --resume --out unsigned
says err "was not written by this account's convoy"

# Another account's; that one's key; what is no key; none.
CONVOY_KEY_FILE=$here/other expect 1 $(longer 90) --resume
says err "name the key file of that one by CONVOY_KEY_FILE"
resumes $(longer 90) --resume
says err "resuming from"
while IFS=: read -r spoil why; do
	cp -p state/keys/mine wrong
	$spoil wrong
	CONVOY_KEY_FILE=$here/wrong expect 1 $(longer 100) --resume
	says err "the key of checkpoints, '$here/wrong', $why"
	rm wrong
done <<'END'
chmod 640:is open to other accounts
truncate -s 15:does not hold 16 bytes
ln -sf state/keys/mine:is a symbolic link
END
CONVOY_KEY_FILE=/dev/null/key expect 0 $(longer 100) --resume
is "$(grep -c . err)" 1 "lines of: $(cat err)"
says err "no checkpoints are written or resumed: there is no key for them at '/dev/null/key': Not a directory"
ls signed/train | grep -q '\.checkpoint\.100' && fail "a checkpoint without a key"
(unset CONVOY_KEY_FILE HOME XDG_STATE_HOME && expect 0 $(longer 110))
says err "there is no home folder"
(unset CONVOY_KEY_FILE XDG_STATE_HOME && HOME=$here/home expect 0 $(longer 120))
is "$(stat -c '%a %s' home/.local/state/convoy/checkpoint.key)" "600 16"
unset CONVOY_KEY_FILE
export XDG_STATE_HOME=$here/xdg
# Two runs that begin together agree on one key.
"$CONVOY" $(longer 130) --out first >one 2>&1 &
expect 0 $(longer 130) --out second
wait $!
is $? 0 "$(cat one)"
resumes $(longer 140) --out first --resume
says err "resuming from"
resumes $(longer 140) --out second --resume
says err "resuming from"
is "$(ls xdg/convoy)" checkpoint.key
export CONVOY_KEY_FILE=$here/checkpoint.key

# Restarts by itself.
launch train --algo allreduce --workers 2 $(settings) --quiet --out again --checkpoint-every 1 --restarts 2
await there 'again/train/*.checkpoint'
kill_ranks $pid
wait $pid || fail "was not restarted: $(cat err)"
says err "restart 1 of 2"
is "$(field model)" "$(field model plain.txt)" "the model after a restart"

# A checkpoint that cannot be kept at the end is one warning, and no error.
brief="train --algo allreduce --workers 3 --net quadratic --gradients 30 --lr 0.01 --out unkept"
expect 0 $brief --dry-run
for rank in 0 2; do
	mkdir -p "unkept/train/$(sed -n 's/^hash *//p' out).h5.checkpoint.30.$rank/full"
done
expect 0 $brief --quiet
is "$(sed 's/: cannot write.*//' err)" \
	"convoy: warning: no checkpoint is kept, from which a longer run could resume"
finish
