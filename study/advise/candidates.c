/* The algorithms of --among: their list, settings they go without, and why they cannot run. */
#include "study/advise/ranking.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt.h"
#include "plan/machine/machine.h"
#include "plan/settings/settings.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

static const char dozen[] =
	"allreduce,backup,local-sgd:period=10,diloco:period=10/25,"
	"streaming-diloco:period=20,fragments=4,eager-diloco:period=10,noloco:period=10,"
	"async-local-sgd:period=10,asgd,dana,d-psgd,ad-psgd";

char *algo_family(const char *algo)
{
	return xasprintf("%.*s", (int)strcspn(algo, ":"), algo);
}

/* True when a text after a comma begins an algorithm, and not an option of the one before. */
static bool begins_algorithm(const char *text)
{
	const size_t n = strcspn(text, ":,=");

	return text[n] != '=';
}

/* Adds an algorithm and, for its first list of values a/b/c, one for each. */
static void candidates_expand(struct texts *list, const char *text)
{
	const char *colon = strchr(text, ':'), *slash = colon ? strchr(colon, '/') : NULL;
	const char *from = slash;
	size_t end;

	if (!slash || list->n > MOST) {
		texts_put(list, text);
		return;
	}
	while (from > colon && from[-1] != '=')
		from--;
	end = (size_t)(from - text) + strcspn(from, ",");
	for (const char *v = from; v < text + end;) {
		const size_t n = strcspn(v, "/,");
		char *one = xasprintf("%.*s%.*s%s", (int)(from - text), text, (int)n, v,
				      text + end);

		candidates_expand(list, one);
		free(one);
		v += n + (v[n] == '/');
	}
}

/* 0, or error() for an algorithm that is not known, or stands there twice. */
static int candidates_check(const struct texts *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct choice algo = { 0 };
		int ret;

		if (!*list->v[i])
			return error("--among: an algorithm without a name (expected a list such "
				     "as allreduce,diloco:period=10/50). Leave out a comma");
		context_set("--among");
		ret = choice_parse(&algo, algo_table, "algorithm", list->v[i]);
		context_set(NULL);
		choice_release(&algo);
		if (ret < 0) {
			note("`convoy list algos` and `convoy show algo NAME` say which there "
			     "are");
			return ret;
		}
		if (texts_have(&(struct texts){ list->v, i }, list->v[i]))
			return error("--among: %s stands there twice. Leave one out", list->v[i]);
	}
	return 0;
}

int among_read_candidates(struct among *m, const char *text)
{
	char *copy = xstrdup(text && strcmp(text, "dozen") != 0 ? text : dozen), *at = copy;
	scoped_by(texts_release) struct texts list = { 0 };
	int ret;

	for (char *p = copy; *p; p++)
		if (*p == ',' && begins_algorithm(p + 1)) {
			*p = '\0';
			candidates_expand(&list, at);
			at = p + 1;
		}
	candidates_expand(&list, at);
	free(copy);
	if (list.n > MOST)
		ret = error("--among: more than %d algorithms. Leave out some", MOST);
	else
		ret = candidates_check(&list);
	if (ret == 0 && list.n < 2)
		ret = error("--among %s: one algorithm (expected two or more). Add another, or "
			    "leave out the list for a dozen", text);
	if (ret == 0) {
		m->n = list.n;
		m->c = xcalloc(m->n, sizeof(*m->c));
	}
	for (size_t c = 0; c < m->n; c++) {
		m->c[c].algo = xstrdup(list.v[c]);
		m->c[c].error_name = xasprintf("model error of %s", list.v[c]);
		m->c[c].family = c;
		for (size_t k = c; k-- > 0;)
			if (choice_same_name(list.v[k], list.v[c]))
				m->c[c].family = k;
	}
	return ret;
}

/* ---- candidates at a point ---- */
static char *refusal;           /* the first error since it was freed */

static void refusal_keep(enum severity sev, const char *fmt, va_list ap)
{
	if (sev == SEV_ERROR && !refusal)
		refusal = xvasprintf(fmt, ap);
}

struct grid_point among_settings(const struct among *m, size_t c, const double *x, size_t draw)
{
	const struct advise *a = &m->a;
	struct grid_point at = advise_settings(a, &a->draw[draw]);

	if (m->c[c].without & WITHOUT_CODEC)
		point_drop(&at, "codec");
	if (m->c[c].without & WITHOUT_SHARDS)
		point_drop(&at, "shards");
	if (m->c[c].without & WITHOUT_GRAPH)
		point_drop(&at, "graph");

	for (size_t k = 0; k < a->nvary && x; k++) {
		struct grid_point next = vary_apply(&a->vary[k], &at, x[k]);

		point_release(&at);
		at = next;
	}
	return at;
}

void candidate_facts_release(struct candidate_facts *l)
{
	free_all(l->why, l->beyond);
}

/* Adds which values in a reason are defaults, as the question does not have them. */
static void why_name_defaults(char **why, const char *algo)
{
	scoped char *family = algo_family(algo);
	const struct plugin *plugin = plugin_find(algo_table, "algorithm", family);

	for (const struct opt *o = plugin ? plugin->opts : NULL; o && o->name; o++) {
		scoped char *told = xasprintf(" %s = ", o->name),
			    *given = xasprintf("%s=", o->name);

		if (o->def && strstr(*why, told) && !strstr(algo, given))
			xappendf(why, " ", "%s = %s is the default: give another as %s%s%s=N",
				 o->name, o->def, algo, strchr(algo, ':') ? "," : ":", o->name);
	}
}

struct candidate_facts candidate_facts(const struct advise *a, const struct grid_point *settings,
				       const char *algo)
{
	struct candidate_facts facts = { 0 };
	const error_routine before = error_set_routine(refusal_keep);
	struct setup su;

	free(refusal);
	refusal = NULL;
	setup_init(&su);
	if (settings_apply_point(&su.in, settings, "command line") == 0 &&
	    settings_set(&su.in, "algo", algo, "command line") == 0 && setup_resolve(&su) == 0) {
		facts.kept = kept_setting_of(&su);
		facts.least = advise_least(&su);
		facts.beyond = advise_beyond(&su);
		facts.why = advise_overlong(a, &su);
		facts.one_server = setup_algo(&su)->server && su.in.shards == 1;
		facts.kind = allreduce_kind(&su);
		facts.library = facts.kind ? allreduce_library(&su) : NULL;
	} else {
		facts.why = refusal ? refusal : xstrdup("it does not go with the settings");
		refusal = NULL;
		why_name_defaults(&facts.why, algo);
	}
	setup_release(&su);
	error_set_routine(before);
	return facts;
}

/* ---- settings that candidates go without ---- */

static bool candidate_goes(const struct among *m, size_t c)
{
	scoped_by(point_release) struct grid_point at = among_settings(m, c, NULL, 0);
	scoped_by(candidate_facts_release) struct candidate_facts facts =
		candidate_facts(&m->a, &at, m->c[c].algo);

	return !facts.why;
}

void among_find_without(struct among *m)
{
	const unsigned all = (point_text(&m->a.settings, "codec") ? WITHOUT_CODEC : 0) |
			     (point_text(&m->a.settings, "shards") ? WITHOUT_SHARDS : 0) |
			     (point_text(&m->a.settings, "graph") ? WITHOUT_GRAPH : 0);

	for (size_t c = 0; c < m->n && all; c++) {
		unsigned *without = &m->c[c].without;

		while (*without <= all && !candidate_goes(m, c))
			++*without;
		if (*without > all)
			*without = 0;
	}
}
