# Completion, as a real bash asks for it, and the scripts of both shells.
. "$(dirname "$0")/lib.sh"

source_dir=$CONVOY_HOME
expect 0 completion bash
cmp -s out "$source_dir/completion/bash/convoy" || fail "completion/bash/convoy is not what convoy prints"
cp out convoy.bash
expect 0 completion zsh
cmp -s out "$source_dir/completion/zsh/_convoy" || fail "completion/zsh/_convoy is not what convoy prints"
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
mkdir bin
ln -s "$CONVOY" bin/convoy
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
convoy run jin2016/period --only wor
convoy run --set codec=terng
convoy show cluster knl
convoy list gra
convoy data pa
convoy check net resnet11
convoy trace run.h5 --format ch
convoy help sche
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
convoy run jin2016/period --only wor => workers=
convoy run --set codec=terng => terngrad
convoy show cluster knl => knl-opa
convoy list gra => graphs
convoy data pa => pack
convoy check net resnet11 => resnet110
convoy trace run.h5 --format ch => chrome
convoy help sche => schema
convoy nosuch x => 
convoy trace run => 
END
diff want answers || fail "bash is offered something else"

# Nothing that is hidden, and every command.
expect 0 complete ""
is "$(wc -l <out)" "$("$CONVOY" help | sed -n '/^  [a-z]/p' | grep -vc 'convoy ')" "commands that are offered"
grep -q '^complete$' out && fail "'complete' is for programs"
expect 0 complete sim --experimen
is "$(cat out)" "" "a hidden option"
finish
