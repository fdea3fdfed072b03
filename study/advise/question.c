/* A question: two algorithms, a parameter over a range, a machine, and what is uncertain. */
#include "study/advise/advise.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "plan/machine/cluster.h"
#include "plan/resolve/remarks.h"
#include "plan/settings/settings.h"
#include "plan/settings/values.h"
#include "sim/link/clauses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- an option of a plug-in's text ---- */

/* The value of KEY= in the first n bytes of a text; NULL: it is not there. */
static const char *option_find(const char *text, size_t n, const char *key)
{
	const size_t length = strlen(key);

	for (const char *p = text; p + length < text + n; p++)
		if (strncmp(p, key, length) == 0 && p[length] == '=' &&
		    (p > text && strchr(":, ", p[-1])))
			return p + length + 1;
	return NULL;
}

static double option_number(const char *text, size_t n, const char *key, double otherwise)
{
	const char *value = option_find(text, n, key);
	double x;

	return value && unit_parse(&value, quantity_of_key(key), &x) ? x : otherwise;
}

/* The text whose n bytes from `from` are a plug-in, with its option at x. The caller frees. */
static char *option_set(const char *text, size_t from, size_t n, const char *key, double x)
{
	const char *plugin = text + from, *value = option_find(plugin, n, key);
	const size_t end = value ? (size_t)(value - text) : from + n;
	const size_t after = value ? end + strcspn(value, ",;* ") : end;
	const char *join = value ? "" : memchr(plugin, ':', n) ? "," : ":";

	return xasprintf("%.*s%s%s%s%.9g%s", (int)end, text, join, value ? "" : key,
			 value ? "" : "=", x, text + after);
}

/* ---- the parameters ---- */

/* The text of a setting; "" where it is not given. */
static const char *setting_word(const struct grid_point *settings, const char *key)
{
	const char *text = point_text(settings, key);

	return text ? text : "";
}

static void set_slow(const struct grid_point *settings, double x, struct grid_point *point)
{
	const char *own = setting_word(settings, "slow");
	const bool none = !*own || strcmp(own, "none") == 0;

	point_put_last(point, "slow", xasprintf("%s%s0:%.9g", none ? "" : own, none ? "" : "+", x));
}

static void set_link(const struct grid_point *settings, const char *key, double x,
		     struct grid_point *point)
{
	const char *link = setting_word(settings, "link");

	point_put_last(point, "link", option_set(link, 0, clauses_model(link), key, x));
}

static void set_bandwidth(const struct grid_point *settings, double x, struct grid_point *point)
{
	set_link(settings, "bandwidth_GBps", x, point);
}

static void set_latency(const struct grid_point *settings, double x, struct grid_point *point)
{
	set_link(settings, "latency_s", x, point);
}

static void set_workers(const struct grid_point *settings, double x, struct grid_point *point)
{
	(void)settings;
	point_put_last(point, "workers", xasprintf("%.0f", x));
}

/* The time that workers share varies; clauses of single workers, after ';', stay. */
static void set_compute(const struct grid_point *settings, double x, struct grid_point *point)
{
	const char *clauses = strchr(setting_word(settings, "compute_s"), ';');

	point_put_last(point, "compute_s", xasprintf("%.9g%s", x, clauses ? clauses : ""));
}

/* Which worker is slow for a share of the time, how slow, and how long at a time, if none is. */
#define SHARE_DELAY "0: * markov:factor=10,slow_s=10"

/* Markov's fast_s follows from slow_s. */
static void set_share(const struct grid_point *settings, double x, struct grid_point *point)
{
	static const double otherwise_slow_s = 10.0, least_s = 1e-3, most_s = 1e12;
	const char *own = setting_word(settings, "delay");
	scoped char *text = strstr(own, "markov") ? xstrdup(own) :
			       xasprintf("%s; " SHARE_DELAY, *own ? own : "constant");
	const size_t from = (size_t)(strstr(text, "markov") - text);
	const size_t n = strcspn(text + from, ";*");
	const double slow_s = option_number(text + from, n, "slow_s", otherwise_slow_s);
	const double fast_s = fmin(fmax(slow_s * (1.0 - x) / x, least_s), most_s);

	point_put_last(point, "delay", option_set(text, from, n, "fast_s", fast_s));
}

