/* Opens each data set that a plan's runs would read, once, and reports those missing. */
#include "plan/plan.h"

#include "data/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a plan assumes of a missing file, a timing-only run reads from it. */
static bool setup_reads(const struct setup *su)
{
	return setup_needs_data(su) || (su->data.plugin && dataset_plan_assumed());
}

int setup_look_data(const struct setup *su)
{
	if (!setup_reads(su))
		return 0;
	fflush(stdout);
	return dataset_look((const struct dataset_type *)su->data.plugin, su->data.conf);
}

static bool data_present_reads(const struct planned *r)
{
	return r->state == RUN_TODO && setup_reads(&r->su);
}

/* In the settings of a timing-only run data is none: the set itself is compared. */
static bool is_same_data(const struct setup *a, const struct setup *b)
{
	char *first = choice_format(&a->data), *second = choice_format(&b->data);
	const bool same = strcmp(first, second) == 0;

	free(first);
	free(second);
	return same;
}

/* True when a run before that one reads the same. */
static bool seen_before(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (data_present_reads(&p->runs[k]) &&
		    is_same_data(&p->runs[k].su, &p->runs[i].su))
			return true;
	return false;
}

int plan_look_data(const struct plan *p)
{
	int ret = 0;

	for (size_t i = 0; i < p->n; i++)
		if (data_present_reads(&p->runs[i]) && !seen_before(p, i) &&
		    setup_look_data(&p->runs[i].su) < 0)
			ret = -1;
	return ret;
}
