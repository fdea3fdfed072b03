# `convoy delay fit`: a log's model is named, its settings are accepted, and bad logs are refused.
# COST 24
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$(dirname "$0")/lib.sh"
need jq python3

# make NAME SLOW: 4 workers, 1000 steps of 0.2 s with noise of 2 %; SLOW: twice that in phases, which
# begin with a chance of 1 % a step and end with one of 5 %.
make() {
	awk -v slow="$2" 'function u() { x = (x * 16807) % 2147483647; return x / 2147483647 }
	BEGIN {
		x = 4711
		print "worker,step,seconds"
		for (w = 0; w < 4; w++)
			for (k = s = 0; k < 1000; k++) {
				s = s ? u() > 0.05 : slow && u() < 0.01
				n = u() + u() + u() + u() + u() + u() + u() + u() + u() + u() + u() + u() - 6
				printf "%d,%d,%.6f\n", w, k, 0.2 * (1 + 0.02 * n) * (s ? 2 : 1)
			}
	}' >"$1"
}
make even.csv 0
make slow.csv 1

expect 0 delay fit even.csv
says out "even.csv: 4 workers, 1000 steps each, mean 0.2"
says out "Best: gamma, the simplest model that fits."
expect 0 delay fit even.csv --json
jq -e '.best.name == "gamma" and (.best.compute_s - 0.2 | fabs < 0.001) and
	(.log | (has("together") | not) and .workers == 4 and .steps == 1000 and (.lag1 | fabs < 0.1))' out >/dev/null || fail "$(cat out)"

# make_bad NAME FACTOR FIRST CV: 8 workers, 300 steps of 0.3 s; worker 3 FACTOR times that, the first
# step FIRST s on all workers; workers differ by CV.
make_bad() {
	awk -v factor="$2" -v first="$3" -v cv="$4" 'function u() { x = (x * 16807) % 2147483647; return x / 2147483647 }
	BEGIN {
		x = 4711
		print "worker,step,seconds"
		for (w = 0; w < 8; w++) {
			mean = 0.3 * (w == 3 ? factor : 1) * (1 + cv * (w % 4 - 1.5))
			for (k = 0; k < 300; k++) {
				n = u() + u() + u() + u() + u() + u() - 3
				printf "%d,%d,%.6f\n", w, k, k == 0 && first ? first : mean * (1 + 0.02 * n)
			}
		}
	}' >"$1"
}

# One bad machine is named, and is no law of all machines; its options make that log.
make_bad bad.csv 1.5 0 0
expect 0 delay fit bad.csv -o bad.json
grep -qE "^rank 3 is slow throughout, 1\.(49|5)[0-9]* times \(1\.[45][0-9]* to 1\.5[0-9]*\); mean 0\.4" out || fail "$(cat out)"
says err "bad.json has no compute time from the log. Give --net and --batch"
grep -qE "^  --compute-s 0\.(30|299).* --delay 'gamma:cv=0\.01[0-9]*' --slow 3:1\.(5|49)" out || fail "$(cat out)"
bad_slow=$(sed -n 's/.* --slow //p' out)
bad_delay=$(jq -r .delay bad.json)
expect 0 delay fit bad.csv --json
jq -e '.best.name == "gamma" and (.log.outliers | length == 1 and .[0].worker == 3 and
	(.[0].factor - 1.5 | fabs < 0.01))' out >/dev/null || fail "$(cat out)"
for options in "--delay gamma:cv=0.01 --slow $bad_slow" "--cluster bad.json"; do
	# shellcheck disable=SC2086
	expect 0 sim --timing --algo allreduce --workers 8 --batch 1 --samples 800 --compute-s 0.3 --link ideal \
		$options --json --quiet
	jq -e '.time_s / 45 - 1 | fabs < 0.01' out >/dev/null || fail "$options: $(jq .time_s out)"
done
is "${bad_delay#*; }" "3: * static:cv=0,bad=1,bad_factor=${bad_slow#3:}"
make_bad fast.csv 0.5 0 0
expect 0 delay fit fast.csv
says out " --slow 3:0.49"

# A worker with slow phases and full recoveries is not slow for ever: its phases are its own delay.
make_bad phases.csv 1 0 0
awk -F, -v OFS=, '$1 == 3 && $2 % 24 > 5 { $3 = 1.6 * $3 } 1' phases.csv >bursts.csv
expect 0 delay fit bursts.csv -o bursts.json
grep -qE "^rank 3 is slow in 1[23] bursts, 7[3-6] % of steps, 1\.60* times; mean .* 1\.44[0-9]* times the median rank's$" out ||
	fail "$(cat out)"
grep -qE "^  --compute-s 0\.(30|299).* --delay 'gamma:cv=0\.01[0-9]*; 3: gamma:cv=[0-9.]* \* markov:factor=1\.[56]" out ||
	fail "$(cat out)"
! grep -q -- --slow out || fail "slow for ever: $(cat out)"
delay=$(sed -n "s/.*--delay '\(.*\)'$/\1/p" out)
is "$(jq -r .delay bursts.json)" "$delay"
expect 0 delay fit bursts.csv --json
jq -e '.log.outliers | length == 1 and .[0].worker == 3 and (.[0].phases.factor - 1.6 | fabs < 0.01)' out >/dev/null ||
	fail "$(jq .log.outliers out)"
expect 0 sim --timing --algo allreduce --workers 8 --batch 1 --gradients 16000 --compute-s 0.3 --link ideal \
	--delay "$delay" --json --quiet
jq -e --argjson step "$(awk -F, 'NR > 1 { m[$2] = m[$2] > $3 ? m[$2] : $3 } END { for (k in m) s += m[k]; print s / 300 }' bursts.csv)" \
	'.time_s / 2000 / $step - 1 | fabs < 0.05' out >/dev/null || fail "$(jq .time_s out)"
