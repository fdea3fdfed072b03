# data: its parts, and data info on sets that are made here.
. "$(dirname "$0")/lib.sh"
need jq
need python3
unset CONVOY_DATA

expect 129 data
expect 0 data --help
cp out parts
for part in info get partition pack; do
	says parts "  $part "
	expect 0 data $part --help
	says out "usage: convoy data $part"
	for flag in $(sed -n 's/^  --\([a-z-]*\).*/\1/p' out); do
		grep -qE "(^|[^a-z])${flag//-/\\\\-}([^a-z]|\$)" \
			"${CONVOY_SOURCE:-$CONVOY_HOME}/docs/convoy.1" || fail "convoy.1 lacks $flag"
	done
done
expect 0 help data
says out "usage: convoy data"
expect 129 data inf
says err "did you mean 'info'"
expect 129 data info
expect 1 data info cifar11
says err "did you mean 'cifar10'"
expect 1 data info cifar10
says err "CONVOY_DATA"

# The built-in set: every ten in a row have each class once.
expect 0 data info shapes:train=70,test=20,seed=4
says out "images     32 x 32 x 3"
says out "train      70 images, 7 of each class"
expect 0 data info shapes:train=70,test=20,seed=4 --json
is "$(jq -c '[.shape, .train.images, .test.classes, .from, .standing]' out)" \
	'[[32,32,3],70,[2,2,2,2,2,2,2,2,2,2],null,"own"]'

# CIFAR-100 with fine labels 7 and 9 alone.
python3 - <<'END'
import os
os.mkdir("cifar-100-binary")
for name, n in (("train", 5), ("test", 2)):
    with open("cifar-100-binary/%s.bin" % name, "wb") as f:
        f.write(b"".join(bytes([3, 7 if i < 3 else 9]) + bytes(3072) for i in range(n)))
END
expect 0 data info cifar100:dir=.,any=true
says err "not the published set"
says out "from       ./cifar-100-binary"
says out "train      5 images, 0 to 3 of each class"
says out "not the published set"
expect 0 data info cifar100:dir=.,any=true,train=4 --json
[ -s err ] && fail "$(cat err)"
is "$(jq -c '[.train.images, .train.classes[7], .train.classes[9], .test.classes[7], .standing, .from]' \
	out)" '[4,3,1,2,"part","./cifar-100-binary"]'
is "$(jq '.digest | test("^[0-9a-f]{16}$")' out)" true
expect 1 data info cifar100:dir=.
says err "truncated"

# A timing-only run asks for no more than the size, which published sets do not need files for.
expect 0 sim --timing --data cifar10 --net resnet20 --workers 2 --epochs 0.01 --dry-run
grep -qE "^samples +50000 +from data$" out || fail "$(grep samples out)"
expect 0 sim --timing --data cifar100:dir=.,any=true,train=0 --batch 2 --workers 2 --dry-run
grep -qE "^samples +5 +from data$" out || fail "$(grep samples out)"
expect 0 sim --timing --data mnist:dir=. --net lenet --workers 2 --dry-run
grep -qE "^samples +60000 +from data$" out || fail "$(grep samples out)"
expect 1 sim --timing --data cifar10:dir=.,any=true --workers 2 --dry-run
says err "or give samples"
finish
