/*
 * What is known of an algorithm in a file without loading it: its options and facts, written to the
 * cache when it is loaded. So `table`, `report` and --dry-run find results, and run no code.
 */
#include "algos/own/own.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- handlers of a described algorithm, which no engine ever gets ---- */

static void described_start(struct node *nd)
{
	BUG("rank %d runs an algorithm that is not loaded", nd->rank);
}

static void described_grad(struct node *nd, const struct grad *g)
{
	BUG("rank %d gets a gradient of %g without a handler", nd->rank, g->loss);
}

static void described_msg(struct node *nd, const struct msg *m)
{
	BUG("rank %d gets a message of %d without a handler", nd->rank, m->from);
}

static void described_allreduce(struct node *nd, float *v, size_t n)
{
	BUG("rank %d gets %zu floats at %p without a handler", nd->rank, n, (void *)v);
}

static const struct role described_server = {
	.start = described_start, .msg = described_msg,
};
static const struct role described_worker = {
	.start = described_start, .grad = described_grad, .msg = described_msg,
};
static const struct role described_rounds = {
	.start = described_start, .allreduce = described_allreduce,
};
static const struct role described_local = {
	.start = described_start, .grad = described_grad, .msg = described_msg,
	.allreduce = described_allreduce,
};

/* ---- texts and flags of the struct, by name ---- */

static const struct {
	const char *key;
	size_t at;
} texts[] = {
	{ "brief", offsetof(struct algo, plugin.brief) },
	{ "cite", offsetof(struct algo, plugin.cite) },
	{ "rule", offsetof(struct algo, facts.rule) },
	{ "departs", offsetof(struct algo, facts.departs) },
	{ "gain", offsetof(struct algo, facts.gain) },
	{ "waits", offsetof(struct algo, facts.waits) },
	{ "staleness", offsetof(struct algo, facts.staleness) },
	{ "messages", offsetof(struct algo, facts.messages) },
	{ "memory", offsetof(struct algo, facts.memory) },
	{ "tolerates", offsetof(struct algo, facts.tolerates) },
	{ "graph", offsetof(struct algo, graph) },
	{ "round", offsetof(struct algo, round) },
}, flags[] = {
	{ "sends_gradients", offsetof(struct algo, sends_gradients) },
	{ "allreduces_parts", offsetof(struct algo, allreduces_parts) },
	{ "allreduces_gradients", offsetof(struct algo, allreduces_gradients) },
	{ "lockstep", offsetof(struct algo, lockstep) },
	{ "reads_clock", offsetof(struct algo, reads_clock) },
};

enum { TEXTS = sizeof(texts) / sizeof(texts[0]), FLAGS = sizeof(flags) / sizeof(flags[0]) };

static const char **text_at(const struct algo *a, size_t i)
{
	return (const char **)((char *)(uintptr_t)a + texts[i].at);
}

static bool *flag_at(const struct algo *a, size_t i)
{
	return (bool *)((char *)(uintptr_t)a + flags[i].at);
}

/* ---- writing ---- */

static size_t choices_count(const struct opt *o)
{
	size_t n = 0;

	while (o->choices && o->choices[n])
		n++;
	return n;
}

static cJSON *option_json(const struct opt *o)
{
	return OBJECT(j_text("name", o->name), j_number("type", o->type),
		      j_number("offset", (double)o->offset), j_text("default", o->def),
		      j_text("help", o->help), j_text("arg", o->arg), j_number("min", o->min),
		      j_number("max", o->max), j_number("flags", o->flags),
		      j_texts("choices", (char *const *)(uintptr_t)o->choices, choices_count(o)));
}

