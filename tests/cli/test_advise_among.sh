# convoy advise --among: rankings against closed forms, agreement with sim, where the first one changes, progress by
# the user and from kept runs, what is refused.
# COST 23
. "$(dirname "$0")/lib.sh"
need jq python3

net="--net bytes:1e8,layers=1 --quiet"
ideal="$net --compute-s 0.1 --link ideal"

# has FILTER: the JSON on stdout agrees.
has() {
	[ "$(jq "$1" out)" = true ] || {
		fail "not true: $1${2:+ ($2)}"
		jq -c 'del(.points)' out
	}
}

# ---- by hand: worker 0 of 4 is s times slower. All-reduce takes s c a step, ASGD n c / (n - 1 + 1/s) ----
among="advise --among asgd,allreduce,local-sgd:period=4"
expect 0 $among --workers 4 --slow 0:2 --progress asgd=0.5,local-sgd=0.9 $ideal --json
has '[.ranking[].algorithm] == ["allreduce", "local-sgd:period=4", "asgd"]' "0.2, 0.2 / 0.9 and 0.1143 / 0.5 s"
has '.ranking[0].same_loss_s / 0.2 - 1 | fabs < 1e-6'
has '.ranking[1].same_loss_s / (0.2 / 0.9) - 1 | fabs < 1e-6'
has '.ranking[2].same_loss_s / (4 * 0.1 / 3.5 / 0.5) - 1 | fabs < 0.01'
has '[.ranking[].progress_from] == ["base", "given", "given"] and .ranking[0].p_first == 1'
has '.doubt == "By the time of a step alone, asgd is the fastest."' "0.1143 s against 0.2 s"
expect 0 $among --workers 4 --slow 0:2 --progress asgd=0.7,local-sgd=0.9 $ideal --json
has '.ranking[0].algorithm == "asgd"' "0.1143 / 0.7 = 0.163 s"
# The same times as sim's.
for i in 0 1 2; do
	algo=$(jq -r ".ranking[$i].algorithm" out)
	"$CONVOY" sim --timing --algo $algo --workers 4 --slow 0:2 $ideal --gradients 1760 --json >one
	has ".ranking[$i].step_s / $(jq '.time_per_epoch_s * .epochs / .gradients * 4' one) - 1 | fabs < 0.01" "$algo as in sim"
done

# Runs begin after the first steps of an algorithm or codec, which are all-reduce's, and have whole rounds.
slow_link="--workers 8 --net bytes:1e8,layers=1 --compute-s 0.1 --link nic:bandwidth_GBps=0.1 --quiet"
expect 0 advise --among allreduce,post-local-sgd:start=500,local-sgd:period=4,palsgd:period=300,diloco:period=300/600 $slow_link --json
has '[.ranking[] | {key: .algorithm, value: .}] | from_entries | ."post-local-sgd:start=500" as $post | ."local-sgd:period=4" as $local |
	($post.step_s / $local.step_s - 1 | fabs < 1e-3) and ($post.bytes / $local.bytes - 1 | fabs < 1e-6)'
has '[.ranking[] | {key: .algorithm, value: .}] | from_entries | .allreduce as $all |
	all(."diloco:period=300", ."palsgd:period=300"; $all.bytes / .bytes > 200 and .step_s < 0.12) and
	$all.bytes / ."diloco:period=600".bytes > 590'
for start in 0 100; do
	expect 0 advise --among allreduce,diloco:period=10 --workers 8 --net resnet50 --compute-s 0.1 --link nic --quiet \
		--codec powersgd:rank=2,start=$start --json
	jq -c '[.ranking[] | [.algorithm, (.step_s * 1e9 | round), (.bytes | round)]]' out >small.$start
done
is "$(cat small.100)" "$(cat small.0)" "of a codec"
expect 0 advise --between allreduce,post-local-sgd:start=500,period=4 --vary compute_s=0.1..0.2 --points 2 $slow_link --json
cp out post
expect 0 advise --between allreduce,local-sgd:period=4 --vary compute_s=0.1..0.2 --points 2 $slow_link --json
is "$(jq '[.. | .second? // empty | .median? // empty]' post)" "$(jq '[.. | .second? // empty | .median? // empty]' out)"
expect 0 advise --among allreduce,asgd,diloco:period=1e7 $slow_link
says out "left out, diloco:period=1e7: a round and what comes before it are 1.6e+08 gradients, and a run has 1e+06 at most. Give --gradients"