# Times below a picosecond are no times.
sed '2,$s/$/e-160/' phases.csv >tiny.csv
expect 1 delay fit tiny.csv
says err "tiny.csv:2: a step cannot take "

# Steps that are slow by chance, a million seconds long: phases are not drawn by the millions until one is over.
awk 'BEGIN { x = 1; print "worker,step,seconds"; for (w = 0; w < 4; w++) for (k = 0; k < 60; k++) {
	x = x * 16807 % 2147483647; print w "," k "," (x > 1073741824 ? 0.1 : 1e6) } }' >chance.csv
timeout 30 "$CONVOY" delay fit chance.csv --apart >out 2>err || fail "chance.csv: it takes more than 30 s, or: $(cat err)"
says out "markov, phases and bursts are left out: slow steps, 1e+07 times as long as others, do not come in phases."
says out "replay:file=chance.csv"
expect 0 delay fit chance.csv --apart --json
jq -e '.phases_left_out and all(.models[].name; . != "markov" and . != "phases" and . != "bursts")' out >/dev/null || fail "$(cat out)"
expect 0 delay fit bursts.csv --json
jq -e '.phases_left_out == false' out >/dev/null || fail "phases of ordinary steps"

# Workers that differ by a law are no outliers, and a phase of one worker is none.
make_bad differ.csv 1 0 0.1
expect 0 delay fit differ.csv
says out "Best: static"
says out "The KS distance says little: runs of static with 8 workers differ by up to "
! grep -q "median rank" out || fail "$(cat out)"
make_bad same.csv 1 0 0
awk -F, -v OFS=, '$1 == 3 && $2 > 100 { $3 = 2 * $3 } 1' same.csv >phase.csv
expect 0 delay fit phase.csv --report phase.html
! grep -q "median rank" out || fail "$(cat out)"
says out "rank 3 becomes slow after 101 of 300 steps, 1.99 times, and stays so."
says phase.html "Rank 3 becomes slow after 101 of 300 steps, "
expect 0 delay fit phase.csv --json
is "$(jq -r .log.becomes_slow out)" "rank 3 becomes slow after 101 of 300 steps, 1.99 times, and stays so"
# One that is slow for a time does not.
awk -F, -v OFS=, '$1 == 3 && $2 > 100 && $2 < 200 { $3 = 2 * $3 } 1' same.csv >phase.csv
expect 0 delay fit phase.csv
says out "No rank is slow throughout or has bursts of its own."

# The ranks of a slow node are named together; so are those of one of two nodes, and the slower of two ranks.
slow_ranks() { awk -F, -v OFS=, -v from=$2 -v to=$3 -v most=$1 '$1 < most || NR == 1 { if ($1 >= from && $1 <= to) $3 = 1.2 * $3; print }' same.csv; }
slow_ranks 8 2 3 >node.csv
expect 0 delay fit node.csv
says out "ranks 2 to 3 are slow throughout, 1.2 times; mean "
slow_ranks 8 4 7 >half.csv
expect 0 delay fit half.csv
says out "ranks 4 to 7 are slower than the others throughout, 1.2 times."
slow_ranks 2 1 1 >two.csv
expect 0 delay fit two.csv --report two.html
says out "rank 1 is slower than the other throughout, 1.2 times."
grep -q "Rank 1 is slower than the other throughout" two.html || fail "not on the page"

# Ranks of a node that share their noise: the model's are slow together, too, also in the cluster file.
awk 'function u() { x = (x * 16807) % 2147483647; return x / 2147483647 }
BEGIN { x = 4711; print "worker,step,seconds"; for (k = 0; k < 200; k++) for (w = 0; w < 8; w++) {
	if (w % 4 == 0) common = 1 + 0.2 * (u() + u() + u() + u() + u() + u() + u() + u() + u() + u() + u() + u() - 6)
	printf "%d,%d,%.6f\n", w, k, 0.3 * common * (0.95 + 0.1 * u()) } }' >shared.csv
step_of() { awk -F, 'NR > 1 { m[$2] = m[$2] > $3 ? m[$2] : $3 } END { for (k in m) { s += m[k]; n++ } print s / n }' "$1"; }
simulated() { # simulated LOG OPTIONS: allreduce, whose step is that of the log
	expect 0 sim --timing --algo allreduce --workers 8 --net lenet --batch 8 --gradients 16000 --link ideal "${@:2}" --json --quiet
	jq -e --argjson step "$(step_of "$1")" '.time_s / 2000 / $step - 1 | fabs < 0.03' out >/dev/null ||
		fail "$(jq .time_s out) / 2000 is not $(step_of "$1")"
}
expect 0 delay fit shared.csv -o shared.json --report shared.html --net lenet --batch 8
says out "The ranks are slow together in groups of 4 (0 to 3, and so on): the mean correlation of two of them is 0.98 (by chance"
is "$(awk '/ yes$/ { print $1 }' out)" rack "models that fit"
says out "Best: rack, the simplest model that fits."
says shared.html "The ranks are slow together in groups of 4"
delay=$(jq -r .delay shared.json)
[[ "$delay" =~ ^gamma:cv=0\.0[23][0-9]*\ \*\ rack:size=4,every_s=0\.[0-9]*,cv=0\.2[0-9]*$ ]] || fail "$delay"
simulated shared.csv --cluster shared.json

