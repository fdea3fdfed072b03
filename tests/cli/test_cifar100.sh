# CIFAR-100's binary form trains the net that the papers train on it.
. "$(dirname "$0")/lib.sh"
need jq
record() {      # COARSE FINE: labels and 3,072 bytes
	printf "\\x$(printf %02x "$1")\\x$(printf %02x "$2")"
	head -c 3072 /dev/zero | tr '\0' "\\$(printf %03o $(($2 * 2)))"
}
for i in 0 1 2 3 4 5 6 7; do record $i $((i * 14 + 1)); done >train.bin
for i in 0 1; do record $i $((i * 99)); done >test.bin
expect 0 sim --algo asgd --net wrn-16-4 --data cifar100:dir=.,any=true --workers 2 --batch 2 \
	--gradients 4 --lr 0.001 --stat-batches 1 --quiet --json --out here
says out '"train_loss"'
says out '"status":	"done"'
expect 0 show net wrn-16-4

# Other contents under the same names are another run, whose training none takes over.
plan() { "$CONVOY" sim --net mlp --workers 2 --batch 2 --gradients 8 --lr 0.001 --dry-run --json "$@" 2>/dev/null | jq -r .hash; }
trains() { expect 0 sim --algo allreduce --net mlp --workers 2 --batch 2 --gradients 8 --lr 0.001 --quiet --json --out there "$@"; }
data="--data cifar100:dir=.,any=true"
first=$(plan $data)
part=$(plan $data,train=4)
timing=$(plan $data --timing)
trains $data
model=$(jq -r .model out)
cp train.bin kept.bin
printf '\7' | dd of=train.bin bs=1 seek=$((5 * 3074 + 1)) conv=notrunc status=none
[ "$(plan $data)" != "$first" ] || fail "another label: the same hash"
is "$(plan $data --timing)" "$timing" "timing only: no contents"
trains $data --link nic:latency_s=0.1 --compute-s 1
is "$(jq -r .trained_by out)" null "trained on another label"
trains $data
[ "$(jq -r .model out)" != "$model" ] || fail "the model of another label"
gzip train.bin
changed=$(plan $data)
gunzip train.bin.gz
is "$(plan $data)" "$changed" "the same contents, packed"
mv kept.bin train.bin
is "$(plan $data) $(plan $data,train=4)" "$first $part"
# No number of a timing-only run depends on them: it does not read them.
mkdir none
is "$(plan --data cifar100:dir=none --timing)" "$(plan --data cifar100:dir=. --timing)" "timing only, without files"
finish
