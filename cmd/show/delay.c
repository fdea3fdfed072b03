/* Prints and plots the moments and quantiles of each clause of a delay model. */
#include "cmd/show/show.h"

#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/text/utf8.h"
#include "core/text/wrap.h"
#include "delays/delay.h"
#include "record/trace/samples.h"
#include "runner/results/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many workers as there may be, so that any clause is right; seeds are those of a run. */
enum { DRAWS = 100000, WORKERS = 1 << 24, SEED = 1 };

static const struct {
	const char *name;
	double p;
} quantiles[DELAY_QUANTILES] = {
	{ "p1", 0.01 }, { "p5", 0.05 }, { "p25", 0.25 }, { "p50", 0.50 }, { "p75", 0.75 },
	{ "p95", 0.95 }, { "p99", 0.99 },
};

struct product {                /* what a worker's factors are multiplied of */
	const struct choice **model;    /* [n] */
	size_t n;
};

static const struct delay *delay_of(const struct choice *model)
{
	return (const struct delay *)model->plugin;
}

/* ---- one clause ---- */

/* E x = product of means, E x^2 = product of (mean^2 + deviation^2). */
static void find_moments(struct delay_summary *s, const struct product *p)
{
	double square = 1.0;

	s->mean = 1.0;
	for (size_t k = 0; k < p->n; k++) {
		const struct choice *model = p->model[k];
		const struct delay_moments m = delay_of(model)->moments(model->conf);

		s->mean *= m.mean;
		square *= m.mean * m.mean + m.deviation * m.deviation;
	}
	s->deviation = sqrt(fmax(square - s->mean * s->mean, 0.0));
	if (p->n == 1)
		s->deviation = delay_of(p->model[0])->moments(p->model[0]->conf).deviation;
}

static double show_delay_draw(const struct product *p, int64_t index)
{
	struct delay_at at = { .seed = SEED };
	double x = 1.0;
	struct rng r;

	for (; at.part < (int)p->n; at.part++) {
		const struct choice *model = p->model[at.part];

		delay_rng(&r, &at, DELAY_GRADIENT, 0, index);
		x *= delay_draw(model, &r);
	}
	return x;
}

static void make_draws(struct delay_summary *s, const struct product *p)
{
	s->ndraws = DRAWS;
	s->draw = xcalloc(s->ndraws, sizeof(*s->draw));
	for (size_t i = 0; i < s->ndraws; i++)
		s->draw[i] = show_delay_draw(p, (int64_t)i);
	sort_doubles(s->draw, s->ndraws);
}

static void find_quantiles(struct delay_summary *s, const struct product *p)
{
	s->exact = p->n == 1 && delay_of(p->model[0])->quantile;
	for (size_t i = 0; i < DELAY_QUANTILES; i++) {
		const size_t at = (size_t)(quantiles[i].p * (double)s->ndraws);

		s->quantile[i] = s->exact ? delay_of(p->model[0])->quantile(p->model[0]->conf,
									    quantiles[i].p)
					  : s->draw[at];
	}
}

/* As the clauses up to the i-th have it, for the first worker that the i-th names. */
static void show_delay_summarise(const struct delays *all, size_t i, struct delay_summary *s)
{
	struct delays d = *all;
	const struct delay_clause *c = &all->clause[i];
	struct product p = { xcalloc((size_t)all->parts, sizeof(*p.model)), 0 };
	char *text = NULL;

	d.n = i + 1;
	p.n = delays_models(&d, c->who.n ? c->who.span[0].first : WORKERS - 1, p.model);
	for (size_t k = 0; k < p.n; k++)
		xappend_own(&text, " * ", choice_format(p.model[k]));
	*s = (struct delay_summary){ .ranks = delay_ranks(c), .text = text };
	find_moments(s, &p);
	make_draws(s, &p);
	find_quantiles(s, &p);
	free(p.model);
}

/* ---- what is printed ---- */

const struct plugin *show_delay_preset(const char *name)
{
	for (size_t i = 0; delay_table[i]; i++)
		if (((const struct delay *)delay_table[i])->stands_for &&
		    strcmp(delay_table[i]->name, name) == 0)
			return delay_table[i];
	return NULL;
}

static void print_preset(const struct plugin *preset)
{
	if (!preset)
		return;
	printf("%s: %s\nSource: ", preset->name, preset->brief);
	wrap_print(preset->cite, (int)strlen("Source: "), 0, HELP_COLUMNS, stdout);
	putchar('\n');
}

