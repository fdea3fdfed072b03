# Nets of tokens: training on text, its bits on any threads and ranks, samples, and bad input.
. "$(dirname "$0")/lib.sh"

# The built-in text: within 1 % of its entropy, which no net can go below but by chance.
expect 0 data info chain:letters=6 --json
entropy=$(sed -n 's/.*"entropy":[^0-9]*\([0-9.]*\).*/\1/p' out)
expect 0 sim --net gpt-tiny --data chain:letters=6 --workers 1 --batch 16 --gradients 900 \
	--optim adam:beta2=0.99,clip=1,decoupled=true,weight_decay=0.1,decay=matrices \
	--lr 0.005 --schedule cosine:from=0.1,min=0.01 --warmup 0.1 --eval-every 0 --compute-s 1 \
	--keep-model --quiet --out chain
cp out chain.txt
loss=$(sed -n 's/^test_loss *//p' out)
awk -v l="$loss" -v e="$entropy" 'BEGIN { exit !(e > 0 && l < 1.01 * e && l > 0.99 * e) }' ||
	fail "loss $loss, entropy $entropy"
awk -v l="$loss" '/^test_perplexity/ { p = $2 } /^test_bits/ { b = $2 }
	END { exit !(p > 0 && (p - exp(l)) ^ 2 < 1e-6 && (b - l / log(2)) ^ 2 < 1e-6) }' out ||
	fail "perplexity and bits: $(cat out)"

# Samples of it: as many letters as were asked for, of the six, the same for the same seed.
expect 0 sample chain/sim/*.h5 --tokens 70 --seed 3
cp out one
grep -qE '^[a-f]{70}$' one || fail "sample: $(cat one)"
expect 0 sample chain/sim/*.h5 --tokens 70 --seed 3
cmp -s out one || fail "the same seed, another sample"
expect 0 sample chain/sim/*.h5 --tokens 70 --seed 4
! cmp -s out one || fail "another seed, the same sample"
expect 0 sample chain/sim/*.h5 --tokens 5 --prompt abc --temperature 0
grep -qE '^abc[a-f]{5}$' out || fail "prompt: $(cat out)"
expect 0 sim --net quadratic --algo asgd --gradients 8 --lr 0.01 --quiet --out square
expect 1 sample square/sim/*.h5
says err "is of no net of tokens (expected a run of one, such as gpt-shakespeare-cpu)"
expect 1 sample chain/sim/*.h5 --prompt xyz
says err "'x' is not in the vocabulary"
expect 1 sample chain/sim/*.h5 --prompt é
says err "prompt: 0xC3 is not in the vocabulary (a to f)"
for _ in $(seq 60); do echo 'to be or not'; done >bytes.txt
expect 0 sim --net gpt-tiny --data text:file=bytes.txt,unit=byte --gradients 1 --workers 1 --batch 4 --keep-model --quiet --out bytes
expect 1 sample bytes/sim/*.h5 --prompt é
says err "prompt: 0xC3 is not in the vocabulary of the text that the model was trained on."
expect 1 sample no-such.h5
expect 129 sample
expect 0 sim --net gpt-tiny --data chain --gradients 1 --workers 1 --batch 4 --quiet --out bare
expect 1 sample bare/sim/*.h5
says err "it is kept with --keep-model"

# A table whose rows have unequal widths (div): within 1 % of the entropy, bit-identical on two threads.
cat >uneven.json <<-'END'
	{ "input": [32, 1, 1], "classes": 6, "layers": [
	    { "layer": "embed", "name": "tokens", "out": 16, "scaled": true, "div": 2, "cutoff1": 2, "cutoff2": 4 },
	    { "layer": "linear", "out": 32 }, "relu", { "layer": "linear", "name": "last", "out": 16 },
	    { "layer": "adaptive", "in": ["last", "tokens"], "div": 2, "cutoff1": 2, "cutoff2": 4 }
	] }
END
expect 0 data info chain:letters=6,order=1 --json
entropy=$(sed -n 's/.*"entropy":[^0-9]*\([0-9.]*\).*/\1/p' out)
for threads in 1 2; do
	expect 0 sim --net uneven.json --data chain:letters=6,order=1 --workers 1 --batch 16 --gradients 900 \
		--optim adam --lr 0.01 --schedule cosine:min=0 --eval-every 0 --compute-s 1 \
		--threads $threads --quiet --out uneven-$threads
	awk -v e="$entropy" '/^test_loss/ { l = $2 } END { exit !(e > 0 && l < 1.01 * e && l > 0.99 * e) }' out ||
		fail "unequal widths: entropy $entropy, $(cat out)"
	field model >uneven-$threads.txt
