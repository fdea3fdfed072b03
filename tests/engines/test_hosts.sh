# Three hosts over TCP: results are whole, every gradient is counted once, hosts have their names.
# COST 25
. "$(dirname "$0")/../support/hosts.sh"
. "$(dirname "$0")/../cli/lib.sh"
need_mpi
need jq
hosts_need 77
cleanup() { hosts_close; }
hosts_open 3 200mbit

# train WORKERS ALGO ARGUMENT...: the result is left in the file out, messages in err.
train() {
	local workers=$1 algo=$2
	shift 2
	on_host 1 env CONVOY_HOME="$CONVOY_HOME" "$CONVOY" train --algo "$algo" \
		--workers "$workers" --hostfile "$hosts_dir/hostfile" --mpirun "$hosts_mpirun" \
		--out "$here" --json "$@" >out 2>err
}

for algo in allreduce asgd ad-psgd; do
	workers=3
	[ $algo = asgd ] && workers=2
	train $workers $algo --net quadratic --gradients 900 --lr 0.01
	jq -e '.gradients == 900 and .status == "done"' out >/dev/null || fail "$algo: $(cat out)"
	for k in 1 2 3; do
		says err "rank $((k - 1)): h$k"
	done
done

# Memory ends at the host.
train 3 hogwild --net quadratic --gradients 60
says err "hogwild: its workers share one memory, and these ranks are on several machines"
[ -s out ] && fail "hogwild on three hosts: $(cat out)"

# Our own ring, over the wire, bit by bit as in memory.
train 3 allreduce --net quadratic --gradients 60 --allreduce ring --seed 3
wire=$(jq -r .model out)
expect 0 train --algo allreduce --workers 3 --net quadratic --gradients 60 --allreduce ring \
	--seed 3 --out memory --json --quiet
is "$wire" "$(jq -r .model out)" "all-reduces by a ring"

# The order is forced: the bits are the simulator's, whatever lies between the hosts.
train 3 d-psgd --net quadratic --gradients 60
real=$(jq -r .model out)
expect 0 sim --algo d-psgd --workers 3 --net quadratic --gradients 60 --json --quiet
is "$real" "$(jq -r .model out)" "models of d-psgd"

# Models of a megabyte, back and forth, take their time on a slow NIC.
hosts_rate 100mbit
train 3 allreduce --net quadratic:dim=250000 --gradients 30 --lr 0.001 --eval-every 0 --seed 2
jq -e '.gradients == 30 and .time_s > 1' out >/dev/null || fail "slow NICs: $(cat out)"

# A rank that dies is named with its host, and takes all others along.
train 3 ad-psgd --net quadratic --seconds 60 --compute-s 0.01 --seed 4 --out "$here/killed" &
sleep 6
for process in $(ip netns pids "$(hosts_netns 3)"); do
	grep -qs '^convoy$' /proc/$process/comm && kill -KILL $process
done
wait $!
says err "rank 2 on h3 was killed by signal 9"
says err "what was reached is in"

finish
