/* The numbers of a figure for other programs, as CSV, and all of it, as JSON, and back. */
#include "report/plot/plot.h"

#include "core/base/error.h"
#include "core/base/mem.h"
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
		for (size_t i = 0; i < s->npub; i++) {
			csv_start(f, s, "published", s->pub[i].x, out);
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
				     j_if(s->never, j_numbers("infinite", s->never, s->nnever))));
	}
	json = OBJECT(j_text("name", f->name), j_if(f->title, j_text("title", f->title)),
		      j_if(f->xlabel, j_text("xlabel", f->xlabel)),
		      j_if(f->ylabel, j_text("ylabel", f->ylabel)),
		      j_if(f->yname, j_text("measure", f->yname)), j_bool("workers", f->workers),
		      j_bool("curves", f->curves), j_bool("logx", f->logx), j_bool("logy", f->logy),
		      j_if(f->worded, j_texts("words", f->words, f->nwords)),
		      j_json("series", all));
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

/* A number of runs, from `least`, which stands for any that cannot be. */
static int count_of(double n, int least)
{
	return n >= least && n <= INT_MAX ? (int)n : least;
}

/* False: not a series. The caller releases *s either way. */
static bool series_read(const struct figure *f, const cJSON *json, struct series *s)
{
	struct kept_series {
		const char *label, *algo;
		double runs, diverged;
		const cJSON *seeds, *points, *published, *infinite;
	} kept = { .label = NULL };
	static const struct member_field fields[] = {
		{ "label", JSON_TEXT, offsetof(struct kept_series, label) },
		{ "algo", JSON_TEXT, offsetof(struct kept_series, algo) },
		{ "runs", JSON_AMOUNT, offsetof(struct kept_series, runs) },
		{ "diverged", JSON_AMOUNT, offsetof(struct kept_series, diverged) },
		{ "seeds", JSON_OWN, offsetof(struct kept_series, seeds) },
		{ "points", JSON_OWN, offsetof(struct kept_series, points) },
		{ "published", JSON_OWN, offsetof(struct kept_series, published) },
		{ "infinite", JSON_OWN, offsetof(struct kept_series, infinite) },
		{ 0 }
	};
	const cJSON *x;
	bool counted;

	members_read(json, fields, &kept);
	counted = are_numbers(kept.seeds, 2);
	*s = (struct series){
		.label = xstrdup(kept.label ? kept.label : ""), .algo = xstrdup(kept.algo),
		.fewest = count_of(counted ? kept.seeds->child->valuedouble : 1, 1),
		.most = count_of(counted ? kept.seeds->child->next->valuedouble : 1, 1),
		.runs = count_of(kept.runs, 0), .diverged = count_of(kept.diverged, 0),
	};
	if (!cJSON_IsObject(json) || !points_read(f, kept.points, &s->p, &s->n) ||
	    !points_read(f, kept.published, &s->pub, &s->npub) ||
	    (kept.infinite && !are_numbers(kept.infinite, 0)))
		return false;
	s->never = xcalloc((size_t)cJSON_GetArraySize(kept.infinite) + 1, sizeof(*s->never));
	cJSON_ArrayForEach(x, kept.infinite) {
		if (!is_position(f, x->valuedouble))
			return false;
		s->never[s->nnever++] = x->valuedouble;
	}
	return true;
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
			       "numbers, 'infinite' as numbers, and each x one of the words";
	return NULL;
}

int figure_load(struct figure *f, const cJSON *json, const char *path)
{
	struct kept_figure {
		const char *name, *title, *xlabel, *ylabel, *measure;
		bool workers, curves, logx, logy;
		const cJSON *words, *series;
	} kept = { .name = NULL };
	static const struct member_field fields[] = {
		{ "name", JSON_TEXT, offsetof(struct kept_figure, name) },
		{ "title", JSON_TEXT, offsetof(struct kept_figure, title) },
		{ "xlabel", JSON_TEXT, offsetof(struct kept_figure, xlabel) },
		{ "ylabel", JSON_TEXT, offsetof(struct kept_figure, ylabel) },
		{ "measure", JSON_TEXT, offsetof(struct kept_figure, measure) },
		{ "workers", JSON_BOOL, offsetof(struct kept_figure, workers) },
		{ "curves", JSON_BOOL, offsetof(struct kept_figure, curves) },
		{ "logx", JSON_BOOL, offsetof(struct kept_figure, logx) },
		{ "logy", JSON_BOOL, offsetof(struct kept_figure, logy) },
		{ "words", JSON_OWN, offsetof(struct kept_figure, words) },
		{ "series", JSON_OWN, offsetof(struct kept_figure, series) },
		{ 0 }
	};
	const char *wanted;

	members_read(json, fields, &kept);
	*f = (struct figure){
		.name = kept.name, .title = kept.title, .xlabel = xstrdup(kept.xlabel),
		.ylabel = xstrdup(kept.ylabel), .yname = xstrdup(kept.measure),
		.workers = kept.workers, .curves = kept.curves, .logx = kept.logx,
		.logy = kept.logy && !plot_is_share(kept.measure),
	};
	wanted = figure_read(f, kept.words, kept.series);
	if (wanted)
		return error("%s: not the numbers of a plot as 'convoy plot' writes them "
			     "(expected %s). Write it again with 'convoy plot', or remove it",
			     path, wanted);
	figure_titles(f);
	return 0;
}