static const struct vary_kind vary_kinds[] = {
	{ .name = "slow", .unit = "", .axis = "slowdown of worker 0", .least = 1e-6, .most = 1e9,
	  .set = set_slow },
	{ .name = "share", .unit = "", .axis = "share of the time in which a worker is slow",
	  .shadows = "delay.fast_s", .least = 0.0, .most = 1.0, .set = set_share },
	{ .name = "bandwidth", .unit = "GB/s", .axis = "bandwidth [GB/s]",
	  .shadows = "link.bandwidth_GBps", .least = 1e-9, .most = 1e9, .set = set_bandwidth,
	  .option = "bandwidth_GBps" },
	{ .name = "latency", .unit = "s", .axis = "latency [s]", .shadows = "link.latency_s",
	  .least = 0.0, .most = 1e6, .set = set_latency, .option = "latency_s" },
	{ .name = "workers", .unit = "", .axis = "workers", .shadows = "workers", .least = 2.0,
	  .most = SIM_WORKERS_MOST, .whole = true, .setting = true, .set = set_workers },
	{ .name = "compute_s", .unit = "s", .axis = "seconds of a minibatch",
	  .shadows = "compute_s", .least = 1e-12, .most = 1e9, .setting = true,
	  .set = set_compute },
};

enum { VARY_KINDS = sizeof(vary_kinds) / sizeof(vary_kinds[0]) };

const struct vary_kind *vary_kind_of(const char *name)
{
	for (size_t i = 0; i < VARY_KINDS; i++)
		if (strcmp(name, vary_kinds[i].name) == 0)
			return &vary_kinds[i];
	return NULL;
}

char *vary_head(const struct vary_kind *k)
{
	return *k->unit ? xasprintf("%s [%s]", k->name, k->unit) : xstrdup(k->name);
}

int vary_digits(double x)
{
	return fabs(x) >= 1e4 && fabs(x) < 1e9 ? 1 + (int)log10(fabs(x)) : 4;
}

char *vary_row_text(double x, double before)
{
	const int digits = vary_digits(x);

	return xasprintf("%.*g", x < 1.001 * before && digits < 6 ? 6 : digits, x);
}

char *vary_text(const struct vary_kind *k, double lo, double hi)
{
	scoped char *to = hi > lo ? xasprintf(" to %.*g", vary_digits(hi), hi) : xstrdup("");

	return xasprintf("%s %.*g%s%s%s", k->name, vary_digits(lo), lo, to,
			       *k->unit ? " " : "", k->unit);
}

void vary_span_add(struct vary_span *s, const double *x)
{
	for (size_t k = 0; k < ADVISE_VARY; k++) {
		s->lo[k] = s->n ? fmin(s->lo[k], x[k]) : x[k];
		s->hi[k] = s->n ? fmax(s->hi[k], x[k]) : x[k];
	}
	s->n++;
}

static bool span_is_whole(const struct vary_span *s, const struct vary_span *all, size_t k)
{
	return !(s->lo[k] > all->lo[k]) && !(s->hi[k] < all->hi[k]);
}

char *vary_span_text(const struct vary_span *s, const struct vary_span *all,
		     const struct vary_kind *const *kind, size_t n)
{
	char *text = NULL, *where;
	bool whole = true, longer = false;

	for (size_t k = 0; k < n; k++)
		whole &= span_is_whole(s, all, k);
	for (size_t k = 0; k < n; k++)
		if (whole || !span_is_whole(s, all, k)) {
			xappend_own(&text, ", ", vary_text(kind[k], s->lo[k], s->hi[k]));
			longer |= s->lo[k] < s->hi[k];
		}
	where = xasprintf("%s %s", n > 1 && longer ? "within" : "at", text);
	free(text);
	return where;
}

