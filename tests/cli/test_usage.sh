# The command line: help, unknown words with the nearest one, exit codes.
. "$(dirname "$0")/lib.sh"

expect 129
says out "usage: convoy"
expect 0 help
says out "run experiments"
expect 0 --help
expect 0 --version
says out "convoy "
for command in run sim train replay trace calibrate predict table plot claims check bench list show \
	doctor version; do
	expect 0 help $command
	says out "usage: convoy $command"
	cp out first
	expect 0 $command --help
	cmp -s out first || fail "help $command and $command --help differ"
done

# An empty value is that of a variable that a script has not set: no default replaces it.
for words in "sim --out" "run slow-ship --out" "train --hostfile" "sim --trace" "sim --timeline" "tune --out" "advise --plot" \
	"predict --cluster" "data pack . -o" "trace x -o" "report --md" "calibrate -o" "delay fit x -o" "check --export" \
	"bench nets mlp --plot" "sim --set cluster="; do
	case $words in *=) expect 129 $words ;; *) expect 129 $words "" ;; esac
	says err ": the value is empty (expected "
done
[ -z "$(ls -d results 2>/dev/null)" ] || fail "results of an empty --out"

# All settings are printed once, in groups; other help fits on a screen and points there.
expect 0 help defaults
says out "from cluster (depends on cluster link compute_s gpus_per_worker)"
expect 129 help settings --json
says err "help settings: unknown setting 'json'"
expect 0 help complete
says out "usage: convoy complete WORD..."
expect 129 help units x
says err "help units 'x': expected one word"
expect 129 help setings
says err "unknown command or page 'setings'; did you mean 'settings'?"
expect 129 help bench net
says err "bench: unknown word 'net'; did you mean 'nets'?"
expect 129 help run run
for pair in "delay fit" "bench nets" "check net" "check algo" "new algo" "verify sim"; do
	expect 0 help $pair
	says out "usage: convoy ${pair% *} "
done
expect 129 help delay fot
expect 0 help data get
says out "usage: convoy data get SET"
expect 129 list foo
says err "known: experiments, lessons, algos, graphs, nets, data, partitions, delays, links, clusters, schedules, optims, codecs, devices, runs"
expect 0 help list
says out "partitions"
# The last one of an option counts. A flag may be told true or false.
for off in --timing=false "--timing false" --no-timing; do
	expect 0 sim --workers 3 --timing true --workers 4 $off --net quadratic --compute-s 1 --dry-run
	is "$(grep -cE '^(workers +4|timing +false) ' out)" 2 "settings with $off: $(cat out)"
done
expect 0 help measures
says out "  communication_share      share of time communicating"
expect 0 help measures wait_share
is "$(cat out)" "  wait_share               share of time waiting"
expect 129 help measures wait_shar
says err "did you mean 'wait_share'?"
expect 0 help settings mfu
says out "  --mfu SHARE "
expect 0 help settings
sed -n 's/^  --\([a-z-]*\) .*/\1/p' out | sort >grouped
uniq -d grouped | grep . && fail "a setting in two groups"
"$CONVOY" complete claims --set "" | cut -f1 | tr -d = | tr _ - | sort >keys
diff keys grouped || fail "'help settings' does not print every setting once"
for command in $("$CONVOY" complete "" | cut -f1); do
	"$CONVOY" help "$command" >text
	[ "$(wc -l <text)" -le 65 ] || fail "help $command has $(wc -l <text) lines"
	! grep -q -- '--stat-batches' text || fail "help $command prints all settings"
done
for command in run sim train tune predict table plot claims report watch; do
	expect 0 help $command
	says out "convoy help settings"
done
# No line of help, nor a usage after an error, is wider than a terminal of 80 columns.
{
	for command in "" settings defaults units $("$CONVOY" complete "" | cut -f1); do
		"$CONVOY" help $command
	done
	for part in get info pack; do
		"$CONVOY" data $part --help
	done
	for command in advise compare predict report; do
		"$CONVOY" $command --frobnicate 2>&1 | sed 1d
	done
} >text
! grep -E '.{81}' text || fail "these lines are wider than 80 columns"
expect 0 advise --help
says out "              [--SETTING VALUE]... [OPTIONS]"
expect 0 sim --help
for word in "Examples:" "convoy sim --algo" "--timeline" "--algo ALGO" "--workers N" "--lr LR"; do
	says out "$word"
done

# The manual page knows every option and every setting.
manual=${CONVOY_SOURCE:-$CONVOY_HOME}/docs/convoy.1
for command in settings run sim train replay trace calibrate predict table plot claims check bench list show \
	doctor version; do
	for flag in $("$CONVOY" help $command | sed -n 's/^  *--*\([a-z-]*\) .*/\1/p'); do
		grep -qE "(^|[^a-z])${flag//-/\\\\-}([^a-z]|\$)" "$manual" || fail "convoy.1 lacks $flag"
	done
done

expect 129 rum
says err "did you mean 'run'"
expect 129 --frobnicate

