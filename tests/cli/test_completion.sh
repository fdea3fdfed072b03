# Completion, as a real bash asks for it, and the scripts of both shells.
. "$(dirname "$0")/lib.sh"

source_dir=$CONVOY_HOME
expect 0 completion bash
cmp -s out "$source_dir/completion/bash/convoy" || fail "completion/bash/convoy is not what convoy prints"
cp out convoy.bash
expect 0 completion zsh
cmp -s out "$source_dir/completion/zsh/_convoy" || fail "completion/zsh/_convoy is not what convoy prints"
expect 0 completion fish
cmp -s out "$source_dir/completion/fish/convoy.fish" || fail "completion/fish/convoy.fish is not what convoy prints"
expect 0 completion --help
for shell in bash zsh; do
	says out "source <(convoy completion $shell)"
done
says out "~/.config/fish/completions/convoy.fish"
expect 129 completion bsah
says err "did you mean 'bash'"

cat >ask.bash <<'END'
source ./convoy.bash
[[ $(complete -p convoy) == *_convoy* ]] || exit 1
# Each line is typed, and what the shell would offer is printed in one line.
while IFS= read -r line; do
	COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
	_convoy 2>/dev/null
	printf '%s => %s\n' "$line" "${COMPREPLY[*]}"
done
END
mkdir -p bin folder/inner
ln -s "$CONVOY" bin/convoy
touch folder/one.json "folder/with blank"
cat >folder/mine.json <<'END'
{ "title": "t", "base": { "timing": true }, "grid": { "algo": ["asgd", "easgd:tau=3"], "slow": ["0:7"] },
  "scales": { "tiny": { "grid": { "slow": ["0:8"] }, "time": "1 s" }, "huge": {} }, "scale": "huge" }
END
PATH=$PWD/bin:$PATH bash --norc ask.bash >answers <<'END'
convoy tab
convoy sim --eval-e
convoy sim --algo dana
convoy sim --algo easgd:
convoy sim --algo easgd:ta
convoy sim --algo=easg
convoy sim --codec fp
convoy sim --graph toru
convoy sim --delay weib
convoy sim --link nic:du
convoy sim --link nic:duplex=
convoy sim --allreduce ri
convoy sim --data cifar10
convoy run jin2016/per
convoy run jin2016/period --scale sm
convoy run jin2016/period --only al
convoy run --set codec=terng
convoy show cluster knl
convoy list gra
convoy data pa
convoy check net resnet11
convoy trace run.h5 --format ch
convoy help sche
convoy help setti
convoy run slow
convoy run slow-worker-r
convoy run period --scale sm
convoy run period --only wor
convoy run slow-worker --only algo=
convoy run --only slow=0:1 slow-worker --only slow=0:100
convoy run slow-worker --only --scale
convoy run ./folder/m
convoy run folder/mine.json --scale t
convoy run folder/mine.json --only
convoy run folder/mine.json --only slow=
convoy run --scale tiny folder/mine.json --only slow=
convoy run --scale=tiny folder/mine.json --only=slow=0
convoy plot slow-worker --scale pa
convoy sim --out fol
convoy sim --out=folder/i
convoy sim --data cifar10:dir=fol
convoy sim --data cifar10:train=5,dir=folder/
convoy run folder/mine.json --data=mnist:dir=folder/in
convoy sim --delay empirical:file=folder/o
convoy sim --cluster folder/o
convoy list ru
convoy list runs alg
convoy list runs algo=dana
convoy nosuch x
convoy trace run
END
cat >want <<'END'
convoy tab => table
convoy sim --eval-e => --eval-every
convoy sim --algo dana => dana
convoy sim --algo easgd: => alpha= tau= form=
convoy sim --algo easgd:ta => tau=
convoy sim --algo=easg => easgd
convoy sim --codec fp => fp16
convoy sim --graph toru => torus
convoy sim --delay weib => weibull
convoy sim --link nic:du => duplex=
convoy sim --link nic:duplex= => full half
convoy sim --allreduce ri => ring
convoy sim --data cifar10 => cifar10 cifar100
convoy run jin2016/per => jin2016/period
convoy run jin2016/period --scale sm => smoke
convoy run jin2016/period --only al => algo=
convoy run --set codec=terng => terngrad
convoy show cluster knl => knl-opa
convoy list gra => graphs
convoy data pa => partition pack
convoy check net resnet11 => resnet110
convoy trace run.h5 --format ch => chrome
convoy help sche => schema
convoy help setti => settings
convoy run slow => slow-ship slow-worker slow-worker-accuracy slow-worker-real
convoy run slow-worker-r => slow-worker-real
convoy run period --scale sm => smoke
convoy run period --only wor => 
convoy run slow-worker --only algo= => ad-psgd allreduce d-psgd
convoy run --only slow=0:1 slow-worker --only slow=0:100 => 100 1000 10000
convoy run slow-worker --only --scale => 
convoy run ./folder/m => ./folder/mine.json
convoy run folder/mine.json --scale t => tiny
convoy run folder/mine.json --only => --only
convoy run folder/mine.json --only slow= => 0:7
convoy run --scale tiny folder/mine.json --only slow= => 0:8
convoy run --scale=tiny folder/mine.json --only=slow=0 => 0:8
convoy plot slow-worker --scale pa => paper
convoy sim --out fol => folder/
convoy sim --out=folder/i => folder/inner/
convoy sim --data cifar10:dir=fol => folder/
convoy sim --data cifar10:train=5,dir=folder/ => folder/inner/ folder/mine.json folder/one.json
convoy run folder/mine.json --data=mnist:dir=folder/in => folder/inner/
convoy sim --delay empirical:file=folder/o => folder/one.json
convoy sim --cluster folder/o => folder/one.json
convoy list ru => runs
convoy list runs alg => algo=
convoy list runs algo=dana => dana
convoy nosuch x => 
convoy trace run => 
END
diff want answers || fail "bash is offered something else"

