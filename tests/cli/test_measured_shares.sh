# --shares speed on real ranks measures them, if the settings give all workers one speed.
# TIMEOUT 300
# COST 40
. "$(dirname "$0")/lib.sh"
need_mpi
need jq

# A rank 1 that really is slow, also on a busy machine: it is stopped for most of the time. It
# runs for a tenth of a second at once: in less, a busy machine may not give it a core.
cat >slow_rank.sh <<'END'
if [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-0}}}" = 1 ]; then
	while kill -STOP $$; do
		sleep 0.4
		kill -CONT $$
		sleep 0.1
	done >/dev/null 2>&1 &
fi
exec "$@"
END
run() { echo train --algo allreduce --net mlp --data shapes:train=320,test=10 --batch 32 --lr 0.01 "$@"; }
settings() { jq -r ".settings.$1" "${2:-out}"; }

mpi_by_hand 2 bash slow_rank.sh "$CONVOY" $(run --epochs 2 --shares speed --json) >out 2>err ||
	fail "a slow rank: $(cat out err)"
says err "measured for each minibatch of 32, by worker: 0: "
shares=$(settings shares) hash=$(jq -r .hash out) model=$(jq -r .model out)
says err "the same shares again: --shares $shares"
[[ $shares =~ ^0:([0-9]+)\+1:([0-9]+)$ ]] || fail "shares '$shares'"
((BASH_REMATCH[1] + BASH_REMATCH[2] == 64)) || fail "samples of $shares"
((BASH_REMATCH[1] >= 40)) || fail "the slow worker has too much: $shares"

# That text is the same run.
expect 0 $(run -n 2 --epochs 2 --shares $shares --json --quiet --out again)
is "$(jq -r .hash out)" "$hash" "hash of $shares"
is "$(jq -r .model out)" "$model" "model of $shares"

# To resume is to take these shares, whatever the speeds are now: finished, longer.
expect 0 $(run -n 2 --epochs 2 --shares speed --resume --json)
says err "finished before"
is "$(jq -r .hash out)" "$hash" "hash of the finished run"
expect 0 $(run -n 2 --epochs 4 --shares speed --resume --dry-run)
is "$(sed -n 's/^shares *\([^ ]*\) .*/\1/p' out)" "$shares" "shares of the dry run"
expect 0 $(run -n 2 --epochs 4 --shares speed --resume --json)
says err "resuming from"
! grep -q measured err || fail "measured again: $(cat err)"
is "$(settings shares)" "$shares" "shares of the longer run"
model=$(jq -r .model out)
expect 0 $(run -n 2 --epochs 4 --shares $shares --json --quiet --out again)
is "$(jq -r .model out)" "$model" "model of the longer run"

# A dry run says that it will be measured; what cannot be cut unequally is refused at once.
rm -r results
expect 0 $(run -n 2 --epochs 2 --shares speed --dry-run)
says err "the run will measure its ranks"
expect 1 $(run -n 3 --epochs 2 --shares speed --algo asgd)
says err "asgd lets fast workers deliver more gradients"
[ ! -e results ] || fail "something was written"

# Ctrl-C while it measures, or a bit later: no result is left, and none is marked finished.
launch $(run -n 2 --epochs 1000 --shares speed)
sleep 1.5
ends 130 INT
! there 'results/train/*.h5' || fail "a result after Ctrl-C"

# What settings say of speeds is what counts: nothing is measured.
expect 0 $(run -n 2 --epochs 1 --shares speed --slow 1:3 --json)
! grep -q measured err || fail "measured: $(cat err)"
is "$(settings shares)" 0:48+1:16
finish
