/* Parses and formats the setting `recovery`: checkpoints to which a job goes back. */
#include "plan/settings/faults.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/parse.h"

#include <string.h>

static bool restart_read(const char *p, struct restart *r)
{
	if (!parse_word(&p, "restart:interval_s=") || !parse_number(&p, &r->interval_s))
		return false;
	if (parse_word(&p, ",cost_s=") && !parse_number(&p, &r->cost_s))
		return false;
	return *p == '\0' && r->interval_s > 0.0;
}

int restart_parse(const char *text, struct restart *r)
{
	static const struct parse_key keys[] = { { "interval_s", true }, { "cost_s", false },
						 { NULL, false } };

	*r = (struct restart){ 0 };
	if (!text || strcmp(text, "continue") == 0)
		return 0;
	if (restart_read(text, r))
		return 0;
	if (parse_refuse("recovery", text, keys) < 0)
		return -1;
	return error("recovery '%s': expected continue, or restart:interval_s=S[,cost_s=S]: "
		     "seconds of work between two checkpoints, more than 0, and for which each "
		     "stops the job", text);
}

static void restart_put(const void *of, size_t i, FILE *out)
{
	const struct restart *r = of;

	(void)i;
	fputs("restart:interval_s=", out);
	put_number(r->interval_s, out);
	fputs(",cost_s=", out);
	put_number(r->cost_s, out);
}

char *restart_format(const struct restart *r)
{
	return r->interval_s > 0.0 ? list_text(1, restart_put, r) : xstrdup("continue");
}
