# `convoy delay fit`: a log's model is named, its settings are accepted, and bad logs are refused.
. "$(dirname "$0")/lib.sh"
need jq

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
	(.log | .workers == 4 and .steps == 1000 and (.lag1 | fabs < 0.1))' out >/dev/null || fail "$(cat out)"

# Slow phases are found, and their settings too: 2 times as long, 5 % of 0.4 s a step is 8 s, 20 s apart.
expect 0 delay fit slow.csv --json
cp out slow.json
jq -e '.best | .name == "markov" and .fits' out >/dev/null || fail "$(cat out)"
jq -e '.models | map({ (.name): .fits }) | add | .gamma == false and .static == false and .lognormal == false' \
	out >/dev/null || fail "$(cat out)"
jq -e '.best.delay | capture("factor=(?<f>[^,]*),fast_s=(?<a>[^,]*),slow_s=(?<b>.*)") | map_values(tonumber) |
	(.f - 2 | fabs < 0.02) and .a > 13 and .a < 29 and .b > 5 and .b < 12' out >/dev/null || fail "$(cat out)"
expect 0 delay fit slow.csv
says out "Best: markov, the simplest model that fits."
delay=$(jq -r .best.delay slow.json)
says out "--delay '$delay'"
expect 0 show delay "$delay"

# The same log gives the same answer; another seed other runs of the models, of the same parameters.
expect 0 delay fit slow.csv --json
cmp -s out slow.json || fail "not the same twice"
expect 0 delay fit slow.csv --json --seed 500
is "$(jq -c '[.models[].delay]' out)" "$(jq -c '[.models[].delay]' slow.json)" "parameters and the seed"
[ "$(jq .best.ks out)" != "$(jq .best.ks slow.json)" ] || fail "the seed changes nothing"

# A picture, with script and data next to it.
expect 0 delay fit slow.csv --plot qq/slow.svg
says out qq/slow.dat
says qq/slow.gp "'slow.dat'"
is "$(grep -c '^# ' qq/slow.dat)" "$(($(jq '.models | length' slow.json) + 1))" "blocks"
! command -v gnuplot >/dev/null || [ -s qq/slow.svg ] || fail "no picture"
expect 1 delay fit slow.csv --plot qq.txt

# A cluster file, fresh and from another one, which a run takes.
expect 0 delay fit slow.csv -o mine.json
is "$(jq -r .delay mine.json)" "$delay"
is "$(jq -r .workers mine.json)" 4
jq -r .sources.delay mine.json | grep -q "convoy delay fit slow.csv: 4 workers, 1000 steps" || fail "no source"
expect 0 delay fit slow.csv --cluster k80-fdr --net resnet50 --batch 64 -o k80.json
is "$(jq -r .delay k80.json)" "$delay"
jq -e '.host_copy_GBps == 15.75 and (.compute.seconds_per_sample.resnet50 * 64 - 0.2 | fabs < 0.002)' k80.json \
	>/dev/null || fail "$(cat k80.json)"
expect 0 show cluster k80.json
expect 0 show delay "$delay" --json
jq -r .delay out >whole
expect 0 sim --cluster k80.json --timing --algo allreduce --workers 4 --net resnet50 --batch 64 \
	--samples 6400 --json --quiet
is "$(jq -r .settings.delay out)" "$(cat whole)" "the delay of a run"

# No other time of the net is left that would win, or be added.
expect 0 delay fit slow.csv --cluster knl-opa --net resnet50 --batch 64 -o knl.json
jq '.compute.times.resnet50 = "table:batch=1/2,seconds=7/9" | .sources["times.resnet50"] = "us"' knl.json >knl2.json
expect 0 delay fit slow.csv --cluster knl2.json --net resnet50 --batch 64 -o knl3.json
for file in knl.json knl3.json; do
	expect 0 sim --cluster $file --timing --algo allreduce --workers 1 --net resnet50 --batch 64 --samples 640 \
		--json --quiet
	jq -e --slurpfile fit slow.json '(.settings.compute_s | tonumber) / $fit[0].best.compute_s - 1 |
		fabs < 1e-4' out >/dev/null || fail "$file: $(jq -c .settings.compute_s out)"
done

# The log itself as a delay: one worker's epoch is the sum of its steps.
awk -F, '/^0,/ && $2 < 100 { s += $3 } END { print s }' slow.csv >sum
mean=$(jq .log.mean_s slow.json)
expect 0 sim --timing --algo allreduce --workers 1 --samples 100 --batch 1 --compute-s "$mean" --link ideal \
	--delay replay:file=slow.csv --json --quiet
jq -e --argjson sum "$(cat sum)" '.time_s - $sum | fabs < 1e-6 * $sum' out >/dev/null ||
	fail "$(jq .time_s out) is not $(cat sum)"

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
says err "19 steps of each worker are too few (at least 20)"
: >empty.csv
expect 1 delay fit empty.csv
says err "empty.csv:1: the header is not worker,step,seconds"
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
expect 1 delay fit slow.csv -o x.json --cluster nosuch
[ ! -e x.json ] || fail "a file was written"
finish
