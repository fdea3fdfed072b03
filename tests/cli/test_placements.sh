# A cluster fitted to step times of placements: made by hand, fitted, simulated again; bad files.
. "${CONVOY_SOURCE:?}/tests/cli/lib.sh"
need jq

# 0.1 s of computing, then a ring of 4e6 bytes: 1 GB/s within a node; 0.1, 0.2, 0.16 GB/s for 2, 3, 4 nodes.
awk 'BEGIN {
	print "gpus;nodes;batch;step_time_ms"; rate[1] = 1; rate[2] = 0.1; rate[3] = 0.2; rate[4] = 0.16
	print "1;1;8;50"; print "1;1;16;100"
	for (k = 1; k <= 4; k++) for (g = k > 1 ? 1 : 2; g <= 4; g += 1)
		print k * g ";" k ";16;" 100 + 2 * (k * g - 1) / (k * g) * 4e6 / (rate[k] * 1e9) * 1e3
}' >steps.csv
expect 0 calibrate --placements steps.csv --net bytes:4e6 --bucket 0 -o mine.json
says out "NIC, 3 nodes"
says out extrapolated
grep -q warning err && fail "a warning of four numbers of nodes: $(cat err)"
link=$(jq -r .link mine.json)
near() { jq -en "(($1) / ($2) - 1) | fabs < $3" >/dev/null || fail "$1 is not $2 ($4)"; }
is "$(grep -o 'rate_nodes=[0-9/]*' <<<"$link")" rate_nodes=2/3/4 nodes
set -- $(grep -o 'rate_GBps=[^,]*' <<<"$link" | cut -d= -f2 | tr / ' ')
near $1 0.1 0.03 "2 nodes" && near $2 0.2 0.03 "3 nodes" && near $3 0.16 0.03 "4 nodes"
near "$(grep -o 'node_GBps=[^,]*' <<<"$link" | cut -d= -f2)" 1 0.1 "in a node"
for gpus in 4:1 8:2 12:3 16:4; do
	set -- ${gpus/:/ }
	expect 0 sim --timing --cluster ./mine.json --algo allreduce --net bytes:4e6 --batch 16 --workers $1 --samples 1e6 \
		--epochs 0 --gradients $((200 * $1)) --quiet --json
	near "$(jq '.time_s / 200' out)" "$(awk -F';' -v g=$1 -v k=$2 '$1 == g && $2 == k { print $4 / 1000 }' steps.csv)" \
		0.02 "$1 GPUs"
done
# Nor does a step of the ring take time within a node: 32 GPUs make 62 of them for each of 200 buckets.
awk 'BEGIN {
	print "gpus;nodes;batch;step_time_ms"; print "1;1;8;10"
	for (k = 1; k <= 4; k *= 2) for (g = 2; g <= 8; g *= 2)
		print k * g ";" k ";8;" 10 + 2 * (k * g - 1) / (k * g) * 1e9 / (k > 1 ? 200e9 : 300e9) * 1e3
}' >fast.csv
expect 0 calibrate --placements fast.csv --net bytes:1e9,layers=1 --bucket 5e6 -o fast.json
while IFS=';' read -r gpus nodes _ ms; do
	[ "$gpus" = 8 ] && [ "$nodes" = 1 ] || [ "$gpus" = 32 ] || continue
	expect 0 sim --timing --cluster ./fast.json --algo allreduce --net bytes:1e9,layers=1 --batch 8 --workers $gpus --samples 1e6 \
		--epochs 0 --gradients $((100 * gpus)) --quiet --json
	near "$(jq '.time_s / 100' out)" "$ms / 1000" 0.02 "$gpus fast GPUs"
done <fast.csv
# Times without a unit that cannot be seconds are milliseconds, as in logs of steps.
sed 's/step_time_ms/step_time/' steps.csv >bare.csv
expect 0 calibrate --placements bare.csv --net bytes:4e6 --bucket 0 -o bare.json
says err "bare.csv: column 'step_time' has no unit; its median is above 100, so milliseconds are assumed"
is "$(jq -S 'del(.source)' bare.json)" "$(jq -S 'del(.source)' mine.json)" milliseconds

# The same rows as placements; the fit is the same, to the byte.
awk -F';' 'NR == 1 { print "placement,local_bsz,seconds" } NR > 1 { s = ""; for (i = 0; i < $2; i++) s = s $1 / $2; print s "," $3 "," $4 / 1000 }' \
	steps.csv >placed.csv
expect 0 calibrate --placements placed.csv --net bytes:4e6 --bucket 0 -o placed.json
is "$(jq -S 'del(.source)' placed.json)" "$(jq -S 'del(.source)' mine.json)" placements
# Two numbers of nodes: a warning, and a wider interval.
awk -F';' 'NR == 1 || $2 <= 2' steps.csv >two.csv
expect 0 calibrate --placements two.csv --net bytes:4e6 -o two.json
says err "Give step times of 1, 2 and 4 nodes"

