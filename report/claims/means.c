/* The jq functions for means over runs, as the text that claims' filters begin with. */
#include "report/claims/means.h"

/* One line, so that jq's messages count the lines of the filter itself. */
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