static const struct vary_kind *vary_find(const char *text, size_t n)
{
	const char *known[VARY_KINDS + 1] = { NULL };
	char *name = xasprintf("%.*s", (int)n, text), *advice;
	const struct vary_kind *found = NULL;

	for (size_t i = 0; i < VARY_KINDS; i++) {
		known[i] = vary_kinds[i].name;
		if (strcmp(name, known[i]) == 0 ||
		    (strcmp(name, "compute-s") == 0 && vary_kinds[i].set == set_compute))
			found = &vary_kinds[i];
	}
	if (!found) {
		advice = word_advice(name, known);
		error("--vary: unknown parameter '%s'%s", name, advice);
		free(advice);
	}
	free(name);
	return found;
}

static bool is_whole_number(double x)
{
	return !(x < floor(x)) && !(x > floor(x));
}

static enum quantity vary_quantity(const struct vary_kind *k)
{
	return strcmp(k->unit, "s") == 0      ? QUANTITY_TIME
	       : strcmp(k->unit, "GB/s") == 0 ? QUANTITY_RATE
	       : k->whole		      ? QUANTITY_COUNT
					      : QUANTITY_NONE;
}

/* LO or HI, which may have a unit, by default that of HI. */
static bool vary_number(const struct vary_kind *k, const char *text, const char *hi, double *x)
{
	const enum quantity q = vary_quantity(k);
	scoped char *lent = unit_lend(q, text, hi);
	const bool is = text_double(lent, x) ||
			(q != QUANTITY_NONE && unit_text(k->name, lent, q, x));

	return is && isfinite(*x);
}

/* error(), with what is wrong with the unit of LO or HI. */
static int vary_refuse(const struct vary_kind *k, const char *text, const char *odd)
{
	scoped char *advice = unit_advice(vary_quantity(k), odd);

	error("--vary %s: expected LO..HI after '=', such as slow=1..10%s", text, advice);
	return -1;
}

/* Reads "PARAMETER=LO..HI"; 0 or error(). */
static int vary_parse(struct vary *v, const char *text)
{
	static const double wide = 4.0; /* HI / LO, from where points are spaced in log x */
	const char *equal = strchr(text, '='), *dots = equal ? strstr(equal + 1, "..") : NULL;
	const struct vary_kind *k = equal ? vary_find(text, (size_t)(equal - text)) : NULL;
	char *low;
	int bad = 0;

	if (!equal)
		return error("--vary %s: expected PARAMETER=LO..HI, such as slow=1..10", text);
	if (!k)
		return -1;
	v->kind = k;
	low = dots ? xasprintf("%.*s", (int)(dots - equal - 1), equal + 1) : NULL;
	if (!dots || !vary_number(k, low, dots + 2, &v->lo))
		bad = vary_refuse(k, text, dots ? low : "");
	else if (!vary_number(k, dots + 2, dots + 2, &v->hi))
		bad = vary_refuse(k, text, dots + 2);
	free(low);
	if (bad)
		return bad;
	v->log = v->lo > 0.0 && v->hi >= wide * v->lo;
	v->node = 1.0;
	if (!(v->hi > v->lo))
		return error("--vary %s: the range is empty (expected LO below HI)", text);
	if (v->lo < k->least || v->hi > k->most)
		return error("--vary %s: %s must be from %.9g to %.9g", text, k->name, k->least,
			     k->most);
	if (k->whole && !(is_whole_number(v->lo) && is_whole_number(v->hi)))
		return error("--vary %s: %s must be whole numbers", text, k->name);
	return 0;
}

/* Workers of a node; the link counts the devices of each. */
static double node_workers(const struct grid_point *settings)
{
	const char *link = setting_word(settings, "link");
	const char *gpus = setting_word(settings, "gpus_per_worker");
	const double devices = option_number(link, clauses_model(link), "node", 1.0);
	double each;

	return fmax(1.0, unit_parse(&gpus, QUANTITY_COUNT, &each) ? devices / each : devices);
}