# What a word is about stands after a tab; in bash, in the list that a second Tab shows.
expect 0 complete sim --algo dan
is "$(cut -f2 out)" "$("$CONVOY" list algos | sed -n 's/^dana  *//p')" "what dana is about"
expect 0 complete run slow-ship --scale ""
is "$(grep -c "$(printf '\t')" out)" "$(wc -l <out)" "scales that say what they take"
expect 0 complete sim --work
says out "$(printf -- '--workers\tworkers that compute gradients')"
is "$(awk 'length > 130' out | wc -l)" 0 "long lines"
sed -i 's/^\tCOMP_LINE=/\tCOMP_TYPE=63 COMP_LINE=/' ask.bash
PATH=$PWD/bin:$PATH bash --norc ask.bash >answers <<'END'
convoy sim --optim la
convoy sim --algo dana
END
is "$(head -1 answers)" "convoy sim --optim la => $(for optim in lars lamb; do
	echo "$optim  ($("$CONVOY" list optims | sed -n "s/^$optim  *//p"))"
done | tr '\n' ' ' | sed 's/ $//')" "a list with what each is"
is "$(tail -1 answers)" "convoy sim --algo dana => dana" "a word that is typed"

# fish, where there is one.
if command -v fish >/dev/null; then
	PATH=$PWD/bin:$PATH HOME=$PWD fish --no-config -c \
		"source $source_dir/completion/fish/convoy.fish; complete -C 'convoy show algo dan'; complete -C 'convoy run slow-worker --scale '; complete -C 'convoy sim --data cifar10:dir=folder/in'" >answers 2>err ||
		fail "fish: $(cat err)"
	grep -q "^dana$(printf '\t')asgd with" answers || fail "fish is offered: $(cat answers)"
	grep -q "^paper" answers || fail "fish is offered no scale: $(cat answers)"
	grep -q "^cifar10:dir=folder/inner/" answers || fail "fish is offered no folder: $(cat answers)"
fi

# Nothing that is hidden, and every command.
expect 0 complete ""
is "$(wc -l <out)" "$("$CONVOY" help | sed -n '/^  [a-z]/p' | grep -vc 'convoy ')" "commands that are offered"
grep -q '^complete$' out && fail "'complete' is for programs"
expect 0 complete sim --experimen
is "$(cat out)" "" "a hidden option"
finish