# Ranks that wait for the slowest one in each step: time passes for all of them, and a run has the log's step.
awk 'function u() { x = (x * 16807) % 2147483647; return x / 2147483647 }
BEGIN { x = 11; print "worker,step,seconds"
	for (k = clock = 0; k < 1000; k++) {
		most = 0
		for (w = 0; w < 8; w++) {
			for (; clock >= end[w]; slow[w] = !slow[w]) end[w] += -(slow[w] ? 20 : 5) * log(u())
			s = 0.2 * (0.95 + 0.1 * u()) * (slow[w] ? 3 : 1)
			most = s > most ? s : most
			printf "%d,%d,%.6f\n", w, k, s
		}
		clock += most
	} }' >waits.csv
expect 0 delay fit waits.csv -o waits.json --net lenet --batch 8
says out "Best: markov, the simplest model that fits."
says out "Ranks are taken to wait for each other in each step. If they did not, give --apart."
jq -e '.delay | capture("fast_s=(?<a>[0-9.]*),slow_s=(?<b>.*)") | map_values(tonumber) | .a > 15 and .a < 25 and .b > 4 and .b < 6' \
	waits.json >/dev/null || fail "$(jq .delay waits.json)"
simulated waits.csv --cluster waits.json
expect 0 delay fit waits.csv --apart --json
jq -e '[.models[] | select(.name == "markov") | .delay | capture("fast_s=(?<a>[0-9.]*)").a | tonumber] | .[0] < 12' out >/dev/null ||
	fail "--apart: $(jq -c '[.models[].delay]' out)"

# Slow phases that all ranks share are in no model: the log is replayed, and no independent phases are.
awk -F, -v OFS=, 'NR > 1 && $2 % 75 > 60 { $3 = 3 * $3 } 1' same.csv >common.csv
mkdir sub
expect 0 delay fit common.csv -o sub/common.json --report common.html --net lenet --batch 8 --json
jq -e '.log.together.ranks == 8 and .log.together.correlation > 0.9 and .log.step_s < 0.9 * .best.step_s.low and
	([.models[] | select(.fits)] == [])' out >/dev/null || fail "$(jq -c '.log, .best' out)"
says err "sub/common.json replays common.csv, as no model fits. Keep both"
is "$(jq -r .delay sub/common.json)" "replay:file=$(pwd -P)/common.csv"
says common.html "The ranks are slow together: the mean correlation of two of them is "
says common.html "So the settings replay the log."
is "$(grep -cE '<td class="number">(1|1\.0[01]|0\.99[0-9]?)</td>' common.html)" 8 "ranks in means of the median rank"
grep -q -- "--workers 8 --compute-s [0-9.]* --delay &.*;replay:file=common.csv" common.html || fail "$(grep -- --compute-s common.html)"
# The file is read in any folder.
cd sub
simulated ../common.csv --cluster common.json
cd ..

# Bursts of one rank are told from a rank that is slow throughout, and the delay is that rank's alone.
awk -F, -v OFS=, '$1 == 3 && $2 % 100 > 20 && $2 % 100 < 26 { $3 = 2.1 * $3 } $1 == 6 { $3 = 1.31 * $3 } 1' same.csv >both.csv
expect 0 delay fit both.csv
grep -qE "^rank 3 is slow in 3 bursts, 5 % of steps, 2\.(09|1)[0-9]* times;" out || fail "$(cat out)"
grep -qE "^rank 6 is slow throughout, 1\.31 times \(1\.3[01]* to 1\.3[12]*\);" out || fail "$(cat out)"
grep -qE "; 3: gamma:cv=0\.0[0-9]* \* markov:factor=2\.[01][0-9]*,fast_s=.*' --slow 6:1\.3[01]" out || fail "$(cat out)"

# What trainers print, and files of one rank each: the same times as in one table.
awk -F, 'NR > 1 && $2 < 50 && $1 < 4 { printf "[rank%d]: step %d/50 loss 3.1 step_time=%.4fs, data time 0.01\n", $1, $2, $3 }' both.csv >torchrun.log
awk -F, 'NR > 1 && $2 < 50 && $1 < 4 { printf "%d: iteration %d/ 500 | iteration time (ms): %.1f | loss 1\n", $1, 10 * $2, 1000 * $3 }' both.csv >srun.log
awk -F, 'NR > 1 && $2 < 50 && $1 < 4 { printf "%d: iteration %d/ 500 | elapsed time per iteration (ms): %.1f | loss 1\n", $1, $2, 1000 * $3 }' both.csv >megatron.log
for r in 0 1 2 3; do
	awk -F, -v r=$r 'NR > 1 && $2 < 50 && $1 == r { printf "2026-01-01 10:00:%02d,12 INFO iter: %d loss: 2 time: %.1f\n", $2, $2, 1000 * $3 }' both.csv >out-rank$r.log
	{
		echo step,seconds
		awk -F, -v OFS=, -v r=$r 'NR > 1 && $2 < 50 && $1 == r { print $2, sprintf("%.4f", $3) }' both.csv
	} >steps-$r.csv
	printf 'node%d:71:72 [%d] NCCL INFO AllReduce: opCount 1\n' $r $r >nccl.node$r.71
done
wanted="[4,50,$(awk -F, 'NR > 1 && $2 < 50 && $1 < 4 { sum += $3 } END { printf "%.0f", 1000 * sum / 200 }' both.csv)]"
for log in torchrun.log srun.log megatron.log "out-rank3.log out-rank0.log out-rank2.log out-rank1.log" "steps-0.csv steps-1.csv steps-2.csv steps-3.csv"; do
	expect 0 delay fit $log --json
	is "$(jq -c '.log | [.workers, .steps, (.mean_s * 1e3 | round)]' out)" "$wanted" "$log"
done
expect 0 delay fit srun.log
says err "only one step in 10 is there"
says err "the time after 'iteration time' is a whole step, communication included"
# Ranks are compared at the same steps, whatever their lines: one begins later, another has steps twice.
for r in 0 1 2 3; do
	tail -n +11 out-rank$r.log >late-rank$r.log
	cat out-rank$r.log out-rank$r.log >epochs-rank$r.log
