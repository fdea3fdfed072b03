/* The numbers of a figure for other programs, as CSV, and all of it, as JSON, and back. */
#include "report/plot/plot.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/text/word.h"
#include "report/text/escape.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV: a row a point ---- */

static void csv_start(const struct figure *f, const struct series *s, const char *kind, double x,
		      FILE *out)
{
	const size_t word = (size_t)lround(x);

	escape_csv(s->label, out);
	putc(',', out);
	escape_csv(s->algo ? s->algo : "", out);
	fprintf(out, ",%s,", kind);
	if (f->worded && word < f->nwords)
		escape_csv(f->words[word], out);
	else
		fprintf(out, "%.10g", x);
}

void figure_csv(const struct figure *f, FILE *out)
{
	fputs("series,algo,kind,x,y,low,high,seeds,diverged\n", out);
	for (size_t k = 0; k < f->n; k++) {
		const struct series *s = &f->series[k];

		for (size_t i = 0; i < s->n; i++) {
			csv_start(f, s, "measured", s->p[i].x, out);
			fprintf(out, ",%.10g,", s->p[i].y);
			if (s->most > 1)
				fprintf(out, "%.10g,%.10g", s->p[i].lo, s->p[i].hi);
			else
				putc(',', out);
			fprintf(out, ",%d,%d\n", s->most, s->p[i].diverged);
		}
		for (size_t i = 0; i < s->nnever; i++) {
			csv_start(f, s, "measured", s->never[i], out);
			fprintf(out, ",%s,,,,%d\n",
				strcmp(figure_never_sign(f), "∞") == 0 ? "inf" : "",
				s->lost ? s->lost[i] : 0);
		}
		for (size_t i = 0; i < s->nmissing; i++) {
			csv_start(f, s, "measured", s->missing[i], out);
			fputs(",,,,,\n", out);
		}
		for (size_t i = 0; i < s->npub; i++) {
			csv_start(f, s, figure_published(f), s->pub[i].x, out);
			fprintf(out, ",%.10g,,,,\n", s->pub[i].y);
		}
	}
}

/* ---- JSON ---- */

static cJSON *points_json(const struct point *p, size_t n)
{
	cJSON *all = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++)
		list_add(all, cJSON_CreateDoubleArray((double[]){ p[i].x, p[i].y, p[i].lo,
								  p[i].hi }, 4));
	return all;
}

static const struct field figure_fields[] = {
	FIELD(LENT, struct figure, name, "name"), FIELD(LENT, struct figure, title, "title"),
	FIELD(NOTE, struct figure, xlabel, "xlabel"), FIELD(NOTE, struct figure, ylabel, "ylabel"),
	FIELD(NOTE, struct figure, yname, "measure"),
	FIELD(BOOL, struct figure, workers, "workers"),
	FIELD(BOOL, struct figure, curves, "curves"),
	FIELD(BOOL, struct figure, logx, "logx"), FIELD(BOOL, struct figure, logy, "logy"), { 0 }
};

void figure_save(const struct figure *f, FILE *out)
{
	cJSON *all = cJSON_CreateArray(), *json;
	char *text;

	for (size_t k = 0; k < f->n; k++) {
		const struct series *s = &f->series[k];

		list_add(all, OBJECT(j_text("label", s->label),
				     j_if(s->algo, j_text("algo", s->algo)),
				     j_numbers("seeds", (double[]){ s->fewest, s->most }, 2),
				     j_number("runs", s->runs), j_number("diverged", s->diverged),
				     j_json("points", points_json(s->p, s->n)),
				     j_json("published", points_json(s->pub, s->npub)),
				     j_if(s->never, j_numbers("infinite", s->never, s->nnever)),
				     j_if(s->missing, j_numbers("missing", s->missing,
								s->nmissing))));
	}
	json = fields_add(cJSON_CreateObject(), figure_fields, f);
	ADD(json, j_if(f->calculated, j_bool("calculated", true)),
	    j_if(f->worded, j_texts("words", f->words, f->nwords)), j_json("series", all));
	text = json_format(json, false);
	fprintf(out, "%s\n", text);
	free(text);
	cJSON_Delete(json);
}

/* ---- back ---- */

/* A list of n or more finite numbers. */
static bool are_numbers(const cJSON *list, int n)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
		if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
			return false;
	return cJSON_IsArray(list) && cJSON_GetArraySize(list) >= n;
}

