# What precision=bf16 is computed in, by CONVOY_BF16: recorded, and kept by whatever goes on from a run.
. "$(dirname "$0")/../support/ranks.sh"
. "$(dirname "$0")/lib.sh"
unset CONVOY_BF16
has_onednn || {
	echo "needs oneDNN"
	exit 77
}

settings="--net mlp --data shapes:train=64,test=16 --algo asgd --workers 2 --batch 4 --lr 0.01"
settings="$settings --precision bf16"
able=
CONVOY_BF16=on "$CONVOY" doctor | grep -q '^bf16 *computed in bf16$' && able=yes
off="CONVOY_BF16=off"
[ "$able" ] || off="this processor, or oneDNN, has no bf16 instructions"

# computed_in RESULT TYPE: what the file says.
computed_in() {
	python_on "$1" "$2" <<-'END' || fail "$1 was not computed in $2"
	said = f["environment"].attrs["computed_in"]
	assert said in (sys.argv[2], sys.argv[2].encode()), said
	END
}

# The variable decides, and says so; the result has the same name.
CONVOY_BF16=off expect 0 sim $settings --gradients 20 --quiet --out off --trace off.h5
says err "$off: computing in f32"
computed_in off/sim/*.h5 f32
expect 0 sim ${settings%--precision*} --gradients 20 --quiet --out f32
is "$(field model out)" "$(CONVOY_BF16=off "$CONVOY" sim $settings --gradients 20 --quiet --out again 2>/dev/null | sed -n 's/^model *//p')" \
	"f32, and bf16 computed in f32"
CONVOY_BF16=off expect 0 doctor
says out "computed in f32: $off"

# The processes of several runs do not say it each.
CONVOY_BF16=off expect 0 sim $settings --gradients 20 --seed 1..3 --jobs 3 --threads 1 --out several
is "$(grep -c "$off: computing in f32" err)" 1 "$(cat err)"
if has_mpi; then
	CONVOY_BF16=off expect 0 sim $settings --gradients 20 --seed 1,2 --sim-ranks 2 --out ranks
	is "$(grep -c "$off: computing in f32" err)" 1 "$(cat err)"
fi

# What it cannot be is an error.
for command in "sim $settings --gradients 1" "bench nets lenet" "check net lenet"; do
	CONVOY_BF16=maybe expect 1 $command
	says err "CONVOY_BF16: 'maybe' is not a choice (expected on or off)"
done
for no_backend in --timing "--net quadratic"; do
	ONEDNN_MAX_CPU_ISA=AVX2 CONVOY_BF16=on expect 0 sim --net mlp $no_backend --algo asgd --workers 2 \
		--precision bf16 --lr 0.01 --gradients 2
	says err "no effect: precision"
done
ONEDNN_MAX_CPU_ISA=AVX2 CONVOY_BF16=on expect 1 sim $settings --gradients 1
says err "CONVOY_BF16=on: this processor, or oneDNN, has no bf16 instructions"

# A trace is replayed as it was computed, whatever would be chosen; or not at all.
expect 0 replay off.h5 --quiet
says out "verdict           identical"
CONVOY_BF16=on expect 1 replay off.h5 --quiet
[ -z "$able" ] || says err "'off.h5' was computed in f32, and this process cannot: CONVOY_BF16=on"

[ "$able" ] || finish
CONVOY_BF16=on expect 0 sim $settings --gradients 20 --quiet --out on --trace on.h5
computed_in on/sim/*.h5 bf16
is "$(basename on/sim/*.h5)" "$(basename off/sim/*.h5)" "the name"
expect 0 replay on.h5 --quiet
says out "verdict           identical"
CONVOY_BF16=off expect 1 replay on.h5 --quiet
says err "'on.h5' was computed in bf16, and this process cannot: CONVOY_BF16=off"

# Slower bf16, as oneDNN sees an Intel without AMX, is not chosen.
if grep -q GenuineIntel /proc/cpuinfo; then
	ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 expect 0 sim $settings --gradients 20 --quiet --out slow
	says err "this processor's bf16 instructions are slower than those of f32: computing in f32"
	computed_in slow/sim/*.h5 f32
	ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 CONVOY_BF16=on expect 0 sim $settings --gradients 20 \
		--quiet --out slow-on
	computed_in slow-on/sim/*.h5 bf16
fi

# A checkpoint goes on as it was computed, or is refused: in the simulator and on ranks.
# goes_on ENGINE ARGUMENT...
goes_on() {
	local engine=$1
	shift
	CONVOY_BF16=off launch $engine $settings --gradients 1000000 "$@" --quiet --out $engine-cut
	await there "$engine-cut/$engine/*.checkpoint"
	ends 130 INT
	rm -rf $engine-kept
	cp -r $engine-cut $engine-kept
	CONVOY_BF16=on expect 1 $engine $settings --gradients 1000000 --quiet --out $engine-cut --resume
	says err "the checkpoint was computed in f32, and this process cannot: CONVOY_BF16=on"
	is "$(ls $engine-cut/$engine)" "$(ls $engine-kept/$engine)" "a refused checkpoint"
	launch $engine $settings --gradients 1000000 --out $engine-cut --resume
	await grep -q "resuming from" err
	ends 130 INT
	grep -q "computing in" err && fail "what it did not choose: $(cat err)"
	computed_in $engine-cut/$engine/*.part f32
}
goes_on sim --checkpoint-every 0.1
has_mpi || finish
goes_on train --checkpoint-every 1

# Ranks compute as rank 0 does, or not at all.
cat >rank.sh <<'END'
export CONVOY_BF16=$1
[ "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-$PMI_RANK}}" = 0 ] || export CONVOY_BF16=$2
[ "$CONVOY_BF16" ] || unset CONVOY_BF16
shift 2
exec "$CONVOY" "$@"
END
mpi_by_hand 3 bash rank.sh off "" train $settings --gradients 20 --quiet --out ranks >out 2>err ||
	fail "ranks: $(cat err)"
computed_in ranks/train/*.h5 f32
for engine in train sim; do
	mpi_by_hand 3 bash rank.sh on off $engine $settings --gradients 20 --quiet \
		--out apart-$engine >out 2>err && fail "ranks that cannot agree: $(cat out)"
	says err "rank 1: rank 0 computes in bf16, and this process cannot: CONVOY_BF16=off"
done
finish
