/* Verdicts: in files, in words with the figures that they were judged on, and how many hold. */
#include "report/claims/claims.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "report/claims/contrast.h"
#include "report/claims/looks.h"
#include "report/text/grid.h"
#include "report/text/say.h"
#include "report/text/width.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct field verdict_fields[] = {
	FIELD(LENT, struct verdict, word, "verdict"),
	FIELD(LENT, struct verdict, by_means, "by_means"),
	FIELD(TEXT, struct verdict, reason, "reason"),
	FIELD(TEXT, struct verdict, error, "error"),
	FIELD(TEXT, struct verdict, warning, "warning"),
	FIELD(BOOL, struct verdict, former, "former"),
	FIELD(INT, struct verdict, needs, "needs_seeds"),
	FIELD(BOOL, struct verdict, yours, "your_settings"), { 0 }
};

struct verdicts *verdicts_new(const cJSON *claims)
{
	struct verdicts *all = xcalloc(1, sizeof(*all));
	const cJSON *claim;

	all->v = xcalloc((size_t)cJSON_GetArraySize(claims) + 1, sizeof(*all->v));
	cJSON_ArrayForEach(claim, claims)
		all->v[all->n++].of = claim_read(claim);
	return all;
}

void verdict_clear(struct verdict *v)
{
	fields_release(verdict_fields, v);
	contrast_free(v->contrast);
	cJSON_Delete(v->shows);
	claim_looks_free(v->looks);
	*v = (struct verdict){ .of = v->of };
}

void verdicts_free(struct verdicts *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		verdict_clear(&all->v[i]);
	cJSON_Delete(all->file);
	free_all(all->v, all);
}

/* ---- claims.json ---- */

struct verdict_members {           /* members that other files read */
	const cJSON *holds, *interval, *shows, *looks;
};

static const struct field verdict_members[] = {
	FIELD(TREE, struct verdict_members, holds, "holds"),
	FIELD(TREE, struct verdict_members, interval, "interval"),
	FIELD(TREE, struct verdict_members, shows, "shows"),
	FIELD(TREE, struct verdict_members, looks, "looks"), { 0 }
};

struct verdicts *verdicts_read(cJSON *file)
{
	struct verdicts *all = verdicts_new(file);
	const cJSON *json = file ? file->child : NULL;

	all->file = file;
	for (size_t i = 0; i < all->n; i++, json = json->next) {
		struct verdict *v = &all->v[i];
		struct verdict_members more = { 0 };

		fields_read(json, verdict_fields, v);
		fields_read(json, verdict_members, &more);
		v->of.shows = NULL;
		v->held = cJSON_IsTrue(more.holds) ? "holds" :
			  cJSON_IsFalse(more.holds) ? "fails" : NULL;
		v->needs = v->needs <= LOOKS_MOST_NEEDED ? v->needs : 0;
		v->needs_s = (double)NAN;       /* real times are in no file that repeats */
		v->contrast = contrast_read(more.interval);
		v->shows = cJSON_Duplicate(more.shows, true);
		v->looks = claim_looks_read(more.looks);
	}
	return all;
}

