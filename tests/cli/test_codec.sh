# Packed gradients: bit-identical in both engines, bytes by hand, checkpoints, refusals.
# COST 21
. "$(dirname "$0")/lib.sh"

file_of() { field file "${1:-out}"; }

# nodes FILE: messages, bytes sent and received of every node, in one line.
nodes() {
	python_on "$1" <<'END'
nodes = f["nodes"]
columns = (nodes[name][:].tolist() for name in ("messages", "bytes_sent", "bytes_received"))
print(*zip(*columns))
END
}

# A gradient of 1000 floats in one layer: (2 + 32) words, and 24 bytes around them.
expect 0 sim --algo asgd --workers 1 --net quadratic:dim=1000 --gradients 10 --codec onebit --quiet
got=$(nodes "$(file_of)") && [ -n "$got" ] &&
	is "$got" "(10, 1600, 40240) (10, 40240, 1600)" "bytes of onebit"

# Timing alone knows the layers of a net as well: the same bytes and the same clock.
net="--net mlp --data shapes:train=128,test=32 --batch 8"
for codec in onebit terngrad qsgd:bucket=100 topk e3m0 powersgd:rank=1; do
	expect 0 sim --algo allreduce --workers 2 $net --codec $codec --quiet
	bytes=$(field bytes_sent) time=$(field time_s)
	expect 0 sim --algo allreduce --workers 2 $net --codec $codec --timing --samples 128 --quiet
	is "$(field bytes_sent) $(field time_s)" "$bytes $time" "timing of $codec"
done

# What codes do to an all-reduce is said, with the bytes where they are more than without a codec.
gathers="are gathered from all workers, not all-reduced: codes cannot be added"
many="--timing --net quadratic:dim=1000 --samples 1000 --batch 10"
expect 0 sim --algo allreduce --workers 16 $many --codec none
bytes=$(field bytes_sent)
grep -q gathered err && fail "floats that are gathered"
expect 0 sim --algo allreduce --workers 16 $many --codec qsgd:bucket=1000
is "$(field bytes_sent)" "$(awk "BEGIN { printf \"%.0f\", 8 * 504 / 4000 * $bytes }")" "bytes of qsgd"
says err "compressed gradients $gathers; 16 workers with qsgd send 1.01 times the bytes of no codec"
expect 0 sim --algo allreduce --workers 2 $many --codec qsgd:bucket=1000
says err "$gathers"
grep -q "times the bytes" err && fail "more bytes of two workers"
for few in "--algo allreduce --workers 1 --codec qsgd" "--algo asgd --workers 4 --codec qsgd" \
	"--algo allreduce --workers 4 --codec powersgd" "--algo allreduce --workers 4 --codec fp16"; do
	expect 0 sim $few $many
	grep -q gathered err && fail "$few: gathered"
done
expect 0 sim --algo allreduce,asgd --workers 4 $many --codec none,fp16,qsgd
says out "note: compressed gradients with algo=allreduce codec=qsgd are gathered"
expect 0 train -n 2 --algo allreduce --net quadratic --gradients 4 --codec qsgd
says err "$gathers"

# Halves are added, as floats are: half the bytes, in buckets; other codes wait for the whole.
for codec in none fp16 bf16; do
	expect 0 sim --algo allreduce --workers 4 $many --codec $codec --quiet --compute-s 1 --link nic
	field bytes_sent
done >added
is "$(awk 'NR == 1 { all = $1 } NR > 1 { print $1 / all }' added | xargs)" "0.5 0.5" "bytes of halves"
large="--timing --algo allreduce --net bytes:1e9 --compute-s 1 --workers 8 --link nic --gradients 8"
expect 0 sim $large --codec none,fp16,topk
says out "overlaps the backward pass, in buckets of"
says out "the codec has an all-reduce begin when the whole gradient is computed"
says out "nothing of it with codec=topk"
expect 0 sim $large --net bytes:28e9 --codec none,fp16 --json
jq -e '[.runs[].bytes_sent] | .[1] / .[0] * 2 - 1 | fabs < 1e-6' out >/dev/null || fail "7e9 parameters: $(cat out)"

expect 1 sim --algo d-psgd --net quadratic --codec onebit
says err "codec onebit packs gradients, and d-psgd sends none"
one_line
one_line
# A net of which only the size is known has no matrices.
for size in bytes:1e6 gpt:params=1e6; do
	expect 0 sim --timing --algo allreduce --net $size --codec powersgd --compute-s 1 --workers 4 --link ideal
	says err "net ${size%%:*} has no known matrices, on which alone powersgd acts: gradients are not compressed"
	expect 0 sim --timing --algo allreduce --net $size --optim muon --compute-s 1 --workers 4 --link ideal
	says err "net ${size%%:*} has no known matrices, on which alone muon acts"
