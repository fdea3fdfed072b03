/* Opens each data set that a plan's runs would read, once, and reports those missing. */
#include "plan/data_present.h"

#include <stdio.h>
#include <string.h>

int setup_look_data(const struct setup *su)
{
	if (!setup_needs_data(su))
		return 0;
	fflush(stdout);
	return dataset_look((const struct dataset_type *)su->data.plugin, su->data.conf);
}

static bool data_present_reads(const struct planned *r)
{
	return r->state == RUN_TODO && setup_needs_data(&r->su);
}

/* True when a run before that one reads the same. */
static bool seen_before(const struct plan *p, size_t i)
{
	const char *data = setup_text(&p->runs[i].su, "data");

	for (size_t k = 0; k < i; k++)
		if (data_present_reads(&p->runs[k]) &&
		    !strcmp(setup_text(&p->runs[k].su, "data"), data))
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
