/* What tuning chose, in jq: tuned() and at_edge(). */
#include "report/claims/tuned.h"

/* One line, so that jq's messages count the lines of the filter itself. */
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