# No row of several GPUs on one node: the rate there is asked for, and the file says that it is not known.
awk -F';' 'NR == 1 || $1 == 1 || $2 > 1' steps.csv >apart.csv
expect 0 calibrate --placements apart.csv --net bytes:4e6 -o apart.json
says err "apart.csv: no step of several GPUs on one node"
jq -re .derivation apart.json | grep -q "stands for an unknown rate" || fail "not in the file"
awk -F';' 'NR == 1 || $1 == $2' steps.csv >single.csv
expect 0 calibrate --placements single.csv --net bytes:4e6 -o single.json
grep -q "on one node" err && fail "one GPU a node: $(cat err)"
says out "1 row: too few for an interval"
# As many rows as rates: no errors, no interval, no delay.
says err "single.csv: 3 rows of several GPUs for 3 rates and their variation: too few rows"
grep -qE "95 %|errors of these rows|vary by" out && fail "figures from nothing: $(cat out)"
is "$(jq -r .delay single.json)" constant
grep -q gamma mine.json || fail "no delay of 15 rows"
# Nor does one node tell the rate of a NIC: no figure of it, and none in the file.
awk -F';' 'NR == 1 || $2 == 1' steps.csv >one.csv
expect 0 calibrate --placements one.csv --net bytes:4e6 --bucket 0 -o one.json
says err "one.csv: no step of several nodes, so the rate of a NIC is not known"
grep -qE "NIC|nan" out && fail "a NIC of one node: $(cat out)"
jq -re .derivation one.json | grep -q "bandwidth_GBps=1e9, no time between nodes" || fail "not in the file"
jq -r .link one.json | grep -qE "bandwidth_GBps=1e\+09,collective=ring,node=4,node_GBps=(1$|0.99|1.0)" || fail "$(jq .link one.json)"
# The file can be used: 4 GPUs take the measured time, and 8 no more between nodes.
for gpus in 4 8; do
	expect 0 sim --timing --cluster ./one.json --algo allreduce --net bytes:4e6 --batch 16 --workers $gpus --samples 1e6 \
		--epochs 0 --gradients $((200 * gpus)) --quiet --json
	near "$(jq '.time_s / 200' out)" "0.1 + 2 * ($gpus - 1) / $gpus * 0.004" 0.02 "$gpus GPUs of one node"
done
# Messages that take no time: the search ends at its bound.
awk -F';' 'NR == 1 { print } NR > 1 { $4 = $3 == 8 ? 50 : 100; OFS = ";"; $1 = $1; print }' steps.csv >hidden.csv
expect 0 calibrate --placements hidden.csv --net bytes:4e6 -o hidden.json
says err "hidden.csv: the rate with 2 nodes, 1e+04 GB/s, is the bound of the search"
expect 0 calibrate --placements steps.csv --net bytes:4e6 --bucket 0 -o again.json
grep -q "bound of the search" err && fail "a bound of rows that tell their rates: $(cat err)"
# One row in fifteen is faster than one GPU alone: a warning.
awk -F';' 'NR == 5 { $4 = 80; OFS = ";"; $1 = $1 } { print }' steps.csv >odd.csv
expect 0 calibrate --placements odd.csv --net bytes:4e6 -o odd.json
says err "1 of 15 rows of several GPUs are faster than one alone, such as 0.08 s on"

bad() { # WORDS LINE...
	printf '%s\n' "${@:2}" >bad.csv
	rm -f bad.json
	expect 1 calibrate --placements bad.csv --net bytes:4e6 -o bad.json
	says err "$1"
	[ -e bad.json ] && fail "wrote a cluster for: ${*:2}"
}
head="nodes,gpus,batch,seconds"
one="1,1,16,0.1"
bad "gpus" nodes,batch,seconds 1,16,0.1
bad "bad.csv:3: 1 GPUs of 2 nodes" $head $one 2,1,16,0.2
bad "bad.csv: several GPUs are faster than one alone: 0.05 s on 8 GPUs, 0.2 s on one, with a batch of 256. Is this batch that of all GPUs?" \
	$head 1,1,256,0.20 1,8,256,0.05 2,16,256,0.03 4,32,256,0.02
bad "no step of one GPU alone" $head 2,2,16,0.2
bad "no step of several GPUs" $head $one
bad "how long a batch of 32 takes" $head $one 2,2,32,0.2
bad "a step of 0 s" $head $one 2,2,16,0
bad "bad.csv:3" $head $one 2,2,16,fast
bad "a digit from 1 to 9" placement,batch,seconds 1,16,0.1 1x,16,0.2
bad "bad.csv" ""
expect 1 calibrate --placements nosuch.csv --net bytes:4e6
says err nosuch.csv
expect 1 calibrate --placements steps.csv
says err "give --net"
expect 1 calibrate --placements steps.csv --net bytes:4e6 -o mine.txt
says err "ends in .json"
finish