done
expect 0 delay fit late-rank?.log --json
jq -c '.log | del(.file)' out >late
sed '24r /dev/stdin' out-rank1.log < <(sed -n 20,24p out-rank1.log) >again-rank1.log
expect 0 delay fit out-rank0.log again-rank1.log late-rank2.log out-rank3.log --json
is "$(jq -c '.log | del(.file)' out)" "$(cat late)" "ranks with other lines"
says err "out-rank0.log: 15 of 55 steps, which not every rank has, are left out"
expect 0 delay fit epochs-rank?.log --json
is "$(jq -c .log.steps out)" 100 "two epochs"
sed 's/iter: /&9/' out-rank1.log >other-rank1.log
expect 1 delay fit out-rank0.log other-rank1.log
says err "out-rank0.log: no step is in the lines of every rank (expected the same steps of each)"
expect 0 delay fit out-rank0.log
says err "times after 'time' have no unit; their median is "
# A number that grows with the steps is an epoch's; one of which several have the same step is a rank's.
printed() { awk "BEGIN { for (k = 0; k < 60; k++) printf \"${1}step %d time 0.1%d s\\n\", 1 + (k > 29), $2, k * k % 11 }"; }
for prefix in "[%d] " "%d: "; do
	printed "$prefix" k >counted.log
	printed "$prefix" "k % 30" >blocks.log
	expect 0 delay fit counted.log --json
	is "$(jq -c '.log | [.workers, .steps]' out)" "[1,60]" "$prefix"
	says err "counted.log: the number before the step, such as 1, grows with the steps: it is taken for an epoch or a counter."
	expect 0 delay fit blocks.log --json
	is "$(jq -c '.log | [.workers, .steps]' out)" "[2,30]" "$prefix"
	says err "blocks.log: the number before the step, such as 1, is taken for the rank. If it is an epoch, print 'epoch 1'"
done
cp counted.log counted-rank0.log
cp counted.log counted-rank1.log
expect 0 delay fit counted-rank0.log counted-rank1.log --json
is "$(jq -c '.log | [.workers, .steps]' out)" "[2,60]" "epochs in a file of each rank"
# Ranks in a node are no ranks of all, unless each node has one; a file in which steps go back may be of two ranks.
for node in 0 1; do sed "s/^/[default$node]:/" out-rank$node.log; done | tee local-a.log >local-b.log
expect 1 delay fit local-a.log local-b.log
says err "local-b.log:1: rank 0, step 0 is on line 1 of local-a.log already. If that is another rank, print the global rank in each line"
for node in 0 1; do sed 's/^/[default0]:/' out-rank$node.log >only-$node.log; done
expect 0 delay fit only-0.log only-1.log --json
is "$(jq -c '.log | [.workers, .steps]' out)" "[2,50]" "a rank of each node"
{ sed -n 1,25p out-rank0.log && sed -n 1,25p out-rank1.log && sed -n 26,50p out-rank0.log && sed -n 26,50p out-rank1.log; } >pipes.log
expect 0 delay fit pipes.log
says err "warning: pipes.log:76: step 25 comes after step 49. If they are of two ranks, print the global rank in each line"
! grep warning <(expect 0 delay fit epochs-rank?.log; cat err) || fail "epochs"
refused_log() {
	expect 1 delay fit ${@:2}
	says err "$1"
	one_line
}
refused_log "nccl.node0.71: a log of NCCL has no step times" nccl.node0.71 nccl.node1.71
refused_log "steps-0.csv:1: columns: step, seconds; expected worker, step, seconds" steps-0.csv
for i in 1 2 3; do echo " $i%|# | $i/100 [00:0$i<01:00, 1.20s/it]"; done >bar.log
refused_log "bar.log: a progress bar's rate is a running mean" bar.log
# Megatron's line has the mean of the steps since the last one.
sed 's|iteration \([0-9]*\)/|iteration \10/|' megatron.log >means.log
refused_log "means.log: the time after 'elapsed time per iteration' is the mean of the 10 steps since the line before it" means.log
for i in 1 2 3; do echo "{'loss': 2.$i, 'epoch': 0.$i}"; done >hf.log
refused_log "hf.log: Hugging Face's Trainer prints losses" hf.log
for i in 1 2 3; do echo "step $i loss 2"; done >none.log
refused_log "none.log: lines with a step have no time by a name that is known, such as step_time" none.log
for i in $(seq 12); do echo "step $i time $i.5"; done >clock.log
refused_log "clock.log: the time after 'time' grows from line to line" clock.log

for i in $(seq 10 30); do echo "INFO - completed step: $i, seconds: 0.05$((i % 3)), TFLOP/s/device: 12, loss: 2"; done >maxtext.log
expect 0 delay fit maxtext.log
says out "maxtext.log: 1 worker, 21 steps each, mean 0.051 s"

# A page has the same words, the map, and a next command that runs.
expect 0 delay fit both.csv --report both.html --net lenet --batch 32 --cluster k80-fdr
says out "both.html"
python3 -c 'import sys, xml.dom.minidom as x; x.parseString(open(sys.argv[1]).read().replace("<!DOCTYPE html>", "", 1).encode())' \
	both.html || fail "no XML"
