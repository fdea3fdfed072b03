# convoy advise: break-even points against closed forms, uncertain values, what is refused.
# COST 25
. "$(dirname "$0")/lib.sh"
need jq

net="--net bytes:1e8,layers=1 --quiet"
ideal="$net --compute-s 0.1 --link ideal"

# has FILTER: the JSON on stdout agrees.
has() {
	[ "$(jq "$1" out)" = true ] || {
		fail "not true: $1${2:+ ($2)}"
		jq -c 'del(.points)' out
	}
}

# even X WITHIN: the break-even is X to within a share, and its interval covers X.
even() {
	has ".break_even.median / $1 | . > 1 - $2 and . < 1 + $2" "break-even $1"
	has ".break_even.low <= $1 and .break_even.high >= $1" "the interval covers $1"
}

# ---- closed forms, on links that take no time ----
# One of n workers is s times slower. All-reduce takes s c a step, ASGD n c / (n - 1 + 1/s). If a step
# of ASGD makes only p of the progress, both are equal at s = (n / p - 1) / (n - 1).
expect 0 advise --between allreduce,asgd --vary slow=1..3 --workers 4 --progress 1,0.8 $ideal --json
even "(4 / 3)" 0.01
has '.second_faster == "above" and .draws == 1'
has '[.points[].p_second_faster] | . == (map(if . > 0.5 then 1 else 0 end)) and .[0] == 0 and .[-1] == 1' \
	"P is 0 or 1 where nothing varies"
has '.points[0] | .first_s.median / 0.1 - 1 | fabs < 1e-6' "a step of all-reduce takes s c"
has '.points[-1] | .second_s.median / (4 * 0.1 / (3 + 1/3) / 0.8) - 1 | fabs < 0.01'
expect 0 advise --between allreduce,asgd --vary slow=1..10 --workers 8 --progress 1,0.5 $ideal --json
jq -e 'all(.points[]; .x == (.x * 1e8 | round) / 1e8)' out >/dev/null || fail "$(jq -c '[.points[].x]' out): not the values of runs"
even "(15 / 7)" 0.01
# The other way round the first is faster above.
expect 0 advise --between asgd,allreduce --vary slow=1..10 --workers 8 --progress 0.5,1 $ideal --json
even "(15 / 7)" 0.01
has '.second_faster == "below"'

# Above 9999, values have no exponent.
expect 0 advise --between allreduce,asgd --vary slow=10000..20000 --workers 4 --progress 20,0.00216 $ideal
grep -qE '^break-even: slow 123[0-9]{2} \(12[0-9]{3} to 12[0-9]{3} by' out || fail "$(cat out)"
grep -q '^20000 ' out || fail "$(cat out)"

# A server that takes u for a step makes 1/u steps a second at most: n u = s c.
expect 0 advise --between allreduce,asgd --vary workers=4..64 --slow 0:2 --update-s 0.01 $ideal --json
has '.break_even.median >= 20 and .break_even.median <= 21 and .second_faster == "below"'
has '.break_even.low <= 20 and .break_even.high >= 20'

# A server's NIC carries n gradients of m bytes a step, a ring 2 (n - 1) / n m of each worker:
# n m / B = s c + 2 (n - 1) / n m / B, so B = (8 - 14/8) m / (2 c).
expect 0 advise --between allreduce,asgd --vary bandwidth=0.5..50 --workers 8 --slow 0:2 --sim-bucket 0 $net \
	--compute-s 0.1 --link nic:latency_s=0 --json
even 3.125 0.01
has '.second_faster == "above"'

# compute_s has its unit, and what is varied may be all that a run takes.
expect 0 advise --between allreduce,asgd --vary compute-s=0.001..1 --workers 8 --slow 0:2 --sim-bucket 0 $net \
	--link nic:latency_s=0,bandwidth_GBps=3.125 --json
even 0.1 0.01
# Clauses of single workers stay, those of the command line and of a cluster; only the shared time varies.
echo '{ "workers": 4, "compute": { "times": { "lenet": "0.1; 3: 0.4" } } }' >one-slow.json
for machine in "--compute-s 0.1;3:0.4 --link ideal --workers 4" "--cluster one-slow.json"; do
	expect 0 advise --between allreduce,asgd --vary compute_s=0.2..0.8 --points 2 --net lenet --quiet $machine --json
	has '[.points[].first_s.median] | (.[0] / 0.4 - 1 | fabs < 0.01) and (.[1] / 0.8 - 1 | fabs < 0.01)' "$machine"
	has '.settings.compute_s | test("3: ?0.4")' "$machine"
done
expect 1 advise --between allreduce,asgd --vary compute_s=0.2..0.8 --net lenet --compute-s "0-2:0.1;3:0.4" --link ideal --workers 4
says err "'0-2:0.1;3:0.4' names the workers of each time (expected TIME; RANKS: TIME"
# A machine that is looked at in silence says nothing.
expect 1 advise --between allreduce,asgd --vary workers=2..4 --net lenet --link ideal
is "$(grep -c "compute_s is missing" err)" 1 "messages"