/* Once the settings are known: workers fill nodes. 0; or error() if LO or HI does not. */
static int vary_fill_nodes(struct vary *v, const struct grid_point *settings)
{
	const double ends[] = { v->lo, v->hi };

	if (v->kind->set != set_workers)
		return 0;
	v->node = node_workers(settings);
	for (int i = 0; i < 2; i++)
		if (ends[i] > v->node && !is_whole_number(ends[i] / v->node))
			return error("--vary workers=%g..%g: nodes of %g workers need multiples "
				     "of %g", v->lo, v->hi, v->node, v->node);
	return 0;
}

double vary_x(const struct vary *v, double u)
{
	const double x = v->log ? exp(u) : u, filled = round(x / v->node) * v->node;
	char digits[32];

	if (v->kind->whole)
		return x > v->node ? filled : round(x);
	snprintf(digits, sizeof(digits), "%.9g", fmin(fmax(x, v->lo), v->hi));
	return strtod(digits, NULL);
}

double vary_u(const struct vary *v, double x)
{
	return v->log ? log(x) : x;
}

struct grid_point vary_apply(const struct vary *v, const struct grid_point *settings, double x)
{
	struct grid_point point = point_copy(settings);

	v->kind->set(settings, x, &point);
	return point;
}

/* ---- the command line ---- */

static int question_read_algos(struct advise *a, const char *text)
{
	struct value_list list = { 0 };
	int ret;

	if (!text)
		return error("--between is missing (expected FIRST,SECOND). Name two algorithms, "
			     "such as allreduce,ad-psgd");
	ret = values_parse(&list, "algo", text, "--between");
	if (ret == 0 && list.n != ADVISE_ALGOS)
		ret = error("--between %s: %zu algorithm%s (expected two)", text, list.n,
			    word_plural((double)list.n));
	for (size_t i = 0; i < ADVISE_ALGOS && ret == 0; i++)
		a->algo[i] = xstrdup(list.v[i].text);
	value_list_release(&list);
	/* before any settings go with them */
	for (int k = 0; k < ADVISE_ALGOS && ret == 0; k++) {
		struct choice algo = { 0 };

		context_set("--between");
		ret = choice_parse(&algo, algo_table, "algorithm", a->algo[k]);
		context_set(NULL);
		choice_release(&algo);
		if (ret < 0)
			note("`convoy list algos` and `convoy show algo NAME` say which there are");
	}
	return ret;
}

/* "FIRST,SECOND"; NULL: 1 for both. */
static int question_read_progress(struct advise *a, const char *text)
{
	const char *comma = text ? strchr(text, ',') : NULL;
	int ret = 0;

	a->progress_given = text != NULL;
	if (text && !comma)
		return error("--progress '%s': expected two numbers, such as 1,0.93", text);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		a->progress[k] = (struct progress){ 1.0, SIZE_MAX };
	for (int k = 0; k < ADVISE_ALGOS && text && ret == 0; k++) {
		scoped char *name = xasprintf("progress %s", a->algo[k]);
		scoped char *own = k == ADVISE_FIRST ? xasprintf("%.*s", (int)(comma - text), text)
						     : xstrdup(comma + 1);
		scoped char *what = xasprintf("--progress '%s'", own);
		const size_t before = a->uncertain.n;

		ret = progress_read(&a->uncertain, name, what, own, &a->progress[k].value);
		if (a->uncertain.n > before)
			a->progress[k].uncertain = before;
	}
	return ret;
}

