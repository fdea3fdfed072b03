/* What a run's settings do otherwise than their names say. */
#include "plan/resolve/remarks.h"

#include "core/base/mem.h"
#include "core/codec.h"
#include "plan/resolve/unused.h"
#include "plan/resolve/which_runs.h"

#include <stdlib.h>

/* Codes cannot be added: every worker gets those of all. */
static bool remarks_gathers(const struct setup *su)
{
	const struct codec *codec = (const struct codec *)su->codec.plugin;

	return codec->words && !setup_algo(su)->server && su->num.workers > 1;
}

/* Bytes that a worker sends, over those of an all-reduce of floats in a ring. */
static double remarks_ratio(const struct setup *su)
{
	const struct run run = setup_run(su);
	const double floats = (double)su->model.dim * sizeof(float);

	return (double)codec_bytes(&run) / floats * (double)su->num.workers / 2.0;
}

/* "; 16 workers with fp16 send 4 times ...", where it is most; "": fewer. The caller frees. */
static char *remarks_more(const struct setup *const *runs, size_t n)
{
	const struct setup *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (remarks_gathers(runs[i]) &&
		    (!most || remarks_ratio(runs[i]) > remarks_ratio(most)))
			most = runs[i];
	if (!most || remarks_ratio(most) <= 1.0)
		return xstrdup("");
	return xasprintf("; %d workers with %s send %.3g times the bytes of no codec",
			 (int)most->num.workers, most->codec.plugin->name, remarks_ratio(most));
}

/* NULL: no run gathers. The caller frees. */
static char *remarks_gathered(const struct setup *const *runs, const cJSON *const *points,
			      size_t n)
{
	enum holds *is = xcalloc(n + 1, sizeof(*is));
	char *where = NULL, *more = remarks_more(runs, n), *text = NULL;
	bool some = false;

	for (size_t i = 0; i < n; i++) {
		is[i] = remarks_gathers(runs[i]) ? HOLDS : HOLDS_NOT;
		some |= is[i] == HOLDS;
	}
	if (some) {
		where = holds_text(points, is, n);
		text = xasprintf("compressed gradients%s are gathered from all workers, not "
				 "all-reduced: codes cannot be added%s", where, more);
	}
	free(where);
	free(more);
	free(is);
	return text;
}

char **remarks(const struct setup *const *runs, const cJSON *const *points, size_t n)
{
	char **all = xcalloc(3, sizeof(*all));
	size_t count = 0;

	all[count] = unused_text(runs, n);
	count += all[count] != NULL;
	all[count] = remarks_gathered(runs, points, n);
	return all;
}
