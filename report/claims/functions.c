/* The jq functions mean_of(), tuned() and at_edge(), as texts that filters of claims begin with. */
#include "report/claims/functions.h"

/* Each is one line, so that jq's messages count the lines of the filter itself. */
const char means_filters[] =
	"def mean_of(f):"
	" def lost: type == \"object\" and .status == \"diverged\" and"
	" (try any(path(f); . == [\"train_loss\"] or . == [\"test_loss\"]) catch false);"
	" if type != \"array\" then"
	" error(\"mean_of takes a list of runs: [.runs[] | select(...)] | mean_of(...)\")"
	" else map(if lost then infinite else f end) | map(select(. != null))"
	" | map(if type == \"number\" then . else error(\"mean_of: \" + tojson + \" is no number\")"
	" end) | if length == 0 then null elif any(. > 1e300) then infinite else add / length end"
	" end;"
	" def mean_of(runs; f): [runs] | mean_of(f); ";

const char tuned_filters[] =
	"def _tuning($method; $setting):"
	" if type != \"object\" or (.tuning | type) != \"array\" then"
	" error(\"nothing is tuned, or the input is a part (tuned and at_edge take the whole)\")"
	" else [.tuning[] | select(.method == $method)] | if length == 0 then"
	" error(\"no method '\" + $method + \"' is tuned\") else .[0] end"
	" | if .chosen | has($setting) then . else"
	" error($setting + \" of \" + $method + \" is not tuned\") end end;"
	"def tuned($method; $setting): _tuning($method; $setting) | .chosen[$setting];"
	"def at_edge($method; $setting):"
	" _tuning($method; $setting) | any(.edge[]; . == $setting); ";
