/* Reads the list of algorithms of --among, and expands options with several values. */
#include "study/advise/ranking.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt.h"

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
		for (size_t k = 0; k < i; k++)
			if (strcmp(list->v[k], list->v[i]) == 0)
				return error("--among: %s stands there twice. Leave one out",
					     list->v[i]);
	}
	return 0;
}

int candidates_read(struct texts *list, const char *text)
{
	char *copy = xstrdup(text && strcmp(text, "dozen") != 0 ? text : dozen), *at = copy;

	for (char *p = copy; *p; p++)
		if (*p == ',' && begins_algorithm(p + 1)) {
			*p = '\0';
			candidates_expand(list, at);
			at = p + 1;
		}
	candidates_expand(list, at);
	free(copy);
	if (list->n > MOST)
		return error("--among: more than %d algorithms. Leave out some", MOST);
	if (candidates_check(list) < 0)
		return -1;
	if (list->n < 2)
		return error("--among %s: one algorithm (expected two or more). Add another, or "
			     "leave out the list for a dozen", text);
	return 0;
}