done
expect 0 sim --timing --algo allreduce --net lenet --codec powersgd --optim muon --compute-s 1 --workers 4 --link ideal
! grep -q matrices err || fail "a net with matrices: $(cat err)"
expect 1 sim --algo asgd --net quadratic --codec powersgd
says err "codec powersgd needs all-reduces of gradients, and asgd sends them to a server"
one_line
expect 1 sim --algo streaming-diloco --net quadratic --codec powersgd
says err "codec powersgd needs whole gradients, layer by layer, and streaming-diloco adds fragments"
one_line
expect 1 sim --algo local-sgd --net quadratic --codec powersgd
says err "codec powersgd packs gradients, and local-sgd sends none"
expect 1 sim --algo asgd --net quadratic --codec qsdg
says err "did you mean 'qsgd'"
expect 1 sim --algo asgd --net quadratic --codec topk:ratio=2
says err "ratio"
expect 1 sim --algo asgd --net quadratic --codec qsgd:levels=128
says err "levels"
expect 0 sim --algo allreduce --workers 2 --net quadratic --gradients 20 --codec terngrad --quiet \
	--trace sim.h5
expect 0 replay sim.h5 --quiet
says out "verdict           identical"

# At full rank nothing is lost but rounding; rank 1 sends less than a twentieth.
loss_of() {
	expect 0 sim --algo allreduce --workers 2 $net --lr 0.02 --codec "$1" --quiet
	field train_loss
}
plain=$(loss_of none)
full=$(loss_of powersgd:rank=10000,min_rate=0)
awk -v a="$plain" -v b="$full" 'BEGIN { exit !((a - b) ^ 2 < (1e-3 * a) ^ 2) }' ||
	fail "powersgd at full rank: $full, not $plain"
bytes=$(loss_of none >/dev/null; field bytes_sent)
few=$(loss_of powersgd:rank=1 >/dev/null; field bytes_sent)
awk -v a="$bytes" -v b="$few" 'BEGIN { exit !(b < a / 20) }' || fail "powersgd sends $few of $bytes"

# Real ranks, where the order is forced: the bits of the simulator. All-reduces of codes always are.
if has_mpi; then
	net="--net mlp --data shapes:train=96,test=32 --batch 8 --lr 0.02"
	one="--net quadratic:dim=1000 --gradients 24 --lr 0.02"
	for codec in onebit topk $(in_long fp16 bf16 terngrad qsgd e3m0); do
		same_bits asgd 1 $one --codec $codec
	done
	for codec in fp16 terngrad powersgd:rank=1 $(in_long onebit qsgd topk); do
		same_bits allreduce 3 $net --codec $codec
	done
	same_bits allreduce 3 $one --codec bf16
	long same_bits allreduce 3 $one --codec e3m0
	for codec in onebit $(in_long bf16 topk); do
		same_bits diloco:period=3 2 $one --codec $codec
	done
	same_bits diloco:period=3 2 $net --codec qsgd
	expect 0 train --algo asgd --workers 1 --net quadratic:dim=1000 --gradients 10 \
		--codec onebit --quiet
	got=$(nodes "$(file_of)") && [ -n "$got" ] &&
		is "$got" "(10, 2000, 40640) (10, 40640, 2000)" "bytes of onebit on real ranks"
	expect 0 train -n 4 --algo asgd $net --codec topk --quiet --trace real.h5
	expect 0 replay real.h5 --quiet
	says out "verdict           identical"

	# What a codec left out is part of a checkpoint: of a run that is made longer, too.
	resumed() {
		local algo=$* model
		expect 0 train --algo $algo $net --epochs 4 --eval-every 0 --quiet --out whole
		model=$(field model)
		expect 0 train --algo $algo $net --epochs 2 --eval-every 0 --quiet --out parts
		[ "$(field model)" != "$model" ] || fail "$algo: half of the run has the whole model"
		resumes train --algo $algo $net --epochs 4 --eval-every 0 --out parts --resume
		says err "resuming from"
		is "$(field model)" "$model" "resumed: $algo"
		rm -rf whole parts
	}
	resumed asgd --workers 1 --codec onebit
	resumed allreduce --workers 2 --codec powersgd:rank=1
	long resumed allreduce --workers 2 --codec terngrad
	long resumed allreduce --workers 2 --codec bf16
fi
finish
