# QUICK
# What the program prints and what the pages say uses the field's words (docs/glossary.md), not those
# that convoy once had: string literals, help texts, lists, the man page, docs/, descriptions in JSON.
. "$(dirname "$0")/lib.sh"

private='learning runs?|step sizes?|learners?|hears?|heard|hearing|tapes?|shelf|shelves'
private+='|survives?|survived|(put|puts|goes|set) aside|brood|nursery|cradle|bury|teller|trips?|beside'
private+='|who multiplies|parted by|as busy as|same bits|bears?|nobody|everybody|somebody|anybody|whoever'
private+='|whomever|looks? away|looks? in vain|busiest node|anew|gone on with'
private_here="$private|who|whom|besides|laid|cards?"        # on pages they stand for people

# literals FILE...: every string of C sources, with its file; comments and includes are left out.
# comments FILE...: the comments alone.
literals() { sources 0 "$@"; }
comments() { sources 1 "$@"; }
sources() {
	awk -v comments="$1" '
		FNR == 1 { comment = 0 }
		/^#include/ { next }
		{
			line = $0
			if (comment) {
				end = index(line, "*/")
				if (comments)
					print FILENAME ": " (end ? substr(line, 1, end - 1) : line)
				if (!end)
					next
				line = substr(line, end + 2)
				comment = 0
			}
			while (match(line, /"([^"\\]|\\.)*"|\/\*|'\''([^'\''\\]|\\.)'\''/)) {
				token = substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
				if (token ~ /^"/ && !comments)
					print FILENAME ": " token
				else if (token == "/*") {
					end = index(line, "*/")
					comment = !end
					if (comments)
						print FILENAME ": " (end ? substr(line, 1, end - 1) : line)
					line = end ? substr(line, end + 2) : ""
				}
			}
		}' "${@:2}"
}

# none WHAT [WORDS]: no private word in the standard input; behind a pipe its failure would be lost.
none() {
	grep -iwE "${2:-$private_here}" >found && fail "$1: words to replace: $(head -20 found)"
}

cd "$CONVOY_SOURCE" || exit 2

# Names of other programs, of colours of a page, and a key of JSON are no words of ours.
find algos cmd core data delays mpi nets plan report runner sim -name '*.[ch]' ! -name foreign.c ! -name html_style.c >"$here/files"
[ "$(wc -l <"$here/files")" -gt 300 ] || fail "few sources: $(wc -l <"$here/files")"
literals $(cat "$here/files") >"$here/literals"
[ "$(wc -l <"$here/literals")" -gt 5000 ] || fail "few literals"
cd "$here" || exit 2
none "literals" < <(grep -v ': "who"$' literals)
(cd "$CONVOY_SOURCE" && comments $(cat "$here/files")) >comments
[ "$(wc -l <comments)" -gt 5000 ] || fail "few comments"
none "comments" "$private" <comments

# The extractor itself, on what is no string.
cat >sample.c <<'END'
#include "beside.h"
/* nobody "hears" */ char c = '"'; const char *s = "one /* two", *t = "a\"b";  /* "card
   "shelf" */ f("three");
END
is "$(comments sample.c | tr -d '\n')" 'sample.c:  nobody "hears" sample.c:  "cardsample.c:    "shelf" '
is "$(literals sample.c | tr '\n' ' ')" 'sample.c: "one /* two" sample.c: "a\"b" sample.c: "three" '

for command in settings $("$CONVOY" complete "" | cut -f1); do
	"$CONVOY" help "$command"
done >said 2>&1
none "help" <said
for kind in algos graphs nets data delays links clusters schedules optims codecs; do
	"$CONVOY" list $kind
done >said 2>&1
none "lists" <said
none "convoy.1" < <(sed 's/\\-/-/g; s/^\.[A-Z]* *//' "$CONVOY_SOURCE/docs/convoy.1")
none "nets and clusters" < <(grep -hE '"(about|brief|title|notes?)"' \
	"$CONVOY_SOURCE"/nets/zoo/*.json "$CONVOY_SOURCE"/sim/clusters/*.json)

# Pages: outside blocks and spans of code.
find "$CONVOY_SOURCE"/*.md "$CONVOY_SOURCE"/docs/*.md ! -name experiments.md ! -name glossary.md -exec \
	awk 'FNR == 1 { code = 0 } /^```/ { code = !code } !code { print FILENAME ": " $0 }' {} + |
	sed 's/`[^`]*`//g; s/\*[a-z]*\*//g' >said
none "pages" "$private" <said
finish
