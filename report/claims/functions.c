/*
 * The jq functions mean_of(), tuned(), at_edge(), and those of jq's own that decide nothing where
 * there is nothing to decide on, as texts that filters of claims begin with.
 */
#include "report/claims/functions.h"

/* Each is one line, so that jq's messages count the lines of the filter itself. */
const char means_filters[] =
	"def mean_of(f):"
	" def lost: if type == \"object\" and .status == \"diverged\" then"
	" (try [path(f)][0] catch null) as $p | if $p == [\"train_loss\"] or $p == [\"test_loss\"]"
	" then infinite elif $p == [\"test_accuracy\"] then -infinite else null end else null end;"
	" if type != \"array\" then"
	" error(\"mean_of takes a list of runs: [.runs[] | select(...)] | mean_of(...)\")"
	" else map(lost //f) | map(select(. != null))"
	" | map(if type == \"number\" then . else error(\"mean_of: \" + tojson + \" is no number\")"
	" end) | if length == 0 then null elif any(. > 1e300) then infinite"
	" elif any(. < -1e300) then -infinite else add / length end"
	" end;"
	" def mean_of(runs; f): [runs] | mean_of(f); ";

const char tuned_filters[] =
	"def _tuning($method; $setting):"
	" if type != \"object\" or (.tuning | type) != \"array\" then"
	" error(\"nothing is tuned, or the input is a part (tuned and at_edge take the whole)\")"
	" else [.tuning[] | select(.method == $method)] | if length == 0 then"
	" error(\"no method '\" + $method + \"' is tuned\") else .[0] end"
	" | if .chosen | has($setting) | not then"
	" error($setting + \" of \" + $method + \" is not tuned\")"
	" elif $_judging and .reason then error({verdict: \"undecided\", why:"
	" (\"tuning \" + $method + \" decides nothing: \" + .reason)}) else . end end;"
	"def tuned($method; $setting): _tuning($method; $setting) | .chosen[$setting];"
	"def at_edge($method; $setting):"
	" _tuning($method; $setting) | any(.edge[]; . == $setting); ";

const char strict_filters[] =
	"def _less_of: .[0] < .[1]; def _more_of: .[0] > .[1];"
	" def _up_to: .[0] <= .[1]; def _from: .[0] >= .[1];"
	" def _all_of(g; f): all(g; f); def _any_of(g; f): any(g; f);"
	" def _least: min; def _most: max; def _sum: add; def _least_by(f): min_by(f);"
	" def _most_by(f): max_by(f); def _sorted(f): sort_by(f); def _unique(f): unique_by(f);"
	" def _absent($f): error($f + \": a value is null: no run has that name, or a group has no"
	" runs\");"
	" def _some($f; g): if $_judging and isempty(g) then error($f + \": there is nothing to"
	" look at: a group has no runs\") else . end;"
	" def _known($f; f): if $_judging and any(.[] | f; . == null) then _absent($f) else . end;"
	" def _turned: if $_turn then reverse else . end;"
	" def min_by(f): _some(\"min_by\"; .[]) | _known(\"min_by\"; f) | _turned | _least_by(f);"
	" def max_by(f): _some(\"max_by\"; .[]) | _known(\"max_by\"; f) | _turned | _most_by(f);"
	" def sort_by(f): _known(\"sort_by\"; f) | _turned | _sorted(f);"
	" def unique_by(f): _turned | _unique(f);"
	" def min: _some(\"min\"; .[]) | _known(\"min\"; .) | _least;"
	" def max: _some(\"max\"; .[]) | _known(\"max\"; .) | _most;"
	" def add: _some(\"add\"; .[]) | _known(\"add\"; .) | _sum;"
	" def _mean(f): mean_of(f); def mean_of(f): _some(\"mean_of\"; .[]) | _mean(f);"
	" def mean_of(runs; f): [runs] | mean_of(f);"
	" def all(g; f): _some(\"all\"; g) | _all_of(g; f); def all(f): all(.[]; f);"
	" def all: all(.[]; .);"
	" def any(g; f): _some(\"any\"; g) | _any_of(g; f); def any(f): any(.[]; f);"
	" def any: any(.[]; .);"
	/* jq calls these for a < b, a > b, a <= b and a >= b. */
	" def _sides(a; b; $f): b as $b | a as $a | if $_judging and ($a == null or $b == null)"
	" then _absent($f) else [$a, $b] end;"
	" def _less(a; b): _sides(a; b; \"<\") | _less_of;"
	" def _greater(a; b): _sides(a; b; \">\") | _more_of;"
	" def _lesseq(a; b): _sides(a; b; \"<=\") | _up_to;"
	" def _greatereq(a; b): _sides(a; b; \">=\") | _from; ";