static int question_find_uncertain(struct advise *a)
{
	for (size_t i = 0; i < a->settings.n; i++) {
		const char *key = a->settings.v[i].key, *text = a->settings.v[i].value.text;
		const size_t before = a->uncertain.n;

		if (uncertain_find(&a->uncertain, key, text) < 0)
			return -1;
		/* counts are known */
		if (a->uncertain.n > before &&
		    (opt_find(settings_opts, key)->type == OPT_INT || strcmp(key, "workers") == 0))
			return error("%s '%s': a count is not uncertain (expected a whole number)",
				     key, text);
	}
	for (size_t i = 0; i < a->uncertain.n; i++)
		for (size_t k = 0; k < a->nvary; k++) {
			const char *shadows = a->vary[k].kind->shadows;

			if (shadows && strcmp(a->uncertain.v[i].name, shadows) == 0)
				return error("%s: it is varied, and so not uncertain. Give its "
					     "value without +-", a->uncertain.v[i].name);
		}
	return 0;
}

/* ---- the machine ---- */

/* The settings with the mean of each uncertain number, resolved. */
static int question_resolve(struct setup *su, const struct grid_point *settings, const char *algo)
{
	scoped_by(point_release) struct grid_point means = { 0 };
	int ret = 0;

	point_put_text(&means, "algo", algo);
	for (size_t i = 0; i < settings->n && ret == 0; i++) {
		const char *key = settings->v[i].key, *text = settings->v[i].value.text;
		scoped_by(uncertain_release) struct uncertain_list own = { 0 };
		double *mean;

		ret = uncertain_find(&own, key, text);
		mean = xcalloc(own.n + 1, sizeof(*mean));
		for (size_t k = 0; k < own.n; k++)
			mean[k] = own.v[k].mean;
		if (ret == 0)
			point_put_last(&means, key, uncertain_fill(key, text, mean));
		free(mean);
	}
	if (ret == 0)
		ret = settings_apply_point(&su->in, &means, "command line");
	return ret < 0 ? ret : setup_resolve(su);
}

/* Value of a varied setting that is not given: the machine's workers, if the range has them. */
static double vary_default(const struct vary *v, const struct grid_point *settings,
			   const char *algo)
{
	const double node = node_workers(settings);
	struct setup su;
	double x;

	if (v->kind->set != set_workers)
		return v->lo;
	context_mute();
	setup_init(&su);
	/* whether it can run with so many workers is not asked */
	(void)question_resolve(&su, settings, algo);
	x = fmin(fmax((double)su.num.workers, v->lo), v->hi);
	setup_release(&su);
	context_unmute();
	return x > node ? fmax(floor(x / node) * node, v->lo) : x;
}

/*
 * A compute time that is varied, and not given, gets the text that the cluster has for the net, if
 * it has clauses of single workers. 0; or error() if no time is left that varies.
 */
static int compute_settle(struct grid_point *settings, const char *algo)
{
	const char *text = point_text(settings, "compute_s");
	struct setup su;

	if (!text || setup_is_auto(text)) {
		context_mute();
		setup_init(&su);
		/* a machine whose compute time is not known has no clauses */
		if (question_resolve(&su, settings, algo) == 0 && su.times.n > 1)
			point_put_last(settings, "compute_s", compute_times_format(&su.times));
		setup_release(&su);
		context_unmute();
	}
	text = setting_word(settings, "compute_s");
	if (text[strspn(text, "0123456789,- ")] != ':')
		return 0;
	return error("--vary compute_s: compute_s '%s' names the workers of each time (expected "
		     "TIME; RANKS: TIME, where the first varies and the others stay). Give such a "
		     "--compute-s, or vary slow", text);
}

/* The machine's value of a setting, of a cluster's link as its file has it. The caller frees. */
static char *machine_text(const struct setup *su, const char *key)
{
	const char *name = setup_text(su, "cluster");
	struct cluster c = { 0 };
	char *text = NULL;

	if (strcmp(key, "link") == 0 && strcmp(name, "none") != 0 && cluster_load(&c, name) == 0) {
		text = xstrdup(c.link);
		cluster_release(&c);
	}
	return text ? text : xstrdup(setup_text(su, key));
}

