/* Parses and prints the setting --delay. */
#include "delays/delay.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 200, MOST_CLAUSES = 10000 };

static const char blanks[] = " \t\r\n";

static int no_files(const char *path, int rank, struct opt_doubles *to)
{
	(void)rank, (void)to;
	return error("delay: '%s': no files are read here", path);
}

struct source {                 /* the text being parsed, and the names allowed in it */
	const char *text;       /* all of it, for messages */
	const struct plugin *const *table;
	delay_reader *read;
	int node;               /* workers of a machine */
	bool preset;            /* models of a preset are being read */
};

/* ---- pieces of text ---- */

/* Ends the piece at the next separator without a backslash; returns the text after it, or NULL. */
static char *piece_cut(char *s, char separator)
{
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == separator) {
			*s = '\0';
			return s + 1;
		}
	}
	return NULL;
}

/* ---- workers ---- */

/* Parses "WHO:" at *p, if there is one, and moves *p after it. */
static int delays_take_ranks(const struct source *src, const struct delays *d,
			     struct delay_clause *c, const char **p)
{
	const struct ranks_rule rule = {
		.setting = "delay", .text = src->text, .workers = d->workers, .end = ':',
		.expected = "ranks before ':', as in '0: gamma' or '0,4-7: gamma'",
	};

	if (strncmp(*p, "all", 3) == 0 && (*p)[3 + strspn(*p + 3, blanks)] == ':')
		*p = strchr(*p, ':') + 1;
	else if (isdigit((unsigned char)**p))
		return ranks_take(&rule, p, &c->who);
	return 0;
}

char *delay_ranks(const struct delay_clause *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	if (c->who.n)
		ranks_put(&c->who, out);
	else
		fputs("all", out);
	xmemclose(out);
	return text;
}

/* ---- models ---- */

static void model_release(struct choice *model)
{
	if (model->plugin)
		free(delay_read(model).v);
	choice_release(model);
}

/* A preset's draws of machines are those of the nodes. */
static int model_share_nodes(const struct source *src, struct choice *model, const char *where)
{
	const struct opt *opts = model->plugin->opts;
	char size[16];

	if (!src->preset || src->node < 2 || !opts || !opt_find(opts, "size"))
		return 0;
	snprintf(size, sizeof(size), "%d", src->node);
	return opt_set(opts, model->conf, "size", size, where);
}

static int model_open(const struct source *src, struct choice *model, const char *kind)
{
	const struct delay *delay = (const struct delay *)model->plugin;
	scoped char *where = xasprintf("%s %s", kind, delay->plugin.name);
	int ret = model_share_nodes(src, model, where);

	if (ret == 0 && delay->open)
		ret = delay->open(model->conf, src->read, where);
	if (ret == 0 && delay->check)
		ret = delay->check(model->conf, where);
	return ret;
}

static int add_models(const struct source *src, struct delay_clause *c, char *text);

/* Replaces the clause's last model, a preset, by the models for which it stands. */
static int replace_preset(const struct source *src, struct delay_clause *c, const char *models)
{
	struct source preset = *src;
	scoped char *copy = xstrdup(models);

	preset.preset = true;
	choice_release(&c->model[--c->nmodels]);
	return add_models(&preset, c, copy);
}

static int add_model(const struct source *src, struct delay_clause *c, const char *text)
{
	scoped char *who = delay_ranks(c);
	scoped char *kind =
		c->who.n ? xasprintf("delay model of %s:", who) : xstrdup("delay model");
	struct choice *model;
	const struct delay *delay;
	int ret;

	model = &APPEND(c->model, c->nmodels);
	*model = (struct choice){ 0 };
	ret = choice_parse(model, src->table, kind, text);
	delay = (const struct delay *)model->plugin;
	if (ret == 0)
		ret = delay->stands_for ? replace_preset(src, c, delay->stands_for)
					: model_open(src, model, kind);
	return ret;
}

static int add_models(const struct source *src, struct delay_clause *c, char *text)
{
	for (char *next; text; text = next) {
		next = piece_cut(text, '*');
		text = word_trim(text);
		if (!*text)
			return error("delay '%s': a model is missing next to '*'", src->text);
		if (add_model(src, c, text) < 0)
			return -1;
	}
	return 0;
}

/* ---- clauses ---- */

static int delays_check_clause(const struct source *src, const struct delays *d)
{
	const struct delay_clause *c = &d->clause[d->n - 1];

	if (d->n > MOST_CLAUSES)
		return error("delay: more than %d clauses", MOST_CLAUSES);
	if (d->n > 1 && c->who.n == 0 && !c->onto)
		return error("delay '%s': what is for all workers stands first, or begins with "
			     "'*' to multiply", src->text);
	return 0;
}

static int add_clause(const struct source *src, struct delays *d, char *text)
{
	struct delay_clause *c;
	const char *models;

	c = &APPEND(d->clause, d->n);
	*c = (struct delay_clause){ 0 };
	models = text = word_trim(text);
	if (delays_take_ranks(src, d, c, &models) < 0)
		return -1;
	text = word_trim(text + (models - text));
	c->onto = *text == '*';
	if (!*text)
		return error("delay '%s': a clause without a model", src->text);
	return add_models(src, c, text + c->onto);
}

