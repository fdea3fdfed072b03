# LABEL long
# COST 60
# docs/advise.md: its commands, in their order, print what the page has below each. A command without output
# below it writes a file.
. "$(dirname "$0")/lib.sh"
page=$CONVOY_SOURCE/docs/advise.md

convoy() { "$CONVOY" "$@"; }

# case_of K: the K-th block of the page that begins with a command.
case_of() {
	awk -v want="$1" '
		/^```/ { if (on && command) n++; on = !on; command = 0; first = on; next }
		on && first && /^\$ / { command = 1 }
		{ first = 0 }
		on && command && n + 1 == want' "$page"
}

k=1
while case_of $k >block && [ -s block ]; do
	# The command goes on after a backslash at the end of a line, and within quotes; then comes its output.
	awk -v quote="'" '!done {
		sub(/^\$ /, ""); print >"command"
		quotes += gsub(quote, quote)
		done = quotes % 2 == 0 && !/\\$/
		next
	} { print >"wanted" }' block
	eval "$(cat command)" >out 2>err || fail "$(cat command err)"
	if [ -s wanted ]; then
		diff wanted out >differs || fail "case $k of the page: $(cat differs)"
	else
		grep -q ' >[a-z.]*$' command || fail "case $k of the page has no output below it: $(cat command)"
	fi
	rm -f command wanted
	k=$((k + 1))
done
is $((k - 1)) "$(grep -c '^\$ ' "$page")" "cases are all commands of the page"
[ $k -gt 1 ] || fail "the page has no case"
finish