/* A setting that a parameter changes gets a text of its own, and the cluster stays what it is. */
static int question_settle_machine(struct advise *a, const char *algo)
{
	static const char *const keys[] = { "cluster", "link", "delay", "workers" };
	const struct plugin *link;
	struct setup su;
	int ret;

	for (size_t k = 0; k < a->nvary; k++) {
		const struct vary_kind *kind = a->vary[k].kind;
		const bool given = point_text(&a->settings, kind->name);

		if (kind->set == set_compute && compute_settle(&a->settings, algo) < 0)
			return -1;
		if (kind->setting && !given)
			kind->set(&a->settings, vary_default(&a->vary[k], &a->settings, algo),
				  &a->settings);
	}
	setup_init(&su);
	ret = question_resolve(&su, &a->settings, algo);
	if (ret == 0 && su.num.workers < 2)
		ret = error("--workers: one worker exchanges nothing, so there is no algorithm to "
			    "choose (expected 2 or more)");
	link = ret == 0 ? su.sim.link.plugin : NULL;
	for (size_t k = 0; k < a->nvary && link && ret == 0; k++) {
		const struct vary_kind *kind = a->vary[k].kind;

		if (kind->option && !(link->opts && opt_find(link->opts, kind->option)))
			ret = error("--vary %s: link %s has no %s (expected nic or fair). Give "
				    "--link nic:...", kind->name, link->name, kind->option);
	}
	for (size_t i = 0; ret == 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *given = point_text(&a->settings, keys[i]);

		if (!given || setup_is_auto(given)) {
			point_put_last(&a->settings, keys[i], machine_text(&su, keys[i]));
			a->link_of_cluster |= strcmp(keys[i], "link") == 0 &&
					      strcmp(setup_text(&su, "cluster"), "none") != 0;
		}
	}
	if (ret == 0)
		a->has_length = su.in.gradients > 0 || su.in.seconds > 0 ||
				!setup_is_auto(su.in.epochs);
	setup_release(&su);
	return ret;
}

/* Reads the settings; `algo` is one that is asked about. 0 or error(). */
static int question_read_settings(struct advise *a, const cJSON *set, const char *algo)
{
	const char *text;
	int64_t seed = 1;

	a->settings = point_read(set);
	if (point_text(&a->settings, "algo"))
		return error("--algo is not used: --among or --between names the algorithms");
	point_put_last(&a->settings, "timing", xstrdup("true"));
	if (question_settle_machine(a, algo) < 0)
		return -1;
	for (size_t k = 0; k < a->nvary; k++)
		if (vary_fill_nodes(&a->vary[k], &a->settings) < 0)
			return -1;
	text = point_text(&a->settings, "seed");
	if (text && (!text_int(text, &seed) || seed < 0))
		return error("seed '%s': expected one number. --draws says how many seeds there "
			     "are", text);
	point_drop(&a->settings, "seed");
	a->seed = (uint64_t)seed;
	return question_find_uncertain(a);
}

double *vary_values(const struct vary *v, size_t points, size_t *n)
{
	const double from = vary_u(v, v->lo), to = vary_u(v, v->hi);
	double *x = xcalloc(points, sizeof(*x));

	*n = 0;
	for (size_t i = 0; i < points; i++) {
		const double share = (double)i / (double)(points - 1);
		const double next = vary_x(v, from + share * (to - from));

		if (!*n || next > x[*n - 1])
			x[(*n)++] = next;
	}
	return x;
}

static void advise_centre(struct advise *a)
{
	a->centre = advise_draw_new(a, a->seed);
	for (size_t i = 0; i < a->uncertain.n; i++)
		a->centre.value[i] = a->uncertain.v[i].mean;
	a->known = xcalloc(1, sizeof(*a->known));
	known_open(a->known, a->out);
}