static cJSON *verdict_json(const struct verdict *v)
{
	const struct claim *c = &v->of;
	const bool now = v->judged, holds = v->word && !strcmp(v->word, "holds");
	const bool known = holds || (v->word && !strcmp(v->word, "fails"));
	cJSON *interval = contrast_json(v->contrast);
	cJSON *shows = cJSON_Duplicate(v->shows, true);

	return OBJECT(
		j_if(c->says, j_text("says", c->says)), j_if(c->kind, j_text("kind", c->kind)),
		j_if(c->where, j_text("where", c->where)),
		j_if(c->quote, j_text("quote", c->quote)),
		j_if(c->criterion, j_json("criterion", cJSON_Duplicate(c->criterion, true))),
		j_if(c->quantity, j_text("quantity", c->quantity)),
		j_if(!c->where, j_text("where", "")),
		j_if(now && v->error && !v->word, j_text("error", v->error)),
		j_if(now && v->by_means, j_text("by_means", v->by_means)),
		j_if(now && v->tied && interval, j_json("interval", interval)),
		j_if(v->word, j_text("verdict", v->word)),
		j_if(now && !v->tied && interval, j_json("interval", interval)),
		j_if(now && v->reason, j_text("reason", v->reason)),
		known ? j_bool("holds", holds) : j_null("holds"),
		j_if(!now && interval, j_json("interval", interval)),
		j_if(!now && v->by_means, j_text("by_means", v->by_means)),
		j_if(v->former, j_bool("former", true)),
		j_if(v->yours, j_bool("your_settings", true)),
		j_if(shows, j_json("shows", shows)),
		j_if(v->needs > 0, j_number("needs_seeds", v->needs)),
		j_if(v->looks, j_json("looks", v->looks ? claim_looks_json(v->looks) : NULL)),
		j_if(v->error && (!now || v->word), j_text("error", v->error)),
		j_if(!now && v->reason, j_text("reason", v->reason)),
		j_if(v->warning, j_text("warning", v->warning)));
}

cJSON *verdicts_json(const struct verdicts *all)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < all->n; i++)
		list_add(list, verdict_json(&all->v[i]));
	return list;
}

bool verdicts_failed(const struct verdicts *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].error)
			return true;
	return false;
}

int verdicts_check(const struct verdicts *all, const char *experiment)
{
	const struct verdict *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		first = all->v[i].error && !first ? &all->v[i] : first;
		n += all->v[i].error != NULL;
	}
	if (!n)
		return 0;
	if (n == 1)
		return error("%s: the claim \"%s\" has an error: %s", experiment,
			     first->of.says ? first->of.says : "", first->error);
	return error("%s: %zu claims have an error, the first \"%s\": %s", experiment, n,
		     first->of.says ? first->of.says : "", first->error);
}

void verdicts_leave_open(struct verdicts *all, const char *reason)
{
	for (size_t i = 0; i < all->n; i++) {
		all->v[i].word = "not evaluated";
		all->v[i].reason = xstrdup(reason);
		all->v[i].shows = cJSON_CreateNull();
	}
}

int verdicts_most_seeds(const struct verdicts *all)
{
	int most = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct claim_looks *l = all->v[i].looks;

		/* a spec's own seeds may be more than those that looks can have */
		for (int k = 0; l && k < LOOKS; k++)
			if (look_seeds[k] <= l->plan.seeds[l->plan.n - 1] && look_seeds[k] > most)
				most = look_seeds[k];
	}
	return most;
}

const char verdict_not_here[] = "not evaluated at this scale";

static const char OTHER_SETTINGS[] = "settings differ from the spec";

static bool has_reason(const struct verdict *v, const char *reason)
{
	return v->reason && !strcmp(v->reason, reason);
}

void verdicts_mark_yours(struct verdicts *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct verdict *v = &all->v[i];
		/* published numbers are of the spec's settings, and tables do not have them here */
		const bool papers = claim_reads(&v->of, "published") ||
				    claim_reads(&v->of, "relative_error");

		if (!papers && !v->error && v->word && strcmp(v->word, "not evaluated") != 0) {
			v->yours = true;
			continue;
		}
		verdict_clear(v);
		v->word = "not evaluated";
		v->reason = xstrdup(OTHER_SETTINGS);
		v->shows = cJSON_CreateNull();
	}
}