static cJSON *algo_json(const struct algo *a)
{
	cJSON *json = OBJECT(j_bool("server", a->server), j_bool("grad", a->worker->grad),
			     j_bool("allreduce", a->worker->allreduce),
			     j_number("late", a->facts.late),
			     j_number("conf_size", (double)a->plugin.conf_size));
	cJSON *options = cJSON_CreateArray();

	for (size_t i = 0; i < TEXTS; i++)
		ADD(json, j_text(texts[i].key, *text_at(a, i)));
	for (size_t i = 0; i < FLAGS; i++)
		ADD(json, j_bool(flags[i].key, *flag_at(a, i)));
	for (const struct opt *o = a->plugin.opts; o && o->name; o++)
		list_add(options, option_json(o));
	return ADD(json, j_json("options", options));
}

/* "code/DIGEST.json" in the cache; the caller frees. */
static char *description_path(const char *digest)
{
	char *name = xasprintf("%s.json", digest), *path = own_cache(name);

	free(name);
	return path;
}

void own_describe(const struct algo *algo, const char *digest)
{
	char *path = description_path(digest), *dir;
	cJSON *json;

	/* What these functions answer depends on the settings. */
	if (!path || algo->staged || algo->shared || file_is_regular(path)) {
		free(path);
		return;
	}
	dir = path_folder(path);
	if (dir_exists(dir) ? access(dir, W_OK) == 0 : dir_make(dir) == 0) {
		json = algo_json(algo);
		output_json_file(path, json, "");
		cJSON_Delete(json);
	}
	free(dir);
	free(path);
}

/* ---- reading: texts are copies that live as long as the process ---- */

static double number_of(const cJSON *json, const char *key)
{
	const double x = json_number(json, key);

	return isnan(x) ? 0.0 : x;
}

/* A whole number; 0: there is none, or it is no size of what fits into memory. */
static size_t size_of(const cJSON *json, const char *key)
{
	const double x = number_of(json, key);

	return x >= 0.0 && x < 1e9 ? (size_t)x : 0;
}

static const char **choices_read(const cJSON *list)
{
	const int n = cJSON_GetArraySize(list);
	const char **choices = n ? xcalloc((size_t)n + 1, sizeof(*choices)) : NULL;

	for (int i = 0; i < n; i++)
		choices[i] = xstrdup(cJSON_GetStringValue(cJSON_GetArrayItem(list, i)));
	return choices;
}

static struct opt *options_read(const cJSON *list)
{
	struct opt *opts = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*opts)), *o = opts;
	const cJSON *row;

	cJSON_ArrayForEach(row, list)
		*o++ = (struct opt){
			.name = xstrdup(json_word(row, "name")),
			.type = (enum opt_type)size_of(row, "type"),
			.offset = size_of(row, "offset"),
			.def = xstrdup(json_string(row, "default")),
			.help = xstrdup(json_string(row, "help")),
			.arg = xstrdup(json_string(row, "arg")),
			.min = number_of(row, "min"), .max = number_of(row, "max"),
			.choices = choices_read(json_get(row, "choices")),
			.flags = (unsigned)size_of(row, "flags"),
		};
	return opts;
}

struct algo *own_described(const char *digest)
{
	char *path = description_path(digest);
	cJSON *json = path && file_is_regular(path) ? json_load(path) : NULL;
	struct algo *a = json ? xcalloc(1, sizeof(*a)) : NULL;
	int ret;

	if (!a) {
		free(path);
		return NULL;
	}
	a->plugin.conf_size = size_of(json, "conf_size");
	a->plugin.opts = options_read(json_get(json, "options"));
	a->server = json_is_true(json, "server") ? &described_server : NULL;
	a->worker = !json_is_true(json, "allreduce") ? &described_worker
		    : json_is_true(json, "grad")     ? &described_local
							       : &described_rounds;
	a->facts.late = (enum lateness)size_of(json, "late");
	for (size_t i = 0; i < TEXTS; i++)
		*text_at(a, i) = xstrdup(json_string(json, texts[i].key));
	for (size_t i = 0; i < FLAGS; i++)
		*flag_at(a, i) = cJSON_IsTrue(json_get(json, flags[i].key));
	cJSON_Delete(json);
	ret = own_check_options(path, &a->plugin);
	if (ret < 0)
		unlink(path);   /* else it would not be written again */
	free(path);
	return ret == 0 ? a : NULL;
}
