# QUICK
# The built-in vectors: what data info says, settings out of range, a net that learns them.
. "$(dirname "$0")/lib.sh"
need jq

expect 0 data info mixture:train=70,test=20,dims=8,classes=5
says out "vectors    1 x 1 x 8"
says out "train      70 vectors, 14 of each class"
grep -q "^mean" out && fail "vectors have no mean of pixels"
expect 0 data info mixture:train=70,test=20 --json
is "$(jq -c '[.shape, .train.vectors, .test.classes, .from, .standing, .mean]' out)" \
	'[[1,1,512],70,[5,5,5,5],null,"own",null]'
expect 0 list data
says out "mixture "
expect 0 complete sim --data mixt
says out "mixture"

expect 1 sim --data mixture:train=10,test=20,seen=true --net mlp-wide --gradients 1
says err "test=20 is more than the 10 training samples"
expect 1 sim --data mixture:dims=60000,clusters=1000 --net mlp-wide --dry-run
says err "Choose fewer clusters"

# Well separated clusters: nearly all are told apart; threads and a second run change nothing.
echo '{ "base": "mlp-wide", "params": { "width": 32 } }' >net.json
run="sim --net net.json --data mixture:train=640,test=320,dims=32,noise=0.05 --workers 2
	--algo diloco:period=4 --optim adam --lr 0.01 --epochs 10 --batch 16 --compute-s 1 --json"
expect 0 $run --threads 1
is "$(jq '.test_accuracy > 0.95' out)" true
jq -r '.model' out >one
expect 0 $run --threads 2
is "$(jq -r '.model' out)" "$(cat one)"
finish
