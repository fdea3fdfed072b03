# TIMEOUT 300
# COST 40
# Algorithms in files of users: a copy of a built-in one has its results on both engines, in a replay
# and after a checkpoint; code runs only where the command line names it; every file that cannot be an
# algorithm is refused with the reason.
. "$(dirname "$0")/lib.sh"
need cc
export XDG_CACHE_HOME=$here/cache MARK=$here/mark CC=cc
unset CONVOY_ALLOW_CODE
quadratic="--net quadratic --lr 0.01"

# copy ALGORITHM FILE: a built-in algorithm as a user has it; when it is loaded, it leaves a mark.
copy() {
	{
		echo '#include <convoy.h>'
		cat "$CONVOY_SOURCE"/algos/*/"$1".c
		echo "CONVOY_ALGORITHM($1)"
		cat <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		__attribute__((constructor)) static void leave_mark(void)
		{
			FILE *f = fopen(getenv("MARK"), "w");

			if (f)
				fclose(f);
		}
		END
	} >"$2"
}

# loads_nothing CODE ARGUMENT...: so the command ends, and has not loaded the algorithm.
loads_nothing() {
	rm -f "$MARK"
	expect "$@"
	[ ! -e "$MARK" ] || fail "convoy ${*:2}: loads code"
}

measures() { grep -vE '^(algo|file) ' out; }

# ---- the same results as those of the built-in algorithm ----

copy asgd own.c
copy allreduce rounds.c
copy d_psgd peers.c
expect 0 sim --algo asgd --workers 3 $quadratic --gradients 60 --slow 0:3 --quiet
measures >built-in
expect 0 sim --algo ./own.c --workers 3 $quadratic --gradients 60 --slow 0:3 --quiet --trace own.h5
measures | diff built-in - || fail "asgd in a file has other results"
is "$(ls "$XDG_CACHE_HOME"/convoy/code/*.so | wc -l)" 1 "compiled files"
cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -D_POSIX_C_SOURCE=200809L -I"$CONVOY_SOURCE" \
	-I"$CONVOY_SOURCE/algos" own.c -o own.so || fail "own.so is not compiled"
expect 0 sim --algo own.so --workers 3 $quadratic --gradients 60 --slow 0:3 --quiet
measures | diff built-in - || fail "asgd in a library has other results"

loads_nothing 1 replay own.h5 --quiet
says err "algorithm './own.c' (digest $(sha256sum own.c | cut -c-16)) is code that a file names, not the command line"
expect 0 replay own.h5 --quiet --allow-code
says out "identical"
cp own.c kept.c
echo "/* another file */" >>own.c
loads_nothing 1 replay own.h5 --quiet --allow-code
says err "is not the code that this was made with: its digest is $(sha256sum own.c | cut -c-16)"
cp kept.c own.c

# Workers whose models do not depend on times: both engines have one model.
if [ -z "${CONVOY_SANITIZE:-}" ] && has_mpi; then
	for algo in allreduce:rounds d-psgd:peers; do
		same_bits "./${algo#*:}.c" 3 $quadratic --gradients 30
		was=$(field model)
		expect 0 sim --algo "${algo%:*}" --workers 3 $quadratic --gradients 30 --quiet
		is "$(field model)" "$was" "model of ${algo%:*}"
	done
	expect 0 train --algo ./own.c --workers 3 $quadratic --gradients 60 --quiet --trace real.h5
	expect 0 replay real.h5 --quiet --allow-code
	says out "identical"
fi

# A run that goes on from its checkpoint; another file's is not taken.
expect 0 sim --algo ./own.c --workers 3 $quadratic --gradients 200 --quiet --out whole
was=$(field model)
expect 0 sim --algo ./own.c --workers 3 $quadratic --gradients 100 --quiet --checkpoint-every 100
resumes sim --algo ./own.c --workers 3 $quadratic --gradients 200 --resume
says err "resuming from"
is "$(field model)" "$was" "resumed model"

# ---- options, facts, lists ----

(cd "$here" && "$CONVOY" new algo mine 2>/dev/null >/dev/null) || fail "new algo mine"
expect 0 show algo ./mine.c
says out "as in --algo ./mine.c:KEY=VALUE"
says out "from 0 to 10 [0.5]"
expect 0 show algo ./mine.c --json
says out '"power"'
expect 1 sim --algo ./mine.c:power=11 $quadratic --gradients 10
says err "algorithm ./mine.c: power must be a number, from 0 to 10, not '11'"
expect 1 sim --algo ./mine.c:pwer=1 $quadratic --gradients 10
says err "did you mean 'power'"
expect 0 sim --algo asgd,./mine.c:power=1,./own.c --workers 3 $quadratic --gradients 20 --quiet
is "$(grep -c '^asgd\|^\./mine.c:power=1\|^\./own.c' out)" 3 "rows of: $(cat out)"
expect 1 new algo mine
says err "'mine.c' is there already"
expect 1 sim --algo mine --workers 3 $quadratic --gradients 10
says err "unknown algorithm 'mine'; did you mean './mine.c'?"
expect 0 sim --algo ./mine.c --workers 3 $quadratic --gradients 60 --quiet
was=$(field model)
"$CONVOY" sim --algo ./mine.c:power=1 --workers 3 $quadratic --gradients 60 --quiet >out
[ "$(field model)" != "$was" ] || fail "the power changes nothing"

# The Makefile finds the headers in a folder with a space in its name.
mkdir spaced
ln -s "$CONVOY_SOURCE" "spaced/the sources"
(cd spaced && CONVOY_HOME="$PWD/the sources" expect 0 new algo spaced && PKG_CONFIG_PATH= make -s spaced.so >made 2>&1 || fail "$(cat made)")

# The page shows what new writes, without comments and with one more fact.
mkdir page
(cd page && expect 0 new algo polynomial)
plain() { tr -d ' \t\n"'; }
is "$(sed -n '/^```c$/,/^```$/p' "$CONVOY_SOURCE/docs/my-algorithm.md" | sed -n '2,/^```$/p' | grep -v '^```\|departs =' | plain)" \
	"$(sed 's|/\*.*\*/||; /^\/\*$/,/^ \*\/$/d' page/polynomial.c | plain)" "my-algorithm.md, polynomial.c"

# What new writes keeps all rules; an algorithm that depends on more than messages does not.
expect 0 check algo ./mine.c --quiet
is "$(grep -c ' holds ' out)" "$(has_mpi && echo 9 || echo 7)" "rows of: $(cat out)"
says out "verdict               holds"
sed 's/#include <math.h>/&\n#include <unistd.h>/; s/pow(tau + 1.0, -c->power)/& * (0.5 + getpid() % 1000 * 1e-4)/' mine.c >pid.c
expect 1 check algo ./pid.c --quiet
grep -q '^the same twice  *FAILS  *model' out || fail "the same twice: $(cat out)"
grep -q '^replay  *FAILS' out || fail "replay: $(cat out)"
says out "verdict               FAILS"
# A variable of the process, as random numbers of the C library have one, too.
sed 's/^static void server_msg/static int calls;\n\n&/; s/pow(tau + 1.0, -c->power)/& * (1 + calls++ % 7 * 1e-3)/' mine.c >static.c
expect 1 check algo ./static.c --quiet
grep -q '^after another run  *FAILS  *model .*Something outlives a run: a static variable' out ||
	fail "after another run: $(cat out)"
is "$(grep -c ' FAILS ' out)" 1 "rows of: $(cat out)"
sed 's/pow(tau + 1.0, -c->power)/tau * c->power * (double)NAN/' mine.c >nan.c
expect 1 check algo ./nan.c --quiet
grep -q '^1 worker  *FAILS  *the loss is not finite: the run diverged' out || fail "1 worker: $(cat out)"
is "$(grep -c 'FAILS  *the loss is not finite' out)" "$(has_mpi && echo 4 || echo 3)" "rows of: $(cat out)"
# A server that makes no step; state of gradients' values that a checkpoint does not hold; a loss that decides
# what happens next.
sed '/stale_step(nd, m/d' mine.c >still.c
expect 1 check algo ./still.c --quiet
is "$(grep -c 'FAILS  *the model after 200 gradients is that after 1: no step was made' out)" "$(has_mpi && echo 4 || echo 3)" "rows of: $(cat out)"
sed 's/float \*scratch;/& double seen;/; s/pow(tau + 1.0, -c->power)/& \/ (1 + (s->seen += m->vec ? m->vec[0] * m->vec[0] : 0))/' mine.c >seen.c
expect 1 check algo ./seen.c --quiet
grep -q '^stopped and resumed  *FAILS  *model .*State that the values of gradients change must be floats of node_floats()' out ||
	fail "stopped and resumed: $(cat out)"
sed '/^static void server_msg/,/^}/s/serve_model(nd, m->from);/if (m->vec \&\& m->vec[0] > 0) & &/' mine.c >order.c
expect 1 check algo ./order.c --quiet
grep -q '^stopped and resumed  *FAILS  *the run begins again: the order of its events depends on the values' out ||
	fail "stopped and resumed: $(cat out)"
sed 's/serve_model(nd, m->from);/serve_model(nd, 99);/' mine.c >far.c
expect 1 check algo ./far.c --quiet
says out "rank -1 sends to rank 99 of 4"
expect 1 check algo ./mine.c --data mnist
says err "only --lr, --optim, --seed, --json and --quiet are for algorithms"

# With --in-tree, and only then, in the sources of convoy, the files of a built-in algorithm and lines in the lists.
mkdir -p clone/algos/server clone/tests/algos
cp "$CONVOY_SOURCE/algos/list.h" clone/algos
cp "$CONVOY_SOURCE/sources.mk" clone
(cd clone && expect 1 new algo my-own --in-tree)
mkdir -p clone/core
cp "$CONVOY_SOURCE/core/node.h" clone/core
(cd clone && expect 0 new algo outside && rm outside.c test_outside.sh Makefile) || fail "a file of one's own in a clone"
(cd clone && expect 0 new algo my-own --in-tree && cat err >../said)
says said "my-own is now in the sources: two files are new"
is "$(diff "$CONVOY_SOURCE/algos/list.h" clone/algos/list.h | grep '^[<>]')" "> ALGO(my_own)"
is "$(diff "$CONVOY_SOURCE/sources.mk" clone/sources.mk | grep '^[<>]')" "> $(printf '\t')algos/server/my_own.c \\"
is "$(grep -B1 'server/nag' clone/sources.mk | head -1 | tr -d '\t \\')" "algos/server/my_own.c"
cc -std=c11 -fsyntax-only -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -I"$CONVOY_SOURCE" \
	clone/algos/server/my_own.c || fail "what new writes does not compile"
says clone/algos/server/my_own.c ".cite = "
is "$(ls clone/tests/algos)" test_my_own.c

# A file next to it that it includes is part of its digest.
echo '#define POWER "1"' >power.h
sed 's/"0.5"/POWER/; s/#include <math.h>/&\n#include "power.h"/' mine.c >with.c
expect 0 sim --algo ./with.c $quadratic --workers 3 --gradients 60 --quiet
is "$(field model)" "$("$CONVOY" sim --algo ./mine.c:power=1 --workers 3 $quadratic --gradients 60 --quiet |
	sed -n 's/^model *//p')" "model with the header's default"
echo '#define POWER "0.5"' >power.h
expect 0 sim --algo ./with.c $quadratic --workers 3 --gradients 60 --quiet
is "$(field model)" "$was" "model with the header's new default"

# ---- what loads code ----

cat >spec.json <<-'END'
{ "title": "An algorithm in a file", "base": { "net": "quadratic", "lr": 0.01, "workers": 3, "gradients": 40 },
  "grid": { "algo": ["asgd", "./own.c"] },
  "tables": [ { "name": "loss", "title": "Loss", "rows": "algo", "values": ["train_loss"] } ],
  "plots": [ { "name": "loss", "title": "Loss", "from": "train", "x": "epoch", "y": "loss", "series": "algo" } ] }
END
rm -rf cache/convoy/code/*.json
loads_nothing 1 run spec.json --dry-run
says err "never loaded, and this command loads none: 'convoy show algo ./own.c' does"
loads_nothing 1 run spec.json --quiet
says err "add --allow-code"
expect 0 run spec.json --quiet --allow-code
[ -e "$MARK" ] || fail "--allow-code loads nothing"
says out "./own.c"
cp out table
for command in "run spec.json --dry-run" "table spec.json" "list runs" "report spec.json" "plot spec.json" \
	"list runs algo=./own.c" "compare spec.json:algo=asgd spec.json:algo=./own.c" \
	"sim --algo ./own.c $quadratic --gradients 40 --workers 3 --dry-run"; do
	loads_nothing 0 $command
done
says out "algo            ./own.c@$(sha256sum own.c | cut -c-16)"
expect 0 run spec.json --quiet --allow-code
diff table out || fail "a finished run is another one the second time"
CONVOY_ALLOW_CODE=1 expect 0 run spec.json --quiet --again
# Its runs are found by the file alone, or with some of its options.
expect 0 list runs algo=./mine.c:power=1
is "$(grep -c 'algo=./mine.c@.*:power=1' out)" 2 "runs of ./mine.c:power=1: $(cat out)"
sed 's/, "lr"/, "algo": ".\/own.c"&/; s/"grid".*/"grid": { "seed": [1, 2] },/; s/"rows": "algo"/"rows": "seed", "where": { "algo": ".\/own.c" }/' \
	spec.json >base.json
expect 0 run base.json --quiet --allow-code
is "$(grep -c '^[12] ' out)" 2 "rows of: $(cat out err)"

# ---- files that are no algorithm ----

# refused FILE MESSAGE...
refused() {
	expect 1 sim --algo "$1" $quadratic --gradients 10
	says err "algorithm '$1': ${*:2}"
	one_line
}

# library FILE LINE...: of these lines of C, after the header.
library() {
	printf '%s\n' '#include <convoy.h>' "${@:2}" >part.c
	cc -std=c11 -fPIC -shared -D_POSIX_C_SOURCE=200809L -I"$CONVOY_SOURCE" -I"$CONVOY_SOURCE/algos" \
		-include "$CONVOY_SOURCE/algos/common/server/serve.h" part.c -o "$1" || fail "$1 is not compiled"
}
table='static const struct algo algo_x = {'

refused ./missing.so "no such file"
refused missing.c "no such file (expected the path of a .c or .so file)"
mkdir -p folder.so
refused ./folder.so "no such file: a folder or a device has this name"
printf '\n' >beside.c
refused ./beside "no such file; did you mean './beside.c'?"
echo text >text.so
refused ./text.so "not a shared library"
: >empty.so
refused ./empty.so "not a shared library"
cp own.so other.so
printf '\377' | dd of=other.so bs=1 seek=18 conv=notrunc status=none
refused ./other.so "made for another processor"
head -c 3000 own.so >cut.so
refused ./cut.so "the file is"
library nothing.so ''
refused ./nothing.so "exports no algorithm. Add CONVOY_ALGORITHM(NAME)"
library newer.so 'const unsigned convoy_algorithm[32] = { CONVOY_ABI + 1 };'
refused ./newer.so "compiled with the headers of a newer convoy (interface $(($(awk '/define CONVOY_ABI/ { print $3 }' \
	"$CONVOY_SOURCE/algos/convoy.h") + 1))"
library older.so 'const unsigned convoy_algorithm[32] = { CONVOY_ABI - 1 };'
refused ./older.so "compiled with the headers of an older convoy"
library sizes.so 'const unsigned convoy_algorithm[32] = { CONVOY_ABI, 8 };'
refused ./sizes.so "compiled with other headers"
library undefined.so 'void elsewhere(struct node *nd);' 'static const struct role w = { .start = elsewhere };' \
	"$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
refused ./undefined.so "undefined symbol: elsewhere"
library worker.so "$table .plugin = { .name = \"x\" } };" 'CONVOY_ALGORITHM(x)'
refused ./worker.so ".worker is NULL"
library start.so 'static const struct role w = { 0 };' "$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
refused ./start.so "the worker has no .start"
library gradient.so 'static const struct role w = { .start = node_grad };' "$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
refused ./gradient.so "the worker has neither .grad nor .allreduce"
library server.so 'static const struct role s = { 0 };' "$table .server = &s, .worker = &serve_worker };" \
	'CONVOY_ALGORITHM(x)'
refused ./server.so "the server has no .msg"
library option.so 'struct conf { double a; };' \
	'static const struct opt opts[] = { OPT_NUMBER(struct conf, a, "1", "a", "A", 0, 1), { 0 } };' \
	"$table .plugin = { .opts = opts }, .worker = &serve_worker };" 'CONVOY_ALGORITHM(x)'
refused ./option.so "option a lies beyond the 0 bytes of .conf_size"
# options MESSAGE ROW...: of a struct with these members
options() {
	library table.so 'struct conf { double a; int n; char *text; };' \
		"static const struct opt opts[] = { ${*:2}, { 0 } };" \
		"$table .plugin = { .opts = opts, .conf_size = sizeof(struct conf) }, .worker = &serve_worker };" \
		'CONVOY_ALGORITHM(x)'
	refused ./table.so "$1"
}
options "a default of its table of options: a must be a number, from 0 to 1, not 'much'" \
	'OPT_NUMBER(struct conf, a, "much", "a", "A", 0, 1)'
options "a default of its table of options: a must be a number, from 0 to 1, not '2'" \
	'OPT_NUMBER(struct conf, a, "2", "a", "A", 0, 1)'
options "it has two options a" \
	'OPT_NUMBER(struct conf, a, "1", "a", "A", 0, 1), OPT_NUMBER(struct conf, a, "1", "a", "A", 0, 1)'
options "'a b' is no name for an option" '{ .name = "a b", .type = OPT_DOUBLE }'
options "option a lies at byte 4, where no value of its type can be" \
	'{ .name = "a", .type = OPT_DOUBLE, .offset = 4 }'
options "options a and text fill the same bytes (expected the offset of each in the struct)" \
	'OPT_NUMBER(struct conf, a, "1", "a", "A", 0, 1), { .name = "text", .type = OPT_STRING, .def = "b" }'
library graph.so "$table .graph = \"circle\", .worker = &serve_worker };" 'CONVOY_ALGORITHM(x)'
expect 1 sim --algo ./graph.so $quadratic --gradients 10
says err '.graph = "circle" is no topology'
library gain.so "$table .outer = \"lr\", .worker = &serve_worker };" 'CONVOY_ALGORITHM(x)'
refused ./gain.so '.gain, .gain_limit, .outer, .codec, .first, .settles and .synchronous are for convoy'
library round.so "$table .round = \"tau\", .worker = &serve_worker };" 'CONVOY_ALGORITHM(x)'
refused ./round.so '.round = "tau" is none of its options'

# An algorithm that breaks the rules ends the run with its name, without a signal.
library lacks.so 'static void grad(struct node *nd, const struct grad *g)' \
	'{ node_send(nd, 1 - nd->rank, &(struct msg){ .vec = g->vec, .n = nd->dim }); }' \
	'static const struct role w = { .start = node_grad, .grad = grad };' "$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
expect 128 sim --algo ./lacks.so --workers 2 $quadratic --gradients 10
says err "algorithm './lacks.so': rank 0 has no handler for a message"
library twice.so 'static void start(struct node *nd) { node_grad(nd); node_grad(nd); }' \
	'static void grad(struct node *nd, const struct grad *g) { (void)nd; (void)g; }' \
	'static const struct role w = { .start = start, .grad = grad };' "$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
expect 128 sim --algo ./twice.so --workers 2 $quadratic --gradients 10
says err "algorithm './twice.so': rank 1 asks for a second gradient while one is in flight"

# One that crashes is named, by a run in this process, by a rank and by the launcher of ranks.
crash='Likely a defect in ./crash.so, whose code'
library crash.so 'static int *volatile nothing;' 'static void grad(struct node *nd, const struct grad *g)' \
	'{ (void)nd; (void)g; *nothing = 1; }' \
	'static const struct role w = { .start = node_grad, .grad = grad };' "$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
if [ -z "${CONVOY_SANITIZE:-}" ]; then      # a sanitizer ends the process by a code of its own
	expect 139 sim --algo ./crash.so --workers 2 $quadratic --gradients 10
	says err "convoy: error: killed by signal 11 (Segmentation fault). $crash this process runs"
fi
expect 1 check algo ./crash.so --quiet
is "$(grep -cE "(FAILS|skipped) .*$crash" out)" "$(has_mpi && echo 3 || echo 2)" "rows of: $(cat out)"
[ -n "${CONVOY_SANITIZE:-}" ] || ! grep -q skipped out || fail "a crash skipped: $(cat out)"
if has_mpi; then
	"$CONVOY" train --algo ./crash.so --workers 2 --net quadratic --gradients 10 --quiet 2>err
	says err "Segmentation fault). Likely a defect in ./crash.so"
	! grep -q "defect of convoy" err || fail "convoy is named: $(cat err)"
fi

# One that ends the program is no success: it is named, and the lock is removed; check tells what is missing.
leaves() {
	library leaves.so '#include <stdlib.h>' '#include <unistd.h>' 'static void grad(struct node *nd, const struct grad *g)' \
		"{ (void)nd; (void)g; $1(0); }" 'static const struct role w = { .start = node_grad, .grad = grad };' \
		"$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
}
leaves exit
expect 128 sim --algo ./leaves.so --workers 2 $quadratic --gradients 10 --out left
says err "error: exit() ended the program before its run was done. Likely called by the code of ./leaves.so"
is "$(find left -name '*.lock')" ""
leaves _exit
expect 1 check algo ./leaves.so --quiet
grep -q '^4 workers  *FAILS  *no result: the program ended before' out || fail "_exit(): $(cat out)"

# One that does not end: the first signal is answered at once, and ends the run seconds later; the second one kills.
library loop.so '#include <poll.h>' '#include <stdio.h>' '#include <stdlib.h>' 'static int calls;' \
	'static void grad(struct node *nd, const struct grad *g)' \
	'{ (void)g; if (!getenv("MARK") || ++calls < 50) { node_step(nd, g->vec, 1.0f); node_grad(nd); return; }' \
	'fclose(fopen(getenv("MARK"), "w")); for (volatile int on = 1; on;) poll(NULL, 0, 10); }' \
	'static const struct role w = { .start = node_grad, .grad = grad };' "$table .worker = &w };" 'CONVOY_ALGORITHM(x)'
# The ends are looked at below, as each takes 5 s.
(unset MARK && expect 0 sim --algo ./loop.so --workers 2 $quadratic --gradients 90 --out traced --quiet --trace loop.h5)
ends_alone() {
	local kind=$1 pid
	shift
	export MARK=$here/mark.$kind
	"$CONVOY" "$@" >out.$kind 2>err.$kind &
	pid=$!
	await test -e "$MARK"
	kill -TERM $pid
	for k in $(seq 200); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL $pid 2>/dev/null
	wait $pid
	echo $? >code.$kind
}
for kind in sim run replay $(has_mpi && [ -z "${CONVOY_SANITIZE:-}" ] && echo train); do
	case $kind in
	sim) set -- sim --algo ./loop.so --workers 2 $quadratic --gradients 100 --out ends ;;
	train) set -- train --algo ./loop.so --workers 2 $quadratic --gradients 100 --out ends ;;
	run) set -- sim --algo ./loop.so --workers 2 $quadratic --gradients 100 --seed 1,2 --jobs 2 --out ends ;;
	replay) set -- replay loop.h5 --allow-code ;;
	esac
	ends_alone $kind "$@" &
	alone="${alone:-} $kind"
