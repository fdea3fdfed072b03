#!/bin/bash
# replay.sh CONVOY [RUNS]: records asynchronous runs on five real ranks, replays each, and
# prints how many replays end with the recorded model, bit for bit.
#
# Half of the runs are asgd (four workers and the server), half ad-psgd (five workers), of a
# small net, each with a seed of its own. Run it on two cores to have them oversubscribed:
#
#     taskset -c 0,1 bash bench/replay.sh build/convoy 100
set -u
convoy=$(realpath "$1")
runs=${2:-100}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 2
same=0
orders=""
for ((i = 1; i <= runs; i++)); do
	algo=$([ $((i % 2)) = 1 ] && echo asgd || echo ad-psgd)
	"$convoy" train -n 5 --algo "$algo" --net mlp --data shapes:train=512,test=64 --batch 8 \
		--epochs 3 --schedule cosine --optim sgd:momentum=0.9 --seed $(((i + 1) / 2)) \
		--eval-every 0 --trace run.h5 --quiet >run.txt 2>&1 || {
		echo "run $i failed: $(cat run.txt)"
		continue
	}
	if "$convoy" replay run.h5 --quiet >replay.txt 2>&1 && grep -q 'identical$' replay.txt; then
		same=$((same + 1))
	else
		echo "run $i, $algo: $(cat replay.txt)"
	fi
	# The order of the nodes' handlers, to tell that runs differ.
	orders+="$("$convoy" trace run.h5 | cut -c17-60 | grep ' message ' | cksum)"$'\n'
done
echo "$same of $runs replays bit-identical, of $(sort -u <<<"$orders" | grep -c .) different orders"
[ "$same" = "$runs" ]
