/* The parameters that a question can be about: their ranges and the settings that they become. */
#include "study/advise/vary.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
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

static double option_number(const char *text, size_t n, const char *key, double otherwise)
{
	const char *value = option_find(text, n, key);

	return value ? strtod(value, NULL) : otherwise;
}

/* ---- the parameters ---- */

static void set_slow(const cJSON *settings, double x, cJSON *point)
{
	const char *own = json_word(settings, "slow");
	const bool none = !*own || strcmp(own, "none") == 0;

	json_set_owned(point, "slow", xasprintf("%s%s0:%.9g", none ? "" : own, none ? "" : "+", x));
}

static void set_link(const cJSON *settings, const char *key, double x, cJSON *point)
{
	const char *link = json_word(settings, "link");

	json_set_owned(point, "link", option_set(link, 0, clauses_model(link), key, x));
}

static void set_bandwidth(const cJSON *settings, double x, cJSON *point)
{
	set_link(settings, "bandwidth_GBps", x, point);
}

static void set_latency(const cJSON *settings, double x, cJSON *point)
{
	set_link(settings, "latency_s", x, point);
}

static void set_workers(const cJSON *settings, double x, cJSON *point)
{
	(void)settings;
	json_set_owned(point, "workers", xasprintf("%.0f", x));
}

static void set_compute(const cJSON *settings, double x, cJSON *point)
{
	(void)settings;
	json_set_owned(point, "compute_s", xasprintf("%.9g", x));
}

/* Markov's fast_s follows from slow_s; without such a model worker 0 gets one. */
static void set_share(const cJSON *settings, double x, cJSON *point)
{
	static const double otherwise_slow_s = 10.0, least_s = 1e-3, most_s = 1e12;
	const char *own = json_word(settings, "delay");
	char *text = strstr(own, "markov") ? xstrdup(own) :
					     xasprintf("%s; 0: * markov", *own ? own : "constant");
	const size_t from = (size_t)(strstr(text, "markov") - text);
	const size_t n = strcspn(text + from, ";*");
	const double slow_s = option_number(text + from, n, "slow_s", otherwise_slow_s);
	const double fast_s = fmin(fmax(slow_s * (1.0 - x) / x, least_s), most_s);

	json_set_owned(point, "delay", option_set(text, from, n, "fast_s", fast_s));
	free(text);
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
	{ .name = "workers", .unit = "", .axis = "workers", .shadows = "workers", .least = 1.0,
	  .most = 1 << 24, .whole = true, .setting = true, .set = set_workers },
	{ .name = "compute_s", .unit = "s", .axis = "seconds of a minibatch",
	  .shadows = "compute_s", .least = 1e-12, .most = 1e9, .setting = true,
	  .set = set_compute },
};

enum { KINDS = sizeof(vary_kinds) / sizeof(vary_kinds[0]) };

/* ---- reading ---- */

static const struct vary_kind *vary_find(const char *text, size_t n)
{
	const char *known[KINDS + 1] = { NULL };
	char *name = xasprintf("%.*s", (int)n, text), *advice;
	const struct vary_kind *found = NULL;

	for (size_t i = 0; i < KINDS; i++) {
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

/* LO..HI after the '='. */
static bool vary_read_range(struct vary *v, const char *text)
{
	const char *dots = strstr(text, "..");
	char *low = dots ? xasprintf("%.*s", (int)(dots - text), text) : NULL;
	const bool is = dots && text_double(low, &v->lo) && text_double(dots + 2, &v->hi);

	free(low);
	return is && isfinite(v->lo) && isfinite(v->hi);
}

static bool is_whole(double x)
{
	return !(x < floor(x)) && !(x > floor(x));
}

static int vary_check(const struct vary *v, const char *text)
{
	const struct vary_kind *k = v->kind;

	if (!(v->hi > v->lo))
		return error("--vary %s: the range is empty (expected LO below HI)", text);
	if (v->lo < k->least || v->hi > k->most)
		return error("--vary %s: %s must be from %g to %g", text, k->name, k->least,
			     k->most);
	if (k->whole && !(is_whole(v->lo) && is_whole(v->hi)))
		return error("--vary %s: %s must be whole numbers", text, k->name);
	return 0;
}

int vary_parse(struct vary *v, const char *text)
{
	static const double wide = 4.0; /* HI / LO, from where points are spaced in log x */
	const char *equal = strchr(text, '=');

	if (!equal)
		return error("--vary %s: expected PARAMETER=LO..HI, such as slow=1..10", text);
	v->kind = vary_find(text, (size_t)(equal - text));
	if (!v->kind)
		return -1;
	if (!vary_read_range(v, equal + 1))
		return error("--vary %s: expected LO..HI after '=', such as slow=1..10", text);
	v->log = v->lo > 0.0 && v->hi >= wide * v->lo;
	v->node = 1.0;
	return vary_check(v, text);
}

static bool fills_nodes(const struct vary *v, double x)
{
	return x <= v->node || is_whole(x / v->node);
}

int vary_fill_nodes(struct vary *v, const cJSON *settings)
{
	const char *link = json_word(settings, "link");

	if (v->kind->set != set_workers)
		return 0;
	v->node = fmax(1.0, option_number(link, clauses_model(link), "node", 1.0));
	if (fills_nodes(v, v->lo) && fills_nodes(v, v->hi))
		return 0;
	return error("--vary workers=%g..%g: nodes of %g workers need multiples of %g", v->lo,
		     v->hi, v->node, v->node);
}

/* ---- the scale ---- */

double vary_x(const struct vary *v, double u)
{
	const double x = v->log ? exp(u) : u, filled = round(x / v->node) * v->node;

	if (!v->kind->whole)
		return fmin(fmax(x, v->lo), v->hi);
	return x > v->node ? filled : round(x);
}

double vary_u(const struct vary *v, double x)
{
	return v->log ? log(x) : x;
}

double *vary_points(const struct vary *v, size_t *n)
{
	double *x = xcalloc(*n, sizeof(*x));
	const double from = vary_u(v, v->lo), to = vary_u(v, v->hi);
	size_t found = 0;

	for (size_t i = 0; i < *n; i++) {
		const double share = (double)i / (double)(*n - 1);
		const double next = vary_x(v, from + share * (to - from));

		if (!found || next > x[found - 1])
			x[found++] = next;
	}
	*n = found;
	return x;
}

cJSON *vary_apply(const struct vary *v, const cJSON *settings, double x)
{
	cJSON *point = cJSON_Duplicate(settings, true);

	v->kind->set(settings, x, point);
	return point;
}