# ---- uncertain values ----
# With p = 0.8 +- 0.05 the break-even follows from p; compute_s changes no ratio.
uncertain="--between allreduce,asgd --vary slow=1..2 --workers 4 --progress 1,0.8+-0.05 --net bytes:1e8,layers=1
	--compute-s 0.1+-0.02 --link ideal --points 3 --draws 12 --quiet"
expect 0 advise $uncertain --json
cp out first
has '.break_even.median > 1.28 and .break_even.median < 1.39' "median over p"
has '.break_even.low < 1.27 and .break_even.high > 1.4 and .break_even.low > 1.1 and .break_even.high < 1.7'
has '.uncertain == [{ value: "compute_s", mean: 0.1, deviation: 0.02 },
	{ value: "progress asgd", mean: 0.8, deviation: 0.05 }] and .model_error == null and .seed == 1 and .unit == ""'
has '.settings | .net == "bytes:1e8,layers=1" and .compute_s == "0.1+-0.02" and .overlap == "true" and .slow == null'
has '.assumed | has("host_copy_s")'
has '.version | length > 0' "the program"
has '.draws == 12 and .sensitivity[0].value == "progress asgd" and .sensitivity[0].share > 0.98'
has '.sensitivity[1].value == "compute_s" and .sensitivity[1].share < 0.01'
# At the ends of p, one deviation away, is the break-even of the formula, also where it is not linear in p.
ends='.sensitivity[0] | (.break_even_at_low / ((4 / .low - 1) / 3) - 1 | fabs < 0.01) and
	(.break_even_at_high / ((4 / .high - 1) / 3) - 1 | fabs < 0.01)'
has "$ends"
has '[.points[].p_second_faster] | . == sort and any(. > 0 and . < 1)' "P grows with the slowdown"
expect 0 advise $uncertain --json --draws 4
cp out few
expect 0 advise $uncertain --json --draws 4 --out again --jobs 1
is "$(jq -S . out | sha256sum)" "$(jq -S . few | sha256sum)" "the same command, the same answer"
expect 0 advise ${uncertain/0.1+-0.02/0.1±20%} --json
is "$(jq -c .break_even out)" "$(jq -c .break_even first)" "0.1±20% is 0.1+-0.02"
expect 0 advise $uncertain --json --seed 100 --draws 4
[ "$(jq -S .break_even out)" != "$(jq -S .break_even first)" ] || fail "another seed draws the same values"
wide=${uncertain/0.8+-0.05/0.8+-0.2}
expect 0 advise $wide --draws 8 --points 2 --json
has "$ends" "far from linear"
expect 0 advise ${wide/slow=1..2/slow=1..1.5} --draws 8 --points 2 --plot wide/even.svg
says out "above 1.5"
says wide/even-sensitivity.csv ",above,"
grep -q inf wide/even-sensitivity.dat && fail "an end of a bar is nowhere"
# Labels are read over strip and ticks; a colour is in the legend only if there is such a bar.
grep "^set label" wide/even-sensitivity.gp | grep -vq " boxed$" && fail "a label over the strip: $(cat wide/even-sensitivity.gp)"
says wide/even-sensitivity.gp "set xtics out nomirror"
awk '/^#/ { next } { lower += $3 != $2; higher += $4 != $2 } END { print (lower > 0) + (higher > 0) }' wide/even-sensitivity.dat >bars
is "$(grep -o "value one deviation" wide/even-sensitivity.gp | wc -l)" "$(cat bars)" "a colour without a bar"
# Both take equally long at an end of the range, and one is faster everywhere else: that is no break-even.
tie="advise --between allreduce,ad-psgd --vary slow=1..10 --workers 8 --compute-s 0.3+-10% --net bytes:350e6 --link ideal --points 3 --draws 8 --quiet"
expect 0 $tie --report tie.html
says out "no break-even between 1 and 10: equal at slow 1; ad-psgd is faster as soon as slow is above 1"
says tie.html "equal at slow 1; ad-psgd is faster as soon as slow is above 1."
expect 0 $tie --json
has '.break_even == null and .draws_with_break_even == 0 and .points[0].p_second_faster == 0.5'
expect 0 ${tie/allreduce,ad-psgd/ad-psgd,allreduce}
says out "equal at slow 1; ad-psgd is faster as soon as slow is above 1"
mkdir foreign
echo mine >foreign/even-sensitivity.svg
expect 1 advise ${wide/slow=1..2/slow=1..1.5} --draws 8 --points 2 --plot foreign/even.svg
says err "it would replace foreign/even-sensitivity.svg, which no plot of convoy made"
is "$(cat foreign/even-sensitivity.svg) $(ls foreign)" "mine even-sensitivity.svg"
# Of counts, both ends of the interval are counts, and 5 % of the draws below the range make it open there.
expect 0 advise --between allreduce,asgd --vary workers=2..64 --slow 0:2 --progress 1,0.62+-0.04 --points 2 --draws 12 $ideal --json
has '.points[0].p_second_faster > 0.05 and .break_even.low == "below"'
has '.break_even == { median: 3, low: "below", high: 6 }' "whole workers"
# The error of the model is one more uncertain value.
expect 0 advise $uncertain --model-error 0.2 --points 2 --json
has '.model_error == 0.2 and .sensitivity[0].value == "model error" and .break_even.high > 1.5'
has '.draws_with_break_even < 12 and .break_even.low == "below"' "some draws have it below 1"

