# docs/advise.md: each command of it prints what the page has below it.
. "$(dirname "$0")/lib.sh"
page=$CONVOY_SOURCE/docs/advise.md

# case K: the K-th block of the page that begins with a command.
case_of() {
	awk -v want="$1" '
		/^```/ { if (on && command) n++; on = !on; command = 0; next }
		on && /^\$ convoy advise/ { command = 1 }
		on && command && n + 1 == want' "$page"
}

k=1
while case_of $k >block && [ -s block ]; do
	# The command is all lines up to the first one without a backslash at its end; then its output.
	awk '!done { sub(/^\$ /, ""); print >"command"; if (!/\\$/) done = 1; next } { print >"wanted" }' block
	if [ -s wanted ]; then
		eval "\"\$CONVOY\" $(sed -E ':a; /\\$/ { N; s/\\\n//; ba }; s/^convoy //' command) --quiet" >out 2>err ||
			fail "$(cat command err)"
		diff wanted out >differs || fail "case $k of the page: $(cat differs)"
	fi
	rm -f command wanted
	k=$((k + 1))
done
[ $k -gt 1 ] || fail "the page has no case"
finish
