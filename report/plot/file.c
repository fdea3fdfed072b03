/*
 * file.c - the numbers of a figure for other programs, as CSV, and all of it, as JSON, from
 * which it is drawn again.
 */
#include "report/plot/plot.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "report/text/escape.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV: a row a point ---- */

static const char *word_at(const struct figure *f, double x)
{
	const cJSON *word = cJSON_GetArrayItem(f->categories, (int)lround(x));

	return f->categories && word ? word->valuestring : NULL;
}

static void put_start(const struct figure *f, const struct series *s, const char *kind, double x,
		      FILE *out)
{
	escape_csv(s->label, out);
	putc(',', out);
	escape_csv(s->algo ? s->algo : "", out);
	fprintf(out, ",%s,", kind);
	if (word_at(f, x))
		escape_csv(word_at(f, x), out);
	else
		fprintf(out, "%.10g", x);
}

static void put_points(const struct figure *f, const struct series *s, FILE *out)
{
	for (size_t i = 0; i < s->n; i++) {
		put_start(f, s, "measured", s->p[i].x, out);
		fprintf(out, ",%.10g,", s->p[i].y);
		if (s->most > 1)
			fprintf(out, "%.10g,%.10g", s->p[i].lo, s->p[i].hi);
		else
			putc(',', out);
		fprintf(out, ",%d,%d\n", s->most, s->diverged);
	}
	for (size_t i = 0; i < s->nnever; i++) {
		put_start(f, s, "measured", s->never[i], out);
		fprintf(out, ",%s,,,,%d\n",
			strcmp(figure_never_sign(f), "∞") == 0 ? "inf" : "", s->diverged);
	}
	for (size_t i = 0; i < s->npub; i++) {
		put_start(f, s, "published", s->pub[i].x, out);
		fprintf(out, ",%.10g,,,,\n", s->pub[i].y);
	}
}

void figure_csv(const struct figure *f, FILE *out)
{
	fputs("series,algo,kind,x,y,low,high,seeds,diverged\n", out);
	for (size_t i = 0; i < f->n; i++)
		put_points(f, &f->series[i], out);
}

/* ---- JSON ---- */

static cJSON *points_json(const struct point *p, size_t n)
{
	cJSON *all = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++) {
		const double row[] = { p[i].x, p[i].y, p[i].lo, p[i].hi };

		cJSON_AddItemToArray(all, cJSON_CreateDoubleArray(row, 4));
	}
	return all;
}

static cJSON *series_json(const struct series *s)
{
	const int seeds[] = { s->fewest, s->most };
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "label", s->label);
	if (s->algo)
		cJSON_AddStringToObject(json, "algo", s->algo);
	cJSON_AddItemToObject(json, "seeds", cJSON_CreateIntArray(seeds, 2));
	cJSON_AddNumberToObject(json, "runs", s->runs);
	cJSON_AddNumberToObject(json, "diverged", s->diverged);
	cJSON_AddItemToObject(json, "points", points_json(s->p, s->n));
	cJSON_AddItemToObject(json, "published", points_json(s->pub, s->npub));
	cJSON_AddItemToObject(json, "infinite",
			      cJSON_CreateDoubleArray(s->never, (int)s->nnever));
	return json;
}

static void plot_file_add_text(cJSON *json, const char *key, const char *text)
{
	if (text)
		cJSON_AddStringToObject(json, key, text);
}

static cJSON *figure_json(const struct figure *f)
{
	cJSON *json = cJSON_CreateObject(), *all;

	cJSON_AddStringToObject(json, "name", f->name);
	plot_file_add_text(json, "title", f->title);
	plot_file_add_text(json, "xlabel", f->xlabel);
	plot_file_add_text(json, "ylabel", f->ylabel);
	plot_file_add_text(json, "measure", f->yname);
	cJSON_AddBoolToObject(json, "workers", f->workers);
	cJSON_AddBoolToObject(json, "curves", f->curves);
	cJSON_AddBoolToObject(json, "logx", f->logx);
	cJSON_AddBoolToObject(json, "logy", f->logy);
	if (f->categories)
		cJSON_AddItemToObject(json, "words", cJSON_Duplicate(f->categories, true));
	all = cJSON_AddArrayToObject(json, "series");
	for (size_t i = 0; i < f->n; i++)
		cJSON_AddItemToArray(all, series_json(&f->series[i]));
	return json;
}

void figure_save(const struct figure *f, FILE *out)
{
	cJSON *json = figure_json(f);
	char *text = json_format(json, false);

	fprintf(out, "%s\n", text);
	cJSON_free(text);
	cJSON_Delete(json);
}

/* ---- back ---- */

static char *copy_of(const cJSON *json, const char *key)
{
	const char *text = json_string(json, key);

	return text ? xstrdup(text) : NULL;
}

/* A list of n or more finite numbers. */
static bool are_numbers(const cJSON *list, int n)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
		if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
			return false;
	return cJSON_IsArray(list) && cJSON_GetArraySize(list) >= n;
}

