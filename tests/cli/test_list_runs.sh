# Finished runs, found by their settings in a folder of results.
. "$(dirname "$0")/lib.sh"
need jq

few="--net quadratic --gradients 20 --quiet"
expect 0 sim $few --algo easgd:tau=4,asgd --workers 2,4 --lr 0.01
expect 0 sim $few --algo asgd --workers 4 --lr 1e9
expect 0 run slow-worker --quiet --algo ad-psgd --slow none,0:5 --workers 16 --epochs 1
files() { jq -r '.[].file' out; }

expect 0 list runs algo=ad-psgd workers=16 --json
is "$(jq 'length' out)" 2 "runs of AD-PSGD"
is "$(jq -r '.[].settings.workers' out | sort -u)" 16 workers
is "$(jq '[.[] | .time_per_epoch_s > 0] | all' out)" true measures
for file in $(files); do
	[ -s "$file" ] || fail "$file is not there"
done
expect 0 list runs algo=ad-psgd workers=16
is "$(grep -c '^results/zhang2017/slow-worker/.*/runs/[0-9a-f]*.h5  *done .*algo=ad-psgd.* workers=16 .*slow=' out)" 2 "lines: $(cat out)"
expect 0 list runs algo=asgd --json
is "$(jq length out)" 3 "runs of ASGD"
expect 0 list runs algo=asgd lr=1e-2 --json
is "$(jq length out)" 2 "a number in another form"
expect 0 list runs algo=easgd --json
is "$(jq length out)" 2 "a name with any options"
expect 0 list runs algo=easgd:tau=4,asgd workers=4 --json
is "$(jq length out)" 3 "several values"
expect 0 list runs algo=easgd:tau=5 --json
is "$(jq -c . out)" '[]' "another option"
says err "no run in results has algo=easgd:tau=5; known: "
expect 0 list runs algo=asdg
says err "no run in results has algo=asdg; did you mean 'asgd'?"
expect 0 list runs status=finished
says err "no run in results has status=finished; known: d"
expect 0 list runs experiment=slow-wrker algo=ad-psgd
says err "no run in results has experiment=slow-wrker; known: zhang2017/slow-worker"
expect 0 list runs status=diverged
says out "diverged"
is "$(grep -c '\.h5' out)" 1 "$(cat out)"
is "$(grep '\.h5' out | tr -s ' ' | cut -d' ' -f4,5)" "∞ -" "loss and accuracy of a run that diverged"
expect 0 list runs experiment=slow-worker slow=0:5 --json
is "$(jq -r '.[].experiment' out)" zhang2017/slow-worker
expect 0 list runs --json
is "$(jq length out)" "$(find results -name '*.h5' | wc -l)" "all of them"
expect 0 list runs
is "$(awk 'length($0) > 220' out)" "" "long lines"
says out "algo=easgd"
says err "the runs differ in more settings (...): name some"
expect 0 list runs --out nowhere --json
is "$(jq -c . out)" '[]'
mkdir unfinished
touch unfinished/a.h5.part
expect 0 list runs --out unfinished
says err "no finished run in unfinished; 1 unfinished: 'convoy watch unfinished' shows what they reached"

# Files that are no results, cut or damaged, are counted and nothing else.
echo nonsense >results/sim/a.h5
head -c 3000 "$(find results/sim -name '*.h5' -size +3k | head -1)" >results/sim/b.h5
cp "$(find results/zhang2017 -name '*.h5' | head -1)" results/sim/c.h5
printf 'xxxxxxxx' | dd of=results/sim/c.h5 bs=1 seek=2000 conv=notrunc 2>dd.err
ln -s . results/loop
expect 0 list runs algo=asgd --json
is "$(jq length out)" 3 "with other files next to them"
says err "3 files in results cannot be read as a whole result"
one_line

expect 129 list runs algos=asgd
says err "unknown setting 'algos'; did you mean 'algo'?"
expect 129 list runs asgd
says err "expected KEY=VALUE"
expect 129 list runs algo=asgd ''
says err "expected KEY=VALUE"
expect 1 list runs batch=four
expect 129 list nets algo=asgd
expect 0 list
says out "runs "
finish
