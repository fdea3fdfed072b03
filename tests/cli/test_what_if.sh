# Several values of settings on one line: the table of all combinations, as JSON, CSV and plot.
. "$(dirname "$0")/lib.sh"
need jq

few="--timing --samples 3200 --quiet"
grid="--algo allreduce,asgd --workers 2..8 --slow 0:3 $few"

# near A B: the numbers, or filters of numbers, agree.
near() {
	is "$(jq -n "($1) as \$a | ($2) as \$b | ((\$a - \$b) | fabs) <= 1e-12 * (\$b | fabs)")" \
		true "$1 and $2${3:+: $3}"
}

# values SETTING: what the grid makes of it.
values() {
	jq -r --arg key "$1" \
		'reduce .runs[].point[$key] as $v ([]; if index($v) then . else . + [$v] end) | join(" ")' out
}

# Lists, ranges, and commas between the options of one value.
expect 0 sim --timing --samples 6400 --dry-run --json --workers 4..20 --seed 1..3:1 \
	--lr 0.001..1:x10 --batch 1,3..4:1,8 --algo easgd:alpha=0.1,tau=4,asgd
is "$(values workers)" "4 8 16"
is "$(values seed)" "1 2 3"
is "$(values lr)" "0.001 0.01 0.1 1"
is "$(values batch)" "1 3 4 8"
is "$(values algo)" "easgd:alpha=0.1,tau=4 asgd"
expect 0 sim --timing --samples 6400 --dry-run --json --workers 2..8:3 --slow none,0:10,0:2+1:3 \
	--delay 'gamma:cv=0.3; 0: * markov:factor=10,slow_s=1,constant' --lr 0.1..0.3:0.1 \
	--net quadratic:dim=4,cond=3,quadratic
is "$(values workers)" "2 5 8"
is "$(values slow)" "none 0:10 0:2+1:3"
is "$(values delay)" "gamma:cv=0.3; 0: * markov:factor=10,slow_s=1 constant"
is "$(values lr)" "0.1 0.2 0.3"
is "$(values net)" "quadratic:dim=4,cond=3 quadratic"
expect 0 sim --timing --samples 6400 --dry-run --json --workers 1..8 --seed 2..5 --algo asgd
is "$(values workers) $(values seed)" "1 2 4 8 2 3 4 5" "what a range doubles and what it counts"
expect 0 sim --timing --samples 6400 --dry-run --json --seed 1234567890123..1234567890143:10,999999999990..999999999993
is "$(values seed)" "1234567890123 1234567890133 1234567890143 999999999990 999999999991 999999999992 999999999993"
[ -e results ] && fail "--dry-run wrote something"

# What cannot be is refused before anything runs.
refused() {
	expect 1 sim "${@:2}"
	says err "$1"
	one_line
	[ -e results ] && fail "a refused grid ran: $*"
}
refused "algo=ssp-gd workers=2: unknown algorithm 'ssp-gd'" --algo asgd,ssp-gd --workers 2,4 $few
refused "workers=2: slow '3:10': there is no rank 3" --workers 2,4 --slow 3:10 $few
refused "joined by '+', as in 0:2+4-7:3 (ranks 4 to 7)" --slow 0-:2 $few
refused "unknown net 'vgg166'; did you mean 'vgg16'?" --net vgg166 $few
refused "unknown net 'logistc'; did you mean 'logistic'?" --net logistc $few
refused "workers '4,,8': a value is empty" --workers 4,,8 $few
refused "lr '0,001': '001' begins with 0. A comma separates values; a decimal number has a point" --lr 0,001 $few
refused "compute_s '0,05': '05' begins with 0." --compute-s 0,05 $few
refused "workers '0..8': what is multiplied must begin above 0" --workers 0..8 $few
refused "workers '1..8:x1': a factor must be more than 1" --workers 1..8:x1 $few
refused "more than 10000 runs" --seed 1..200:1 --lr 1..200:1 $few
refused "bandwidth_GBps has one value. To compare several, write all of it for each: nic:bandwidth_GBps=1.25,nic:bandwidth_GBps=12.5" --link nic:bandwidth_GBps=1.25/12.5 $few
refused "write all of it for each: nic:bandwidth_GBps=1.25,nic:bandwidth_GBps=12.5" --link nic:bandwidth_GBps=1.25,12.5 $few
refused "write all of it for each: nic:bandwidth_GBps=10Gb/s,nic:bandwidth_GBps=100Gb/s" --link nic:bandwidth_GBps=10Gb/s..100Gb/s:x2 $few
refused "write all of it for each: nic:bandwidth_GBps=10Gb/s,nic:bandwidth_GBps=40Gb/s" --link nic:bandwidth_GBps=10Gb/s/40Gb/s/100Gb/s,ideal $few
refused "workers: the value 4 stands there twice" --workers 2..8,4 $few
refused "lr must be a number" --lr 0.1,fast $few
refused "engine mpi is for 'convoy train'" --engine mpi --workers 2,4
refused "did you mean 'speedup'" --workers 2,4 --plot p.svg --plot-y speed_up $few
refused "expected a name that ends in .svg, .png, .pdf, .tex or .tikz" --workers 2,4 --plot p.jpg $few
expect 129 sim --workers 2 --plot p.svg $few
expect 129 sim --workers 2,4 --timeline t.svg $few