says both.html "Rank 3 is slow in 3 bursts, 5 % of steps, 2."
says both.html "rank 6 is slow throughout, 1.31 times ("
# An all-reduce waits for these ranks, too.
all=$(step_of both.csv) others=$(awk -F, '$1 != 3 && $1 != 6' both.csv | step_of -)
says both.html "An all-reduce step takes $(printf %.3g "$all") s, and $(printf %.3g "$others") s of the other ranks alone."
expect 0 delay fit both.csv -o both.json
says out "An all-reduce step takes $(printf %.4g "$all") s, and $(printf %.4g "$others") s of the other 6 ranks alone"
says out "the others  "
says both.json "without those far from the others; $(printf %.4g "$all") s of all"
expect 0 delay fit both.csv --json
jq -e --argjson all "$all" --argjson others "$others" '.log | (.step_s / $all - 1 | fabs < 1e-4) and
	(.others_step_s / $others - 1 | fabs < 1e-4)' out >/dev/null || fail "$(jq -c .log out)"
is "$(grep -o '<rect class="h[0-9]" [^>]*height="25"' both.html | grep -cE 'class="h[56]"')" 3 "bursts in the map"
python3 -c 'import html, re; print(html.unescape(re.search("convoy (advise .*)</pre>", open("both.html").read())[1]))' >next
says next "--among allreduce,local-sgd:period=8,asgd --cluster k80-fdr --net lenet --batch 32 --workers 8 --compute-s 0."
eval "expect 0 $(cat next) --gradients 100 --draws 2 --quiet"
says out "is the first to the same loss"
expect 1 delay fit nothing.csv --report both.txt
says err "expected a name that ends in .html"

# A warm-up is told, and left out.
make_bad warm.csv 1 30 0
expect 0 delay fit warm.csv
says err "first step takes 9"
says err "Leave out warm-up steps with --skip 1"
expect 0 delay fit warm.csv --skip 1 --csv skipped.csv
says out "Best: gamma"
is "$(wc -l <skipped.csv)" 2393
[ "$(head -2 err | grep -c warm-up)" = 0 ] || fail "$(cat err)"
expect 1 delay fit warm.csv --skip 281
says err "too few steps of each worker after those of --skip: 19"

# A constant log is constant.
awk 'BEGIN { print "worker,step,seconds"; for (w = 0; w < 2; w++) for (k = 0; k < 40; k++) print w "," k ",0.1" }' \
	>equal.csv
expect 0 delay fit equal.csv
says out "All times are equal: the delay is constant."
says out "--compute-s 0.1 --delay 'constant'"
expect 0 delay fit equal.csv --json
jq -e '.best | .fits and .name == "constant" and .ks == 0 and .lag1.middle == 0' out >/dev/null || fail "$(cat out)"

# Slow phases are found, and their settings too: 2 times as long, for 20 steps of 0.4 s; 100 steps of
# 0.33 s, that of the slowest rank, apart.
expect 0 delay fit slow.csv --json
cp out slow.json
jq -e '.best | .name == "markov" and .fits' out >/dev/null || fail "$(cat out)"
jq -e '.models | map({ (.name): .fits }) | add | .gamma == false and .static == false and .lognormal == false' \
	out >/dev/null || fail "$(cat out)"
jq -e '.best.delay | capture("factor=(?<f>[^,]*),fast_s=(?<a>[^,]*),slow_s=(?<b>.*)") | map_values(tonumber) |
	(.f - 2 | fabs < 0.02) and .a > 22 and .a < 45 and .b > 5 and .b < 12' out >/dev/null || fail "$(cat out)"
expect 0 delay fit slow.csv --plot qq/slow.svg -o mine.json
says out "Best: markov, the simplest model that fits."
delay=$(jq -r .best.delay slow.json)
says out "--delay '$delay'"

# A picture, with script and data next to it.
says out qq/slow.dat
says qq/slow.gp "'slow.dat'"
is "$(grep -c '^# ' qq/slow.dat)" "$(($(jq '.models | length' slow.json) + 1))" "blocks"
! command -v gnuplot >/dev/null || [ -s qq/slow.svg ] || fail "no picture"
# So is a map of ranks and steps, a field of mean 2 for a slow phase: 4 ranks of 200 columns of 5 steps.
says out qq/slow-map.dat
is "$(grep -c '^[0-9]' qq/slow-map.dat)" 800 "fields"
awk '!/^[0-9]/ { next } $3 > 1.9 { n++ } $3 > 2.2 { bad = 1 } END { exit bad || n < 20 || n > 300 }' qq/slow-map.dat || fail "fields: $(head -5 qq/slow-map.dat)"
! command -v gnuplot >/dev/null || [ -s qq/slow-map.svg ] || fail "no map"
expect 1 delay fit slow.csv --plot qq.txt

# Intervals are carried over to convoy advise as deviations.
expect 0 delay fit slow.csv --intervals
says out "A cluster file holds no intervals."
uncertain=$(sed -n "\$s/.*--delay '\(.*\)'/\1/p" out)
[[ "$uncertain" =~ ^gamma:cv=[0-9.]+\+-[0-9.e-]+' * markov:factor='.*,fast_s=[0-9.]+\+-[0-9.]+,slow_s=[0-9.]+\+-[0-9.]+$ ]] ||
	fail "$uncertain"
expect 0 advise --between allreduce,asgd --vary slow=1..2 --workers 2 --points 2 --draws 2 --net bytes:1e6 --quiet \
	--compute-s 0.2 --gradients 100 --delay "$uncertain"
says out "uncertain: delay.cv "

# The same log gives the same answer; another seed other runs of the models, of the same parameters.
expect 0 delay fit slow.csv --json
cmp -s out slow.json || fail "not the same twice"
expect 0 delay fit slow.csv --json --seed 500
is "$(jq -c '[.models[].delay]' out)" "$(jq -c '[.models[].delay]' slow.json)" "parameters and the seed"
[ "$(jq .best.ks out)" != "$(jq .best.ks slow.json)" ] || fail "the seed changes nothing"

