/* An answer as text. */
#include "study/advise/advise.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "report/text/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static char *print_band(struct band b, bool random)
{
	if (isnan(b.median))
		return xstrdup("no data");
	return random ? xasprintf("%.4g (%.4g to %.4g)", b.median, b.lo, b.hi)
		      : xasprintf("%.4g", b.median);
}

static void print_table(const struct advice *r, const struct advise *a)
{
	cJSON *rows = cJSON_CreateArray();
	const char *second = advise_algo(a, ADVISE_SECOND);
	char *faster = xasprintf("P(%s is faster)", second);

	grid_row(rows, a->vary.kind->name, advise_algo(a, ADVISE_FIRST), second, faster, NULL);
	for (size_t i = 0; i < a->nx; i++) {
		char *x = xasprintf("%.4g", r->row[i].x);
		char *one = print_band(r->row[i].time[ADVISE_FIRST], a->random);
		char *two = print_band(r->row[i].time[ADVISE_SECOND], a->random);
		char *p = isnan(r->row[i].p) ? xstrdup("no data") : xasprintf("%.3g", r->row[i].p);

		grid_row(rows, x, one, two, p, NULL);
		free(x);
		free(one);
		free(two);
		free(p);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	cJSON_Delete(rows);
	free(faster);
}

/* ---- the break-even ---- */

/* "1.25", or that it is outside the range. */
static char *print_plain(const struct advice *r, double x)
{
	const char *where = !isinf(x) ? "" : x < 0.0 ? "below " : "above ";

	return xasprintf("%s%.4g", where, !isinf(x) ? x : x < 0.0 ? r->lo : r->hi);
}

/* The same with its unit: "1.25 GB/s". */
static char *print_value(const struct advice *r, const struct advise *a, double x)
{
	const char *unit = a->vary.kind->unit;
	char *plain = print_plain(r, x), *text = xasprintf("%s%s%s", plain, *unit ? " " : "", unit);

	free(plain);
	return text;
}

/* Between which points none is, or at which: nothing is known of points without data. */
static void print_none_where(const struct advice *r, const struct advise *a, size_t known)
{
	if (known == a->nx)
		printf("no break-even between %.4g and %.4g: ", r->lo, r->hi);
	else if (known == 1)
		printf("no break-even is known, with data at %s %.4g only: ", a->vary.kind->name,
		       r->lo);
	else
		printf("no break-even is known, with data at %zu of %zu points, from %s %.4g to "
		       "%.4g: ", known, a->nx, a->vary.kind->name, r->lo, r->hi);
}

static void print_none(const struct advice *r, const struct advise *a)
{
	double most = 0.0, least = 1.0;
	size_t known = 0;

	for (size_t i = 0; i < a->nx; i++) {
		known += !isnan(r->row[i].p);
		most = isnan(r->row[i].p) ? most : fmax(most, r->row[i].p);
		least = isnan(r->row[i].p) ? least : fmin(least, r->row[i].p);
	}
	print_none_where(r, a, known);
	if (most <= 0.0 || least >= 1.0)
		printf("%s is faster %s\n",
		       advise_algo(a, most <= 0.0 ? ADVISE_FIRST : ADVISE_SECOND),
		       known == a->nx ? "throughout" : "there");
	else if (!a->random)
		printf("both are equally fast\n");
	else
		printf("%s is faster with P = %.3g, whatever %s is\n",
		       advise_algo(a, ADVISE_SECOND), 0.5 * (most + least), a->vary.kind->name);
	if (known < a->nx)
		puts("A break-even may lie where there is no data: measure there, or give "
		     "--extrapolate.");
}

/* Where most draws have none: what is faster in these, and on which side the others have theirs. */
static void print_mostly_none(const struct advice *r, const struct advise *a)
{
	const bool first = (r->even.median > 0.0) == (r->direction > 0);
	char *lo = print_value(r, a, r->even.lo), *hi = print_value(r, a, r->even.hi);

	printf("no break-even between %.4g and %.4g in %zu of %zu draws: %s is faster throughout\n"
	       "break-even of the others: %s is faster %s (90 %% interval of all draws %s to %s)\n",
	       r->lo, r->hi, a->ndraws - r->inside, a->ndraws,
	       advise_algo(a, first ? ADVISE_FIRST : ADVISE_SECOND),
	       advise_algo(a, ADVISE_SECOND), r->direction > 0 ? "above" : "below", lo, hi);
	free(lo);
	free(hi);
}

static void print_median(const struct advice *r, const struct advise *a)
{
	char *x = print_value(r, a, r->even.median);
	char *lo = print_value(r, a, r->even.lo), *hi = print_value(r, a, r->even.hi);

	printf("break-even: %s %s (", a->vary.kind->name, x);
	if (a->random)
		printf("90 %% interval %s to %s, %zu draw%s", lo, hi, a->ndraws,
		       word_plural((double)a->ndraws));
	else
		printf("%s to %s by the length of the runs", lo, hi);
	printf("). %s is faster %s.\n", advise_algo(a, ADVISE_SECOND),
	       r->direction > 0 ? "above" : "below");
	free(x);
	free(lo);
	free(hi);
	if (r->inside < a->ndraws)
		printf("%zu of %zu draws have no break-even between %.4g and %.4g.\n",
		       a->ndraws - r->inside, a->ndraws, r->lo, r->hi);
}

static void print_break_even(const struct advice *r, const struct advise *a)
{
	if (isinf(r->even.median))
		print_mostly_none(r, a);
	else
		print_median(r, a);
	if (r->several)
		printf("%zu of %zu draws have several; the first one counts.\n", r->several,
		       a->ndraws);
}

/* ---- what it rests on ---- */

static void print_no_data(const struct advise *a)
{
	const char *before = "";

	for (size_t i = 0; i < a->nx; i++) {
		if (!a->no_data[i] || strcmp(before, a->no_data[i]) == 0)
			continue;
		printf("no data at %s %.4g: %s\n", a->vary.kind->name, a->x[i], a->no_data[i]);
		before = a->no_data[i];
	}
}

/* Above a number by a twentieth, with two digits. */
static double print_rounded_up(double x)
{
	const double digit = pow(10.0, floor(log10(x)) - 1.0);

	return ceil(1.05 * x / digit) * digit;
}

/* Says at which points runs are too short to have enough of what happens rarely. */
static void print_rare(const struct advice *r, const struct advise *a, enum rare what)
{
	static const char *const names[RARES] = { "slow periods", "failures", "checkpoints" };
	size_t few = 0, least = 0;

	for (size_t i = 0; i < a->nx; i++) {
		if (!(r->row[i].rare[what] < ADVICE_RARE))
			continue;
		if (!few++ || r->row[i].rare[what] < r->row[least].rare[what])
			least = i;
	}
	if (few)
		printf("%zu of %zu points have fewer than %d %s in a run (%.2g at %s %.4g): times "
		       "there, and a break-even near them, may be biased. Give --seconds %.6g or "
		       "more\n", few, a->nx, ADVICE_RARE, names[what], r->row[least].rare[what],
		       a->vary.kind->name, a->x[least],
		       print_rounded_up(ADVICE_RARE / a->rare[least][what]));
}

/* Says which faults at given times most runs do not have. */
static void print_faults_after(const struct advice *r, const struct advise *a)
{
	double shortest = HUGE_VAL;

	for (size_t i = 0; i < a->nx; i++)
		shortest = fmin(shortest, r->row[i].measured_s);
	if (a->faults_until > shortest && isfinite(shortest))
		printf("faults last until %.4g s, but some runs measure %.4g s only: their times "
		       "are of a part of the faults. Give --seconds %.6g or more\n",
		       a->faults_until, shortest, print_rounded_up(a->faults_until));
}

static void print_measured(const struct advise *a)
{
	const struct measured *m = &a->measured;

	printf("progress per step of %s, relative to %s, in %zu training run%s of %s (%.0f s): ",
	       advise_algo(a, ADVISE_SECOND), advise_algo(a, ADVISE_FIRST), m->runs,
	       word_plural((double)m->runs), m->net,
	       m->wall_s);
	for (int i = 0; i < MEASURED_POINTS; i++)
		printf("%s%.3g at %s %.4g", i ? ", " : "", exp(m->log_progress[i]),
		       a->vary.kind->name, vary_x(&a->vary, m->u[i]));
	putchar('\n');
}

static void print_progress(const struct advise *a)
{
	if (a->measured.net) {
		print_measured(a);
		return;
	}
	if (!a->progress_given) {
		puts("progress per step: taken as 1 for both, so only the time of the hardware is "
		     "compared (--progress)");
		return;
	}
	printf("progress per step, as given: ");
	for (int k = 0; k < ADVISE_ALGOS; k++)
		printf("%s%s %.4g", k ? ", " : "", advise_algo(a, k), a->progress[k].value);
	putchar('\n');
}

static void print_uncertain(const struct advise *a)
{
	printf("uncertain: ");
	for (size_t i = 0; i < a->uncertain.n; i++)
		printf("%s%s %.4g +- %.3g", i ? ", " : "", a->uncertain.v[i].name,
		       a->uncertain.v[i].mean, a->uncertain.v[i].sd);
	puts(a->uncertain.n ? "" : "no value; give those that are as VALUE+-DEVIATION");
	if (a->uncertain.n && a->ndraws == 1)
		puts("one draw only: P is 0 or 1, and no interval holds what is uncertain. Give "
		     "--draws 20 or more");
	if (a->model_error == SIZE_MAX)
		puts("model error: none assumed (--model-error). Predicted times have differed "
		     "from measured ones by 12 % in the median, by 32 % or more in the worst tenth "
		     "(docs/validation.md)");
}

static void print_sensitivity(const struct advice *r, const struct advise *a)
{
	cJSON *rows = cJSON_CreateArray();

	if (!r->neffects) {
		cJSON_Delete(rows);
		return;
	}
	printf("\nMeasure next what has the largest share:\n");
	grid_row(rows, "value", "low", "break-even there", "high", "break-even there",
		 "share of the variance", NULL);
	for (size_t i = 0; i < r->neffects; i++) {
		const struct effect *e = &r->effect[i];
		const struct uncertain *u = &a->uncertain.v[e->uncertain];
		char *low = xasprintf("%.4g", uncertain_at(u, -1.0));
		char *high = xasprintf("%.4g", uncertain_at(u, 1.0));
		char *at_low = print_plain(r, e->lo), *at_high = print_plain(r, e->hi);
		char *share = xasprintf("%.0f %%", 100.0 * e->share);

		grid_row(rows, u->name, low, at_low, high, at_high, share, NULL);
		free(low);
		free(high);
		free(at_low);
		free(at_high);
		free(share);
	}
	grid_print(rows, TABLE_TEXT, stdout);
	printf("from run to run, or not linear: %.0f %%\n", 100.0 * r->rest);
	cJSON_Delete(rows);
}

void advice_print(const struct advice *r, const struct advise *a)
{
	char *simulated = provenance_text(a);

	utf8_puts(simulated);
	free(simulated);
	printf("time per useful step [s]: of as many gradients as there are workers, divided by "
	       "progress per step\n");
	print_table(r, a);
	print_no_data(a);
	for (int k = 0; k < RARES; k++)
		print_rare(r, a, k);
	print_faults_after(r, a);
	putchar('\n');
	if (isnan(r->lo))
		puts("no data at any point: measure there, or give --extrapolate");
	else if (!r->inside)
		print_none(r, a);
	else
		print_break_even(r, a);
	print_progress(a);
	print_uncertain(a);
	print_sensitivity(r, a);
}
