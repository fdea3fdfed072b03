/* The section "tune" of a spec: a scale's applied, and checked as a whole. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "plan/settings/settings.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

static void tune_release_grids(struct spec_tune *t)
{
	product_release(&t->grid);
	for (size_t i = 0; i < t->ngrids; i++) {
		free(t->grids[i].method);
		product_release(&t->grids[i].grid);
	}
	free(t->grids);
	t->grids = NULL;
	t->ngrids = 0;
	t->common = false;
}

void spec_tune_release(struct spec_tune *tune)
{
	if (!tune)
		return;
	tune_release_grids(tune);
	free(tune->per);
	value_list_release(&tune->seeds);
	point_release(&tune->budget);
	free(tune);
}

struct spec_tune *spec_tune_lay(struct spec_tune *tune, struct spec_part *part)
{
	struct spec_tune *over = part->tune;

	if (part->untuned) {
		spec_tune_release(tune);
		return NULL;
	}
	part->tune = NULL;
	if (!over || !tune)
		return over ? over : tune;
	if (over->common || over->ngrids) {
		tune_release_grids(tune);
		tune->common = over->common;
		tune->grid = over->grid;
		tune->grids = over->grids;
		tune->ngrids = over->ngrids;
	}
	if (over->nper) {
		free(tune->per);
		tune->per = over->per;
		tune->nper = over->nper;
	}
	if (over->measure)
		tune->measure = over->measure;
	if (over->best)
		tune->best = over->best;
	if (over->seeds.n) {
		value_list_release(&tune->seeds);
		tune->seeds = over->seeds;
	}
	if (over->has_budget) {
		point_release(&tune->budget);
		tune->budget = over->budget;
		tune->has_budget = true;
	}
	free(over);
	return tune;
}

static bool grid_has_axis(const struct grid *grid, const char *name)
{
	for (size_t i = 0; i < grid->n; i++)
		if (product_values(&grid->v[i], name))
			return true;
	return false;
}

/* With one value for all, methods that differ in it would be tuned by the same runs. */
static bool tune_tells_apart(const struct spec_tune *tune, const struct grid *grid,
			     const char *setting)
{
	for (size_t i = 0; i < tune->nper; i++)
		if (opt_same_key(tune->per[i], setting))
			return true;
	return !tune->nper && grid_has_axis(grid, setting);
}

int spec_tune_check(const struct spec_tune *tune, const struct grid *of_spec, const char *path)
{
	const struct method_grid *first = tune ? tune->grids : NULL;
	const struct grid_product *grid = tune ? tune->common ? &tune->grid : NULL : NULL;

	if (!tune)
		return 0;
	if (!tune->measure || !tune->seeds.n)
		return error("%s: tune: '%s' is missing", path,
			     tune->measure ? "seeds" : "measure");
	if (!grid && !first)
		return error("%s: tune: 'grid' is missing", path);
	if (grid ? !grid->n : !first->grid.n)
		return error("%s: tune: the grid is empty (such as {\"lr\": [0.05, 0.1]}). Name "
			     "the settings to tune.", path);
	for (size_t i = 0; i < tune->ngrids; i++)
		if (product_size(&tune->grids[i].grid) != product_size(&first->grid))
			return error("%s: tune: grids: the grid of %s has size %zu, that of %s %zu "
				     "(all methods need grids of equal size). Give each as many "
				     "points.", path, first->method, product_size(&first->grid),
				     tune->grids[i].method, product_size(&tune->grids[i].grid));
	if (spec_tune_has(tune, "seed") || point_value(&tune->budget, "seed"))
		return error("%s: tune: the seed cannot be tuned, nor in the budget. Name the "
			     "seeds in seeds.", path);
	for (size_t i = 0; i < tune->budget.n; i++)
		if (spec_tune_has(tune, tune->budget.v[i].key))
			return error("%s: tune: %s is tuned and in the budget (one of both). "
				     "Take it out of one.", path, tune->budget.v[i].key);
	/* "per" names axes, or what one method chooses would silently be every method's. */
	for (size_t j = 0; j < tune->nper; j++) {
		struct grid_product axes = { 0 };
		char *all = NULL;

		if (grid_has_axis(of_spec, setting_name(tune->per[j])))
			continue;
		for (size_t k = 0; k < of_spec->n; k++)
			for (size_t a = 0; a < of_spec->v[k].n; a++)
				product_put(&axes, of_spec->v[k].v[a].key, &of_spec->v[k].v[a].values);
		product_drop(&axes, "seed");
		for (size_t a = 0; a < axes.n; a++)
			xappend(&all, ", ", axes.v[a].key);
		error("%s: tune: per: '%s' is no axis of the grid (it has: %s)", path, tune->per[j],
		      all ? all : "none");
		product_release(&axes);
		free(all);
		return -1;
	}
	for (size_t i = 0; i < tune->budget.n; i++)
		if (tune_tells_apart(tune, of_spec, tune->budget.v[i].key))
			return error("%s: tune: budget: %s tells the methods apart. Take it out of "
				     "the budget, or name other axes in per.", path,
				     tune->budget.v[i].key);
	return 0;
}

/* ---- its grids ---- */

bool spec_tune_has(const struct spec_tune *tune, const char *setting)
{
	bool has = tune && product_values(&tune->grid, setting);

	for (size_t i = 0; tune && i < tune->ngrids; i++)
		has = has || product_values(&tune->grids[i].grid, setting);
	return has;
}

bool spec_tune_drop(struct spec_tune *tune, const char *setting)
{
	bool none;

	product_drop(&tune->grid, setting);
	none = tune->grid.n == 0;
	for (size_t i = 0; i < tune->ngrids; i++) {
		product_drop(&tune->grids[i].grid, setting);
		none = none && tune->grids[i].grid.n == 0;
	}
	return none;
}

const struct grid_product *spec_tune_grid(const struct spec_tune *tune, const char *method)
{
	if (tune->common)
		return &tune->grid;
	for (size_t i = 0; i < tune->ngrids; i++)
		if (strcmp(tune->grids[i].method, method) == 0)
			return &tune->grids[i].grid;
	return NULL;
}

bool spec_tune_highest(const struct spec_tune *tune)
{
	return tune->best ? !strcmp(tune->best, "highest") :
			    measure_is_better_high(tune->measure);
}
