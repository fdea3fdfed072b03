#!/usr/bin/env bash
# Completion in a real zsh: lines are typed on a terminal of its own, each with a Tab after it.
. "$(dirname "$0")/lib.sh"
need zsh

mkdir bin
ln -s "$CONVOY" bin/convoy
PATH=$here/bin:$PATH
expect 0 completion zsh
mv out _convoy
zsh -n _convoy || fail "zsh does not read its script"
touch _file.h5
mkdir -p folder/inner

# ^G answers with the line as Tab left it, and what there was to choose from.
cat >.zshrc <<'END'
PROMPT=
fpath=($PWD $fpath)
autoload -U compinit
compinit -u -D
setopt no_auto_list no_auto_menu no_beep
compadd() {
	local -a hits
	if [[ "$*" == *-a\ (open|closed) ]]; then
		builtin compadd -O hits "$@"
		offered+=($hits)
		print -rl -- $open_texts $closed_texts >>texts
	fi
	builtin compadd "$@"
}
answer() {
	print -r -- "[$BUFFER] $offered" >>answers
	offered=() BUFFER=
}
zle -N answer
bindkey '^G' answer
zle-line-init() { print -n READY }
zle -N zle-line-init
END
cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty z "ZDOTDIR=$PWD exec zsh -d -i"
zpty -r z said '*READY*'
while IFS= read -r line; do
	zpty -w -n z "$line"$'\t\a'
done
zpty -w z exit
while zpty -r z said; do :; done
END

# ask: types the lines of its input; the answers are in the file `answers`.
ask() {
	rm -f answers
	timeout 90 zsh -f ask.zsh || fail "zsh does not come to its end"
}

ask <<'END'
convoy tab
convoy run jin2016/per
convoy run jin2016/period --scale sm
convoy run jin2016/period --only al
convoy run --set codec=terng
convoy show algo dan
convoy sim --al
convoy sim --eval-e
convoy sim --algo easgd:
convoy sim --algo easgd:ta
convoy sim --algo=easg
convoy sim --link nic:du
convoy sim --link nic:duplex=
convoy sim --cluster knl-
convoy run slow-worker-r
convoy run slow-worker --only algo=ad
convoy sim --data cifar10:dir=fol
convoy sim --out folder/in
convoy trace _fi
convoy nosuch x
END
cat >want <<'END'
[convoy table ] table
[convoy run jin2016/period ] jin2016/period
[convoy run jin2016/period --scale smoke ] smoke
[convoy run jin2016/period --only algo=] algo=
[convoy run --set codec=terngrad ] codec=terngrad
[convoy show algo dana ] dana
[convoy sim --al] --allow-code --algo --allreduce
[convoy sim --eval-every ] --eval-every
[convoy sim --algo easgd:] easgd:alpha= easgd:tau= easgd:form=
[convoy sim --algo easgd:tau=] easgd:tau=
[convoy sim --algo=easgd ] --algo=easgd
[convoy sim --link nic:duplex=] nic:duplex=
[convoy sim --link nic:duplex=] nic:duplex=full nic:duplex=half
[convoy sim --cluster knl-opa ] knl-opa
[convoy run slow-worker-real ] slow-worker-real
[convoy run slow-worker --only algo=ad-psgd ] algo=ad-psgd
[convoy sim --data cifar10:dir=folder/] cifar10:dir=folder/
[convoy sim --out folder/inner/] folder/inner/
[convoy trace _file.h5 ] 
[convoy nosuch x] 
END
diff want answers || fail "zsh is offered something else"
grep -q '^dana  -- asgd with' texts || fail "zsh does not say what dana is"

# An empty word is offered all there is.
printf '%s\n' 'convoy ' 'convoy run ' 'convoy show algo ' 'convoy sim --algo ' | ask
offered() { sed -n "$1s/^\[[^]]*\] //p" answers | tr ' ' '\n'; }
"$CONVOY" complete "" | cut -f1 >all
is "$(offered 1)" "$(cat all)" "commands"
"$CONVOY" complete run "" | cut -f1 >all
is "$(offered 2)" "$(cat all)" "experiments"
"$CONVOY" complete show algo "" | cut -f1 >all
is "$(offered 3)" "$(cat all)" "algorithms"
is "$(offered 4)" "$(cat all)" "algorithms of a run"

# Sourced, before and after compinit, it does the same.
for first in "" "autoload -U compinit; compinit -u -D"; do
	{
		sed -n '/^setopt/,$p' .zshrc >rest
		printf 'PROMPT=\n%s\n' "$first"
		echo 'source <(convoy completion zsh)'
		cat rest
	} >.zshrc.new
	cp .zshrc .zshrc.fpath
	mv .zshrc.new .zshrc
	rm _convoy
	printf '%s\n' 'convoy show algo dan' 'convoy run slow-worker-r' | ask
	is "$(tr '\n' '|' <answers)" "[convoy show algo dana ] dana|[convoy run slow-worker-real ] slow-worker-real|" "sourced: '$first'"
	mv .zshrc.fpath .zshrc
	"$CONVOY" completion zsh >_convoy
done
finish