# A cluster file, fresh and from another one, which a run takes.
is "$(jq -r .delay mine.json)" "$delay"
is "$(jq -r .workers mine.json)" 4
jq -r .sources.delay mine.json | grep -q "convoy delay fit slow.csv: 4 workers, 1000 steps" || fail "no source"
expect 0 delay fit slow.csv --cluster k80-fdr --net resnet50 --batch 64 -o k80.json
is "$(jq -r .delay k80.json)" "$delay"
jq -e '.host_copy_GBps == 15.75 and (.compute.seconds_per_sample.resnet50 * 64 - 0.2 | fabs < 0.002)' k80.json \
	>/dev/null || fail "$(cat k80.json)"
# The file has a worker for each rank of the log, which its delay may name.
jq '.workers = 3' k80.json >three.json
expect 0 delay fit slow.csv --cluster three.json -o four.json
is "$(jq .workers four.json)" 4
expect 0 show cluster k80.json
says out "The delay and the compute time of resnet50: from slow.csv,"
expect 0 show delay "$delay" --json
jq -r .delay out >whole
expect 0 sim --cluster k80.json --timing --algo allreduce --workers 4 --net resnet50 --batch 64 \
	--samples 6400 --json --quiet
is "$(jq -r .settings.delay out)" "$(cat whole)" "the delay of a run"

# No other time of the net is left that would win, or be added.
expect 0 delay fit equal.csv --cluster knl-opa --net resnet50 --batch 64 -o knl.json
jq '.compute.times.resnet50 = "table:batch=1/2,seconds=7/9" | .sources["times.resnet50"] = "us"' knl.json >knl2.json
expect 0 delay fit equal.csv --cluster knl2.json --net resnet50 --batch 64 -o knl3.json
for file in knl.json knl3.json; do
	expect 0 sim --cluster $file --timing --algo allreduce --workers 1 --net resnet50 --batch 64 --samples 640 \
		--json --quiet
	jq -e '(.settings.compute_s | tonumber) / 0.1 - 1 | fabs < 1e-4' out >/dev/null || fail "$file: $(jq -c .settings.compute_s out)"
done

# The time of any net is found again: of a size, of a profile, of the user's own file, of a problem.
printf 'layer,bytes\nfirst,4000\nlast,8000\n' >layers.csv
sed 's/$/,1/; 1s/,1$/,seconds/' layers.csv >timed.csv
cp "$CONVOY_SOURCE/nets/zoo/lenet.json" own.json
sed -i 's/"cite": "/&My own; /' own.json
for net in bytes:2.6e9,layers=48 profile:layers.csv profile:timed.csv own.json quadratic:dim=100 vgg16; do
	expect 0 delay fit equal.csv --net $net --batch 8 -o net.json --json
	compute=$(jq .best.compute_s out)
	expect 0 show cluster net.json
	expect 0 sim --cluster net.json --timing --algo allreduce --workers 1 --net $net --batch 8 --gradients 100 \
		--json --quiet
	jq -e --argjson want "$compute" '(.settings.compute_s | tonumber) / $want - 1 | fabs < 1e-4' out >/dev/null ||
		fail "$net: $(jq -c .settings.compute_s out) is not $compute"
done
# The same size written otherwise is the same net; another size, and another file of that name, are not.
expect 0 delay fit equal.csv --net bytes:2.6e9,layers=48 --batch 8 -o net.json
expect 0 sim --cluster net.json --timing --algo allreduce --net bytes:layers=48,bytes=2600e6 --batch 8 --quiet
jq '.compute.seconds_per_sample = { "bytes:4e6": 0.25 } | del(.sources)' net.json >hand.json
expect 0 sim --cluster hand.json --timing --algo allreduce --net bytes:4e6 --batch 8 --json --quiet
is "$(jq -r .settings.compute_s out)" 2
expect 1 sim --cluster net.json --timing --algo allreduce --net bytes:2.6e9,layers=47 --batch 8
says err "net bytes has no multiply-accumulates that say how long a gradient takes, and cluster net.json has no time"
expect 0 delay fit equal.csv --net own.json --batch 8 -o net.json
sed -i 's/"cite": "/&Now another. /' own.json
expect 0 sim --cluster net.json --timing --algo allreduce --net own.json --batch 8
says err "as cluster net.json has neither flops nor a time of this net"
expect 1 delay fit equal.csv --net nosuch --batch 8 -o nosuch.json
says err "unknown net 'nosuch'"
[ ! -e nosuch.json ] || fail "a file was written"

# The log itself as a delay: one worker's epoch is the sum of its steps.
awk -F, '/^0,/ && $2 < 100 { s += $3 } END { print s }' slow.csv >sum
mean=$(jq .log.mean_s slow.json)
expect 0 sim --timing --algo allreduce --workers 1 --samples 100 --batch 1 --compute-s "$mean" --link ideal \
	--delay replay:file=slow.csv --json --quiet
jq -e --argjson sum "$(cat sum)" '.time_s - $sum | fabs < 1e-6 * $sum' out >/dev/null ||
	fail "$(jq .time_s out) is not $(cat sum)"

# So few steps that no rank is fast for long enough to tell slow ones from them.
awk 'BEGIN { print "rank,step,seconds"; for (w = 0; w < 3; w++) for (k = 0; k < 20; k++) print w "," k ",0.1" k * 7 % 10 }' >level.csv
expect 0 delay fit level.csv
says out "--delay 'gamma:cv=0.1998'"