# ---- a network that carries a tenth of what gossip-push sends, less where two meet: 1 s a message, 0.1 s a gradient ----
slow="$net --compute-s 0.1 --workers 8 --link nic:bandwidth_GBps=0.1,latency_s=1e-6"
expect 0 advise --among allreduce,gossip-push,asgd $slow --json
has '[.ranking[].algorithm] == ["allreduce", "asgd"] and (.gaps | length == 2)' "not ranked: its progress is not known"
has '.gaps[0] | startswith("gossip-push is not ranked with these settings") and contains("0.089 messages arrive for each gradient, instead of 1")'
has '.answer | contains("is the first to the same loss of those that are ranked, ")' "a sentence that leaves the others open"
expect 0 advise --among asgd,gossip-push $slow
says out "Only asgd is ranked, so none is known to be the first; not ranked: gossip-push, whose progress per step is not known here."
says out "It is compared with no other, so it has no P(first)."
! grep -q "can run" out || fail "$(cat out)"
expect 0 advise --among allreduce,gossip-push $slow --progress gossip-push=0.5 --json
has '.ranking[0].algorithm == "gossip-push" and (.gaps[0] | startswith("gossip-push may be overrated"))' "given"
expect 0 advise --among allreduce,gossip-push $slow --vary bandwidth=0.1..100 --points 2 --json
has '.points[0].ranking | length == 1'
has '.points[-1].ranking | length == 2' "on a fast network it is ranked"
has '.left_out[0] | .algorithm == "gossip-push" and (.why | startswith("it sends more than the network carries"))' "as the text says"
expect 0 advise --among allreduce,gossip-push $slow --vary bandwidth=0.05..100 --points 2
says out "gossip-push is not ranked with these settings, and at bandwidth 0.05 GB/s: it sends"
says out "0.089 messages arrive for each gradient with these settings, and 0.04"
grep -q "with these settings, and 0.04[0-9]* at bandwidth 0.05 GB/s, instead of 1" out || fail "no point of the number: $(cat out)"
says out "bandwidth [GB/s]   first to the same loss"
# One that is the first as soon as it is ranked is named, with points next to that value, as one that is no longer ranked.
expect 0 advise --among allreduce,ad-psgd $slow --slow 0:4 --vary bandwidth=0.2..2 --points 2 --report new.html
grep -qE '^from bandwidth 0\.7[0-9]* GB/s on: ad-psgd instead of allreduce \(ad-psgd is not ranked below\)$' out || fail "$(cat out)"
[ "$(grep -cE '^0\.[67][0-9]* +(allreduce|ad-psgd) ' out)" -ge 3 ] || fail "no points where it begins to be ranked: $(cat out)"
says new.html "on: ad-psgd instead of allreduce (ad-psgd is not ranked below)."
expect 0 advise --among allreduce,ad-psgd $slow --slow 0:4 --link nic:bandwidth_GBps=1.5 --vary latency=1e-3..1 --points 2 --json
has '.changes | length == 1 and .[0].from == "ad-psgd" and .[0].from_is_unranked_above and (.[0].to_is_unranked_below | not)'
expect 0 advise --among allreduce,gossip-push,asgd $slow --vary bandwidth=0.1..100 --vary slow=1..2 --points 2 --plot partial.svg
says out "         2 "
[ "$(grep -cE '^ +[12] +[A-Z]\* +[A-Z] *$' out)" = 2 ] || fail "no star in the map where gossip-push is not ranked: $(cat out)"
says out "*  not ranked there, or in a part of these fields, gossip-push: it sends more than the network carries"
grep '^set title' partial.gp | sed 's/\\n/ /g' >title
says title '*: not ranked, gossip-push: it sends more than the network carries'
is "$(grep -c "^set label . '\*'" partial.gp)" 2
expect 0 advise --among allreduce,gossip-push,asgd $slow --vary slow=1..2 --vary bandwidth=0.1..100 --points 2
says out "gossip-push is not ranked with these settings, and at bandwidth 0.1 GB/s: it sends"
expect 1 advise --among gossip-push,gossip-pull $slow
says err "none of the algorithms can be ranked: gossip-push is not ranked here"
expect 0 advise --between allreduce,gossip-push $slow --vary bandwidth=0.1..100 --points 3
says out "gossip-push may be overrated at bandwidth 0.1 GB/s"
says out "0.089 messages arrive for each gradient at bandwidth 0.1 GB/s"
says out "bandwidth [GB/s]   allreduce"
expect 0 sim --timing --algo gossip-push,ad-psgd,allreduce,gossip-pull,gossip-pull:tau=40,gossip-pull:order=first $slow --gradients 3200 --json
has '.runs | map(.remark) | (.[0] | startswith("91 % of the messages had not arrived")) and .[2] == null'
has '.runs[1].remark | startswith("4 of 8 workers waited for the network")' "those that ask"
has '.runs[3].remark | startswith("0.1 messages arrived for each gradient, instead of 2 on a fast network")' "a model a second"
has '.runs[4].remark == null and .runs[5].remark == null' "a model every 4 s, and workers that wait"
expect 0 advise --among allreduce,decoupled-diloco --workers 16 --net bytes:1e9 --batch 8 --compute-s 0.5 \
	--link nic:bandwidth_GBps=1.34 --quiet --json
has '[.ranking[].algorithm] == ["allreduce"]' "fragments that come too late"
has '.gaps[0] | startswith("decoupled-diloco is not ranked with these settings")'
expect 0 advise --among allreduce,decoupled-diloco --workers 16 --net bytes:1e9 --batch 8 --compute-s 0.5 \
	--link nic:bandwidth_GBps=100 --quiet --json
has '.ranking | length == 2' "fragments in time"
expect 0 sim --timing --algo gossip-push,ad-psgd,gossip-pull $slow --gradients 3200 --faults 0:leave@1-2 --json
has '.runs | map(.remark) | .[0] | contains("of the messages had not arrived")' "after a fault"
has '.runs[1].remark | startswith("3 of 8 workers waited for the network or absent workers") or startswith("4 of 8")'
has '.runs[2].remark | contains("on a fast network without faults")'

expect 1 advise --among allreduce,asgd $slow --progress asgd=95%
says err "expected a number from 0.001 to 1000, or V+-U: as a share of 1, 95% is 0.95"

# ---- along a parameter: ASGD is first from s = (n / p - 1) / (n - 1) on ----
expect 0 advise --among allreduce,asgd --workers 8 --vary slow=1..10 --points 3 --progress asgd=0.5 $ideal --json
has '.changes | length == 1 and .[0].from == "allreduce" and .[0].to == "asgd"'
has '.changes[0] | .below < 15 / 7 * 1.01 and .above > 15 / 7 * 0.99 and .above / .below < 1.06'
has '[.points[].slow] | . == sort'
expect 0 advise --among allreduce,asgd --workers 8 --vary slow=1..10 --points 3 --progress asgd=0.5 $ideal --plot line.svg
says out "asgd instead of allreduce"
# The map of two has, at each point, the winner of a question there.
expect 0 advise --among allreduce,asgd --workers 8 --vary slow=1..4 --vary compute_s=0.01..1 --points 2 --progress asgd=0.5 \
	$net --link nic:bandwidth_GBps=10 --plot map.svg --json
has '.points | length == 4'
cp out map
for i in 0 3; do
	slow=$(jq .points[$i].slow map) seconds=$(jq .points[$i].compute_s map)
	expect 0 advise --among allreduce,asgd --workers 8 --slow 0:$slow --compute-s $seconds --progress asgd=0.5 $net \
		--link nic:bandwidth_GBps=10 --json
	has ".ranking[0].algorithm == $(jq .points[$i].first map)" "map at $slow, $seconds"
done
expect 0 advise --among allreduce,asgd --workers 8 --vary slow=1..4 --vary compute_s=0.01..1 --points 2 --progress asgd=0.5 \
	$net --link nic:bandwidth_GBps=10
