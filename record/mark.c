/* Facts of a result file on other runs: read, written with the run, or added after it. */
#include "record/mark.h"

#include "core/base/mem.h"
#include "record/tree.h"

#include <math.h>
#include <string.h>

void mark_read(struct result_mark *m, const struct tree *summary)
{
	int64_t is = 0;

	*m = (struct result_mark){ .speedup = (double)NAN };
	m->is_baseline = tree_get_whole(summary, "is_baseline", &is) == 0 && is == 1;
	m->baseline = tree_get_text(summary, "baseline");
	tree_get_real(summary, "speedup", &m->speedup);
	m->tuned = tree_get_text(summary, "tuned");
}

static bool text_is_said(const char *text, const char *said)
{
	return !text || (said && strcmp(text, said) == 0);
}

bool mark_is_said(const struct result_mark *m, const struct result_mark *said)
{
	return (said->is_baseline || !m->is_baseline) &&
	       text_is_said(m->baseline, said->baseline) && text_is_said(m->tuned, said->tuned) &&
	       (!m->baseline || fabs(m->speedup - said->speedup) <= 0);
}

void mark_put(struct tree *summary, const struct result_mark *m)
{
	if (m->is_baseline) {
		tree_take_out(summary, "is_baseline");
		tree_put_whole(summary, "is_baseline", 1);
	}
	if (m->baseline) {
		tree_take_out(summary, "baseline");
		tree_take_out(summary, "speedup");
		tree_put_text(summary, "baseline", m->baseline);
		tree_put_real(summary, "speedup", m->speedup);
	}
	if (m->tuned) {
		tree_take_out(summary, "tuned");
		tree_put_text(summary, "tuned", m->tuned);
	}
}

/* Whether the file had to be changed, or -1. */
static int mark(struct tree *file, const void *ctx)
{
	const struct result_mark *m = ctx;
	struct tree *summary = tree_find(file, "summary");
	struct result_mark said;
	bool is_said;

	if (!summary)
		return -1;
	mark_read(&said, summary);
	is_said = mark_is_said(m, &said);
	free_all(said.baseline, said.tuned);
	if (!is_said)
		mark_put(summary, m);
	return !is_said;
}

int result_mark(const char *path, const struct result_mark *m, bool synced_later)
{
	return result_change(path, !synced_later, mark, m);
}