# What is no log, and what is no command.
sed 2d slow.csv >gap.csv
expect 1 delay fit gap.csv
says err "gap.csv:2: worker 0 has no step 0 (every worker has every step once)"
expect 1 sim --timing --samples 100 --workers 4 --delay replay:file=gap.csv
says err "gap.csv:2: worker 0 has no step 0"
sed '3s/0,1,.*/0,1,-0.2/' slow.csv >negative.csv
expect 1 delay fit negative.csv
says err "negative.csv:3: a step cannot take -0.2 s"
one_line
head -20 even.csv >short.csv
expect 1 delay fit short.csv
says err "too few steps of each worker: 19 (expected at least 20)"
: >empty.csv
expect 1 delay fit empty.csv
says err "empty.csv:1: columns: none; expected worker, step, seconds."
{ head -9 even.csv && printf '\0\n' && tail -n +10 even.csv; } >zero.csv
expect 1 delay fit zero.csv
says err "zero.csv:10: a zero byte at offset 124 (expected text in UTF-8)."
one_line
awk -F, 'NR == 1 || $2 < 60' slow.csv >few.csv
awk -F, -v OFS=';' 'NR == 1 { print "Step Time (ms)", "Rank", "Iter" } NR > 1 { print $3 * 1000, $1, $2 }' few.csv >ms.csv
expect 0 delay fit ms.csv --csv again.csv
awk -F, -v OFS=, '{ $3 += 0; print }' few.csv | tail -n +2 >want
awk -F, -v OFS=, '{ $3 += 0; print }' again.csv | tail -n +2 | cmp -s - want || fail "another header: $(head -3 again.csv)"
printf 'node1:11:12 [0] NCCL INFO Bootstrap : Using eth0\nnode1:11:12 [0] NCCL INFO AllReduce: opCount 1\n' >nccl.log
expect 1 delay fit nccl.log
says err "nccl.log: a log of NCCL has no step times"
says err "Log the columns rank, step, seconds"
# Headers of trainers' logs: nanoGPT's, Megatron's, and times without a unit that cannot be seconds.
for header in global_rank,iter_num,dt_ms "rank,iteration,elapsed time per iteration (ms)" rank,global_step,train_step_time; do
	awk -F, -v OFS=, -v header="$header" 'NR == 1 { print header } NR > 1 { print $1, $2, $3 * 1000 }' few.csv >trainer.csv
	expect 0 delay fit trainer.csv --csv again.csv
	awk -F, -v OFS=, '{ $3 += 0; print }' again.csv | tail -n +2 | cmp -s - want || fail "$header: $(head -3 again.csv)"
	[[ $header == *ms* ]] || says err "column 'train_step_time' has no unit; its median is above 100, so milliseconds are assumed."
	[[ $header != *ms* ]] || ! grep -q assumed err || fail "$header: $(cat err)"
done
# A column that names seconds is taken at its word, with a warning where they are longer than steps are.
awk -F, -v OFS=, 'NR > 1 { $3 *= 1000 } { print }' few.csv >long.csv
expect 0 delay fit long.csv --csv again.csv
says err "warning: long.csv: column 'seconds': the median is above 100 s. Call it step_time_ms if these are milliseconds"
tail -n +2 long.csv | cmp -s - <(tail -n +2 again.csv) || fail "long seconds: $(head -3 again.csv)"
# What is done in a second is no time.
for header in rank,step,tokens/s rank,step,samples_per_s "rank,step,rate [1/s]" rank,step,img_sec; do
	awk -v header="$header" 'NR == 1 { print header } NR > 1' few.csv >rate.csv
	expect 1 delay fit rate.csv
	says err "expected worker, step, seconds. Call the column 'seconds' that has"
done
awk -F, 'NR == 1 { print "rank,step,it/s,forward_time/s" } NR > 1 { print $1 "," $2 ",7," $3 }' few.csv >rate.csv
expect 0 delay fit rate.csv --csv again.csv
awk -F, -v OFS=, '{ $3 += 0; print }' again.csv | tail -n +2 | cmp -s - want || fail "a rate: $(head -3 again.csv)"
# A JSON object on each line, as loggers write them; messages have the file's line.
awk -F, 'NR > 1 { printf "{\"rank\": %d, \"step\": %d, \"loss\": null, \"step_time_ms\": %s}\n", $1, $2, $3 * 1000 }' few.csv >few.jsonl
expect 0 delay fit few.jsonl --csv again.csv
awk -F, -v OFS=, '{ $3 += 0; print }' again.csv | tail -n +2 | cmp -s - want || fail "JSON lines: $(head -3 again.csv)"
sed '5s/"step_time_ms": /&-/' few.jsonl >bad.jsonl
expect 1 delay fit bad.jsonl
says err "bad.jsonl:5: a step cannot take -0."
sed '5s/}//' few.jsonl >bad.jsonl
expect 1 delay fit bad.jsonl
says err "bad.jsonl:5: not a JSON object alone (expected one on each line)"
sed '5s/$/{"rank": 0, "step": 9, "loss": null, "step_time_ms": 3}/' few.jsonl >bad.jsonl
expect 1 delay fit bad.jsonl
says err "bad.jsonl:5: not a JSON object alone (expected one on each line)"
sed 's/"rank"/"who"/' few.jsonl >bad.jsonl
expect 1 delay fit bad.jsonl
says err "bad.jsonl:1: columns: who, step, loss, step_time_ms; expected worker, step, seconds"
# So do files with other ends of lines, and with blanks and empty lines.
tr '\n' '\r' <few.jsonl >other.jsonl
expect 0 delay fit other.jsonl --csv other.csv
cmp -s again.csv other.csv || fail "JSON lines ended by CR: $(head -3 other.csv)"
{ echo && sed 's/^/  /; 5s/"step_time_ms": /&-/' few.jsonl; } >other.jsonl
expect 1 delay fit other.jsonl
says err "other.jsonl:6: a step cannot take -0."
head -1 slow.csv >header.csv
expect 1 delay fit header.csv
says err "header.csv: the log has no steps"
expect 1 delay fit nothing.csv
expect 1 sim --timing --samples 100 --workers 4 --delay replay:file=slow.csv,worker=4
says err "has no worker 4 (it has workers 0 to 3)"
expect 1 sim --timing --samples 100 --workers 4 --delay 'replay:file=slow.csv; 4: replay:file=slow.csv'
says err "there is no rank 4"
expect 129 delay
says err "expected 'fit' and a log"
expect 129 delay fit
expect 129 delay fti slow.csv
expect 129 delay fit slow.csv --net lenet --batch 8
says err "need a file to write. Give -o FILE"
expect 129 delay fit slow.csv -o x.json --net lenet
# A cluster that is not there is refused before the log is read.
expect 1 delay fit nothing.csv -o x.json --cluster nosuch
says err "unknown cluster 'nosuch'"
one_line
[ ! -e x.json ] || fail "a file was written"

