# LABEL long
# TIMEOUT 400
# COST 20
# Every built-in algorithm in a file of its own, compiled with the installed headers alone, has the results
# of the built-in one: nothing that it needs is missing from the headers or from the exported functions.
# Left out is what files of users may not have: the gain, and an algorithm with a codec of its own.
. "$(dirname "$0")/lib.sh"
need cc
export XDG_CACHE_HOME=$here/cache
unset CONVOY_ALLOW_CODE
program=$CONVOY
if cmake --install "$CONVOY_BUILD" --prefix "$here/usr" >/dev/null 2>&1; then
	program=$here/usr/bin/convoy
	unset CONVOY_HOME
fi
settings="--workers 4 --net quadratic --lr 0.005 --gradients 96 --slow 0:3 --quiet"
for file in "$CONVOY_SOURCE"/algos/{server,rounds,peers}/*.c; do
	! grep -q '^	\.codec = ' "$file" || continue
	for name in $(sed -n 's/^const struct algo algo_\([a-z0-9_]*\) = {/\1/p' "$file"); do
		{ echo '#include <convoy.h>'; grep -vE '^	\.(gain|gain_limit|outer|first|settles|synchronous) = ' "$file"; echo "CONVOY_ALGORITHM($name)"; } >own.c
		[ $name = local_adam ] && optim="--optim adam" || optim=
		for algo in "${name//_/-}" ./own.c; do
			"$program" sim --algo $algo $settings $optim >out 2>err ||
				{ fail "$algo of $name: $(cat err)"; finish; }
			grep -vE '^(algo|file) ' out >"of-${algo//[.\/]/}"
		done
		cmp -s "of-${name//_/-}" of-ownc || fail "$name in a file has other results"
		n=$((${n:-0} + 1))
	done
done
[ "${n:-0}" -gt 35 ] || fail "only $n algorithms"
finish