done
for command in sim $(has_mpi && echo train); do
	rm -f "$MARK"
	launch $command --algo ./loop.so --workers 2 $quadratic --gradients 100
	await test -e "$MARK"
	kill -TERM $pid
	await grep -q "convoy: stopping: saving the run; press Ctrl-C again to kill it" err
	ends 143 TERM
done

# A function that no header declares is an error: its call would be of another function type.
sed 's/pow(tau/power_of(tau/' mine.c >undeclared.c
expect 1 sim --algo ./undeclared.c $quadratic --gradients 10
says err "power_of"
says err "algorithm './undeclared.c': it does not compile"

# Ctrl-C ends a compiler and what it has started, and so does the death of convoy.
cat >slow-cc <<-'END'
	#!/bin/sh
	[ "$1" != --version ] || { echo slow; exit; }
	sleep 298765 &
	echo $! >slow.pid
	wait
END
chmod +x slow-cc
for signal in INT KILL; do
	rm -f slow.pid
	CC=./slow-cc launch sim --algo ./own.c $quadratic --gradients 10
	await test -s slow.pid
	kill -$signal $pid
	wait $pid 2>/dev/null
	is $? $([ $signal = INT ] && echo 130 || echo 137) "exit code after $signal"
	[ $signal = KILL ] || says err "algorithm './own.c': interrupted while it was compiled"
	await eval "! kill -0 $(cat slow.pid) 2>/dev/null"
