# A program without experiments to find: CONVOY_HOME has none, no folder near the program has, and there
# is none at the prefix it was configured for.
. "$(dirname "$0")/lib.sh"
need perl
need strings

# The same program, but for that prefix: another is as long, and nowhere. Its end stays, for a linker may
# have other texts end there.
source=${CONVOY_SOURCE:?where the experiments are}
share=$(strings -a "$CONVOY" | grep -m 1 '^/.*/convoy$')
perl -0777 -pe 'BEGIN { $share = shift } (my $nowhere = $share) =~ s{^/([^/]+)}{"/" . "~" x length($1)}e;
	s/\Q$share\E\0/$nowhere\0/g' "$share" "$CONVOY" >bare
chmod +x bare
CONVOY=$PWD/bare CONVOY_HOME=$PWD
export CONVOY_HOME
is "$("$CONVOY" list experiments | wc -l)" 0 "lines of experiments"

for scale in "" "--scale smoke" "--dry-run"; do
	expect 1 run --all $scale --out results
	is "$(cat err)" "convoy: error: no experiments are installed: set CONVOY_HOME to convoy's share folder" "$scale"
	is "$(wc -c <out)" 0 "bytes on stdout"
done
[ -e results ] && fail "results of nothing"
expect 1 run slow-worker
says err "none are installed: set CONVOY_HOME"

# One experiment is enough, and has no other scale.
mkdir experiments
ln -s "$source/nets" "$source/sim" .
echo '{ "title": "One", "base": { "timing": true, "samples": 6400, "gradients": 10 }, "scales": { "s": {} } }' \
	>experiments/one.json
expect 0 run --all --scale s --out results
expect 1 run --all --scale smoke --out results
says err "no experiment has the scale 'smoke'"
one_line
finish