/* Sets d->parts. A worker's models change only where a span of ranks begins or has ended. */
static void count_parts(struct delays *d)
{
	d->parts = (int)delays_models(d, 0, NULL);
	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < 2 * d->clause[i].who.n; k++) {
			const struct rank_span *s = &d->clause[i].who.span[k / 2];
			const int rank = k % 2 ? s->last + 1 : s->first;
			const int parts = (int)delays_models(d, rank, NULL);

			d->parts = parts > d->parts ? parts : d->parts;
		}
}

/* With more workers, factors drawn ahead would leave the cache before they are used. */
enum { AHEAD_WORKERS = 1 << 14 };

/* Sets d->caches and d->ahead_of_time from all models. */
static void count_kinds(struct delays *d)
{
	d->ahead_of_time = d->workers <= AHEAD_WORKERS;
	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->clause[i].nmodels; k++) {
			const struct choice *model = &d->clause[i].model[k];
			const struct delay *delay = (const struct delay *)model->plugin;

			d->caches |= delay->caches;
			d->ahead_of_time &= !delay->at;
		}
}

static int clauses_add(struct delays *d, const struct source *src, char *text)
{
	for (char *next; text; text = next) {
		next = piece_cut(text, ';');
		if (add_clause(src, d, text) < 0)
			return -1;
		if (delays_check_clause(src, d) < 0)
			return -1;
	}
	count_parts(d);
	return d->parts <= MOST_PARTS ? 0 : error("delay '%s': more than %d factors for one worker",
						  src->text, MOST_PARTS);
}

struct delays *delays_new(const struct plugin *const *table, const char *text, int workers,
			  delay_reader *read)
{
	return delays_new_on_nodes(table, text, workers, 1, read);
}

struct delays *delays_new_on_nodes(const struct plugin *const *table, const char *text, int workers,
				   int node, delay_reader *read)
{
	const struct source src = { .text = text ? text : "", .table = table, .node = node,
				    .read = read ? read : no_files };
	struct delays *d = xcalloc(1, sizeof(*d));
	scoped char *copy = xstrdup(src.text);

	d->workers = workers;
	if (clauses_add(d, &src, copy) < 0) {
		delays_free(d);
		d = NULL;
	} else {
		count_kinds(d);
	}
	return d;
}

void delays_free(struct delays *d)
{
	for (size_t i = 0; d && i < d->n; i++) {
		struct delay_clause *c = &d->clause[i];

		for (size_t k = 0; k < c->nmodels; k++)
			model_release(&c->model[k]);
		free(c->model);
		ranks_release(&c->who);
	}
	if (d) {
		free(d->clause);
		free(d->memo);
		free(d->ahead);
	}
	free(d);
}

/* ---- printing ---- */

/* Prints a model's text with a backslash before separators in it; frees the text. */
static void put_text(char *text, FILE *out)
{
	for (const char *s = text; *s; s++)
		fprintf(out, "%s%c", *s == ';' || *s == '*' ? "\\" : "", *s);
	free(text);
}

static void put_model(const struct choice *model, FILE *out)
{
	put_text(choice_format(model), out);
}

static void put_clause(const struct delay_clause *c, FILE *out)
{
	ranks_put(&c->who, out);
	if (c->who.n)
		fputs(": ", out);
	if (c->onto)
		fputs("* ", out);
	for (size_t k = 0; k < c->nmodels; k++) {
		fputs(k ? " * " : "", out);
		put_model(&c->model[k], out);
	}
}

/* Prints models that multiply to a constant factor, within the bounds of bad_factor. */
static void put_factor(double factor, FILE *out)
{
	scoped char *text = double_text(fmin(fmax(factor, 1e-6), 1e9));

	fprintf(out, "static:cv=0,bad=1,bad_factor=%s", text);
}

/* Prints a model; with `at`, as the model that gives its worker's distribution to all. */
static void put_model_of(const struct choice *model, const struct delay_at *at, FILE *out)
{
	const struct delay *delay = (const struct delay *)model->plugin;
	double factor = 1.0;
	char *text = delay->alone ? delay->alone(model->conf, at, &factor) : choice_format(model);

	if (text)
		put_text(text, out);
	if (text && factor != 1.0)
		fputs(" * ", out);
	if (!text || factor != 1.0)
		put_factor(factor, out);
}

char *delays_format_worker(const struct delays *d, uint64_t seed, int rank)
{
	struct delay_at at = { .seed = seed, .rank = rank };
	const size_t n = delays_models(d, rank, NULL);
	scoped const struct choice **model = xcalloc(n, sizeof(*model));
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	delays_models(d, rank, model);
	for (size_t k = 0; k < n; k++, at.part++) {
		fputs(k ? " * " : "", out);
		put_model_of(model[k], &at, out);
	}
	fputs(n ? "" : "constant", out);
	xmemclose(out);
	return text;
}

char *delays_format(const struct delays *d)
{
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	for (size_t i = 0; i < d->n; i++) {
		fputs(i ? "; " : "", out);
		put_clause(&d->clause[i], out);
	}
	xmemclose(out);
	return text;
}