int advise_open(struct advise *a, const struct question *q)
{
	const char *price;

	if (!q->vary)
		return error("--vary is missing (expected PARAMETER=LO..HI). Name a parameter, "
			     "such as slow=1..10");
	if (question_read_algos(a, q->between) < 0)
		return -1;
	if (strchr(q->vary, '\n'))
		return error("--vary is given twice, but --between takes one parameter. Leave one "
			     "out, or ask with --among");
	a->nvary = 1;
	if (vary_parse(&a->vary[0], q->vary) < 0 ||
	    question_read_settings(a, q->set, a->algo[ADVISE_FIRST]) < 0 ||
	    question_read_progress(a, q->progress) < 0)
		return -1;
	price = point_text(&a->settings, "price");
	if (price && strcmp(price, "none") != 0)
		return error("--price: costs of the two algorithms are in the ratio of their "
			     "times, as both have the same workers. Leave it out, or ask with "
			     "--among");
	a->model_error = SIZE_MAX;
	if (q->model_error > 0.0) {
		a->model_error = a->uncertain.n;
		uncertain_add(&a->uncertain, "model error", 1.0, q->model_error);
	}
	advise_centre(a);
	a->x = vary_values(&a->vary[0], q->points, &a->nx);
	return advise_look(a);
}

int advise_open_among(struct advise *a, const struct question *q, const char *algo)
{
	char *lines = xstrdup(q->vary ? q->vary : ""), *rest;
	int ret = 0;

	a->model_error = SIZE_MAX;
	for (char *line = strtok_r(lines, "\n", &rest); line && ret == 0;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (a->nvary == ADVISE_VARY)
			ret = error("--vary is given more than twice. Leave out all but two");
		else
			ret = vary_parse(&a->vary[a->nvary++], line);
	}
	free(lines);
	if (ret == 0 && a->nvary == 2 && a->vary[0].kind == a->vary[1].kind)
		ret = error("--vary %s is given twice. Name two parameters", a->vary[0].kind->name);
	if (ret < 0 || question_read_settings(a, q->set, algo) < 0)
		return -1;
	advise_centre(a);
	return 0;
}

/* ---- draws ---- */

struct draw advise_draw_new(const struct advise *a, uint64_t seed)
{
	return (struct draw){ .seed = seed,
			      .z = xcalloc(a->uncertain.n + 1, sizeof(double)),
			      .value = xcalloc(a->uncertain.n + 1, sizeof(double)) };
}

void advise_draw_release(struct draw *draw)
{
	free_all(draw->z, draw->value);
}

void advise_draw_all(struct advise *a, size_t n)
{
	a->ndraws = n;
	a->draw = xcalloc(n, sizeof(*a->draw));
	for (size_t d = 0; d < n; d++) {
		struct draw *draw = &a->draw[d];

		*draw = advise_draw_new(a, a->centre.seed + d);
		for (size_t i = 0; i < a->uncertain.n; i++) {
			draw->z[i] = uncertain_draw(&a->uncertain.v[i], draw->seed);
			draw->value[i] = uncertain_at(&a->uncertain.v[i], draw->z[i]);
		}
	}
}

/* ---- provenance ---- */

/*
 * True of a setting that each run has of its own. What is varied is not told, but in a ranking of
 * several, or where single workers have clauses that stay.
 */
static bool setting_is_own(const struct advise *a, const char *key)
{
	static const char *const own[] = { "algo", "seed", "gradients", "time_from" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(key, own[i]) == 0)
			return !point_text(&a->settings, key);
	for (size_t k = 0; k < a->nvary; k++)
		if (a->algo[ADVISE_FIRST] && a->vary[k].kind->setting &&
		    strcmp(key, a->vary[k].kind->name) == 0)
			return !strchr(setting_word(&a->settings, key), ';');
	return false;
}

const char *advise_share_delay(const struct advise *a)
{
	for (size_t k = 0; k < a->nvary; k++)
		if (a->vary[k].kind->set == set_share &&
		    !strstr(setting_word(&a->settings, "delay"), "markov"))
			return SHARE_DELAY " (where share is varied; --delay has no markov model)";
	return NULL;
}