void verdicts_check_dates(struct verdicts *all, const char *began, const char *path)
{
	for (size_t i = 0; i < all->n; i++) {
		struct verdict *v = &all->v[i];
		const char *since = json_string(v->of.criterion, "since");
		const int after = since ? strncmp(since, began, strlen(since)) : -1;
		const bool open = v->word && !strcmp(v->word, "not evaluated");

		if (after < 0 || (open && (!after || has_reason(v, verdict_not_here))) ||
		    claim_is_constructed(&v->of))
			continue;
		free(v->warning);
		v->warning = after ?
			xasprintf("the criterion was set on %s, after its runs began on %.10s "
				  "(UTC)", since, began) :
			xasprintf("the criterion was set on %s, the day on which its runs began: "
				  "it may be newer than they are", since);
		if (after && path)
			warning("%s: claims[%zu]: %s; judge it on new runs", path, i, v->warning);
	}
}

/* ---- names of runs, without the settings that all of a verdict have in common ---- */

/* The length of "key=value" at the beginning; values may have spaces. 0: there is none. */
static size_t label_setting(const char *name)
{
	const char *s = name + strcspn(name, " =");

	if (*s != '=' || s == name)
		return 0;
	while ((s = strchr(s, ' '))) {
		const char *next = ++s;

		while (islower((unsigned char)*next) || *next == '_')
			next++;
		if (next > s && *next == '=')
			return (size_t)(s - 1 - name);
	}
	return strlen(name);
}

struct labels {                 /* all names of a verdict; borrowed */
	const char **name;
	size_t n;
};

static void labels_add(struct labels *all, const char *name)
{
	if (name && label_setting(name))
		APPEND(all->name, all->n) = name;
}

/* Keys of figures, and sides of comparisons. */
static void labels_read(struct labels *all, const cJSON *figures, const struct claim_contrast *of)
{
	const struct claim_contrast *c;
	const cJSON *item;

	cJSON_ArrayForEach(item, figures) {
		labels_add(all, item->string);
		labels_read(all, item, NULL);
	}
	for (size_t k = 0; (c = contrast_at(of, k)); k++)
		for (int i = 0; i < 2; i++)
			labels_add(all, c->side[i].name);
}

static bool label_has(const char *name, const char *setting, size_t n)
{
	for (size_t size; (size = label_setting(name)); name += size + (name[size] == ' '))
		if (size == n && strncmp(name, setting, n) == 0)
			return true;
	return false;
}

/* The name without what all have, and perhaps without its seed; the caller frees. */
static char *label_short(const struct labels *all, const char *name, bool seed)
{
	char *text = NULL;

	if (!label_setting(name))
		return xstrdup(name);
	for (const char *s = name; *s;) {
		const size_t n = label_setting(s);
		bool shared = true;

		for (size_t i = 0; i < all->n; i++)
			shared = shared && label_has(all->name[i], s, n);
		if (!shared && (seed || strncmp(s, "seed=", strlen("seed=")) != 0))
			xappendf(&text, " ", "%.*s", (int)n, s);
		s += n + (s[n] == ' ');
	}
	return text ? text : xstrdup(name);
}

/* ---- figures ---- */

static void put_value(const cJSON *value, const struct labels *names, FILE *out);

/* The last of the items from `first` on whose names differ in the seed alone, and are numbers. */
static const cJSON *last_of_seeds(const cJSON *first, const struct labels *names)
{
	scoped char *name = label_short(names, first->string, false);
	const cJSON *last = first;
	bool same = true;

	while (same && cJSON_IsNumber(first) && cJSON_IsNumber(last->next)) {
		scoped char *next = label_short(names, last->next->string, false);

		same = strcmp(name, next) == 0;
		last = same ? last->next : last;
	}
	return last;
}

/* "algo=a: 1, algo=b: [2, 3]": values, or several in brackets where they are of seeds. */
static void put_items(const cJSON *item, const struct labels *names, FILE *out)
{
	while (item) {
		const cJSON *last = item->string ? last_of_seeds(item, names) : item;
		const bool several = last != item;
		char *name = item->string ? label_short(names, item->string, !several) : NULL;

		if (name)
			fprintf(out, "%s: %s", name, several ? "[" : "");
		put_value(item, names, out);
		while (item != last) {
			fputs(", ", out);
			item = item->next;
			put_value(item, names, out);
		}
		fputs(several ? "]" : "", out);
		free(name);
		item = item->next;
		fputs(item ? ", " : "", out);
	}
}