static void show_delay_print(const struct delay_summary *s)
{
	const char *how = s->exact ? "by formula" : "of 100,000 draws";

	printf("%s: %s\n", s->ranks, s->text);
	printf("  %-10s %-12.6g by formula\n", "mean", s->mean);
	if (isinf(s->deviation))
		printf("  %-10s %-12s by formula\n", "deviation", "infinite");
	else
		printf("  %-10s %-12.6g by formula\n", "deviation", s->deviation);
	for (size_t i = 0; i < DELAY_QUANTILES; i++)
		printf("  %-10s %-12.6g %s\n", quantiles[i].name, s->quantile[i], how);
}

static cJSON *as_object(const struct delay_summary *s)
{
	cJSON *json = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(json, "workers", s->ranks);
	cJSON_AddStringToObject(json, "delay", s->text);
	cJSON_AddNumberToObject(json, "mean", s->mean);
	cJSON_AddNumberToObject(json, "deviation", s->deviation);
	list = cJSON_AddObjectToObject(json, "quantiles");
	for (size_t i = 0; i < DELAY_QUANTILES; i++)
		cJSON_AddNumberToObject(list, quantiles[i].name, s->quantile[i]);
	cJSON_AddStringToObject(json, "quantiles_by", s->exact ? "formula" : "draws");
	cJSON_AddNumberToObject(json, "draws", s->exact ? 0 : (double)s->ndraws);
	return json;
}

static void show_delay_print_json(const struct delays *d, const struct delay_summary *s,
				  const struct plugin *preset, cJSON *paths)
{
	cJSON *json = cJSON_CreateObject(), *list;
	char *text = delays_format(d);

	if (preset) {
		cJSON_AddStringToObject(json, "name", preset->name);
		cJSON_AddStringToObject(json, "brief", preset->brief);
		cJSON_AddStringToObject(json, "cite", preset->cite);
	}
	cJSON_AddStringToObject(json, "delay", text);
	list = cJSON_AddArrayToObject(json, "clauses");
	for (size_t i = 0; i < d->n; i++)
		cJSON_AddItemToArray(list, as_object(&s[i]));
	if (paths)
		cJSON_AddItemToObject(json, "plots", paths);
	json_print(json);
	cJSON_Delete(json);
	free(text);
}

static void print_all(const struct delays *d, const struct delay_summary *s,
		      const struct plugin *preset, cJSON *paths)
{
	const cJSON *path;

	print_preset(preset);
	for (size_t i = 0; i < d->n; i++)
		show_delay_print(&s[i]);
	cJSON_ArrayForEach(path, paths)
		utf8_puts(path->valuestring);
	cJSON_Delete(paths);
}

/* ---- the command ---- */

/* The model's name where there is one, else "delay". */
static char *own_name(const struct delays *d)
{
	const struct delay_clause *c = d->clause;

	return xasprintf("%s.svg", d->n == 1 && c->nmodels == 1 ? c->model[0].plugin->name
								 : "delay");
}

static cJSON *plot_all(const struct delays *d, const struct delay_summary *s, const char *file)
{
	char *path = file ? xstrdup(file) : own_name(d);
	struct plot_path at;
	cJSON *paths = NULL;

	if (plot_path_check(path, PLOT_PATH_PICTURE) == 0 &&
	    plot_path_split(path, PLOT_PATH_PICTURE, &at) == 0)
		paths = show_delay_plot(s, d->n, at.dir, at.name, at.format);
	free(path);
	return paths;
}

int show_delay(const char *text, bool as_json, bool plot, const char *file)
{
	struct delays *d = delays_new(delay_table, text, WORKERS, samples_read);
	struct delay_summary *s;
	cJSON *paths = NULL;
	bool failed;

	if (!d)
		return EXIT_BAD;
	s = xcalloc(d->n, sizeof(*s));
	for (size_t i = 0; i < d->n; i++)
		show_delay_summarise(d, i, &s[i]);
	if (plot)
		paths = plot_all(d, s, file);
	failed = plot && !paths;
	if (!failed)
		(as_json ? show_delay_print_json : print_all)(d, s, show_delay_preset(text),
							      paths);
	for (size_t i = 0; i < d->n; i++) {
		free(s[i].ranks);
		free(s[i].text);
		free(s[i].draw);
	}
	free(s);
	delays_free(d);
	return failed ? EXIT_BAD : EXIT_OK;
}