done

# Code that loops for ever ends half a minute after convoy was killed, which would wait for it to save.
loop_ends() {
	local child children k
	mkdir loops && cd loops || return
	expect 0 new algo loops
	sed -i 's/^\tstale_step(nd, m, pow/\tfor (volatile int i = 0; i < 1;)\n\t\t;\n&/' loops.c
	launch sim --algo ./loops.c $quadratic --gradients 10 --seed 1,2 --jobs 2 --out loop
	begun() { [ "$(pgrep -P $pid -x convoy | wc -l)" = 2 ]; }
	await begun
	sleep 1
	children=$(pgrep -P $pid)
	kill -KILL $pid
	wait $pid 2>/dev/null
	for child in $children; do
		await eval "! kill -0 $child 2>/dev/null"
		kill -KILL $child 2>/dev/null
	done
	cd ..
}
long need pgrep
long loop_ends

for kind in $alone; do
	await test -s code.$kind
	cp err.$kind err
	is "$(cat code.$kind)" 143 "exit code of $kind after SIGTERM: $(cat err)"
	says err "algorithm './loop.so': a handler has not returned for 5 s since the signal. The run ends without a checkpoint"
done
is "$(find ends -name '*.lock' | wc -l)" 0 "locks of runs that ended"
says err.run " left; the same command resumes"
python_on ends/sim/*.part <<'END' || fail "the file after SIGTERM"
assert f["summary"].attrs["status"] == b"interrupted", f["summary"].attrs["status"]
END

# What the compiler says is shown.
echo 'int wrong(' >wrong.c
expect 1 sim --algo ./wrong.c $quadratic --gradients 10
says err "wrong.c:1"
says err "algorithm './wrong.c': it does not compile"
rm -rf cache/convoy/code/*
CC=/no/such/compiler refused ./own.c "the C compiler '/no/such/compiler' cannot be started"
finish
