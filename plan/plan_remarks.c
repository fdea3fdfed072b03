/* What the runs of a plan assume, and what of their settings is otherwise than it seems. */
#include "core/base/mem.h"
#include "plan/machine/machine.h"
#include "plan/plan.h"
#include "plan/resolve/remarks.h"

#include <stdlib.h>

struct plan_view {              /* the runs that are no baselines */
	const struct setup **runs;      /* [n], the list owned */
	const cJSON **points;           /* [n], the list owned */
	size_t n;
};

static struct plan_view plan_view_open(const struct plan *p)
{
	const size_t n = p->n - p->nbaselines;
	struct plan_view v = { xcalloc(n + 1, sizeof(*v.runs)), xcalloc(n + 1, sizeof(*v.points)),
			       n };

	for (size_t i = 0; i < n; i++) {
		v.runs[i] = &p->runs[i].su;
		v.points[i] = p->runs[i].point;
	}
	return v;
}

static void plan_view_close(struct plan_view *v)
{
	free(v->runs);
	free(v->points);
}

char *plan_assumed(const struct plan *p)
{
	struct plan_view v = plan_view_open(p);
	char *text = assumed_text(v.runs, v.points, v.n);

	plan_view_close(&v);
	return text;
}

char **plan_remarks(const struct plan *p)
{
	struct plan_view v = plan_view_open(p);
	char **texts = remarks(v.runs, v.points, v.n);

	plan_view_close(&v);
	return texts;
}

bool plan_names_machine(const struct plan *p)
{
	for (size_t i = 0; i < p->n - p->nbaselines; i++)
		if (!assumed_is_named(&p->runs[i].su))
			return false;
	return true;
}
