# TIMEOUT 1200
# LABEL smoke
# COST 100
# PROCESSORS 2
# Experiments at scale smoke: all runs are done, all tables, claims and plots are there. These few have
# together nearly every key that specs have; the others are left to test_run_all_smoke_slow.sh.
. "$(dirname "$0")/lib.sh"
need jq
need gnuplot
need_mpi

some="barkai2020/accuracy-vs-workers barkai2020/delay-model decoupled2026/failures decoupled2026/goodput
	douillard2023/non-iid douillard2025/bandwidth douillard2025/streaming hadjis2015/batching hadjis2015/fusion
	hadjis2015/unequal-devices hadjis2016/hardware-efficiency hadjis2016/optimizer halos2025/regions
	heloco2026/heterogeneity jin2016/failing-and-lagging jin2016/server-saturation
	karpathy/nanogpt-shakespeare mitliagkas2016/implicit-momentum mitliagkas2016/staleness-distribution
	muloco2025/workers ringleader2025/heterogeneous-data tour/slow-ship
	you2017/cifar10 zhang2017/slow-worker"

"$CONVOY" list experiments --json |
	jq -r '.[] | select(any(.scales[]; .name == "smoke")).name' >all
tr -s ' \t\n' '\n' <<<"$some" | sort >some
is "$(comm -13 all some)" "" "experiments that do not exist"
if [ -n "${all_others:-}" ]; then
	# What --all would run is every experiment that has the scale; measuring their nets takes seconds.
	expect 0 run --all --scale smoke --dry-run --json
	is "$(jq -r .experiment out)" "$(cat all)" "experiments of --all"
	comm -23 all some >names
else
	mv some names
fi
# shellcheck disable=SC2046
expect 0 run $(cat names) --scale smoke --out results --json
jq -s '.[-1].summary' out >summary
jq -r '.[] | [.experiment, .done, .failed, (.seconds | floor | tostring) + " s"] | @tsv' summary
is "$(jq -r '.[].experiment' summary)" "$(cat names)" "experiments in the summary"
jq -e 'all(.done > 0 and .failed == 0)' summary >/dev/null || fail "runs failed"

while read -r name; do
	dir=results/$name/smoke spec=$CONVOY_HOME/experiments/$name.json
	for table in $(jq -r '.tables[]?.name' "$spec"); do
		for format in txt md csv json; do
			[ -s "$dir/tables/$table.$format" ] || fail "$name: no table $table.$format"
		done
		grep -l 'runs missing' "$dir/tables/$table.txt" && fail "$name: $table has gaps"
	done
	is "$(jq length "$dir/claims.json")" "$(jq '.claims // [] | length' "$spec")" "claims of $name"
	jq -e 'all(has("error") | not)' "$dir/claims.json" >/dev/null || fail "a filter of $name failed"
	[ "$(jq '.plots // [] | length' "$spec")" = 0 ] || [ -n "$(find "$dir/plots" -name '*.svg')" ] ||
		fail "$name: no plot"
done <names
# The runs of these tables belong to larger scales; any other table without runs has lost its own.
printf 'results/%s.txt\n' barkai2020/gap-and-lag/smoke/tables/gap-and-lag-paper hadjis2015/batching/smoke/tables/batches \
	hadjis2016/hardware-efficiency/smoke/tables/groups-apart mitliagkas2016/tuned-momentum/smoke/tables/resnet20 \
	you2017/batch-size/smoke/tables/imagenet you2017/iterations/smoke/tables/{machines,resnet50} you2017/knl/smoke/tables/times | sort |
	grep -F "$(sed 's|.*|results/&/smoke/|' names)" >empty
is "$(grep -rlxF '(no runs)' results --include='*.txt' | sort)" "$(cat empty)" "tables without runs"
# Every axis has two ticks with numbers; one of words has a word for each.
while read -r plot; do
	[ "$(labelled_ticks "$plot" end)" -ge 2 ] || fail "$plot: fewer than two ticks on y"
	[ "$(labelled_ticks "$plot" middle)" -ge 2 ] || jq -e 'has("words")' "${plot%.svg}.json" >/dev/null ||
		fail "$plot: fewer than two ticks on x"
done < <(find results -path '*/plots/*.svg')
is "$(find results -name '*.part' -o -name '*.new' | wc -l)" 0 "files left aside"
finish
