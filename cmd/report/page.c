/* The page of an experiment's outcome: its parts, and the command that makes it. */
#include "cmd/report/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/environ.h"
#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>

/* The runs and this page again, as a shell takes it. The caller frees. */
static char *command_of(const char *given, const struct plan *p, const cJSON *set)
{
	const char *name = word_ends(given, ".json") ? given : p->spec.name;
	char **argv = xcalloc((size_t)cJSON_GetArraySize(set) + 5, sizeof(*argv));
	char *words[] = { "convoy", "run", (char *)name, "--scale", p->spec.scale };
	char *run, *page, *both;
	const cJSON *value;
	int n = 0;

	while (n < (json_get(p->spec.json, "scales") ? 5 : 3)) {
		argv[n] = xstrdup(words[n]);
		n++;
	}
	cJSON_ArrayForEach(value, set)
		argv[n++] = xasprintf("--%s=%s", value->string, value->valuestring);
	run = environ_quote(n, argv);
	free(argv[1]);
	argv[1] = xstrdup("report");
	page = environ_quote(n, argv);
	both = xasprintf("%s\n%s", run, page);
	while (n > 0)
		free(argv[--n]);
	free(argv);
	free(run);
	free(page);
	return both;
}

static bool has_seeds(const struct results *runs)
{
	for (size_t i = 1; i < runs->n; i++)
		if (fabs(runs->v[i].number[RESULT_SEED] - runs->v[0].number[RESULT_SEED]) > 0)
			return true;
	return false;
}

int report_page(const char *name, const struct plan *p, struct outcome *o,
		const cJSON *set, const char *path)
{
	cJSON *plots = report_plots(p, o), *timelines = report_timelines(p);
	cJSON *settings = report_settings(&p->spec);
	char *command = command_of(name, p, set), *changes = changes_text(&p->changes);
	const struct page page = {
		.name = p->spec.name, .scale = p->spec.scale, .spec = p->spec.json,
		.claims = o->claims, .tables = &o->tables, .plots = plots, .timelines = timelines,
		.settings = settings, .facts = outcome_made(o), .means = has_seeds(&o->runs),
		.changes = changes, .warning = o->gap, .command = command,
	};
	const int ret = page_write(&page, path);

	cJSON_Delete(plots);
	cJSON_Delete(timelines);
	cJSON_Delete(settings);
	free(command);
	free(changes);
	return ret;
}
