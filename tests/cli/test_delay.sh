# Delay models from the command line: shown, drawn, combined, read from files, refused, waited for.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

expect 0 list delays
cp out listed
for model in bursts cvb empirical exponential lognormal markov normal pareto periodic phases profile rack \
	replay static uniform weibull; do
	says listed "$model"
	expect 0 show delay $model
	says out "Options, as in --delay $model:KEY=VALUE"
done

# A preset is shown with its source and its models, and is these models.
for preset in quiet shared bad-node; do
	says listed "$preset"
	expect 0 show delay $preset
	says out "$preset: preset: "
	says out "Source: "
	says out "all: gamma:cv="
	expect 0 show delay $preset --json
	jq -e --arg name $preset '.name == $name and (.cite | length > 50)' out >/dev/null || fail "$(cat out)"
done
expect 1 show delay shared:cv=1
says err "shared"

# near A B: within 1e-9.
near() {
	jq -en "($1) - ($2) | fabs < 1e-9" >/dev/null || fail "$1 is not $2${3:+ ($3)}"
}
shown() { jq ".clauses[${2:-0}].$1" out; }

# By formula where there is a simple one, else of draws, and it is said which.
expect 0 show delay pareto:alpha=3
says out "all: pareto:alpha=3"
says out "mean       1            by formula"
says out "p95        1.80961      by formula"
expect 0 show delay gamma:cv=0.1
says out "deviation  0.1          by formula"
grep -Eq 'p50 +0\.99[67][0-9]* +of 100,000 draws' out || fail "median of gamma: $(cat out)"
expect 0 show delay pareto:alpha=1.5 --json
is "$(shown deviation)" null "a Pareto distribution without a variance"
is "$(shown quantiles_by)" '"formula"'
expect 0 show delay 'gamma:cv=0.2; 1,4-7: * markov:factor=3,fast_s=1,slow_s=1' --json
is "$(shown workers 1)" '"1,4-7"'
near "$(shown mean 1)" 2 "product of means"
near "$(shown deviation 1)" "(5 * 1.04 - 4) | sqrt" "product of moments"
is "$(shown quantiles_by 1)" '"draws"'

# A picture, with script and data next to it.
expect 0 show delay "weibull; 0: constant" --plot pictures.svg
expect 129 show delay weibull --input 3x3x3
expect 0 show delay weibull --plot plots/w.svg
says out plots/w.dat
says plots/w.gp "'w.dat'"
is "$(awk '!/#/ { s += $2 } END { print (s > 99.3 && s <= 100) }' plots/w.dat)" 1 "share of draws"
if command -v gnuplot >/dev/null; then
	[ -s plots/w.svg ] && [ -s pictures.svg ] || fail "no picture: $(ls -R)"
fi
touch nowhere
expect 1 show delay weibull --plot nowhere/w.svg
says err "nowhere is no folder"
expect 1 show delay weibull --plot w.txt
expect 1 show delay weibul
says err "did you mean 'weibull'"

# The same in a flag, a spec and a cluster, and in the order of the text.
run="sim --algo allreduce --timing --samples 6400 --batch 32 --workers 2 --compute-s 1 --link ideal \
	--host-copy-s 0 --quiet --json"
value() { expect 0 $run "${@:2}"; jq -r "$1" out; }
text='gamma:cv=0.5; 1: * profile:at_s=0,factor=4'
hash=$(value .hash --delay "$text")
near "$(value .time_s --delay '1: profile:at_s=0,factor=4')" 400
near "$(value .time_s --delay "$text")" "$(value .time_s --delay gamma:cv=0.5 --slow 1:4)"
is "$(value .settings.delay --delay "$text" | sed 's/,file.*//')" \
	"gamma:cv=0.5; 1: * profile:at_s=0,factor=4"
