# `convoy bench nets`: every combination is measured, and the figures agree with one another.
. "$(dirname "$0")/lib.sh"
need jq
short="--seconds 0.05 --quiet"

expect 0 bench nets lenet --json $short --precision f32 --backend openblas
jq -e 'length == 1 and (.[0] |
	.net == "lenet" and .backend == "openblas" and .precision == "f32" and .batch == 128 and
	.threads == 1 and .team == 1 and .gradients >= 2 and .samples_per_s > 0 and
	.flop_per_sample == 6 * 2293000 and .memory_bytes > 4 * 431080 and
	.gemm_flops_per_s > 1e7 and .peak_share > 0 and
	((.flops_per_s / (.samples_per_s * .flop_per_sample) - 1) | fabs) < 1e-9 and
	((.peak_share * .gemm_flops_per_s / .flops_per_s - 1) | fabs) < 1e-9)' out >/dev/null ||
	fail "$(cat out)"

# Lists are multiplied; a plot is drawn of them.
expect 0 bench nets lenet mlp --no-peak $short --backend openblas --batch 4,8 --threads 1,2 --json
is "$(jq -c 'map([.net, .batch, .threads])' out)" \
	'[["lenet",4,1],["lenet",4,2],["lenet",8,1],["lenet",8,2],["mlp",4,1],["mlp",4,2],["mlp",8,1],["mlp",8,2]]'
expect 0 bench nets lenet --no-peak $short --backend openblas --precision f32,bf16 --lowering 1,2 \
	--partitions 1,2,4 --batch 8 --plot sub/rate.svg
is "$(grep -c '^lenet ' out)" 6 "rows"
says out "2/4"
for suffix in gp dat; do
	[ -s sub/rate.$suffix ] || fail "no rate.$suffix"
done
says sub/rate.gp "parts of a batch"
is "$(grep -c '^[1-9]' sub/rate.dat)" 6 "points"
if command -v gnuplot >/dev/null; then
	[ -s sub/rate.svg ] || fail "no rate.svg"
fi

# Caffe's way has no partitions: it is measured once with ways that have some, and alone refuses.
expect 0 bench nets lenet --no-peak $short --backend openblas --precision f32 --lowering 1,caffe \
	--partitions 2,4 --batch 8 --json
is "$(jq -c 'map([.lowering, .partitions])' out)" '[["1",2],["1",4],["caffe",0]]'
expect 1 bench nets lenet $short --backend openblas --precision f32 --lowering caffe --partitions 2
says err "lowering caffe"

# The peak is that of as many threads; what one thread reaches is no more than two of them do.
expect 0 bench nets lenet $short --backend openblas --precision f32 --threads 1,2 --batch 8
says out "products, 1 thread: openblas f32"
says out "products, 2 threads at once: openblas f32"

# With instructions for bf16 the row is bf16; without, f32, as computed, and it is said once.
if has_onednn; then
	expect 0 bench nets lenet --no-peak $short --precision bf16 --batch 4 --json
	grep -q "computing in f32" err && computed=f32 || computed=bf16
	is "$(jq -c 'map(.precision)' out)" "[\"$computed\"]"
	export ONEDNN_MAX_CPU_ISA=AVX2
	expect 0 bench nets lenet --no-peak $short --precision bf16 --batch 4 --json
	is "$(jq -c 'map(.precision)' out)" '["f32"]'
	one_line
	says err "computing in f32"
	expect 0 bench nets lenet --no-peak $short --batch 4 --json
	is "$(jq -c 'map(.precision)' out)" '["f32"]' "not twice"
	one_line
	unset ONEDNN_MAX_CPU_ISA
fi

# A team shares one gradient; layers are timed on one thread.
expect 0 bench nets lenet --no-peak $short --team 2 --batch 8 --precision f32
says out "1x2"
expect 0 bench nets lenet --no-peak $short --batch 16 --precision f32 --layers --json
jq -e '.[0] | (.layers | length) == 7 and .layers[0].name == "conv1" and
	.layers[0].kind == "conv" and .layers[0].macs == 288000 and
	([.layers[] | .forward_s, .backward_s] | all(. >= 0)) and
	(([.layers[] | .forward_s + .backward_s] | add) as $all | .layers |
	all(((.forward_s + .backward_s) / $all - .share | fabs) < 1e-9))' out >/dev/null ||
	fail "$(cat out)"
expect 0 bench nets lenet --no-peak $short --batch 16 --precision f32 --layers
says out "layers "

expect 129 bench
says err "'nets'"
expect 129 bench net lenet
expect 129 bench nets lenet --frobnicate
expect 1 bench nets lenets
says err "did you mean 'lenet'"
expect 1 bench nets lenet --precision f33
says err "did you mean 'f32'"
expect 1 bench nets lenet --backend openblas --precision bf16
says err "f32 only"
expect 1 bench nets lenet --threads 0
expect 1 bench nets lenet --batch 1,,2
expect 1 bench nets lenet --backend onednm
says err "openblas"
expect 1 bench nets lenet --layers --team 2
says err "one thread"
touch no
expect 1 bench nets lenet --plot no/such/rate.svg
says err "no/such: Not a directory"
expect 1 bench nets lenet --plot rate
says err ".svg"
finish
