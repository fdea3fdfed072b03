# QUICK
# What the program prints and what the pages say uses the field's words (docs/glossary.md), not those
# that convoy once had: string literals, help texts, lists, the man page, docs/, specs, kept results.
. "$(dirname "$0")/lib.sh"
need jq

private='learning runs?|step sizes?|learners?|hears?|heard|hearing|tapes?|shelf|shelves'
private+='|survives?|survived|(put|puts|goes|set) aside|brood|nursery|cradle|bury|teller|trips?|beside'
private+='|who multiplies|parted by|as busy as|same bits|bears?|nobody|everybody|somebody|anybody|whoever'
private+='|whomever|looks? away|looks? in vain|busiest node|anew|gone on with'
private+='|behind|rooms?|places?|placed|placing|laid (over|under)|lays|origins?'
private_here="$private|who|whom|besides|laid|cards?"
# On pages, in specs and in kept results, where no identifier is in the way.
private_page="$private_here|learnt|learns|handoffs?|remembers?|remembered|travels?|news|talks?|save those"
private_page+='|communication graphs?|graphs? of layers|(a|the|this|every|each|its|their|one) sums?|sums of'
private_page+='|but for|that which|brings? along|goes on|go on|going on|at hand|in small|git passes over'
private_page+='|(does|do) not apply|parts? of (a|the) (gradient|sweep|grid)|late ranks?|ranks? (is|are) late'

# An all-reduce that is called a sum. An arithmetic sum is none, so that the words next to it decide.
sum_names='summing|summed|\.sum = [a-z ]+ sum|sum\(struct node|(role|engine|worker|conf|nd)->sum'
sum_names+='|(node|real|codec|sim|nic|script|probe|engine|grad|ask|take|on|handler|trace|waits) sums?'
sum_names+='|sums? (parts?|gradients?|grads|kind|ask|retry|regroup|share|stage|buckets|whole|ring|spins)'
sum_comments='group sums?|sums? in flight|sums? (is|are) there|members? of a sum|its sum (is|when|will)'
sum_comments+='|(ask|asks|asked|wait|waits) for (a|the|its|their) sums?|(has|handled) its sum'
sum_comments+='|(node|member|group|worker|gradient)s?.?s? sums?|sums? that (all|node|some|only|any)'
sum_comments+='|(latest|last|next|first) sums?'

# The field's own terms with such a word.
standard='round trip\|in place\|last place'
# Texts of built-in nets, whose digest is in traces and results.
digested='behind \(the convolutions\|it, then\)'

# literals FILE...: every string of C sources, with its file; comments and includes are left out.
# comments FILE...: the comments alone. names FILE...: the code between them, identifiers as words.
literals() { sources literals "$@"; }
comments() { sources comments "$@"; }
names() { sources names "$@"; }
sources() {
	awk -v want="$1" '
		function say(what, text) {
			if (want == "names")
				gsub("_", " ", text)
			if (want == what && text ~ /[^ \t]/)
				print FILENAME ": " text
		}
		FNR == 1 { comment = 0 }
		/^#include/ { next }
		{
			line = $0
			if (comment) {
				end = index(line, "*/")
				say("comments", end ? substr(line, 1, end - 1) : line)
				if (!end)
					next
				line = substr(line, end + 2)
				comment = 0
			}
			while (match(line, /"([^"\\]|\\.)*"|\/\*|'\''([^'\''\\]|\\.)'\''/)) {
				token = substr(line, RSTART, RLENGTH)
				say("names", substr(line, 1, RSTART - 1))
				line = substr(line, RSTART + RLENGTH)
				if (token ~ /^"/)
					say("literals", token)
				else if (token == "/*") {
					end = index(line, "*/")
					comment = !end
					say("comments", end ? substr(line, 1, end - 1) : line)
					line = end ? substr(line, end + 2) : ""
				}
			}
			say("names", line)
		}' "${@:2}"
}

# none WHAT [WORDS]: no private word in the standard input; behind a pipe its failure would be lost.
none() {
	grep -iwE "${2:-$private_here}" >found && fail "$1: words to replace: $(head -20 found)"
}

cd "$CONVOY_SOURCE" || exit 2

# Names of other programs, of colours of a page, and a key of JSON are no words of ours.
find algos cmd core data delays mpi nets plan record report runner sim study -name "*.[ch]" ! -path core/text/word.c ! -path report/page/html.c >"$here/files"
[ "$(wc -l <"$here/files")" -gt 300 ] || fail "few sources: $(wc -l <"$here/files")"
literals $(cat "$here/files") >"$here/literals"
[ "$(wc -l <"$here/literals")" -gt 5000 ] || fail "few literals"
cd "$here" || exit 2
none "literals" < <(grep -v ': "who"$' literals | sed "s/$standard//Ig; s/\"behind fc rgb//")