# A node may hold several workers: the bytes are of one of them, or of a server.
expect 0 sim --workers 2,4 $few
says out "peak traffic of a worker or server"
# One combination is a run as ever, however it is written.
expect 0 sim --workers 2..2 $few
says out "time_per_epoch_s"
rm -r results

# Every row is the run alone; the speedup is over one worker alone.
expect 0 sim $grid --json --jobs 2
jq '.runs' out >two
is "$(jq length two)" 6
is "$(jq -c '[.[].point | [.algo, .workers]][0:4]' two)" \
	'[["allreduce","2"],["allreduce","4"],["allreduce","8"],["asgd","2"]]'
expect 0 sim --workers 1 $few --json
alone=$(jq .time_per_epoch_s out)
for i in 1 5; do
	algo=$(jq -r ".[$i].algo" two) workers=$(jq ".[$i].workers" two)
	expect 0 sim --algo "$algo" --workers "$workers" --slow 0:3 $few --json --out single
	for key in hash time_s time_per_epoch_s wait_share bytes_sent busiest_bytes events; do
		is "$(jq ".[$i].$key" two)" "$(jq ".$key" out)" "$key of $algo, $workers workers"
	done
	near "$(jq ".[$i].speedup" two)" "$alone / $(jq .time_per_epoch_s out)" "speedup"
done

# The peak traffic is the server's, which receives or sends all; of a ring, any of its nodes.
is "$(jq -c '[.[] | select(.algo == "asgd") | .bytes_sent == .busiest_bytes]' two)" '[true,true,true]'
python_on "$(jq -r '.[1].file' two)" >most <<'END'
print(max(f["nodes/bytes_sent"][:] + f["nodes/bytes_received"][:]))
END
[ -s most ] && is "$(jq '.[1].busiest_bytes' two)" "$(cat most)" "the most that a node sent and received"

# One job or two: bit-identical; what is finished is not run again.
expect 0 sim $grid --json --jobs 1 --out other
keep='[.runs[] | del(.file)], [.baselines[] | del(.file)]'
is "$(jq -cS "$keep" out | sha256sum)" "$("$CONVOY" sim $grid --json | jq -cS "$keep" | sha256sum)"
"$CONVOY" sim ${grid/--quiet/} >out 2>err
says err "7 runs, 7 of them finished before"
says out "algorithm, workers"
is "$(grep -c '^a.*, [248] ' out)" 6 "rows of the table"

# An ideal link takes no time: no column has it.
expect 0 sim --timing --algo allreduce,asgd --workers 2 --samples 64 --compute-s 1 --link ideal --csv --quiet
is "$(head -1 out)" "algo,status,time_per_epoch_s,speedup,wait_share,busiest_bytes_per_epoch,is_baseline,remark"

# CSV: a line a run, numbers whole.
expect 0 sim $grid --csv
is "$(head -1 out)" "algo,workers,status,time_per_epoch_s,speedup,wait_share,communication_share,busiest_bytes_per_epoch,is_baseline,remark"
is "$(awk -F, '{ print $(NF - 1) }' out | sort | uniq -c | xargs)" "6 0 1 1 1 is_baseline" "lines, one of a baseline"
near "$(awk -F, '$1 == "asgd" && $2 == 8 { print $4 }' out)" "$(jq '.[5].time_per_epoch_s' two)"