# A message that has no name nearby says where the names are, and what is wrong with the file of a name.
# says_next CODE TEXT ARGUMENT...
says_next() {
	expect "$1" "${@:3}"
	says err "$2"
}
echo text >notes.txt
mkdir -p notes
says_next 129 "unknown command 'partitions'; 'convoy help' names all" partitions
says_next 129 "unknown command or page 'partitions'; 'convoy help' names all" help partitions
says_next 129 "unknown setting 'frobnicate'; 'convoy help settings' names all" sim --set frobnicate=1
says_next 129 "no set is named. 'convoy list data' names them" data info
says_next 129 "no experiment is named. 'convoy list experiments' names them" table
says_next 129 "no trace is named. 'convoy sim --trace FILE' writes one" replay
says_next 129 "such as 'net lenet'. 'convoy list' names the kinds" show lenet
says_next 129 "option '-o' needs a value" calibrate -o
says_next 1 "unknown experiment 'notes.txt', and the file of that name does not end in .json; " run notes.txt
says_next 1 "unknown net 'notes', and the folder of that name is no JSON file; " sim --timing --net notes
says_next 1 "'notes.txt' is no result (expected a name that ends in .h5)" watch notes.txt
says_next 1 "notes: no results there (expected PAPER/NAME/claims.json)" report --claims notes
says_next 1 "--report x.txt: expected a name that ends in .html" sim --timing --workers 2,4 --report x.txt
[ ! -e results ] || fail "runs before the name of the page was looked at"
expect 129 run
says err "no experiment is named"
expect 129 run slow-worker --scael smoke
says err "unknown option '--scael'; did you mean '--scale'?"
expect 129 run slow-worker --eval-evry 2
says err "did you mean '--eval-every'?"
expect 129 run slow-worker -scale smoke
says err "unknown option '-scale'; did you mean '--scale'?"
expect 129 sim --momentum 0.9
says err "did you mean '--optim sgd:momentum=...'?"
expect 129 run slow-worker --jobs many
expect 129 run slow-worker --scale
says err "needs a value"
for word in --algo --algo=asgd --help --no-timing; do
	expect 129 sim --timing --workers 2 --gradients 4 --compute-s 1 --trace $word
	says err "option '--trace' needs a value, and '$word' is the next option"
done
expect 129 sim --no-lr
says err "option '--lr' needs a value: there is no '--no-lr'"
expect 129 run slow-worker --set wrokers=3
says err "did you mean 'workers'"
expect 129 run slow-worker --set workers
expect 129 sim slow-worker
expect 129 table slow-worker --format pdf
expect 129 list experimants
says err "experiments"
expect 129 show algo

expect 0 list
for kind in experiments algos graphs nets data delays links clusters schedules optims codecs devices; do
	says out "$kind"
done
"$CONVOY" list --json >out || fail "list --json"
if command -v jq >/dev/null; then
	is "$(jq -r '.[0] | .name, .brief' out | tr '\n' ' ')" "experiments experiment "
fi
for kind in experiment algo graph net data delay link cluster schedule optim codec device; do
	"$CONVOY" list $kind >names 2>err || fail "list $kind"
	while IFS= read -r line; do
		name=${line%%[[:space:]]*}      # none in a line that goes on with the one above
		[ -n "$name" ] || continue
		# Sanitized, the plans of all experiments take minutes; those of one folder do not.
		[[ -n "${CONVOY_SANITIZE:-}" && $name == */* && $name != tour/* ]] && continue
		expect 0 show $kind "$name"
		[ -s out ] || fail "show $kind $name prints nothing"
		[ -s err ] && fail "show $kind $name: $(cat err)"
	done <names
done
"$CONVOY" list experiments >names
says names "    Zhang, Lian, Zhang, Liu 2017, Decentralized Distributed Deep Learning,"
says names "    Figure 1"
says names "scales: smoke (10 s), laptop (12 min on two cores), hour (60 min on two"
! command -v jq >/dev/null || "$CONVOY" list experiments --json |
	jq -e '.[] | select(.name == "zhang2017/slow-worker") | .figure == "Table 2" and
		(.scales | map(.name) == ["smoke", "laptop", "paper", "seeds"] and all(.time != null))' >/dev/null ||
	fail "list experiments --json"
expect 1 show algo gsgd
says err "did you mean 'asgd'"
expect 1 show net nolenet
says err "did you mean 'lenet'"

# The doctor says what there is, and what is not.
"$CONVOY" doctor --json >out 2>err
! command -v jq >/dev/null || jq -e '.slots >= 1 and .cpus >= 1 and (.backends | length) >= 1 and (.instructions | type) == "array"' out \
	>/dev/null || fail "doctor: $(cat out)"
: >plain
CONVOY_RESULTS=plain/results "$CONVOY" doctor >out 2>err
says out "fault: the folder of results cannot be written into, or made"
CONVOY_RESULTS=not/yet "$CONVOY" doctor >out 2>err
! grep -q "folder of results" out || fail "a folder that can be made: $(cat out)"
CONVOY_PYTHON= CC= PATH=/nowhere "$CONVOY" doctor >out 2>err
is $? 1
says out "fault: no gnuplot"
says out "python          none (without it no --net python:FILE.py): python3 cannot be used"
says out "cc              none (without it no --algo ./FILE.c): cc cannot be used"
printf '#!/bin/sh\necho "fake $1"\n' >fake
chmod +x fake
CONVOY_PYTHON=./fake CC="./fake -m32" "$CONVOY" doctor >out 2>err
says out "python          fake -c"
says out "cc              fake -m32"

# A full disk must not pass for success.
if [ -w /dev/full ]; then
	"$CONVOY" list >/dev/full 2>err
	is $? 128
	says err "standard output"
fi
finish