# Comments and identifiers, those of tests and benchmarks too.
cd "$CONVOY_SOURCE" || exit 2
find tests bench -name '*.[ch]' >>"$here/files"
comments $(cat "$here/files") >"$here/comments"
names $(cat "$here/files") >"$here/names"
grep -E '^[[:space:]]*#' dev tests/layers tests/*/*.sh tests/*/*.py bench/*.sh bench/*.py >"$here/scripts"
grep -E '/(sums?|origin)(/|\.[ch]$)' "$here/files" >"$here/found" && fail "files to rename: $(cat "$here/found")"
cd "$here" || exit 2
[ "$(wc -l <comments)" -gt 8000 ] || fail "few comments"
[ "$(wc -l <names)" -gt 50000 ] || fail "few names"
none "comments" "$private|$sum_comments" < <(sed "s/$standard//Ig" comments)
none "names" "$private|$sum_names" < <(sed "s/$standard//Ig" names)
none "comments of scripts" "$private|$sum_comments" < <(sed "/^tests\/cli\/test_words.sh:/d; s/$standard//Ig" scripts)

# The extractor itself, on what is no string.
cat >sample.c <<'END'
#include "beside.h"
/* nobody "hears" */ char c = '"'; const char *s = "one /* two", *t = "a\"b";  /* "card
   "shelf" */ f_of("three");
END
is "$(names sample.c | tail -2 | tr '\n' ' ')" 'sample.c:  f of( sample.c: ); '
is "$(comments sample.c | tr -d '\n')" 'sample.c:  nobody "hears" sample.c:  "cardsample.c:    "shelf" '
is "$(literals sample.c | tr '\n' ' ')" 'sample.c: "one /* two" sample.c: "a\"b" sample.c: "three" '

for command in settings $("$CONVOY" complete "" | cut -f1); do
	"$CONVOY" help "$command"
done >said 2>&1
none "help" <said
for kind in algos graphs nets data delays links clusters schedules optims codecs devices; do
	"$CONVOY" list $kind
done >said 2>&1
none "lists" < <(sed "s/$standard//Ig; s/$digested//" said)
none "convoy.1" < <(sed 's/\\-/-/g; s/^\.[A-Z]* *//' "$CONVOY_SOURCE/docs/convoy.1")
none "nets and clusters" < <(jq -r '.. | strings' \
	"$CONVOY_SOURCE"/nets/zoo/*.json "$CONVOY_SOURCE"/sim/clusters/*.json | sed "s/$standard//Ig; s/$digested//")

# Pages: outside blocks and spans of code. These lines may have a word of the list:
cat >allowed <<'END'
README.md: ## Who checks it
END
cd "$CONVOY_SOURCE" || exit 2
find ./*.md docs/*.md docs/experiments results/reference -name '*.md' ! -path docs/glossary.md >"$here/pages"
[ "$(wc -l <"$here/pages")" -gt 50 ] || fail "few pages: $(wc -l <"$here/pages")"
tr '\n' '\0' <"$here/pages" | xargs -0 awk '
	FNR == 1 { code = 0 }
	/^```/ { code = !code }
	!code && !/^    / { sub("^[.]/", "", FILENAME); print FILENAME ": " $0 }' |
	sed 's/`[^`]*`//g; s/\*[a-z]*\*//g' >"$here/prose"
cd "$here" || exit 2
none "pages" "$private_page" < <(grep -vFf allowed prose | grep -v ": *- the paper's words: ")
while IFS= read -r line; do
	grep -qF "$line" prose || fail "allowed, but on no page: $line"
done <allowed

# Texts of specs and of kept results.
texts='.. | objects | .title, .about, .figure, .says, .where, .quantity, .source, .xlabel, .ylabel, .label,
	.group, .reason, .time, .notes[]?, (.labels | objects | .[]) | strings'
find "$CONVOY_SOURCE/experiments" "$CONVOY_SOURCE/results/reference" -name '*.json' >files
name='(input_filename | sub(".*/(?<f>[^/]*/[^/]*/[^/]*)$"; .f)) as $file'
tr '\n' '\0' <files | xargs -0 jq -r "$name | $texts | \$file + \": \" + ." >said
[ "$(wc -l <said)" -gt 4000 ] || fail "few texts: $(wc -l <said)"
none "specs and kept results" "$private_page" <said

# Every page of docs/ begins with what its reader can do then, and with a command.
for page in "$CONVOY_SOURCE"/docs/*.md "$CONVOY_SOURCE"/docs/experiments/*.md; do
	awk '/^## / { exit } { print }' "$page" >start
	case $page in
	*/docs/README.md) says start "This page leads to" ;;
	*) sed -n 3p start | grep -qE '^[A-Z][a-z]+ ' || fail "$page does not begin with a sentence on what it is for" ;;
	esac
	grep -qE '`(sudo )?(\./dev|convoy|mkdir|sbatch)|^(\$ )?(\./dev|convoy) |algos/' start || fail "$page begins without a command"
done
terms=$(sed '/^## /,$d' "$CONVOY_SOURCE/docs/glossary.md" | grep -c '^| ')
[ "$terms" -le 41 ] || fail "$((terms - 1)) terms in the glossary; at most 40"
# Kept results name no folder of the machine that they were made on.
find "$CONVOY_SOURCE/results/reference" -name '*.json*' -exec zgrep -lE '"/[a-zA-Z]|dir=/' {} + >"$here/found" &&
	fail "kept results with a path of a machine: $(cat "$here/found")"

finish