static void put_number(double x, FILE *out)
{
	if (isnan(x))
		fputs("null", out);
	else if (fabs(x) >= DBL_MAX)
		fputs(x > 0 ? "∞" : "-∞", out);
	else
		fprintf(out, "%.4g", x);
}

/* A value in few characters: numbers with four digits, the rest as JSON. */
static void put_value(const cJSON *value, const struct labels *names, FILE *out)
{
	if (cJSON_IsNumber(value)) {
		put_number(value->valuedouble, out);
	} else if (cJSON_IsString(value)) {
		fputs(value->valuestring, out);
	} else if (cJSON_IsArray(value) || cJSON_IsObject(value)) {
		fputs(cJSON_IsArray(value) ? "[" : "{", out);
		put_items(value->child, names, out);
		fputs(cJSON_IsArray(value) ? "]" : "}", out);
	} else if (value) {
		fputs(cJSON_IsNull(value) ? "null" : cJSON_IsTrue(value) ? "true" : "false", out);
	}
}

char *verdict_figures(const struct verdict *v)
{
	struct labels names = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	labels_read(&names, v->shows, v->contrast);
	if (v->shows && !cJSON_IsNull(v->shows)) {
		if (v->of.quantity)
			fprintf(out, "%s: ", v->of.quantity);
		put_value(v->shows, &names, out);
	}
	fclose(out);
	free(names.name);
	return text;
}

/* "0.02 [0.01, 0.03]"; of one seed, whose spread is not known, no interval without a width. */
static void put_difference(const struct claim_contrast *c, FILE *out)
{
	const bool one = c->side[0].seeds < 2 && c->side[1].seeds < 2;

	put_number(c->difference, out);
	if (isnan(c->low) || (one && !(c->low < c->high)))
		return;
	fputs(" [", out);
	put_number(c->low, out);
	fputs(", ", out);
	put_number(c->high, out);
	putc(']', out);
}

/* "algo=a minus algo=b"; the caller frees. */
static char *comparison_sides(const struct claim_contrast *c, const struct labels *names)
{
	char *text = NULL;

	for (int i = 0; i < 2; i++) {   /* objects that a filter made have no name */
		const char *own = c->side[i].name;

		xappend_own(&text, " minus ", label_short(
			names, *own ? own : i ? "the second" : "the first", true));
	}
	return text;
}

char *verdict_sides(const struct verdict *v, size_t k)
{
	struct labels names = { 0 };
	char *text;

	labels_read(&names, v->shows, v->contrast);
	text = comparison_sides(contrast_at(v->contrast, k), &names);
	free(names.name);
	return text;
}

/* "test_accuracy, algo=a minus algo=b: 0.02 [0.01, 0.03], seeds 3 3" */
static void put_comparison(const struct claim_contrast *c, const struct labels *names, FILE *out)
{
	static const struct {
		const char *how, *words;
	} images[] = { { "pairs", "test images in pairs" },
		       { "binomial", "binomial error of the test images" },
		       { "same", "the published number's test images" } };

	char *sides = comparison_sides(c, names);

	fprintf(out, "%s, %s: ", c->measure, sides);
	free(sides);
	put_difference(c, out);
	fputs(", seeds", out);
	for (int i = 0; i < 2; i++)
		if (c->side[i].seeds)
			fprintf(out, " %d", c->side[i].seeds);
	for (size_t i = 0; c->images && i < sizeof(images) / sizeof(images[0]); i++)
		if (!strcmp(c->images, images[i].how))
			fprintf(out, ", %s", images[i].words);
}

static void put_why(const struct claim_contrast *c, FILE *out)
{
	if (*c->why)
		fprintf(out, " (%s)", c->why);
}

enum { BRIEF_PARTS = 3, BRIEF_WIDTH = 100 };

