/* The plan of what a command line asks: the product of its settings' values. */
#include "plan/plan.h"

#include "core/base/mem.h"

/* One value is of every run, more than one span the grid. */
static void combinations_divide(struct spec *s, const cJSON *values)
{
	const cJSON *list;
	cJSON *product = cJSON_CreateObject();

	cJSON_ArrayForEach(list, values)
		if (cJSON_GetArraySize(list) == 1)
			cJSON_AddItemToObject(s->base, list->string,
					      cJSON_Duplicate(list->child, true));
		else
			cJSON_AddItemToObject(product, list->string, cJSON_Duplicate(list, true));
	cJSON_AddItemToArray(s->grid, product);
}

/* Without settings and runs, but for where results go. */
static struct plan combinations_nameless(const char *out)
{
	return (struct plan){
		.spec = { .path = xstrdup("command line"), .name = xstrdup(""),
			  .scale = xstrdup(""), .json = cJSON_CreateObject(),
			  .base = cJSON_CreateObject(), .grid = cJSON_CreateArray() },
		.dir = xasprintf("%s/sim", out), .folder = xasprintf("%s/sim", out),
	};
}

int plan_from_points(struct plan *p, const cJSON *base, const cJSON *points, const char *out)
{
	const cJSON *point;

	*p = combinations_nameless(out);
	cJSON_Delete(p->spec.base);
	p->spec.base = cJSON_Duplicate(base, true);
	cJSON_ArrayForEach(point, points)
		if (plan_add(p, cJSON_Duplicate(point, true), false) < 0)
			return -1;
	plan_look(p);
	return 0;
}

int plan_from_values(struct plan *p, const cJSON *values, const char *out)
{
	size_t n;

	*p = combinations_nameless(out);
	combinations_divide(&p->spec, values);
	if (plan_add_product(p, p->spec.grid->child, NULL) < 0)
		return -1;
	n = p->n;
	for (size_t i = 0; i < n; i++) {
		const size_t baseline = plan_baseline_at(
			p, n, plan_baseline_alone(p, &p->runs[i]), true);

		p->runs[i].baseline = baseline;
	}
	p->nbaselines = p->n - n;
	plan_look(p);
	return 0;
}
