/* What a run's settings do otherwise than their names say. */
#include "plan/resolve/remarks.h"

#include "core/base/mem.h"
#include "core/codec.h"
#include "plan/machine/machine.h"
#include "plan/resolve/unused.h"

#include <stdlib.h>
#include <string.h>

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
static char *remarks_gathered(const struct setup *const *runs, const struct grid_point *const *points,
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

/* The first text of the runs that have one, and which these are. NULL: none. The caller frees. */
static char *remarks_machine(const struct setup *const *runs, const struct grid_point *const *points, size_t n,
			     size_t at)
{
	enum holds *is = xcalloc(n + 1, sizeof(*is));
	size_t have = 0;
	char *first = NULL;
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		char *text = machine_remark(runs[i], at);

		is[i] = text ? HOLDS : HOLDS_NOT;
		have += text != NULL;
		differ |= text && first && strcmp(text, first) != 0;
		if (first)
			free(text);
		else
			first = text;
	}
	if (first)
		xappend_own(&first, "", differ ? xasprintf(" (one of %zu such runs)", have)
					       : holds_text(points, is, n));
	free(is);
	return first;
}

char **remarks(const struct setup *const *runs, const struct grid_point *const *points, size_t n)
{
	char **all = xcalloc(MACHINE_REMARKS + 3, sizeof(*all));
	size_t count = 0;

	all[count] = unused_text(runs, n);
	count += all[count] != NULL;
	all[count] = remarks_gathered(runs, points, n);
	count += all[count] != NULL;
	for (size_t i = 0; i < MACHINE_REMARKS; i++) {
		all[count] = remarks_machine(runs, points, n, i);
		count += all[count] != NULL;
	}
	return all;
}