char *verdict_interval(const struct verdict *v)
{
	const struct claim_contrast *c;
	struct labels names = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	labels_read(&names, v->shows, v->contrast);
	for (size_t k = 0; (c = contrast_at(v->contrast, k)); k++) {
		fputs(k ? "; " : "", out);
		put_comparison(c, &names, out);
		put_why(c, out);
	}
	fclose(out);
	free(names.name);
	return text;
}

/* The first differences with their intervals alone, or ""; the caller frees. */
static char *verdict_differences(const struct verdict *v)
{
	const struct claim_contrast *c;
	char *text = NULL;
	size_t n = 0, k;
	FILE *out = xmemstream(&text, &n);

	for (k = 0; (c = contrast_at(v->contrast, k)); k++)
		if (k < BRIEF_PARTS) {
			fputs(k ? "; " : "", out);
			put_difference(c, out);
			put_why(c, out);
		}
	if (k > BRIEF_PARTS)
		fprintf(out, "; %zu more with -v", k - BRIEF_PARTS);
	fclose(out);
	return text;
}

const char *verdict_why(const struct verdict *v)
{
	return v->error ? v->error : v->reason ? v->reason : "";
}

const char *verdict_shown(const struct verdict *v)
{
	if (!v->word)
		return v->error ? "error" : "not evaluated";
	return !strcmp(v->word, "fails") ? "FAILS" : v->word;
}

char *verdict_criterion(const struct verdict *v)
{
	const char *since = json_string(v->of.criterion, "since");
	const cJSON *was;
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	if (since)
		fprintf(out, "set %s", since);
	json_each(was, v->of.criterion, "was")
		fprintf(out, "; before, from %s: \"%s\": %s", json_word(was, "since"),
			json_word(was, "says"), json_word(was, "verdict"));
	fclose(out);
	return text;
}

/* Why no number of seeds decides it, where none of its comparisons says so; NULL: one may. */
static const char *why_hopeless(const struct verdict *v)
{
	const bool open = v->word && !strcmp(v->word, "undecided") && !v->needs;
	const char *why = open ? contrasts_hopeless(v->contrast) : NULL;
	const struct claim_contrast *c;

	for (size_t k = 0; why && (c = contrast_at(v->contrast, k)); k++)
		if (!strcmp(c->why, why))
			return NULL;
	return why;
}

/*
 * "needs about 40 seeds, 12 min of runs", "no number of seeds decides it: ...", or ""; the caller
 * frees.
 */
static char *verdict_needs(const struct verdict *v)
{
	const char *hopeless = why_hopeless(v);
	char *text = v->needs >= LOOKS_MOST_NEEDED ?
			     xasprintf("needs %d seeds or more", LOOKS_MOST_NEEDED) :
		     v->needs ? xasprintf("needs %s %d seeds", v->needs > LOOK_FIRST ? "about" :
					  "at least", v->needs) : xstrdup("");

	if (v->needs && v->needs < LOOKS_MOST_NEEDED && v->needs_s > 0) {
		xappend_own(&text, ", ", word_duration(v->needs_s));
		xappend(&text, "", " of runs");
	}
	if (hopeless)
		xappendf(&text, "", "no number of seeds decides it: %s", hopeless);
	return text;
}

/* The comparisons that have more seeds than at the look of the verdict, or ""; the caller frees. */
static char *verdict_now(const struct verdict *v)
{
	const struct claim_contrast *c, *now = v->looks ? v->looks->now : NULL;
	struct labels names = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	labels_read(&names, v->shows, now);
	for (size_t k = 0; (c = contrast_at(now, k)); k++)
		if (contrast_has_more(c, contrast_at(v->contrast, k))) {
			fputs(ftell(out) ? "; " : "with all seeds: ", out);
			put_comparison(c, &names, out);
		}
	fclose(out);
	free(names.name);
	return text;
}

