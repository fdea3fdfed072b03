# A run that is killed and resumed ends as one that was not.
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
need_mpi
need pgrep

settings() {
	echo --net "${net:-mlp}" --data "shapes:train=${train:-480},test=64" --batch 16 --stat-batches 1 \
		--lr 0.02 --epochs 5 --optim sgd:momentum=0.9 --warmup 2 \
		--compute-s "${compute:-0.005}"
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

same_result asgd --workers 1
same_result allreduce --workers 2 --eval-every 2
# A minute and a half under sanitizers, which see its buckets in other tests.
[ -n "${CONVOY_SANITIZE:-}" ] ||
	net=resnet20 train=160 compute=auto same_result allreduce --workers 2 --bucket 50000 --eval-every 5
same_result d-psgd --workers 3
same_result d-psgd --workers 2 --overlap false

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
for signal in INT:130 TERM:143 USR1:138; do
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
expect 0 train --algo asgd --workers 2 --net quadratic --gradients 50 --lr 0.01 --resume
says err "from the beginning"
launch train --algo asgd --workers 2 $(settings) --quiet --out bad --checkpoint-every 0.5
await there 'bad/train/*.checkpoint'
kill_ranks $pid
wait $pid
for file in bad/train/*.checkpoint.*.1; do
	printf 'x' | dd of="$file" bs=1 seek=300 conv=notrunc 2>/dev/null
done
expect 1 train --algo asgd --workers 2 $(settings) --quiet --out bad --resume
says err "is damaged: its checksum is wrong"

# Restarts by itself.
launch train --algo allreduce --workers 2 $(settings) --quiet --out again --checkpoint-every 1 --restarts 2
await there 'again/train/*.checkpoint'
kill_ranks $pid
wait $pid || fail "was not restarted: $(cat err)"
says err "restart 1 of 2"
is "$(field model)" "$(field model plain.txt)" "the model after a restart"

finish