# The columns that are asked for, also of one run; what is no measure is named, and where the list is.
expect 0 sim $grid --values communication_share,wait_share,time_s
says out "share of time communicating   share of time waiting   time [s]"
grep -q speedup out && fail "a column that was not asked for"
expect 0 sim --algo allreduce --workers 2 $few --values communication_share --csv
is "$(head -1 out)" "status,communication_share,is_baseline,remark"
expect 0 sim --algo allreduce --workers 2 $few
is "$(sed -n 's/^communication_share  *//p' out)" \
	"$("$CONVOY" sim --algo allreduce --workers 2 $few --json | jq '.communication_share * 1e6 | round / 1e6')"
for option in --values "--plot p.svg --plot-y"; do
	expect 1 sim $grid $option comm_share
	says err "${option##* }: unknown measure 'comm_share'"
	says err "'convoy help measures' lists them"
done
expect 1 sim $grid --values time_s --json
says err "--json and --values are both given"
"$CONVOY" sim --algo allreduce --workers 2 $few --values communication_share --csv >csv 2>/dev/null
expect 0 sim --algo allreduce --workers 2 $few --values communication_share --format csv
cmp -s out csv || fail "--format csv is not --csv"
expect 0 sim --algo allreduce --workers 2 $few --values communication_share --format latex
says out '\label{tab:what-if}'
says out 'algorithm & share of time communicating \\'
expect 0 sim $grid --format md
says out '|---|---:|'
expect 129 sim $grid --format md --csv
says err "--format md does not go with --csv"
expect 129 sim --algo allreduce --workers 2 $few --trace t.h5 --csv
says err "--trace is of a run without a table: it does not go with --csv"

# A speedup above the number of workers has its reason in the notes, and only then.
lacks() { ! grep -qF -- "$2" "$1" || fail "$1 has '$2'"; }
expect 0 sim --algo allreduce --workers 2,4 $few
lacks out "Speedup above"
expect 0 sim --algo asgd --workers 2,4 $few --slow 1:0.2
says out "Speedup above the number of workers in 2 runs"
says out "slow=1:0.2 makes a worker faster than the baseline's."
expect 0 sim --algo asgd --workers 2,4 $few --delay gamma:cv=1 --seed 1..8
says out "times vary by delay=gamma:cv=1"

# The plot: script and data next to it; log axes where numbers are powers.
expect 0 sim $grid --plot p.svg
for file in p.gp p.dat p.csv p.json; do [ -s $file ] || fail "$file is missing"; done
says p.dat "# x: workers"
says p.dat "# y: time per epoch"
says p.gp "logscale x"
is "$(grep -cE '^(2|4|8) ' p.dat)" 6 "points"
command -v gnuplot >/dev/null && [ ! -s p.svg ] && fail "p.svg is missing"
# Numbers of an option on x: y is logarithmic too where it spans more than a factor of 20.
expect 0 sim --workers 4 --algo allreduce,asgd $few --compute-s 0.001 --plot wide.svg \
	--link nic:bandwidth_GBps=0.01,nic:bandwidth_GBps=1,nic:bandwidth_GBps=100
says wide.gp "set logscale y"
expect 0 sim --workers 2..6:2 --slow none,1:4 --algo allreduce $few --plot q.svg --plot-y speedup
says q.dat "# y: speedup"
grep -q "logscale x" q.gp && fail "a log axis for 2 4 6"
is "$(grep -c '^# \(none\|slow worker 1:4\)' q.dat)" 2 "series"
expect 0 sim --slow 0:1,0:10,0:100 --workers 4 --algo allreduce,ad-psgd $few --plot s.svg
is "$(grep -cE '^(1|10|100) ' s.dat)" 6 "points against the factor"
# A folder that is missing is made, in a dry run not even that.
expect 0 sim --workers 4,8 --algo asgd $few --plot new/deep/d.svg --dry-run
[ -e new ] && fail "a dry run made a folder"
expect 0 sim --workers 4,8 --algo asgd $few --plot new/deep/d.svg
[ -s new/deep/d.gp ] || fail "no plot in a new folder"
expect 0 sim --workers 4 --algo asgd $few --timeline timelines/t.svg
[ -s timelines/t.gp ] || fail "no timeline in a new folder"

# An option's numbers are an axis, also among other words: those are lines.
expect 0 sim --workers 4 --algo allreduce,local-sgd:period=1,local-sgd:period=2,local-sgd:period=8 \
	$few --plot o.svg
says o.dat "# x: period"
is "$(grep -cE '^(1|2|8) ' o.dat)" 6 "points of a line and a level"
expect 0 sim --workers 4 --algo allreduce,asgd --link nic:bandwidth_GBps=0.1,nic:bandwidth_GBps=1 \
	--compute-s 0.01 $few --plot l.svg
