# Names and settings of all algorithms, for scripts that run each of them.

# Seconds of a minibatch are drawn, so that workers meet in other orders than that of their ranks.
plain="--net quadratic:dim=20 --lr 0.01 --delay gamma:cv=0.5"
four="--workers 4"
# Rounds that a short run ends.
rounds="slowmo:period=4 diloco:period=4 diloco:period=4,drop=0.5 streaming-diloco:period=6
	eager-diloco:period=4 noloco:period=4 post-local-sgd:start=5 async-local-sgd:period=5 fedbuff:period=3,buffer=3
	ca2fl:period=3,buffer=2 fadas:period=3,buffer=3 mla:period=3,form=printed heloco:period=3
	decoupled-diloco:period=4,fragments=2,quorum=2 halos:period=3,every=3
	sparseloco:period=4,chunk=8,top=2 palsgd:period=4"
# local-adam averages what only Adam has; the others weigh or predict Adam's steps.
adam="--optim adam:weight_decay=0.01,decoupled=true"
adams="local-adam des-loc:period=2,moment=3 gap-aware:steps=true,debias=false dana:form=predict,compensate=gap"

expect 0 list algos --json
named=$(jq -r '.[].name' out)
others="$(echo $named | sed 's/ local-adam / /') $(echo $rounds) ad-psgd:exchange=duplex"
names="$others $adams"

# shares ALGORITHM: workers share a model, and nothing records how they met in it.
shares() {
	[ "$1" = hogwild ]
}

task_of() {
	[[ " $adams " == *" $1 "* ]] && echo "$plain $adam" || echo "$plain"
}

# each_algorithm FUNCTION: calls it with each name, in a folder of its own, with its settings in $task.
# A run mostly starts processes and waits, so three algorithms are checked at once.
each_algorithm() {
	local algo
	for algo in $names; do
		[ "$(jobs -pr | wc -l)" -lt 3 ] || wait -n
		(
			task=$(task_of "$algo")
			mkdir "$algo" && cd "$algo" && "$1" "$algo"
		) || fail "$algo: its check ended with $?" &
	done
	wait
}