# Each of several values has a name of its own: by its index in a list, its ranks and its model.
named() {
	expect 0 advise --between allreduce,asgd --vary slow=1..2 --workers 4 --points 2 --draws 2 $net "${@:2}"
	says out "uncertain: $1"
}
named "compute_s.seconds[1] 0.1 +- 0.01, compute_s.seconds[2] 0.2 +- 0.02" --link ideal --batch 32 \
	--compute-s 'table:batch=32/64,seconds=0.1+-0.01/0.2±10%'
named "compute_s 0.1 +- 0.01, compute_s of 1 0.2 +- 0.02" --link ideal --compute-s '0.1+-0.01; 1: 0.2+-0.02'
named "delay.cv 0.1 +- 0.01, delay.cv of static 0.2 +- 0.02, delay.cv of 1: gamma 0.3 +- 0.01" --link ideal \
	--compute-s 0.1 --delay 'gamma:cv=0.1+-0.01 * static:cv=0.2+-0.02; 1: gamma:cv=0.3+-0.01'
# Units of both numbers, of the first or of the last; of both the same quantity.
for both in "500ms+-50ms 25Gb/s+-2.5Gb/s" "500+-50ms 25+-2.5Gb/s" "500ms+-10% 25Gb/s±10%" "0.5s+-50000us 3.125+-10%" "0.5+-0.05 3125MB/s+-312.5"; do
	named "compute_s 0.5 +- 0.05, link.bandwidth_GBps 3.125 +- 0.312" --compute-s ${both% *} --link nic:bandwidth_GBps=${both#* }
done
named "compute_s.seconds[1] 0.1 +- 0.01, compute_s.seconds[2] 0.2 +- 0.02" --link ideal --batch 32 \
	--compute-s 'table:batch=32/64,seconds=100ms+-10ms/200ms±10%'
named "slow 1.5 +- 0.3, slow of 1 2 +- 0.2, link.latency_s 1 +- 0.5, link.latency_s of server 1 +- 0.1" \
	--compute-s 0.1 --slow 0:1.5+-0.3+1:2+-0.2 --link 'nic:latency_s=1+-50%; server: latency_s=1+-0.1'

# ---- the file of points ----
asked="advise --between allreduce,asgd --vary slow=1..3 --workers 4 --points 3 --progress 1,0.8 $ideal --out kept --json"
expect 0 $asked
cp out first
is "$(ls kept)" advise.points "timing-only runs leave one file"
sum=$(sha256sum <kept/advise.points)
sed -i 's/^\([0-9a-f]* \)[0-9.e+]*/\11e9/' kept/advise.points
expect 0 $asked
says err "lines are damaged and left out; their runs are made again"
is "$(cat out)" "$(cat first)" "after damage"
is "$(sha256sum <kept/advise.points)" "$sum" "the file is whole again"
python3 -c 'b = bytearray(open("kept/advise.points", "rb").read()); b[len(b) // 2] = 0; open("kept/advise.points", "wb").write(b)'
expect 0 $asked
says err "kept/advise.points: 1 line is damaged and left out; its run is made again"
is "$(cat out)" "$(cat first)" "after a zero byte"
# A damaged line of another question leaves the file, too, though no run is made.
echo "0123456789abcdef 1 1 1 1 1 1 1 1 00000000" >>kept/advise.points
expect 0 $asked
says err "kept/advise.points: 1 line is damaged"
expect 0 $asked
! grep -q damaged err || fail "a damaged line stays: $(cat err)"
# Asked again, no run is made: the digits are those of the file, whatever they are.
python3 - kept/advise.points <<'END'
import sys
def fnv(b):
    h = 0xcbf29ce484222325
    for c in b: h = (h ^ c) * 0x100000001b3 % 2**64
    return h >> 32
lines = open(sys.argv[1]).read().splitlines()
for i, line in enumerate(lines[1:], 1):
    v = line.split()[:-1]
    v[2] = repr(2 * float(v[2]))
    lines[i] = ' '.join(v) + ' %08x' % fnv(' '.join(v).encode())
open(sys.argv[1], 'w').write('\n'.join(lines) + '\n')
END
expect 0 $asked
is "$(jq .points[0].first_s.median out)" "$(jq '2 * .points[0].first_s.median' first)" "read from the file"
# Figures that no run has, with the right checksum: they are not used, and the note names the file.
expect 0 $asked
rm kept/advise.points
expect 0 $asked
for column in 1 2 3 4; do
	for value in nan inf -1 0 1e308; do
		[ $column$value = 2nan ] && continue    # a run without a whole round
		python3 - kept/advise.points $column $value <<-'END'
			import sys
			def fnv(b):
			    h = 0xcbf29ce484222325
			    for c in b: h = (h ^ c) * 0x100000001b3 % 2**64
			    return h >> 32
			lines = open(sys.argv[1]).read().splitlines()
			v = lines[1].split()[:-1]
			v[int(sys.argv[2])] = sys.argv[3]
			lines[1] = ' '.join(v) + ' %08x' % fnv(' '.join(v).encode())
			open(sys.argv[1], 'w').write('\n'.join(lines) + '\n')
		END
		expect 0 $asked
		says err "kept/advise.points: 1 line is damaged and left out; its run is made again"
		is "$(cat out)" "$(cat first)" "after $value in column $column"
	done
done
# A program of uncommitted sources takes points of its own file alone.
rm -r kept
expect 0 $asked
lines=$(wc -l <kept/advise.points)
cp "$CONVOY" edited
echo >>edited
./edited $asked >copied || fail "a copy of the program"
case $("$CONVOY" version) in
*dirty* | *"commit    unknown"*) is "$(wc -l <kept/advise.points)" $((2 * lines - 1)) "points of another program" ;;
*) is "$(wc -l <kept/advise.points)" "$lines" "points of the same commit" ;;
esac
rm -r kept
expect 0 $asked
echo "not points" >kept/advise.points
expect 0 $asked
says err "kept/advise.points is no file of points"
is "$(cat out)" "$(cat first)" "without a file of points"
rm kept/advise.points; mkdir kept/advise.points
expect 1 $asked
says err "cannot write 'kept/advise.points'"
# Two at a time, and each finds what the other has made.
rm -r kept
"$CONVOY" $asked >one & "$CONVOY" ${asked/slow=1..3/slow=1..5} >two; wait $!
is "$(cat one)" "$(cat first)" "two at a time"
is "$(ls -A kept)" advise.points "no lock is left"