says out "first to the same loss: slow to the right, compute_s [s] upwards"
expect 0 $among --workers 4 $ideal --plot bars.svg --csv
is "$(wc -l <out)" 4 "a line for each algorithm, and the heads"
# All-reduce, which the times refer to, is in the picture, though it is the last; and lines that coincide are named.
many="asgd,dana,nag-asgd,dc-asgd,ssp,hogwild,allreduce,local-sgd:period=10,local-sgd:period=20"
quick=asgd=2,dana=2,nag-asgd=2,dc-asgd=2,ssp=2,hogwild=2,local-sgd=2
for vary in "" "--vary compute_s=0.1..0.2 --points 2"; do
	expect 0 advise --among $many --progress $quick --workers 4 $net --compute-s 0.1 --link ideal $vary --plot many.svg --report many.html
	says out "The picture has 7 of 9 algorithms, without "
	grep '^set title' many.gp | sed 's/\\n/ /g' >title      # lines of a title break where they are full
	says title "7 of 9 algorithms, without local-sgd:period=20, hogwild"
	[ "$(grep -c "'allreduce" many.gp)" -ge 1 ] || fail "no all-reduce in the picture: $(grep title many.gp)"
	says many.html "7 of 9 algorithms, without "
	says many.html "<tspan>allreduce"
done
says many.gp "(dashed: on that of "
says many.html "(dashed: on that of "
for plot in line map bars; do
	[ -e $plot.gp ] && [ -e $plot.json ] || fail "no script or JSON of $plot"
	! command -v gnuplot >/dev/null || [ -s $plot.svg ] || fail "no picture of $plot"
done

# ---- a point along a parameter has the ranking of a question there, progress from kept runs included ----
ranking='[.ranking[] | [.algorithm, .progress, .progress_low, .progress_high, .progress_source, .p_first, (.same_loss_s * 1e6 | round)]]'
kept="--among allreduce,diloco:period=10,gossip-push $net --compute-s 0.05"
along() {
	expect 0 advise $kept ${4:-$3} --vary $1 --points 2 --json
	cp out points
	for i in 0 -1; do
		expect 0 advise $kept $3 ${2//X/$(jq ".points[$i].${1%%=*}" points)} --json
		is "$(jq -c "$ranking" out)" "$(jq -c ".points[$i] | $ranking" points)" "at point $i of $1"
	done
}
along slow=1..10 "--slow 0:X" "--workers 16 --link nic:bandwidth_GBps=10"
along bandwidth=0.1..100 "--link nic:bandwidth_GBps=X" "--workers 16" "--workers 16 --link nic"
along workers=2..16 "--workers X" "--link nic:bandwidth_GBps=10"
expect 0 advise $kept --workers 16 --slow none --link ideal --json
cp out none
expect 0 advise $kept --workers 16 --slow 0:1 --link ideal --json
is "$(jq -c "$ranking" out)" "$(jq -c "$ranking" none)" "a slowdown of 1 is none"
expect 0 advise --among allreduce,gap-aware $net --compute-s 0.05 --workers 16 --slow 0:1 --vary slow=1..10 --points 2 --link ideal
says out "  gap-aware: barkai2020/heterogeneous: gap-aware, 16 workers, batch 32, mlp on cifar10, 3 seeds"
says out "  gap-aware at slow 10: barkai2020/heterogeneous: gap-aware, 16 workers, batch 32, mlp on cifar10, a slow worker"

# ---- options with several values ----
expect 0 advise --among allreduce,diloco:period=5/10/25 --workers 8 $ideal --json
has '.among == ["allreduce", "diloco:period=5", "diloco:period=10", "diloco:period=25"]'
has '.options == ["diloco: period=5 (of period=5; period=10; period=25)"]' "on a link without time the shortest"
expect 0 advise --among allreduce,diloco:period=5/10/25 --progress diloco=0.9 --workers 8 $net --compute-s 0.01 \
	--link nic:bandwidth_GBps=0.1 --json
has '.options == ["diloco: period=25 (of period=5; period=10; period=25); longer rounds may be faster: none was tried"]' "with equal progress the longest"
expect 0 advise --among allreduce,diloco:period=10/25 --progress diloco:period=10=0.9,diloco:period=25=0.4 --workers 8 $ideal --json
has '[.ranking[].progress] == [1, 0.9, 0.4]' "the progress of one of them"
expect 0 advise --among allreduce,async-local-sgd:period=4,buffer=1/4 --workers 4 $ideal
says out "others take as long, and nothing known tells their progress apart"

# ---- what it costs, as in sim ----
priced="--workers 4 $net --compute-s 0.1 --link nic --gpus-per-worker 8 --price 2EUR/h"
"$CONVOY" sim --timing --algo allreduce $priced --epochs 1 --quiet --json >one
expect 0 advise --among allreduce,diloco:period=10 $priced --progress diloco=0.5 --report cost.html --json
has ".ranking[] | select(.algorithm == \"allreduce\") | (.epoch_cost / $(jq .cost one) - 1 | fabs < 0.01) and .same_loss_cost == .epoch_cost"
has '.ranking[] | select(.algorithm != "allreduce") | .same_loss_cost / .epoch_cost - 2 | fabs < 1e-9'
says cost.html "epoch costs"
grep -q '<td[^>]*>[0-9.]*EUR' cost.html || fail "no amount in the page"
expect 0 advise --among allreduce,diloco:period=10 $priced --progress diloco=0.5
grep -qE "^allreduce .* [0-9.]+EUR +[0-9.]+EUR" out || fail "no costs: $(cat out)"
expect 0 advise --among allreduce,diloco:period=10 $priced --progress diloco=0.5 --csv
says out ",p_first,epoch_cost,same_loss_cost"
expect 0 advise --among allreduce,diloco:period=10 --workers 4 $ideal --json
has 'all(.ranking[]; has("epoch_cost") | not)' "no price"
# A worker of 8 GPUs has one price: 4 workers at 2EUR an hour.
expect 0 advise --among allreduce,diloco:period=10 $priced/worker --json
has 'all(.ranking[]; .epoch_cost / (4 * 2 * .epoch_s / 3600) - 1 | fabs < 1e-9)' "a price per worker"
expect 1 advise --between allreduce,asgd --vary slow=1..2 --workers 4 $ideal --price 2/h
says err "--price: costs of the two algorithms are in the ratio of their times"

# ---- progress from runs that are kept ----
python3 "$CONVOY_SOURCE/tests/support/evidence.py" "$CONVOY_SOURCE/results/reference" >evidence.def
diff evidence.def "$CONVOY_SOURCE/study/advise/evidence.def" >differs ||
	fail "study/advise/evidence.def is not what evidence.py writes: $(head -5 differs)"
expect 0 advise --among allreduce,diloco:period=10/50,demo,rennala,osgp:tau=3 --workers 8 $ideal --json
has '.ranking[] | select(.algorithm == "diloco:period=10") | (.progress - 0.655 | fabs < 1e-6) and .progress_far == false and
	(.progress_source | startswith("douillard2023/diloco: diloco:period=10, 8 workers"))'
has '.ranking[] | select(.algorithm == "diloco:period=50") | .progress < 0.338 and .progress_far' "rounds longer than kept"
# Lengths of rounds are compared by one experiment, in which longer ones never make more progress.
expect 0 advise --among allreduce,diloco:period=5/8/10/12/15/18/20/22/25/30/50 --workers 4 --net bytes:1e9,layers=20 --batch 8 \
	--compute-s 0.3 --samples 1e6 --link nic:bandwidth_GBps=1.25 --quiet --json
has '[.ranking[] | select(.progress_from == "kept") | .progress_source | split(":")[0]] | unique == ["douillard2023/diloco"]'
has '[.ranking[] | select(.progress_from == "kept")] | sort_by(.algorithm | split("=")[1] | tonumber) | map(.progress) | . == (sort | reverse)'
has '.ranking[0].algorithm == "diloco:period=10" and .ranking[0].p_first < 0.9' "a slope that another net may not have"
# Likewise algorithms with rounds; where the best figures are of several experiments, this is said.
expect 0 advise --cluster internet-intellect-1 --net gpt:params=10B,seq=8192 --batch 16 --quiet --json \
	--among allreduce,diloco:period=20/100,streaming-diloco:period=100,fragments=4
has '[.ranking[] | select(.progress_from == "kept") | .progress_source | split(":")[0]] | unique | length == 1'
has '.ranking[0].p_first < 0.9 and (.ranking[1].same_loss_s / .ranking[0].same_loss_s < 2)' "nothing known tells them apart"
expect 0 advise --among allreduce,diloco:period=5/10,ad-psgd --workers 8 $ideal
says out "errors are independent: diloco from douillard2023/diloco, ad-psgd from survey/all-algorithms."
expect 0 advise --among allreduce,local-sgd,diloco,ad-psgd --workers 16 $ideal
! grep -q "errors are independent" out || fail "one experiment has all of them: $(cat out)"
# The interval is wider for another number of workers: by 2.5 for twice as many, and by three doublings at most.
half() {
	expect 0 advise --among allreduce,gossip-pull --workers $1 $net --samples 1e6 --compute-s 0.05 --link ideal --json
	jq '.ranking[] | select(.algorithm == "gossip-pull") | (.progress_high / .progress_low | log / 2)' out
}
python3 - "$(half 128)" "$(half 256)" "$(half 1024)" "$(half 2048)" <<-'END' || fail "intervals by workers: $(half 128) $(half 256) $(half 1024) $(half 2048)"
	import math, sys
	at, twice, eight, sixteen = map(float, sys.argv[1:])
	wider = [math.sqrt(x * x - at * at) / math.log(2.5) for x in (twice, eight, sixteen)]
	assert all(abs(x - y) < 0.01 for x, y in zip(wider, (1, 3, 3))), wider
END
# What study/advise/evidence.c says of the kept rows, from which it has these widths.
python3 - "$CONVOY_SOURCE/study/advise/evidence.def" <<-'END' || fail "evidence.c says something else of evidence.def"
	import itertools, math, re, sys
	rows = re.findall(r'EVIDENCE\("(.*?)", "(.*?)",\s+(\d+), \d+, ".*?", ".*?", (\w+), \d+, ([\d.]+)', open(sys.argv[1]).read())
	def logs(rule):
	    return [abs(math.log(float(a[4]) / float(b[4]))) for a, b in itertools.combinations(rows, 2)
	            if a[1] == b[1] and a[3] == b[3] and rule(a, b)]
	nets = logs(lambda a, b: a[2] == b[2] and a[0] != b[0])
	assert len(nets) == 12 and abs(1.96 * math.sqrt(sum(x * x for x in nets) / 12) - math.log(2.1)) < 0.02, nets
	for doublings, n in ((1, 20), (2, 16)):
	    by = logs(lambda a, b: a[0] == b[0] and abs(math.log2(int(a[2]) / int(b[2]))) == doublings)
	    assert len(by) == n and sum(x < doublings * math.log(2.5) for x in by) == n - 1, sorted(by)
	assert max(logs(lambda a, b: a[0] == b[0])) < 3 * math.log(2.5)
	steps = sorted((int(a[1].split('=')[1]), float(a[4])) for a in rows if re.fullmatch(r'diloco:period=\d+', a[1]) and a[0] == 'douillard2023/diloco')
	slopes = [math.log(p / q) / math.log(b / a) for (a, p), (b, q) in zip(steps, steps[1:])]
	assert abs(max(slopes) - 0.72) < 0.01 and min(slopes) > 0, slopes
END
# The interval of the ranking is that of the source, or the source says why not.
expect 0 advise --among allreduce,diloco:period=10,local-sgd:period=10 --workers 8 $ideal
for algo in diloco local-sgd; do
	interval=$(sed -n "s/^$algo:period=10 .* \([0-9.]* ([0-9.]* to [0-9.]*)\) kept.*/\1/p" out)
	[ "$interval" ] && grep "^  $algo:period=10: " out | grep -qF "$interval" || fail "'$interval' of $algo is not in its source"
done
says out "; for rounds of 10 instead of 8 gradients; for 8 workers; for another net: "
expect 0 advise --among allreduce,diloco:period=10/50,demo,rennala,osgp:tau=3 --workers 8 $ideal --json
has '.ranking[] | select(.algorithm == "demo") | .progress == 1 and .progress_capped' "a mean above 1 that is not decided"
expect 0 advise --among allreduce,sgp,eamsgd --progress sgp=0.9+-0.1 --workers 8 $ideal --json
has '.ranking[] | select(.algorithm == "sgp") | .progress_low < 0.75 and .progress_high > 1.05'
has '.ranking | all(.p_first >= 0 and .p_first <= 1) and (map(.p_first) | add >= 1)' "probabilities, ties in each"

# ---- progress from own training runs: local SGD with one local step is all-reduce ----
for seed in 1 2; do
	for algo in allreduce local-sgd:period=1; do
		"$CONVOY" sim --algo $algo --workers 2 --net logistic --lr 0.05 --epochs 1 --seed $seed --out own --quiet >/dev/null
	done
done
expect 0 advise --among allreduce,local-sgd:period=1,asgd --progress-from own --workers 2 $ideal --json
has '.ranking[] | select(.algorithm == "local-sgd:period=1") | .progress_from == "own" and (.progress - 1 | fabs < 1e-3) and
	(.progress_source | contains("2 seeds"))'
has '.ranking[] | select(.algorithm == "asgd") | .progress_from == "kept"' "no own runs"

# The interval of eleven seeds is Student's: +- 2.228 standard errors, 0.0936 wide in logarithms; with 1.96 it would be 0.0824.
"$CONVOY" sim --algo allreduce,asgd --workers 2 --net logistic --lr 0.05 --epochs 1 --seed 1..11 --out eleven --quiet >/dev/null
expect 0 advise --among allreduce,asgd --progress-from eleven --workers 2 $ideal --json
has '.ranking[] | select(.algorithm == "asgd") | (.progress_source | contains("11 seeds")) and
	(.progress_high / .progress_low | log | . > 0.09 and . < 0.097)'

# Like is compared with like: never across accumulate; at the learning rate with the lowest loss; another one is named.
for lr in 0.02 0.05; do
	for algo in allreduce local-sgd:period=4; do
		"$CONVOY" sim --algo $algo --workers 2 --net logistic --lr $lr --epochs 1 --out own --quiet >/dev/null
	done
done
"$CONVOY" sim --algo asgd --workers 2 --net logistic --lr 0.03 --epochs 1 --out own --quiet >/dev/null
"$CONVOY" sim --algo dana --workers 2 --net logistic --lr 0.05 --epochs 1 --accumulate 2 --out own --quiet >/dev/null
expect 0 advise --among allreduce,local-sgd:period=4,asgd,dana --progress-from own --workers 2 $ideal --json
has '.ranking[] | select(.algorithm == "local-sgd:period=4") | .progress_source | contains("1 seed: ") and
	test("; final loss [0-9.]+ at lr 0.05, of allreduce [0-9.]+ at lr 0.05, the lowest of 2 and of 2 set-ups$")'
has '.ranking[] | select(.algorithm == "asgd") | .progress_source | test(" at lr 0.03, of allreduce [0-9.]+ at lr 0.05, ")'
has '.ranking[] | select(.algorithm == "dana") | .progress_from == "kept"' "no all-reduce with accumulate=2"

# Each has its own best rate, by its own final loss: ASGD's best of three ends at 0.35 and all-reduce's best of two at 0.42. A run
# that rises has no progress, nor has DANA, whose only run does. The epoch of a loss is the one from which on it stays below.
for runs in "allreduce,asgd 0.1,0.4" "asgd 0.28" "dana 0.4"; do
	"$CONVOY" sim --algo ${runs% *} --lr ${runs#* } --workers 8 --net quadratic --batch 16 --optim sgd:momentum=0 --compute-s 0.1 \
		--link ideal --epochs 4 --train-every 0.05 --out rates --quiet >/dev/null 2>&1
done
expect 0 advise --among allreduce,asgd,dana --progress-from rates --workers 8 $ideal --json
has '.ranking[] | select(.algorithm == "asgd") | .progress > 1.3 and .progress < 1.6 and (.progress_source |
	test("1 seed: [0-9.]+ without an interval; final loss 0.348[0-9]* at lr 0.1, of allreduce 0.419[0-9]* at lr 0.4, the lowest of 3 and of 2 set-ups$"))'
has '[.left_out[] | select(.algorithm == "dana") | .why] == ["in rates, runs of dana end with a higher loss than they began with at every learning rate, so they make no progress"]'
expect 1 advise --between allreduce,asgd --vary slow=1..2 --points 2 --workers 8 $ideal \
	--progress-by 'net=quadratic optim=sgd:momentum=0 lr=0.4 epochs=4'
says err "--progress-by: asgd diverged, or its loss ends above where it began: usual cause here: "

# ---- the error of the model: two equal times are each the first in half of the draws ----
expect 0 advise --among allreduce,asgd --workers 8 $ideal --progress asgd=0.8 --json
has '.ranking[0].p_first == 1'
expect 0 advise --among allreduce,asgd --workers 8 $ideal --progress asgd=1 --model-error 0.3 --json
has '.progress_level == 0.95 and .same_loss_level == 0.9'
has '.ranking | all(.p_first > 0.4 and .p_first < 0.6 and .same_loss_s_low > 0.06 and .same_loss_s_low < 0.08)' "0.3 / sqrt 2"
expect 0 advise --among allreduce,asgd --workers 8 $ideal --model-error 0.3
says out "model error: 0.3 of the ratio of two simulated times, given"
says out "by the intervals of the progress per step and an error of the simulator of 30 %"
expect 0 advise --among allreduce,asgd --workers 8 $ideal --progress asgd=0.8
says out "No figure is given as uncertain, and no error of the simulator is in it."
expect 0 advise --among allreduce,asgd --workers 8 $ideal --progress asgd=0.8+-0.1
says out "by the intervals of the progress per step; no error of the simulator is in it."

# Kept runs are not credited above 1, so all-reduce is the first on a fast network with equal workers, or within 1 % of it.
expect 0 advise --cluster h100-ndr --workers 64 --net gpt:params=1.3B,seq=2048 --batch 8 --quiet
says out "link collective=nccl (defaults of link nic; NCCL chooses"
grep -q "no effect: of link" out && fail "options that nobody gave"
says out "P(first): that it is the first, or within 1 % of the first; a kept progress above 1 counts as 1"
grep -qE "^allreduce .* (1|0\.99.*)$" out || fail "all-reduce is not certain: $(head -8 out)"

# ---- equal times share the first rank, whatever the order of the list ----
for list in d-psgd,allreduce,local-sgd local-sgd,d-psgd,allreduce; do
	expect 0 advise --workers 8 --net bytes:1e8,layers=12 --compute-s 0.1 --link ideal --among $list \
		--progress d-psgd=1,local-sgd=1 --json --quiet
	has '.answer | test("^[a-z-]+, [a-z-]+ and [a-z-]+ are equally fast to the same loss")'
	has '[.ranking[].p_first] | (max - min) < 1e-9'
done

# ---- a parameter that something else overrides ----
for ask in "--between allreduce,local-sgd:period=8" "--among allreduce,ad-psgd --progress ad-psgd=0.8"; do
	expect 0 advise $ask --workers 8 --vary bandwidth=0.5..10 --points 3 --compute-s 0.05 $net \
		--link 'nic; 0-7: bandwidth_GBps=3' --quiet --json
	says err "warning: bandwidth has no effect here: each time is the same at both ends of its range"
	expect 0 advise $ask --workers 8 --vary bandwidth=0.5..10 --points 3 --compute-s 0.05 $net --link nic --quiet --json
	grep -q "no effect" err && fail "bandwidth has an effect: $(cat err)"
done

# ---- along workers, the ranking is at those of the machine, as far as the range has them ----
along="--among allreduce,ad-psgd --progress ad-psgd=0.8 --points 2 $net --compute-s 0.05 --quiet --json"
expect 0 advise $along --vary workers=8..24 --link nic:bandwidth_GBps=2
has '.settings.workers == "16" and (.answer | endswith(" (ranked at workers=16)."))'
expect 0 advise $along --vary workers=8..64 --cluster h100-ndr
has '.settings.workers == "32"'
expect 0 advise $along --vary workers=2..8 --link nic:bandwidth_GBps=2
has '.settings.workers == "8"'

# ---- no data outside measured tables, unless --extrapolate ----
table="nic:collective=measured,allreduce_ranks=4,allreduce_bytes=1e6/1e9,allreduce_s=1e-3/1"
expect 0 advise --among allreduce,asgd --vary workers=4..8 --points 2 --workers 4 $net --compute-s 0.1 --link $table --json
has '([.points[].ranking | length] | unique) == [1, 2] and (.changes | length == 1 and .[0].above == 5 and .[0].from_is_unranked_above) and (.gaps[0] | startswith("no data of allreduce at workers 5 to 8: all-reduces of 5 workers"))'
expect 0 advise --among allreduce,asgd --vary workers=4..8 --points 2 --workers 4 $net --compute-s 0.1 --link $table --extrapolate --json
has '[.points[].ranking | length] == [2, 2] and (.gaps | length == 1)'
expect 1 advise --among allreduce,diloco --workers 8 $net --compute-s 0.1 --link $table
says err "all-reduces of 8 workers were not measured, only those of 4. Give --extrapolate"

# ---- where NCCL's choice decides ----
expect 0 advise --among allreduce,diloco:period=50 --net bytes:2.6e9,layers=48 --compute-s 0.64 --workers 256 --batch 8 --quiet \
	--link nic:node=8,node_GBps=300,bandwidth_GBps=12.5 --vary bandwidth=8..16 --points 3 --progress diloco=0.95
says out "NCCL's all-reduce of allreduce changes from ring to double-tree at bandwidth 10.81 GB/s. The first algorithm changes"
# On a map of two parameters, too; along the second one where the first does not matter.
expect 0 advise --among allreduce,diloco:period=50 --net bytes:2.6e9,layers=48 --compute-s 0.64 --workers 256 --batch 8 --quiet \
	--link nic:node=8,node_GBps=300,bandwidth_GBps=12.5 --vary bandwidth=8..16 --vary compute_s=0.5..1 --points 2 --progress diloco=0.95
says out "NCCL's all-reduce of allreduce changes from ring to double-tree at bandwidth 10.81 GB/s, with compute_s 0.5 to 1 s. The first algorithm changes there in 2 of 2 rows of the map"
expect 0 advise --among allreduce,diloco:period=50 --net bytes:2.6e9,layers=48 --compute-s 0.64 --workers 256 --batch 8 --quiet \
	--link nic:node=8,node_GBps=300,bandwidth_GBps=12.5 --vary compute_s=0.5..1 --vary bandwidth=8..16 --points 2 --progress diloco=0.95
says out "changes from ring to double-tree at bandwidth 10.81 GB/s, with compute_s 0.5 to 1 s. The first algorithm changes there in 2 of 2 columns of the map"

# ---- what happens at given times, outside what runs measure: 22 to 242 s, if nothing does ----
expect 0 advise --among allreduce,ad-psgd --workers 16 --net bytes:1e6 --compute-s 0.5 --link ideal --quiet --json
plain=$(jq -c '[.ranking[].progress]' out)
for what in "--slow 0:5@1000-2000" "--slow 0:5@0-10" "--faults 0:leave@1000-2000,detect_s=5" "--delay 0:profile:at_s=1000/2000,factor=3/1"; do
	expect 0 advise --among allreduce,ad-psgd --workers 16 --net bytes:1e6 --compute-s 0.5 --link ideal $what --quiet --json
	has '[.gaps[] | select(startswith("faults, slow periods or delays at given times change "))] | length == 1' "$what"
	is "$(jq -c '[.ranking[].progress]' out)" "$plain" "no worker is slow throughout: $what"
done
has '.gaps[0] | contains(" change until 2000 s, but some runs end at 220 s") and endswith("Give --seconds 2100 or more")'
expect 0 advise --among allreduce,ad-psgd --workers 16 --net bytes:1e6 --compute-s 0.5 --link ideal --slow 0:5@100-150 --quiet --json
has '.gaps == []' "a slow period that is measured"

# ---- a codec: what does not go with it is ranked without it, and what it costs in progress is not known ----
coded="--workers 8 --net bytes:1e8,layers=1 --compute-s 0.1 --link nic:bandwidth_GBps=1 --quiet --json"
expect 0 advise --among allreduce,local-sgd,d-psgd $coded
jq '[.ranking[] | select(.algorithm != "allreduce") | [.algorithm, .step_s]]' out >bare
expect 0 advise --among allreduce,local-sgd,d-psgd --codec topk $coded
is "$(jq '[.ranking[] | select(.algorithm != "allreduce") | [.algorithm, .step_s]]' out)" "$(<bare)" "without the codec"
has '.gaps[0] | startswith("the codec has an all-reduce begin when the whole gradient is computed, so that it overlaps nothing of it")'
has '.gaps[2:] == ["ranked without codec topk, which they do not go with: local-sgd, d-psgd",
	"kept runs have no codec, and allreduce counts as 1 with it, too: what topk costs in progress is in no time to the same loss. Give --progress"]'
expect 0 advise --among allreduce,asgd --codec topk --progress asgd=0.7 $coded
has 'all(.gaps[]; contains("kept runs have no codec") | not)' "progress that is given"

# ---- a graph, which all-reduce does not have; rounds at the end of the list ----
expect 0 advise --among allreduce,sgp --graph complete $coded
has '.gaps == ["kept runs have each algorithm'"'"'s default graph: what complete changes in progress is in no time to the same loss. Give --progress"]'
expect 0 advise --among diloco:period=10/25,allreduce $coded --link nic:bandwidth_GBps=0.01
has '.options == ["diloco: period=25 (of period=10; period=25); longer rounds may be faster: none was tried"]' "the longest rounds"

# ---- kept runs are chosen by how slow a machine is, however that is said ----
progress() { expect 0 advise --among ad-psgd,allreduce --workers 16 --net bytes:1e8 --compute-s 0.5 --link nic --quiet --json "$@"; jq '.ranking[] | select(.algorithm == "ad-psgd").progress' out; }
for slow in "--delay=0:static:bad=1,bad_factor=5" "--compute-s=0:2.5;1-15:0.5"; do
	is "$(progress "$slow")" "$(progress --slow 0:5)" "progress with $slow"
done
is "$(progress --slow 0:0.2)" "$(progress)" "progress with a faster worker"

# ---- an epoch's samples, and a server that is one machine ----
served="--among allreduce,asgd --workers 64 --net bytes:1e9 --compute-s 0.1 --link nic:bandwidth_GBps=10 --quiet"
expect 0 advise $served
says out "an epoch has 50000 samples (as many as data set shapes has; give --samples)"
says out "all gradients go through one server with one NIC: asgd. --shards N divides it among N machines"
expect 0 advise $served --gpus-per-worker 8
says out "all gradients go through one server: asgd. --shards N divides it among N machines"
expect 0 advise $served --json
one=$(jq '.ranking[] | select(.algorithm == "asgd") | .step_s' out)
expect 0 advise $served --shards 4 --samples 1e6 --report shards.html --json
has '.epoch_samples == 1e6 and .gaps == []'
has ".ranking[] | select(.algorithm == \"asgd\") | $one / .step_s - 4 | fabs < 0.1" "four machines"
says shards.html "In this table an epoch has 1000000 samples."

# ---- the dozen, and algorithms that do not go with the settings ----
expect 0 advise --workers 8 $ideal --json
has '.among | length >= 12'
cp out dozen
expect 0 advise --among --workers 8 $ideal --json
is "$(jq -c .ranking out)" "$(jq -c .ranking dozen)" "--among without a list"
expect 0 advise --among allreduce,noloco,ad-psgd --faults all:fail@mtbf_s=500,detect_s=1,restart_s=5 --workers 8 $ideal --json
has '[.left_out[].algorithm] == ["noloco"] and (.left_out[0].why | contains("tolerates no worker failure"))'
expect 0 advise --among allreduce,noloco --faults 1:leave@3-4 --workers 8 $ideal
says out "left out, noloco: stalled after"
[ -s err ] && fail "an error of a run that is left out: $(cat err)"
expect 1 advise --among noloco,demo --faults 1:leave@3-4 --workers 8 $ideal
says err "none of the algorithms can run with these settings: noloco: stalled after"

# A refused value that the question does not have is named as a default.
expect 0 advise --among allreduce,streaming-diloco:period=20,streaming-diloco:period=30,fragments=4 --workers 8 $ideal
says out "fragments = 3 does not divide period = 20: every fragment has a turn of as many steps. Choose a divisor. fragments = 3 is the default: give another as streaming-diloco:period=20,fragments=N"
says out "fragments = 4 does not divide period = 30"
grep -q "fragments = 4 .*is the default" out && fail "a value that is given: $(cat out)"

# The one with the shortest median time need not be the first most often.
expect 0 advise --among asgd,d-psgd,local-sgd:period=4 --progress asgd=0.9+-0.01,d-psgd=0.87+-0.6,local-sgd:period=4=0.87+-0.6 \
	$ideal --workers 4 --quiet
says out "asgd has the shortest median time to the same loss"
grep -qE "(d-psgd|local-sgd:period=4) is the first more often: P = 0\.[34]" out || fail "$(cat out)"

# ---- what is refused ----
refused() {
	expect 1 advise "${@:2}" $ideal --workers 4
	says err "$1"
	[ -s out ] && fail "printed an answer: $*"
}
pair="--among allreduce,asgd"
refused "--among diloco: one algorithm" --among diloco
refused "--among: unknown algorithm 'diloko'; did you mean 'diloco'?" --among diloko,allreduce
refused "--among: allreduce stands there twice" --among allreduce,allreduce
refused "--among: diloco:period=5 stands there twice" --among allreduce,diloco:period=5/5
refused "--between and --among are both given" $pair --between asgd,dana
refused "--progress: unknown algorithm 'foo'; known: allreduce, asgd" $pair --progress foo=1
refused "--among: an algorithm without a name" --among allreduce,,asgd
refused "--progress asgd: the value is missing" $pair --progress asgd
refused "algorithm diloco: period stands there twice" --among allreduce,diloco:period=5,period=6
refused "--progress asgd=x: expected a number from 0.001 to 1000" $pair --progress asgd=x
refused "--progress asgd=1e300: expected a number from 0.001 to 1000" $pair --progress asgd=1e300
refused "--progress asgd=0.9+-0.1x: expected a number" $pair --progress asgd=0.9+-0.1x
refused "--progress: asgd is given twice" $pair --progress asgd=1,asgd=2
refused "--progress allreduce=2: progress is relative to allreduce, whose own is 1" $pair --progress allreduce=2
refused "--progress '0.9x': expected a number from 0.001 to 1000" --between allreduce,asgd --vary slow=1..2 --progress 1,0.9x
refused "--progress '0.9+-0.1/0.8+-0.1': expected a number" --between allreduce,asgd --vary slow=1..2 --progress 1,0.9+-0.1/0.8+-0.1
refused "--progress-from 'nowhere': no such folder" $pair --progress-from nowhere
for pair_or_two in "$pair" "--between allreduce,asgd --vary slow=1..2"; do
	expect 1 advise $pair_or_two $ideal --workers 1
	says err "--workers: one worker exchanges nothing"
done
refused "--vary workers=1..4: workers must be from 2 to" $pair --vary workers=1..4
refused "--vary compute_s=1..2hours: expected LO..HI after '=', such as slow=1..10: unknown unit 'hours'; did you mean 'h'?" \
	$pair --vary compute_s=1..2hours
refused "--vary slow is given twice" $pair --vary slow=1..2 --vary slow=1..3
refused "--vary is given twice, but --between takes one" --between allreduce,asgd --vary slow=1..2 --vary share=0.1..0.5
refused "--progress-by is of --between" $pair --progress-by net=lenet
refused "--points 1: expected 2 or more" $pair --vary slow=1..2 --points 1

# Where other kept runs begin to count along a parameter, and the first one changes there, a line says so.
expect 0 advise --among allreduce,diloco:period=10,ad-psgd --workers 8 --net bytes:1e9 --compute-s 1 --link nic:bandwidth_GBps=1.25 \
	--vary workers=2..64 --points 3 --quiet
says out "where other kept runs begin to count: of diloco:period=10 those of survey/all-algorithms instead of douillard2023/diloco."

# ---- workers that wait for the slowest only after a while ----
# One that is four times slower sets the pace of a long run: 4 s a step, whatever the rule, and however many workers.
wait="--net bytes:1e6 --batch 8 --compute-s 1 --slow 0:4 --link ideal --quiet"
expect 0 advise --among allreduce,ssp:bound=10/300,d-psgd,noloco:period=100 --workers 64 $wait --json
is "$(jq -c '[([.ranking[].step_s * 1e9 | round] | unique), .gaps]' out)" '[[4000000000],[]]' "the steps of a long run"
expect 0 advise --among allreduce,ssp:bound=100000 --workers 16 $wait
says out "ssp:bound=100000 may be overrated with these settings: its workers still got further ahead of the slowest"
# as well when the figures are from the file of a finished run
expect 0 sim --timing --algo ssp:bound=100000 --workers 16 $wait --gradients 3200 --epochs 0 --cluster none --delay constant --out kept
expect 0 advise --among allreduce,ssp:bound=100000 --workers 16 $wait --gradients 3200 --out kept
says out "ssp:bound=100000 may be overrated with these settings: its workers still got further ahead of the slowest"
is "$(grep -vc '^#' kept/advise.points)" 1 "runs that advise made"
expect 0 advise --between allreduce,ssp:bound=100000 --vary slow=1..4 --points 2 --workers 16 --progress 1,0.5 $wait
says out "ssp:bound=100000 may be overrated at slow 1 to 4: its workers still got further ahead of the slowest"

# ---- ties ----
# With equal workers all-reduce and ASGD take equally long on an ideal link, but for rounding: no other is the first.
equal="--among allreduce,asgd --progress asgd=1 --net bytes:1e8,layers=1 --compute-s 0.3 --link ideal --workers 4 --quiet"
for range in 1..4 0.25..1; do
	expect 0 advise $equal --vary slow=$range --points 3
	says out "1      allreduce and asgd       0.3       1          -           -"
	says out "allreduce and asgd are equally fast at slow 1"
	says out "asgd is the first, or as fast as the first, from slow ${range/../ to }"
	! grep "instead of" out || fail "a tie at an end of slow=$range is a change"
	expect 0 advise $equal --vary slow=$range --points 3 --json
	is "$(jq -c '[([.points[].first] | unique), (.changes | length)]' out)" '[["asgd"],0]' "slow=$range"
done
expect 0 advise $equal --vary slow=1..4 --vary compute_s=0.3..0.6 --points 2 --plot map.svg
says out " 0.3        A=       A "
says out "=  another one is as fast there"
says out "allreduce and asgd are equally fast in 2 of 4 fields of the map"
says map.gp "set label 1 '='"
expect 0 advise --among allreduce,sgp --progress sgp=1 --workers 64 --compute-s 10 --net bytes:4000 --link nic:latency_s=1e-6 --quiet
says out "less than 0.1 % faster than"

# ---- every form of an answer has what its machine assumes and leaves open: two sites, and a model too large ----
wan="--workers 16 --net gpt:params=7B,seq=4096 --batch 1 --device h100 --mfu 0.4 --quiet
	--link nic:node=8,nics=8,node_GBps=450,bandwidth_GBps=50,latency_s=0.025"
latencies="in which 1069 buckets are all-reduced (ring) are latencies, not bytes; one bucket takes 0.8813 s"
expect 0 advise --among allreduce,diloco:period=100 --progress diloco=0.9 --vary bandwidth=10..50 --points 2 $wan
says out "assumed: an epoch of 50000 samples"
says out "$latencies"
says out "are 84 GB a device, with 4 bytes a number, and its memory is 80 GB"
grep -qE '[0-9]{4} times as fast as allreduce' out || fail "a power of ten: $(cat out)"
is "$(awk '$1 == "50" { print $2, $4 }' out)" "diloco:period=100 1" "P(first) along the bandwidth"
! grep -q "Kept runs" out || fail "no kept run tells a progress"
expect 0 advise --between allreduce,diloco:period=100 --vary bandwidth=10..50 --points 2 $wan --json --report wan.html
has '.gaps | any(contains("are latencies, not bytes")) and any(contains("its memory is 80 GB"))'
says wan.html "are latencies, not bytes"
says wan.html "its memory is 80 GB"
# No interval seems to leave out its median.
expect 0 advise --among allreduce,local-sgd:period=8,diloco:period=8 --workers 16 $net --compute-s 0.3257 --link ideal
says out "0.3257 (0.3257 to "
finish