says l.dat "# x: nic bandwidth [GB/s]"
is "$(grep -cE '^# (allreduce|asgd)$' l.dat)" 2 "series"

# Many workers share an epoch: without a length of its own a run is as long as times need. A
# server that is full takes a gradient every 5 ms, from any worker.
many="--algo asgd --timing --samples 12800 --link ideal --compute-s 1 --host-copy-s 0 --update-s 0.005"
for workers in 16:1 17:3.0175 400:64; do
	expect 0 sim $many --workers ${workers%:*} --dry-run
	is "$(field epochs | cut -d" " -f1)" ${workers#*:} "epochs of $workers"
done
expect 0 sim $many --workers 400 --quiet --json
is "$(jq '.time_per_epoch_s | . > 1.95 and . < 2.1' out)" true "of a full server: $(jq .time_per_epoch_s out)"
near "$(jq .busiest_bytes_per_epoch out)" "$(jq '.busiest_bytes / .epochs' out)"
is "$(wc -l <err)" 0 "$(cat err)"
expect 0 sim $many --workers 17 --seconds 2 --dry-run
is "$(field epochs | cut -d" " -f1)" 0 "epochs together with seconds"
# A length that is too short for its workers is named, once.
expect 0 sim $many --workers 100,400 --epochs 2 --quiet
says err "2 gradients for each of 400 workers"
says err "64 each are 25600 gradients, 64 epochs"
one_line
expect 0 sim $many --workers 6 --samples 12288 --epochs 0.1 --quiet
grep -q "384 gradients, 1 epoch$" err || fail "one epoch: $(cat err)"
expect 0 sim $many --workers 4 --batch 32 --samples 5e9 --gradients 16 --quiet
says err "64 each are 256 gradients, 1.64e-06 epochs"
expect 0 sim $many --workers 400 --gradients 400 --quiet
says err "1 gradient for each of 400 workers"
one_line
expect 0 sim ${many/asgd/allreduce} --workers 400 --gradients 400 --quiet
is "$(wc -l <err)" 0 "all rounds are alike: $(cat err)"
expect 0 sim ${many/asgd/allreduce} --workers 400 --gradients 400 --delay exponential --quiet
says err "1 gradient for each of 400 workers"
for long in "400 --epochs 20" "400 --epochs 2 --time-from 400" "4 --gradients 40 --timeline short.svg"; do
	expect 0 sim $many --workers $long --quiet
	is "$(wc -l <err)" 0 "$long: $(cat err)"
done

# Seeds are one row, with a deviation; training runs report what was learnt.
expect 0 sim --net quadratic --algo asgd --workers 2 --gradients 50 --lr 0.01,0.02 --seed 1..3:1 --quiet
is "$(grep -c '^0.0[12] ' out)" 2 "rows"
says out "training loss"
says out "±"
expect 0 sim --net quadratic --algo allreduce --workers 1 --gradients 50 --lr 0.01,0.02 --json --quiet
is "$(jq -c '[.runs[].speedup]' out)" "[1,1]" "of training runs of one worker"

# A combination that fails is named; the rest goes on.
hash=$("$CONVOY" sim $grid --json --dry-run | jq -r '.runs[4].hash')
mkdir -p "broken/sim/$hash.h5/in-the-way"
expect 1 sim $grid --csv --out broken
says err "error: algo=asgd workers=4: "
is "$(grep -c "error: " err)" 1 "one cause, said once: $(cat err)"
is "$(grep -c ,done,.*,0,$ out)" 5
says out "asgd,4,failed,,,,"

# Ctrl-C: whole files stay, and no more are begun.
launch sim --net quadratic:dim=4 --compute-s 0.1 --workers 2,3,4 --gradients 1e12 --epochs 0 --jobs 2 --out cut
two_parts() { [ "$(find cut -name '*.part' 2>/dev/null | wc -l)" -ge 2 ]; }
await two_parts
sleep 0.2
ends 130 INT
says err "the same command resumes"
is "$(find cut -name '*.h5' ! -path '*gone*' | wc -l)" "$(find cut -name '*.h5' -size +0 | wc -l)"

# The timeline of one run.
expect 0 sim --algo ad-psgd --workers 3 --gradients 30 --timeline t.svg $few
for file in t.gp t.dat; do [ -s $file ] || fail "$file is missing"; done
says out "./t.dat"
says out "time_per_epoch_s"
is "$(find results -name '*.trace' | wc -l)" 0 "traces that remain"
finish