# ---- NCCL takes a tree instead of a ring from some number of nodes on, and the step jumps there ----
jump="--net bytes:1e7,layers=1 --sim-bucket 0 --compute-s 0.01 --link nic:node=8,node_GBps=300,bandwidth_GBps=12.5
	--gradients 5120 --quiet"
expect 0 advise --between allreduce,local-sgd:period=4 --vary workers=64..512 --points 4 --progress 1,0.85 $jump --plot jump.svg
says out "NCCL's all-reduce changes from ring to double-tree from workers 104: the time to the same loss of allreduce is"
says out "break-even: workers 104 "
says out "The break-even lies at this switch: it depends on NCCL's choice."
awk '$1 == 96 || $1 == 104' jump.dat >sides
is "$(wc -l <sides)" 2 "the picture has both sides of the switch"
expect 0 advise --between allreduce,local-sgd:period=4 --vary workers=64..512 --points 4 --progress 1,0.85 $jump --json
has '.switches[0] | [.algorithm, .library, .from, .to, .below, .above, .at_break_even] ==
	["allreduce", "NCCL", "ring", "double-tree", 96, 104, true]'
has '.assumed.link | endswith("NCCL chooses ring for 1e+07 bytes at workers 64")'
for side in below:96:ring above:104:double-tree; do
	IFS=: read -r name workers kind <<<"$side"
	for which in 0:allreduce 1:local-sgd:period=4; do
		"$CONVOY" sim --timing --algo ${which#*:} --workers $workers ${jump% --quiet} --json >single 2>said
		says said "NCCL chooses $kind for 1e+07 bytes"
		has ".switches[${which%%:*}].step_s_$name /
			$(jq '.time_per_epoch_s * .epochs / .gradients * '$workers single) - 1 | fabs < 0.02" \
			"a step of sim at $workers workers, ${which#*:}"
	done
done
# The page says it as well, and tells the values on both sides apart.
expect 0 advise --between allreduce,local-sgd:period=4 --vary bandwidth=2..32 --points 3 --progress 1,0.85 $jump \
	--workers 96 --report switch.html
for x in 12.55 12.5546; do
	grep -q ">$x<" switch.html || fail "no row of $x on the page"
done
is "$(grep -o "The break-even lies at this switch" switch.html | wc -l)" 1 "said once on the page"
expect 0 advise --between allreduce,local-sgd:period=4 --vary workers=8..512 --points 5 --progress 1,0.85 $jump
says out "1 of 1 draws have several"
says out "Here, too, another algorithm becomes faster."
# Both sides are points of the answer: between 64 and 184 local steps are faster, but only up to the switch.
expect 0 advise --between allreduce,local-sgd:period=4 --vary workers=8..512 --points 5 --progress 1,0.83 $jump
says out "break-even: workers 72 "
is "$(awk '/^(64|96|104|184) / { printf "%s:%s ", $1, $4 }' out)" "64:0 96:1 104:0 184:0 " "points at the switch"
is "$(grep -c "Here, too" out)" 1 "said once"
# No library chooses: no switch.
expect 0 advise --between allreduce,local-sgd:period=4 --vary workers=8..512 --points 3 \
	${jump/nic:/nic:collective=ring,} --json
has '.switches == null'
# A codec halves the bytes by which NCCL chooses.
expect 0 advise --between allreduce,diloco:period=4 --vary workers=64..512 --points 4 --progress 1,0.85 ${jump/1e7/2e7} \
	--codec fp16 --json
has '.switches[0] | [.from, .to, .below, .above] == ["ring", "double-tree", 96, 104] and .step_s_below > 1.1 * .step_s_above'

# Random delays are a reason to draw, too.
expect 0 advise --between allreduce,asgd --vary slow=1..3 --workers 4 --progress 1,0.8 --delay gamma:cv=0.3 \
	$ideal --json --draws 4 --points 4
has '.draws == 4 and .sensitivity == []'

# A worker is f times slower in a share q of the time, for long times. All-reduce makes (1 - q) + q / f of its
# steps, ASGD (3 + (1 - q) + q / f) / 4. With p = 0.5 both are equal at (1 - q) + q / 5 = 3/7, q = 5/7.
expect 0 advise --between allreduce,asgd --vary share=0.5..0.9 --workers 4 --progress 1,0.5 --draws 3 --points 2 \
	--gradients 60000 --delay '0: markov:factor=5,slow_s=10' $ideal --json
has '.break_even.median / (5 / 7) | . > 0.92 and . < 1.08'
has '.second_faster == "above" and .draws == 3'

# Without a length, runs have at least 20 slow periods, of all workers together; too few are said.
slow="--between allreduce,asgd --workers 4 --progress 1,0.5 --draws 2 --points 2 $ideal"
expect 0 advise $slow --vary share=0.5..0.9 --json
has '[.points[].slow_periods >= 20] | all'
has '.break_even.median / (5 / 7) | . > 0.8 and . < 1.25'
expect 0 advise $slow --vary slow=1..4 --delay 'markov:factor=2,fast_s=40,slow_s=10' --json
has '[.points[].slow_periods | . >= 20 and . < 60] | all' "each of 4 workers has such periods"
expect 0 advise $slow --vary slow=1..4 --delay gamma:cv=0.1 --json
has '[.points[].slow_periods == null] | all'
expect 0 advise $slow --vary share=0.5..0.9 --gradients 1600 --report few.html
says out "2 of 2 points have fewer than 20 slow periods in a run (2.1 at share 0.5)"
says out "Give --seconds 420 or more"
says few.html "2 of 2 points have fewer than 20 slow periods in a run (2.1 at share 0.5)"
# Which worker is slow, how slow, and for how long, where --delay does not say it.
says out "delay 0: * markov:factor=10,slow_s=10 (where share is varied; --delay has no markov model)"
says few.html "0: * markov:factor=10,slow_s=10"
expect 0 advise $slow --vary share=0.5..0.9 --gradients 1600 --delay '0: markov:factor=5,slow_s=10' --json
has '.assumed | has("delay") | not'
expect 0 advise $slow --vary share=0.5..0.9 --seconds 420
! grep -q "slow periods" out || fail "--seconds 420 are not enough: $(cat out)"

# The same of failures, and of checkpoints that take time: 4 workers fail every 50 s, or every 12500 s.
expect 0 advise $slow --vary slow=1..1.2 --recovery restart:interval_s=5,cost_s=0.1 \
	--faults all:fail@mtbf_s=200,detect_s=1,restart_s=1 --json
has '[.points[] | .failures >= 20 and .checkpoints >= 20 and .slow_periods == null] | all' "long enough for failures"
expect 0 advise $slow --vary slow=1..1.2 --recovery restart:interval_s=500,cost_s=1 --gradients 1600 \
	--faults all:fail@mtbf_s=5e4,detect_s=1,restart_s=1
says out "2 of 2 points have fewer than 20 failures in a run (0.0032 at slow 1)"
says out "Give --seconds 270000 or more"
says out "2 of 2 points have fewer than 20 checkpoints in a run (0.08 at slow 1)"
# Faults at given times, after the end of most runs.
expect 0 advise ${slow/allreduce,asgd/asgd,ad-psgd} --vary slow=1..1.2 --faults 1:leave@100-200
says out "faults, slow periods or delays at given times change until 200 s, but some runs end at 44 s"
expect 0 advise ${slow/allreduce,asgd/asgd,ad-psgd} --vary slow=1..1.2 --faults 1:leave@100-200 --json
has '.gaps[0] | startswith("faults, slow periods or delays at given times change until 200 s")'
expect 0 advise ${slow/allreduce,asgd/asgd,ad-psgd} --vary slow=1..1.2 --faults 1:leave@100-200 --seconds 210
! grep -q "at given times" out || fail "--seconds 210 are not enough: $(cat out)"
# Before what is measured, which begins after 40 steps: of 0.3 s, and one takes 0.3 s more.
expect 0 advise --between allreduce,asgd --vary slow=1..3 --workers 4 $ideal --points 2 --faults 1:leave@0.3-0.6
says out "change from 0.3 s on, but some runs are measured from 12.3 s on"

# ---- what is printed ----
expect 0 advise $uncertain
says out "break-even: slow 1.3"
says out "90 % interval"
says out "Measure next what has the largest share:"
says out "progress per step, as given: allreduce 1, asgd 0.8"
says out "uncertain: compute_s 0.1 +- 0.02, progress asgd 0.8 +- 0.05"
says out "Simulated: workers=4 net=bytes:1e8,layers=1 compute_s=0.1+-0.02 link=ideal cluster=none delay=constant seed=1..12"
says out "model error: none assumed (--model-error)"
! grep -q "one draw only" out || fail "12 draws are one"
expect 0 advise $uncertain --draws 1 --points 2 --model-error 0.1
says out "one draw only: P is 0 or 1"
! grep -q "none assumed" out || fail "a model error of 0.1 is none"
expect 0 advise $uncertain --csv --draws 2
is "$(head -1 out)" "slow,step_s_1,step_s_1_low,step_s_1_high,step_s_2,step_s_2_low,step_s_2_high,p_second_faster"
is "$(wc -l <out)" 4
expect 0 advise --between allreduce,asgd --vary slow=1..3 --workers 4 $ideal
says out "taken as 1 for both, so only the time of the hardware is compared"
expect 0 advise $uncertain --plot new/even.svg
says out "new/even.svg"
for file in new/even.gp new/even.dat new/even.csv new/even.json; do [ -s $file ] || fail "$file is missing"; done
command -v gnuplot >/dev/null && [ ! -s new/even.svg ] && fail "even.svg is missing"
# Times and the probability are two quantities, in two panels of the SVG and of the PNG.
says new/even.gp 'set multiplot'
grep -q y2 new/even.gp && fail "a second axis"
if [ -s new/even.svg ]; then
	says new/even.svg '>time to the same loss [s per step]<'
	says new/even.svg '>probability<'
	says new/even.svg '>P(asgd is faster)<'
fi

# The sensitivity chart: a bar for each uncertain value, the widest at the top, with the ends of the table.
says out "new/even-sensitivity.svg"
is "$(sed 1d new/even-sensitivity.csv)" "$(jq -r '.sensitivity[] | [.value, .low, .high, .break_even_at_low,
	.break_even_at_high, .share] | @csv' new/even.json | tr -d '"' | awk -F, -v OFS=, \
	'{ for (i = 2; i <= NF; i++) $i = sprintf("%.9g", $i) } 1')" "the table as CSV"
is "$(awk '!/#/ { print $1, (($3 - $4) ^ 2 > 0.01) ? "wide" : "narrow" }' new/even-sensitivity.dat)" "$(printf '2 wide\n1 narrow')" \
	"bars, sorted by their width"
is "$(awk '!/#/ { print ($3 > $2 && $2 > $4) }' new/even-sensitivity.dat | head -1)" 1 "less progress, a later break-even"
says new/even-sensitivity.gp "'progress asgd 0.7501 to 0.8499:"
if command -v gnuplot >/dev/null; then
	says new/even-sensitivity.svg "progress asgd 0.7501 to 0.8499: "
	says new/even-sensitivity.svg "from run to run, or not linear"
fi
if command -v gnuplot >/dev/null; then
	expect 0 advise $uncertain --draws 8 --points 2 --plot new/even.pdf
	for file in new/even.pdf new/even-sensitivity.pdf; do
		says out $file
		is "$(head -c 4 $file)" %PDF $file
	done
	expect 0 advise $uncertain --draws 3 --points 2 --plot new/even.svg
	[ ! -e new/even-sensitivity.svg ] || fail "a sensitivity chart of an earlier command"
	[ -e new/even-sensitivity.pdf ] || fail "a PDF that is gone"
fi
# Axes that are shorter than a decade have numbers, too.
if command -v gnuplot >/dev/null; then
	for vary in bandwidth=0.5..50 slow=1..4; do
		expect 0 advise --between allreduce,asgd --vary $vary --workers 8 --slow 0:2 --sim-bucket 0 $net \
			--compute-s 0.1+-0.02 --link nic --progress 1,0.6+-0.05 --draws 5 --points 2 --plot axis.svg
		for plot in axis*.svg; do
			[ "$(labelled_ticks $plot middle)" -ge 2 ] || fail "$vary: $plot: fewer than two ticks on x"
		done
		rm -f axis*
	done
fi
# Without effects, and without a break-even, there is none.
expect 0 advise $uncertain --draws 3 --points 2 --plot new/few.svg
[ -e new/few.gp ] && [ ! -e new/few-sensitivity.gp ] || fail "a sensitivity chart of 3 draws"
expect 0 advise ${uncertain/slow=1..2/slow=2..4} --draws 6 --points 2 --plot new/none.svg
[ -e new/none.gp ] && [ ! -e new/none-sensitivity.gp ] || fail "a sensitivity chart without a break-even"

# ---- measured progress ----
# Averaging models after each step is averaging gradients, so both make the same progress.
trained="--vary slow=1..4 --workers 2 --points 2 --draws 2"
expect 0 advise --between allreduce,local-sgd:period=1 $trained $ideal --progress-by 'net=logistic lr=0.05 epochs=1'
says out "in 18 training runs of logistic"
grep -qE ': 1 at slow 1, 1 at slow 2, 1 at slow 4$' out || fail "progress: $(grep progress out)"
# Each has its own learning rate, and messages take as long as those of the large net: the same staleness.
expect 0 advise --between allreduce,asgd $trained $net --compute-s 0.1 --link nic:bandwidth_GBps=0.5 --out own \
	--progress-by 'net=logistic lr=0.2,0.05 epochs=4'
says out "uncertain: measured progress 1"
is "$("$CONVOY" list runs net=logistic algo=asgd --out own --json | jq -c '[.[].settings.lr] | unique')" '["0.05"]'
is "$("$CONVOY" list runs net=logistic algo=allreduce --out own --json | jq -c '[.[].settings.lr] | unique')" '["0.2"]'
large() { "$CONVOY" sim --timing --algo asgd --slow 0:4 --workers 2 $net --compute-s 0.1 --link nic:bandwidth_GBps=0.5 \
	--gradients 880 --json | jq .staleness_mean; }
small() { "$CONVOY" list runs algo=asgd slow=0:4 --out own --json | jq '[.[].staleness_mean] | add / length'; }
is "$(jq -n "$(large) / $(small) - 1 | fabs < 0.03")" true "staleness $(large) and $(small)"
# The same where a worker has four devices, each with a NIC of a quarter of the rate.
expect 0 advise --between allreduce,asgd $trained $net --compute-s 0.1 --link nic:bandwidth_GBps=0.125 --gpus-per-worker 4 \
	--out split --progress-by 'net=logistic lr=0.2,0.05 epochs=4'
seconds() { "$CONVOY" list runs algo=asgd slow=0:4 --out $1 --json | jq '[.[].time_s] | add'; }
is "$(jq -n "$(seconds own) / $(seconds split) - 1 | fabs < 1e-6")" true "seconds $(seconds own) and $(seconds split)"

# A small net's run has one compute time and no storage.
trained="$trained $net --link ideal --progress-by net=logistic"
expect 1 advise --between allreduce,asgd $trained --compute-s '0.1; 1: 0.3'
says err "--progress-by cannot take compute_s that differs between workers. Give --progress instead."
expect 1 advise --between allreduce,asgd $trained --compute-s 0.1 --storage shared:samples_per_s=1000
says err "--progress-by cannot scale storage to the samples of a small net. Give --progress instead."

# ---- a parameter that does not matter ----
expect 0 advise --between allreduce,asgd --vary slow=2..4 --workers 4 $ideal
says out "no break-even between 2 and 4: asgd is faster throughout"
# Where most draws have none, no value outside the range is called the break-even, and ends of the
# interval have their unit.
expect 0 advise --between allreduce,asgd --vary bandwidth=0.1..100 --workers 8 --net bytes:350e6,layers=1 --compute-s 0.3 \
	--link nic --progress 1,0.9+-0.05 --points 2 --draws 16 --report others.html
says out "no break-even between 0.1 and 100 in 14 of 16 draws: allreduce is faster throughout"
says others.html "There is no break-even in the range in 14 of 16 draws: allreduce is faster."
says others.html "The break-even is between 30.53 GB/s and above 100 GB/s (90 % of 16 draws)"
says out "break-even of the others: asgd is faster above (90 % interval of all draws 30.53 GB/s to above 100 GB/s)"
expect 0 advise --between allreduce,local-sgd:period=1 --vary slow=1..4 --workers 4 $ideal
says out "no break-even between 1 and 4: both are equally fast"

# ---- outside what was measured ----
table='nic:collective=measured,allreduce_ranks=4,allreduce_bytes=1e6/1e8,allreduce_s=0.01/0.2'
measured="--between allreduce,asgd --compute-s 0.1 --link $table --quiet"
expect 0 advise $measured --vary workers=2..8 --net bytes:1e8,layers=1
says out "no data"
says out "no data at workers 2: all-reduces of 2 workers were not measured, only those of 4"
expect 0 advise $measured --vary workers=2..8 --net bytes:1e8,layers=1 --extrapolate
! grep -q "no data" out || fail "--extrapolate shows no data"
# What is faster where there is data says nothing of the other points.
expect 0 advise $measured --vary workers=3..5 --net bytes:1e8,layers=1
says out "no break-even is known, with data at workers 4 only: allreduce is faster there"
says out "A break-even may lie where there is no data"
! grep -q throughout out || fail "claims what it does not know"
expect 0 advise $measured --vary slow=1..4 --workers 4 --net bytes:1e9,layers=1 --sim-bucket 0
says out "no data at any point"
says out "all-reduces of 1e+09 bytes were not measured, only those of 1e+06 to 1e+08"
expect 0 advise $measured --vary slow=1..4 --workers 4 --net bytes:1e9,layers=100
! grep -q "no data" out || fail "buckets that were measured have no data"

# The same of batches that a table of compute times, or a device, does not have.
batch() { expect 0 advise --between allreduce,asgd --vary slow=1..4 --points 2 --workers 4 --link ideal --quiet "$@"; }
times='table:batch=20/81/200,seconds=0.1/0.3/0.7'
batch --net bytes:1e8,layers=1 --batch 6400 --compute-s $times
says out "no data at slow 1: compute_s: batch 6400 is outside the measured 20 to 200"
says out "no data at any point"
batch --net bytes:1e8,layers=1 --batch 6400 --compute-s $times --extrapolate
! grep -q "no data" out || fail "--extrapolate shows no data"
batch --net bytes:1e8,layers=1 --batch 200 --compute-s $times
! grep -q "no data" out || fail "a measured batch has no data"
batch --net resnet50 --data imagenet --batch 6400 --compute-s t4
says out "no data at slow 1: compute_s: batch 6400 is outside the measured"

# ---- what is refused ----
# refused TEXT ARGUMENT...
refused() {
	expect 1 advise "${@:2}" $ideal
	says err "$1"
	[ -s out ] && fail "printed an answer: $*"
}
pair="--between allreduce,asgd"
refused "--vary is missing" $pair
refused "the value allreduce stands there twice" --between allreduce,allreduce --vary slow=1..10
refused "1 algorithm (expected two)" --between allreduce --vary slow=1..10
refused "3 algorithms (expected two)" --between allreduce,asgd,ad-psgd --vary slow=1..10
refused "--between: unknown algorithm 'asgdd'; did you mean 'asgd'?" --between allreduce,asgdd --vary slow=1..10
refused "the range is empty" $pair --vary slow=10..1
refused "the range is empty" $pair --vary slow=2..2
refused "unknown parameter 'speed'" $pair --vary speed=1..10
refused "slow must be from 1e-06" $pair --vary slow=0..10
refused "workers must be whole numbers" $pair --vary workers=2.5..8
# Workers come in whole machines.
nodes="--net bytes:100e6,layers=1 --compute-s 0.1 --link nic:node=8,node_GBps=10 --progress 1,0.58"
expect 0 advise --between allreduce,ad-psgd --vary workers=8..64 --points 5 --draws 3 $nodes
says out "break-even: workers 16 "
for n in 24 40 64; do
	grep -q "^$n " out || fail "no point of $n workers: $(cat out)"
done
expect 1 advise --between allreduce,ad-psgd --vary workers=8..60 $nodes
says err "nodes of 8 workers need multiples of 8"
# A link counts devices: of workers with two, a node has four.
expect 0 advise --between allreduce,ad-psgd --vary workers=4..12 --points 3 --draws 3 $nodes --gpus-per-worker 2
is "$(sed -n 's/^\([0-9]*\)  .*/\1/p' out | xargs)" "4 8 12" "whole nodes of workers with two devices"
refused "the uncertainty is larger than the value" $pair --vary slow=1..10 --update-s 0.3+-0.4
refused "must be above 0" $pair --vary slow=1..10 --update-s 0+-0.4
refused "expected a number above 0 after +-" $pair --vary slow=1..10 --update-s 0.1+-x
refused "update_s: an uncertain value is V+-U or V+-P%" $pair --vary slow=1..10 --update-s 300ms+-2Gb/s
refused "update_s '0.3+-0.1+-0.2': a second +- after a number" $pair --vary slow=1..10 --update-s 0.3+-0.1+-0.2
refused "a count is not uncertain" $pair --vary slow=1..10 --workers 4+-1
expect 1 advise $pair --vary latency=0..1 $net --compute-s 0.1 --link nic:latency_s=1e-5+-1e-6
says err "link.latency_s: it is varied, and so not uncertain"
refused "expected a number from 0.001 to 1000" $pair --vary slow=1..10 --progress 1,0
refused "expected two numbers" $pair --vary slow=1..10 --progress 1
refused "expected settings of a training run" $pair --vary slow=1..10 --progress-by "nat=lenet"
refused "--progress and --progress-by are both given" $pair --vary slow=1..10 --progress 1,1 --progress-by net=lenet
refused "its run: it is shorter than 10 rows" $pair --vary slow=1..2 --progress-by "net=logistic epochs=0.1"
# Of 18 runs that diverge, one line speaks.
refused "allreduce diverged, or its loss ends above where it began: usual cause here: " $pair --vary slow=1..2 --workers 2 --quiet \
	--progress-by "net=logistic lr=1e6 epochs=1"
is "$(wc -l <err)" 1 "lines"
refused "--between names the algorithms" $pair --vary slow=1..10 --algo asgd
# The first run without an answer ends all; those that were begun with it may say so too.
expect 1 advise --between allreduce,ad-psgd --vary slow=1..10 --workers 8 --compute-s 0.1 \
	--link nic:bandwidth_GBps=1 --faults 3:leave@5 --jobs 2 --quiet
says err "worker 3 left at 5 s"
[ "$(wc -l <err)" -le 3 ] || fail "an error for each run: $(cat err)"
refused "link ideal has no bandwidth_GBps" $pair --vary bandwidth=1..10
expect 129 advise $pair --vary slow=1..10 word
finish