char *verdict_looks(const struct verdict *v)
{
	char *text = v->looks ? claim_looks_text(v->looks) : NULL;
	char *const more[] = { verdict_needs(v), verdict_now(v) };

	for (int i = 0; i < 2; i++) {
		if (*more[i])
			xappend(&text, "; ", more[i]);
		free(more[i]);
	}
	return text ? text : xstrdup("");
}

/* ---- printed ---- */

static void print_part(const char *before, char *text, const char *after, FILE *out)
{
	if (*text)
		fprintf(out, "%s%s%s", before, text, after);
	free(text);
}

/* Leaves the items that fit, and says that there are more. */
static void figures_cut(char **figures)
{
	char *end;

	if (text_width(*figures) <= BRIEF_WIDTH)
		return;
	text_cut(*figures, BRIEF_WIDTH);
	end = strrchr(*figures, ',');
	*(end ? end : *figures) = '\0';
	xappend(figures, "", end ? ", ... (-v: all)" : "figures with -v");
}

/*
 * "holds          SAYS (statement; section 4): FIGURES {INTERVAL} [REASON]"; brief: without where
 * the paper has it, and with the first figures. A line; on a terminal, lines that fit.
 */
static void print_verdict(const struct verdict *v, bool brief, FILE *out)
{
	const struct claim *c = &v->of;
	const char *says = c->says ? c->says : "", *kind = c->kind ? c->kind : "";
	const char *where = c->where && !(brief && *kind) ? c->where : "";
	const int words = 15;
	char *figures = verdict_figures(v), *line;
	int n = (int)strlen(says);
	size_t size;
	FILE *to = xmemstream(&line, &size);

	if (brief)
		figures_cut(&figures);

	if (n && says[n - 1] == '.' && *figures && !*kind && !*where)
		n--;
	fprintf(to, "%.*s", n, says);
	print_part(" (", xasprintf("%s%s%s%s", kind, *kind && *where ? "; " : "", where,
				   v->yours ? "; your settings" : ""), ")", to);
	print_part(": ", figures, "", to);
	print_part(brief ? " {difference " : " {",
		   brief ? verdict_differences(v) : verdict_interval(v), "}", to);
	if (*verdict_why(v))
		fprintf(to, " [%s]", verdict_why(v));
	print_part(" <", brief ? verdict_needs(v) : verdict_looks(v), ">", to);
	if (!brief && json_get(c->criterion, "was"))
		print_part(" <criterion ", verdict_criterion(v), ">", to);
	xmemclose(to);
	fprintf(out, "%-*s", words, verdict_shown(v));
	say_line(line, words, words, out);
	free(line);
}

static size_t count_reason(const struct verdicts *all, const char *reason)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += has_reason(&all->v[i], reason);
	return n;
}

void verdicts_print(const struct verdicts *all, FILE *out)
{
	const size_t yours = count_reason(all, OTHER_SETTINGS);
	const size_t elsewhere = all->brief ? count_reason(all, verdict_not_here) : 0;

	for (size_t i = 0; i < all->n; i++)
		if (!(yours > 1 && has_reason(&all->v[i], OTHER_SETTINGS)) &&
		    !(elsewhere > 1 && has_reason(&all->v[i], verdict_not_here)))
			print_verdict(&all->v[i], all->brief, out);
	if (yours > 1)
		fprintf(out, "%-13s  %zu claims [%s]\n", "not evaluated", yours, OTHER_SETTINGS);
	if (elsewhere > 1)
		fprintf(out, "%-13s  %zu claims [%s; -v shows them]\n", "not evaluated", elsewhere,
			verdict_not_here);
}