# Traces of two ranks that trained under torch.profiler with gloo: workers are in the order of the
# files, which state no rank; plain and gzip alike. Seconds are those of a script of its own.
corpus=$tests/fuzz/corpus/torch
expect 0 delay fit "$corpus/rank0.json.gz" "$corpus/rank1.json.gz" --csv torch.csv --json
jq -e '.log | .workers == 2 and .steps == 24' out >/dev/null || fail "$(jq -c .log out)"
cp out torch.json
is "$(wc -l <torch.csv)" 49
is "$(grep -E '^(0,0|0,23|1,6),' torch.csv | tr '\n' ' ')" "0,0,0.708864 0,23,0.832825 1,6,0.58288 "
gzip -dc "$corpus/rank0.json.gz" >plain0.json
gzip -dc "$corpus/rank1.json.gz" >plain1
expect 0 delay fit plain0.json plain1 --csv plain.csv
says out "plain0.json and 1 more: 2 workers, 24 steps each"
cmp -s plain.csv torch.csv || fail "plain and gzip differ"
expect 0 delay fit torch.csv --json
is "$(jq -c '.best | del(.parameters)' out)" "$(jq -c '.best | del(.parameters)' torch.json)" "CSV and traces"
expect 0 sim --timing --algo allreduce --workers 2 --samples 48 --batch 1 --compute-s 0.6 --link ideal \
	--delay replay:file=torch.csv --json --quiet
expect 0 delay fit plain0.json plain1 -o torch-cluster.json
jq -r .sources.delay torch-cluster.json | grep -q "fit plain0.json and 1 more: 2 workers, 24 steps" || fail "no source"

# Traces of PyTorch 2.15 state their ranks. Steps of both ranks are equally long, but one computes longer.
expect 0 delay fit "$corpus/kineto1.json.gz" "$corpus/kineto0.json.gz" --csv kineto.csv
is "$(awk -F, '/^(0,0|0,4|1,2),/ { printf "%.6f ", $3 }' kineto.csv)" "0.050704 0.003044 0.081281 "
is "$(awk -F, 'NR > 1 { s[$1] += $3 } END { printf "%.3f %.3f", s[0] / 24, s[1] / 24 }' kineto.csv)" "0.029 0.048"

# Half of the steps have two modes, which no model has: only a CSV file can be replayed.
awk 'BEGIN { for (k = 0; k < 400; k++) {
	printf "%s{\"name\":\"ProfilerStep#%d\",\"ph\":\"X\",\"ts\":%d,\"dur\":%d},", k ? "," : "[", k, k * 1000,
		k % 2 ? 900 : 100
	printf "{\"name\":\"gloo:all_reduce\",\"ph\":\"X\",\"ts\":%d,\"dur\":50}", k * 1000 } print "]" }' >modes.json
expect 0 delay fit modes.json
says out "No model fits"
says out "The log itself can be replayed. Give --csv FILE."
expect 0 delay fit modes.json --csv modes.csv
says out "'replay:file=modes.csv'"
# Nor can lines of JSON, or several tables.
awk -F, 'NR > 1 { printf "{\"rank\": 0, \"step\": %d, \"seconds\": %s}\n", $2, $3 }' modes.csv >modes.jsonl
expect 0 delay fit modes.jsonl -o modes-cluster.json
says out "The log itself can be replayed. Give --csv FILE."
! jq -r .delay modes-cluster.json | grep replay || fail "JSON is replayed"

# What is no trace.
head -c 20000 plain0.json >half.json
expect 1 delay fit half.json plain1
says err "half.json: the JSON ends after byte 20000"
one_line
head -c 2000 "$corpus/rank0.json.gz" >half.gz
expect 1 delay fit half.gz plain1
# Newer releases of zlib report the end of the data only.
grep -qE 'half.gz: (truncated gzip file|the JSON ends after byte [0-9]+ .*)\. Copy or export (it|the file) again' err ||
	fail "$(cat err)"
expect 1 delay fit slow.csv plain1
says err "slow.csv: not a trace of torch.profiler"
expect 1 delay fit plain0.json nothing.json
expect 1 delay fit "$corpus/device.json"
says err "too few steps of each worker: 1 (expected at least 20). Profile more"
grep -v 'ProfilerStep#7"' plain1 >gap.json
expect 1 delay fit plain0.json gap.json
says err "gap.json: ProfilerStep#7 is missing (steps follow one another)"
sed 's/gloo:/other:/' plain1 >alone.json
expect 1 delay fit plain0.json alone.json
says err "alone.json: the trace has no all-reduce or other collective"
for name in same0 same1; do
	{
		echo '{"distributedInfo": {"rank": 1}, "traceEvents":'
		cat plain1
		echo '}'
	} >$name.json
done
expect 1 delay fit same0.json same1.json
says err "same0.json and same1.json are both of rank 1. Give one trace of each rank"
expect 0 delay fit same1.json
says err "same1.json: worker 0 of the log is rank 1: no trace is of rank 0"
finish