/* A position along x: a number, or the index of one of the words. */
static bool is_position(const struct figure *f, double x)
{
	return !f->worded || (x > -0.5 && x < (double)f->nwords - 0.5);
}

/* [n] points, owned; a list that is missing has none. False: a row is no point. */
static bool points_read(const struct figure *f, const cJSON *list, struct point **p, size_t *n)
{
	const cJSON *row;

	*p = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(**p));
	cJSON_ArrayForEach(row, list) {
		const cJSON *x = row->child;

		if (!are_numbers(row, 4) || !is_position(f, x->valuedouble))
			return false;
		(*p)[(*n)++] = (struct point){ x->valuedouble, x->next->valuedouble,
					       x->next->next->valuedouble,
					       x->next->next->next->valuedouble, 0 };
	}
	return !list || cJSON_IsArray(list);
}

/* [n] positions, owned; a list that is missing has none. False: not such a list. */
static bool positions_read(const struct figure *f, const cJSON *list, double **x, size_t *n)
{
	const cJSON *item;

	if (list && !are_numbers(list, 0))
		return false;
	*x = list ? xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(**x)) : NULL;
	cJSON_ArrayForEach(item, list) {
		if (!is_position(f, item->valuedouble))
			return false;
		(*x)[(*n)++] = item->valuedouble;
	}
	return true;
}

/* A number of runs, from 1 on, which stands for any that cannot be. */
static int count_of(double n)
{
	return n >= 1 && n <= INT_MAX ? (int)n : 1;
}

/* False: not a series. The caller releases *s either way. */
static bool series_read(const struct figure *f, const cJSON *json, struct series *s)
{
	static const struct field fields[] = {
		FIELD(WORD, struct series, label, "label"),
		FIELD(TEXT, struct series, algo, "algo"),
		FIELD(INT, struct series, runs, "runs"),
		FIELD(INT, struct series, diverged, "diverged"), { 0 }
	};
	const cJSON *seeds = json_get(json, "seeds");
	const bool counted = are_numbers(seeds, 2);

	*s = (struct series){
		.fewest = count_of(counted ? seeds->child->valuedouble : 1),
		.most = count_of(counted ? seeds->child->next->valuedouble : 1),
	};
	fields_read(json, fields, s);
	return cJSON_IsObject(json) && points_read(f, json_get(json, "points"), &s->p, &s->n) &&
	       points_read(f, json_get(json, "published"), &s->pub, &s->npub) &&
	       positions_read(f, json_get(json, "infinite"), &s->never, &s->nnever) &&
	       positions_read(f, json_get(json, "missing"), &s->missing, &s->nmissing);
}

/* Reads words and series: NULL, or the words for a part that figure_save() does not write so. */
static const char *figure_read(struct figure *f, const cJSON *words, const cJSON *all)
{
	const cJSON *item;

	if (!f->name || !*f->name || *f->name == '.' || !word_is_name(f->name))
		return "'name': a name of letters, digits, '-', '_' and '.'";
	if (!f->xlabel || !f->ylabel)
		return "'xlabel' and 'ylabel': texts";
	if (words && (!cJSON_IsArray(words) || !words->child))
		return "'words': a list of texts";
	cJSON_ArrayForEach(item, words) {
		if (!cJSON_IsString(item))
			return "'words': a list of texts";
		figure_add_word(f, item->valuestring);
	}
	if (!cJSON_IsArray(all) || !all->child)
		return "'series': a list of objects";
	f->series = xcalloc((size_t)cJSON_GetArraySize(all), sizeof(*f->series));
	cJSON_ArrayForEach(item, all)
		if (!series_read(f, item, &f->series[f->n++]))
			return "'series': objects, with 'points' and 'published' as lists of four "
			       "numbers, 'infinite' and 'missing' as numbers, and each x one of "
			       "the words";
	return NULL;
}

int figure_load(struct figure *f, const cJSON *json, const char *path)
{
	const char *wanted;

	*f = (struct figure){ 0 };
	fields_read(json, figure_fields, f);
	f->logy = f->logy && !plot_is_share(f->yname);
	f->calculated = json_is_true(json, "calculated");
	wanted = figure_read(f, json_get(json, "words"), json_get(json, "series"));
	if (wanted)
		return error("%s: not the numbers of a plot as 'convoy plot' writes them "
			     "(expected %s). Write it again with 'convoy plot', or remove it",
			     path, wanted);
	figure_titles(f);
	return 0;
}