void verdicts_print_as(const struct verdicts *all, enum table_format format, FILE *out)
{
	if (format == TABLE_TEXT) {
		verdicts_print(all, out);
	} else if (format == TABLE_JSON) {
		scoped_json cJSON *list = verdicts_json(all);

		output_json(list, out);
	} else {
		scoped_grid struct text_grid *rows = grid_new();

		grid_row(rows, "verdict", "kind", "claim", "where", "criterion", "figures",
			 "interval", "reason", NULL);
		for (size_t i = 0; i < all->n; i++) {
			const struct verdict *v = &all->v[i];
			const struct claim *c = &v->of;
			scoped char *figures = verdict_figures(v), *interval = verdict_interval(v);
			scoped char *criterion = verdict_criterion(v);
			scoped char *reason = xstrdup(v->yours ? "your settings" : "");

			if (*verdict_why(v))
				xappend(&reason, "; ", verdict_why(v));
			grid_row(rows, verdict_shown(v), c->kind ? c->kind : "",
				 c->says ? c->says : "", c->where ? c->where : "", criterion,
				 figures, interval, reason, NULL);
		}
		grid_print(rows, format, out);
	}
}

/* ---- how many hold ---- */

void claim_total_count(struct claim_total *t, const struct verdict *v, const char *kind)
{
	const char *word = v->word ? v->word : "";

	if (!kind || (v->of.kind && !strcmp(v->of.kind, kind)))
		*(!strcmp(word, "holds") ? &t->holds :
		  !strcmp(word, "fails") ? &t->fails :
		  !strcmp(word, "undecided") ? &t->undecided :
		  !*word && v->error	     ? &t->errors : &t->open) += 1;
}

struct claim_total verdicts_total(const struct verdicts *all, const char *kind)
{
	struct claim_total t = { 0 };

	for (size_t i = 0; all && i < all->n; i++)
		claim_total_count(&t, &all->v[i], kind);
	return t;
}

void claim_total_add(struct claim_total *sum, const struct claim_total *more)
{
	sum->holds += more->holds;
	sum->fails += more->fails;
	sum->undecided += more->undecided;
	sum->open += more->open;
	sum->errors += more->errors;
}

int claim_total_sum(const struct claim_total *t)
{
	return t->holds + t->fails + t->undecided + t->open + t->errors;
}

/* `errors`: with a column of them. */
static void total_add_row(struct text_grid *rows, const char *kind, const struct claim_total *t,
			  bool errors)
{
	const int n[] = { t->holds, t->fails, t->undecided, t->open, t->errors };
	char text[5][16];

	if (!claim_total_sum(t))
		return;
	for (int i = 0; i < 5; i++)
		snprintf(text[i], sizeof(text[i]), "%d", n[i]);
	grid_row(rows, kind, text[0], text[1], text[2], text[3], errors ? text[4] : NULL, NULL);
}

struct text_grid *claims_total_rows(const struct claim_total *totals, bool yours)
{
	struct text_grid *rows = grid_new();
	struct claim_total paper = { 0 };
	bool errors = false;

	for (int i = 0; claim_kinds[i]; i++)
		errors = errors || totals[i].errors;
	grid_row(rows, yours ? "claims by kind, at your settings" : "claims by kind", "hold",
		 "fail", "undecided", "not evaluated", errors ? "error" : NULL, NULL);
	for (int i = 0; claim_kinds[i]; i++) {
		if (i < CLAIM_KINDS_OF_PAPER)
			claim_total_add(&paper, &totals[i]);
		total_add_row(rows, claim_kinds[i], &totals[i], errors);
		if (i + 1 == CLAIM_KINDS_OF_PAPER && !yours)
			total_add_row(rows, "together, of the paper", &paper, errors);
	}
	return rows;
}

void verdicts_print_all(const struct verdicts *all, FILE *out)
{
	struct claim_total totals[CLAIM_KINDS];
	scoped_grid struct text_grid *rows = NULL;
	bool yours = false;

	verdicts_print(all, out);
	if (!all->n)
		return;
	for (int i = 0; claim_kinds[i]; i++)
		totals[i] = verdicts_total(all, claim_kinds[i]);
	for (size_t i = 0; i < all->n; i++)
		yours = yours || all->v[i].yours;
	rows = claims_total_rows(totals, yours);
	putc('\n', out);
	grid_print(rows, TABLE_TEXT, out);
}