done
cmp -s uneven-1.txt uneven-2.txt || fail "unequal widths: one and two threads"

# Bit-identical on one thread and on two, in parts of a batch, with dropout, and on real ranks.
cat >wide.json <<-'END'
	{ "base": "gpt-tiny", "params": { "dropout": 0.1 } }
END
train="--net wide.json --data chain:train=3000,test=700 --batch 70 --gradients 6 --optim adam"
for type in f32 bf16; do
	for threads in 1 2; do
		expect 0 sim $train --precision $type --workers 1 --threads $threads --quiet \
			--out $type-$threads
		sed -n 's/^model *//p' out >model-$threads
	done
	cmp -s model-1 model-2 || fail "$type, one and two threads: $(cat model-1 model-2)"
done
if has_mpi; then
	train="$train --precision bf16 --batch 16"
	expect 0 sim $train --workers 2 --algo allreduce --quiet --out sim
	sed -n 's/^model *//p' out >model-sim
	expect 0 train -n 2 $train --algo allreduce --quiet --out real
	sed -n 's/^model *//p' out >model-real
	cmp -s model-sim model-real || fail "simulated and real ranks"
fi

# The chance of contexts that a chain leaves once in very many letters is not found: no wrong entropy.
expect 1 data info chain:letters=2,order=1,sharpness=20,seed=13
says err "Choose a smaller sharpness"

# The most that convoy reads of a text, or of a folder, is known from sizes.
mkdir huge
for name in 1 2 3; do truncate -s 400M huge/$name.txt; done
expect 1 data info text:file=huge
says err "huge: 1.26 GB, and convoy reads texts of at most 1.07 GB in all, unpacked"
truncate -s 2300M huge.txt
expect 1 data info text:file=huge.txt
says err "huge.txt: 2.41 GB, and convoy reads texts of at most 1.07 GB in all"
rm -r huge huge.txt

# Words of a last line without a line break end in <eos> too, and a word that is spelt so is the same.
printf 'a b c d %.0s' 1 2 3 4 5 6 7 8 9 | sed 's/ $//' >open.txt
expect 0 data info text:file=open.txt,unit=word,window=2 --json
grep -qE '"classes":[[:space:]]*5,' out || fail "no <eos>: $(cat out)"
printf '<eos> a a a\nb b\n' >spelt.txt
expect 0 sim --net gpt-tiny --data text:file=spelt.txt,unit=word,window=2,split=0.5 --workers 1 --batch 1 \
	--gradients 1 --keep-model --quiet --out spelt

# A text of one's own, in words; what cannot be.
printf 'to be or not to be\nthat is the question\n%.0s' 1 2 3 4 5 6 7 8 >words.txt
expect 0 sim --net gpt-tiny --data text:file=words.txt,unit=word,window=4 --workers 1 --batch 4 \
	--gradients 3 --keep-model --quiet --out words
expect 0 sample words/sim/*.h5 --tokens 3 --prompt 'to be'
says out "to be "
expect 1 sim --net gpt-tiny --data text:file=words.txt,window=100,split=0.5 --gradients 1 --quiet
says err "positions, fewer than the 100 tokens of a window"
expect 1 sim --net gpt-tiny --data text:file=words.txt,window=60,split=0.9 --gradients 1 --quiet
says err "the validation text has"
expect 1 sim --net gpt-tiny --data shapes --gradients 1 --quiet
says err "reads tokens, but its input is 32x32x3"
expect 1 sim --net mlp --data chain --gradients 1 --quiet
says err "reads images, but the data set 'chain' is text"
# Products in bf16, and the note of a processor without; onednn computes f32, too.
if has_onednn; then
	for type in f32 bf16; do
		expect 0 bench nets gpt-tiny transformer-xl-tiny --no-peak --seconds 0.1 \
			--precision $type --batch 4 --json
		grep -q "computing in f32" err && type=f32
		is "$(jq -c 'map([.net, .backend, .precision])' out)" \
			"[[\"gpt-tiny\",\"onednn\",\"$type\"],[\"transformer-xl-tiny\",\"onednn\",\"$type\"]]"
	done
	ONEDNN_MAX_CPU_ISA=AVX2 expect 0 sim --net gpt-tiny --data chain --precision bf16 \
		--workers 1 --batch 4 --gradients 1 --quiet --out plain
	says err "computing in f32"
else
	expect 0 sim --net gpt-tiny --data chain --precision bf16 --workers 1 --batch 4 \
		--gradients 1 --quiet --out plain
	says err "bf16 needs the backend onednn: openblas computes in f32"
fi
finish
