# Communication graphs from the command line: shown, chosen, recorded, refused.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

expect 0 show graph hypercube --workers 16
says out "second eigenvalue  0.600000"
says out "spectral gap       0.400000"
says out "bipartite          yes"
expect 0 show graph torus:rows=2 --workers 8 --json
is "$(jq -c '[.workers, .degree_min, .degree_max, .edges, .symmetric, .connected]' out)" \
	"[8,3,3,12,true,true]"
expect 0 show graph directed-exponential --workers 5 --json
is "$(jq -c '[.symmetric, .edges, .bipartite]' out)" "[false,15,false]"
expect 0 show graph complete --workers 1500
says out "not computed for more than 1024 workers"
expect 0 show algo sgp --json
is "$(jq -r .graph out)" directed-exponential
expect 1 show graph hypercube --workers 12
says err "12 workers are no power of two"
expect 1 show graph hipercube --workers 8
says err "hypercube"
expect 129 show algo sgp --workers 4
says err "--workers is for graphs"

run="sim --net quadratic --gradients 60 --workers 8 --quiet"
refused() {
	local says=$1
	shift
	expect 1 $run "$@"
	says err "$says"
	one_line
}
refused "allreduce has none" --algo allreduce --graph ring
refused "asgd has none" --algo asgd --graph complete
refused "not bipartite" --algo ad-psgd --graph complete
refused "is directed" --algo d-psgd --graph directed-exponential
refused "7 workers are no power of two" --algo d-psgd --graph hypercube --workers 7
refused "can have 9 neighbours" --algo d-psgd --graph random-regular:degree=9
printf '0 1\n2 3\n' >apart.txt
refused "is not connected" --algo d-psgd --graph file:path=apart.txt
refused "apart.txt:2: rank 2: the ranks of 2 workers are 0 to 1" --algo sgp --workers 2 \
	--graph file:path=apart.txt
expect 0 $run --algo allreduce --graph none
expect 0 $run --algo allreduce --graph auto

# A run records its graph; the edges of a file name the result, not the file's name.
value() { expect 0 $run --json "${@:2}"; jq -r "$1" out; }
is "$(value .settings.graph --algo d-psgd)" ring
is "$(value .settings.graph --algo allreduce)" none
is "$(value .hash --algo d-psgd)" "$(value .hash --algo d-psgd --graph ring)" "auto is the ring"
[ "$(value .model --algo ad-psgd)" != "$(value .model --algo ad-psgd --graph torus)" ] ||
	fail "the torus is the default graph"
for k in 0 1 2 3 4 5 6 7; do echo "$k $(((k + 7) % 8))"; done >one.txt
sed 's/$/ # the same/' one.txt >two.txt
sed '$d' one.txt >three.txt
hash=$(value .hash --algo sgp --graph file:path=one.txt)
is "$(value .hash --algo sgp --graph file:path=two.txt)" "$hash" "the same edges"
[ "$(value .hash --algo sgp --graph file:path=three.txt)" != "$hash" ] || fail "other edges"

for algo in "d-psgd --graph star" "ad-psgd --graph hypercube" gossip-pull \
	"gossip-push --graph ring" "sgp --graph file:path=three.txt" \
	"osgp:tau=2,peers=all --graph exponential"; do
	expect 0 $run --algo $algo --delay gamma:cv=0.5 --trace t.h5 --lr 0.05
	expect 0 replay t.h5 --json
	is "$(jq -r .verdict out)" identical "replay of $algo"
done
finish