static double number_at(const cJSON *list, int i)
{
	return cJSON_GetArrayItem(list, i)->valuedouble;
}

/* A position along x: a number, or the index of one of the words. */
static bool is_position(const struct figure *f, double x)
{
	return !f->categories || (x > -0.5 && x < cJSON_GetArraySize(f->categories) - 0.5);
}

/* [n] points, owned; a list that is missing has none. 0, or -1 where a row is no point. */
static int read_points(const struct figure *f, const cJSON *list, struct point **p, size_t *n)
{
	const cJSON *row;

	*p = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(**p));
	cJSON_ArrayForEach(row, list) {
		if (!are_numbers(row, 4) || !is_position(f, number_at(row, 0)))
			return -1;
		(*p)[(*n)++] = (struct point){ number_at(row, 0), number_at(row, 1),
					       number_at(row, 2), number_at(row, 3) };
	}
	return list && !cJSON_IsArray(list) ? -1 : 0;
}

static int read_never(const struct figure *f, const cJSON *list, struct series *s)
{
	const cJSON *x;

	if (list && !are_numbers(list, 0))
		return -1;
	s->never = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*s->never));
	cJSON_ArrayForEach(x, list) {
		if (!is_position(f, x->valuedouble))
			return -1;
		s->never[s->nnever++] = x->valuedouble;
	}
	return 0;
}

/* A number of runs, from `least`, which stands for any that cannot be. */
static int count_of(double n, int least)
{
	return n >= least && n <= INT_MAX ? (int)n : least;
}

/* 0, or -1; the caller releases *s either way. */
static int read_series(const struct figure *f, const cJSON *json, struct series *s)
{
	const cJSON *seeds = json_get(json, "seeds");

	*s = (struct series){ .label = xstrdup(json_word(json, "label")),
			      .algo = copy_of(json, "algo"),
			      .runs = count_of(json_number(json, "runs"), 0),
			      .diverged = count_of(json_number(json, "diverged"), 0) };
	s->fewest = count_of(are_numbers(seeds, 2) ? number_at(seeds, 0) : 1, 1);
	s->most = count_of(are_numbers(seeds, 2) ? number_at(seeds, 1) : 1, 1);
	if (read_points(f, json_get(json, "points"), &s->p, &s->n) < 0 ||
	    read_points(f, json_get(json, "published"), &s->pub, &s->npub) < 0)
		return -1;
	return read_never(f, json_get(json, "infinite"), s);
}

/* A list of texts, of one at least; there may be none. */
static bool are_words(const cJSON *words)
{
	const cJSON *word;

	cJSON_ArrayForEach(word, words)
		if (!cJSON_IsString(word))
			return false;
	return !words || (cJSON_IsArray(words) && words->child);
}

/* What is not as figure_save() writes it, or NULL. */
static const char *load_parts(struct figure *f, const cJSON *json)
{
	const cJSON *all = json_get(json, "series"), *words = json_get(json, "words"), *item;

	if (!f->name || !*f->name || *f->name == '.' || !word_is_name(f->name))
		return "'name': a name of letters, digits, '-', '_' and '.'";
	if (!f->xlabel || !f->ylabel)
		return "'xlabel' and 'ylabel': texts";
	if (!are_words(words))
		return "'words': a list of texts";
	f->categories = words ? cJSON_Duplicate(words, true) : NULL;
	if (!cJSON_IsArray(all) || !all->child)
		return "'series': a list of objects";
	f->series = xcalloc((size_t)cJSON_GetArraySize(all), sizeof(*f->series));
	cJSON_ArrayForEach(item, all)
		if (!cJSON_IsObject(item) || read_series(f, item, &f->series[f->n++]) < 0)
			return "'series': objects, with 'points' and 'published' as lists of four "
			       "numbers, 'infinite' as numbers, and each x one of the words";
	return NULL;
}

int figure_load(struct figure *f, const cJSON *json, const char *path)
{
	const char *wanted;

	*f = (struct figure){
		.name = json_string(json, "name"), .title = json_string(json, "title"),
		.xlabel = copy_of(json, "xlabel"), .ylabel = copy_of(json, "ylabel"),
		.yname = copy_of(json, "measure"),
		.workers = cJSON_IsTrue(json_get(json, "workers")),
		.curves = cJSON_IsTrue(json_get(json, "curves")),
		.logx = cJSON_IsTrue(json_get(json, "logx")),
		.logy = cJSON_IsTrue(json_get(json, "logy")),
	};
	f->logy = f->logy && !plot_is_share(f->yname);
	wanted = load_parts(f, json);
	if (wanted)
		return error("%s: not the numbers of a plot as 'convoy plot' writes them "
			     "(expected %s). Write it again with 'convoy plot', or remove it",
			     path, wanted);
	figure_titles(f);
	return 0;
}
