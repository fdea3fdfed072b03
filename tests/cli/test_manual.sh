# QUICK
# The man page says what --help says, and is shown without a complaint.
. "$(dirname "$0")/lib.sh"

expect 0 help --man "$CONVOY_HOME/docs/convoy.1.in"
diff "$CONVOY_HOME/docs/convoy.1" out >differs ||
	fail "docs/convoy.1 is not what 'convoy help --man docs/convoy.1.in' says: $(head -5 differs)"
grep -q '^@' out && fail "a part is missing: $(grep '^@' out)"
for command in $("$CONVOY" complete "" | cut -f1); do
	[ "$command" = help ] || grep -qE "^\.SS convoy $command( |$)" out ||
		fail "the page does not describe '$command'"
done
expect 1 help --man nosuch
says err nosuch

if command -v groff >/dev/null; then
	groff -man -ww -Tascii -P-bcou "$CONVOY_HOME/docs/convoy.1" 2>&1 >page |
		grep . && fail "groff complains"
	grep -q -- '--checkpoint-every' page || fail "the page has no option"
fi
if command -v mandoc >/dev/null; then
	mandoc -Tlint -W error "$CONVOY_HOME/docs/convoy.1" || fail "mandoc complains"
fi
finish