is "$(value .hash --delay "$(value .settings.delay --delay "$text")")" "$hash" "its own text"
[ "$(value .hash --delay "${text/1:/0:}")" != "$hash" ] || fail "another worker, the same hash"
[ "$(value .hash --delay "${text/\* /}")" != "$hash" ] || fail "not multiplied, the same hash"
echo "{ \"delay\": \"$text\" }" >c.json
is "$(value .settings.delay --cluster ./c.json | sed 's/,file.*//')" \
	"gamma:cv=0.5; 1: * profile:at_s=0,factor=4" "a cluster's"
spec() {
	cat >s.json <<-END
	{ "title": "t", "base": { "algo": "allreduce", "timing": true, "samples": 6400, "workers": 2,
	  "compute_s": 1, "link": "ideal", "host_copy_s": 0, "delay": "$1" }, "grid": { "seed": [1] } }
	END
}
spec "$text"
expect 0 run ./s.json --out results --quiet
is "$(basename "$(ls results/s/*/runs/*.h5)" .h5)" "$hash" "a spec's delay"
spec "gamma; 2: constant"
expect 1 run ./s.json --out other --quiet
says err "there is no rank 2 among 2 workers"
spec "pareto:alpha=0.5"
expect 1 run ./s.json --out other --quiet
says err "alpha = 0.5: the distribution has a mean only for alpha > 1"
[ ! -e other ] || fail "something was run"

# Times of a trace, of a result, of a text; what a file holds names the result, not its name.
expect 0 $run --slow 1:3 --trace t.h5
result=$(jq -r .file out)
for file in t.h5 "$result"; do
	expect 0 show delay "empirical:file=$file" --json
	near "$(shown mean)" 1 "$file"
	near "$(shown deviation)" 0.5 "$file"
	near "$(shown quantiles.p25)" 0.5 "$file"
	near "$(shown quantiles.p75)" 1.5 "$file"
	expect 0 show delay "empirical:file=$file,rank=1" --json
	near "$(shown deviation)" 0 "$file, one worker"
	expect 1 show delay "empirical:file=$file,rank=2"
	says err "no numbers of rank 2"
done
echo "1 3 # seconds" >a.txt
echo "3, 1" >b.txt
echo "1 4" >c.txt
hash=$(value .hash --delay empirical:file=a.txt)
is "$(value .hash --delay empirical:file=b.txt)" "$hash" "the same numbers"
[ "$(value .hash --delay empirical:file=c.txt)" != "$hash" ] || fail "other numbers, the same hash"
head -c 3000 t.h5 >cut.h5
: >empty.txt
echo "1 two" >words.txt
echo "1 0" >zero.txt
for wrong in "cut.h5|cut.h5" "empty.txt|has no numbers" "words.txt|words.txt:1: 'two' is no number" \
	"zero.txt|must be more than 0" "nothing.txt|nothing.txt"; do
	expect 1 $run --delay "empirical:file=${wrong%|*}"
	says err "${wrong#*|}"
	one_line
done

# Recorded orders do not depend on delays; simulated ones do not depend on threads.
for threads in 1 2; do
	expect 0 sim --algo ad-psgd --workers 4 --net quadratic --gradients 80 --threads $threads \
		--delay 'cvb * rack:size=2,every_s=0.05; 1: * markov:fast_s=0.1,slow_s=0.05' \
		--trace t$threads.h5 --out threads$threads --json --quiet
	jq -c '[.model, .time_s]' out >bits$threads
	expect 0 replay t$threads.h5 --json
	is "$(jq -r .verdict out)" identical
done
is "$(cat bits1)" "$(cat bits2)" "bits of two threads"

# Real ranks wait: 20 rounds of the slow one's 0.05 s.
if has_mpi; then
	expect 0 train --algo allreduce --workers 2 --net quadratic --gradients 40 --json --quiet \
		--compute-s 0.01 --delay 'markov:factor=2; 1: profile:at_s=0,factor=5'
	jq -e '.time_s >= 0.99 and .time_s < 3' out >/dev/null || fail "slow: $(cat out)"
fi
finish