/* The first point, where it alone has its kind of all-reduces; "": all points have it. */
static char *switched_at(const struct advise *a)
{
	const struct points_sum *first = a->sum;

	for (size_t i = 1; first && first->kind && i < a->nx; i++) {
		const char *kind = first[i * ADVISE_ALGOS].kind;

		if (!kind || strcmp(kind, first->kind) != 0)
			return vary_text(a->vary[0].kind, a->x[0], a->x[0]);
	}
	return xstrdup("");
}

void advise_note_settings(struct advise *a, const struct setup *su)
{
	struct grid_point all = { 0 }, varied = point_copy(&a->settings);
	const struct setting_source *link;
	const char *source;
	scoped char *where = switched_at(a);

	for (size_t k = 0; k < a->nvary; k++) {
		struct grid_point next = vary_apply(&a->vary[k], &varied, a->vary[k].lo);

		point_release(&varied);
		varied = next;
	}

	/* without those that are varied, and as given: with their uncertain numbers */
	for (size_t i = 0; i < su->ncanonical; i++)
		if (!point_text(&varied, su->canonical[i].key))
			point_put_last(&all, su->canonical[i].key,
				       xstrdup(su->canonical[i].value));
	for (size_t i = 0; i < a->settings.n; i++)
		point_put_last(&all, a->settings.v[i].key, xstrdup(a->settings.v[i].value.text));
	for (size_t i = all.n; i-- > 0;)
		if (setting_is_own(a, all.v[i].key))
			point_drop(&all, all.v[i].key);
	point_release(&varied);
	a->every_setting = all;
	a->assumed = assumed_point(su);
	if (advise_share_delay(a))
		point_put_last(&a->assumed, "delay", xstrdup(advise_share_delay(a)));
	/* what a given link leaves to its model's defaults, with its values */
	link = &su->sources[opt_find(settings_opts, "link") - settings_opts];
	source = point_text(&a->assumed, "link");
	if (source && link->from == FROM_GIVEN && link->value)
		point_put_last(&a->assumed, "link", xasprintf("%s: %s%s%s", link->value, source,
			       *where ? " at " : "", where));
}

char *advise_provenance(const struct advise *a)
{
	char *line = xstrdup("Simulated:");
	const unsigned long long first = a->centre.seed, last = first + a->ndraws - 1;

	for (size_t i = 0; i < a->settings.n; i++) {
		const char *key = a->settings.v[i].key;

		if (!setting_is_own(a, key) && strcmp(key, "timing") != 0 &&
		    !(a->link_of_cluster && strcmp(key, "link") == 0))
			xappendf(&line, " ", "%s=%s", key, a->settings.v[i].value.text);
	}
	xappend_own(&line, " ", last > first ? xasprintf("seed=%llu..%llu", first, last)
					     : xasprintf("seed=%llu", first));
	return line;
}

void advise_forget_points(struct advise *a)
{
	for (size_t i = 0; i < a->nx && a->no_data; i++)
		free(a->no_data[i]);
	free_all(a->no_data, a->rare, a->sum, a->each, a->x);
	a->no_data = NULL;
	a->rare = NULL;
	a->sum = NULL;
	a->each = a->x = NULL;
	a->nx = 0;
}

void advise_release(struct advise *a)
{
	for (size_t d = 0; d < a->ndraws; d++)
		advise_draw_release(&a->draw[d]);
	advise_draw_release(&a->centre);
	advise_forget_points(a);
	for (int k = 0; k < ADVISE_ALGOS; k++)
		free(a->algo[k]);
	free_all(a->draw, a->grid, a->measured.net);
	if (a->known)
		known_release(a->known);
	free(a->known);
	uncertain_release(&a->uncertain);
	point_release(&a->settings);
	point_release(&a->every_setting);
	point_release(&a->assumed);
	free(a->assumed_line);
	texts_release(&a->limits);
}
