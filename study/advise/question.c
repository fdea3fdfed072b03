/* Reads a question: two algorithms, a parameter, a machine; draws its uncertain values. */
#include "study/advise/advise.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/settings/values.h"

#include <stdlib.h>
#include <string.h>

/* ---- the command line ---- */

/* Before any settings go with it. 0 or error(). */
static int question_check_algo(const char *text)
{
	struct choice algo = { 0 };
	int ret;

	context_set("--between");
	ret = choice_parse(&algo, algo_table, "algorithm", text);
	context_set(NULL);
	choice_release(&algo);
	if (ret < 0)
		note("`convoy list algos` and `convoy show algo NAME` say which there are");
	return ret;
}

static int question_read_algos(struct advise *a, const char *text)
{
	const cJSON *algo;

	if (!text)
		return error("--between is missing (expected FIRST,SECOND). Name two algorithms, "
			     "such as allreduce,ad-psgd");
	a->algos = values_of("algo", text, "--between");
	if (!a->algos)
		return -1;
	if (cJSON_GetArraySize(a->algos) != ADVISE_ALGOS)
		return error("--between %s: %d algorithm%s (expected two)", text,
			     cJSON_GetArraySize(a->algos),
			     word_plural(cJSON_GetArraySize(a->algos)));
	cJSON_ArrayForEach(algo, a->algos)
		if (question_check_algo(algo->valuestring) < 0)
			return -1;
	return 0;
}

static int question_read_progress_of(struct advise *a, int which, const char *text)
{
	struct progress *p = &a->progress[which];
	char *name = xasprintf("progress %s", advise_algo(a, which));
	const size_t before = a->uncertain.n;
	int ret = uncertain_find(&a->uncertain, name, text);

	if (ret == 0 && a->uncertain.n > before)
		*p = (struct progress){ a->uncertain.v[before].mean, before };
	else if (ret == 0 && (!text_double(text, &p->value) || !(p->value > 0.0)))
		ret = error("--progress '%s': expected a number above 0, or V+-U", text);
	free(name);
	return ret;
}

static int question_read_progress(struct advise *a, const char *text)
{
	const char *comma = text ? strchr(text, ',') : NULL;
	char *first;
	int ret;

	for (int k = 0; k < ADVISE_ALGOS; k++)
		a->progress[k] = (struct progress){ 1.0, SIZE_MAX };
	a->progress_given = text != NULL;
	if (!text)
		return 0;
	if (!comma)
		return error("--progress '%s': expected two numbers, such as 1,0.93", text);
	first = xasprintf("%.*s", (int)(comma - text), text);
	ret = question_read_progress_of(a, ADVISE_FIRST, first);
	free(first);
	return ret == 0 ? question_read_progress_of(a, ADVISE_SECOND, comma + 1) : ret;
}

/* Counts are known. */
static bool question_is_count(const char *key)
{
	return opt_find(settings_opts, key)->type == OPT_INT || strcmp(key, "workers") == 0;
}

static int question_find_uncertain(struct advise *a)
{
	const cJSON *text;

	cJSON_ArrayForEach(text, a->settings) {
		const size_t before = a->uncertain.n;

		if (uncertain_find(&a->uncertain, text->string, text->valuestring) < 0)
			return -1;
		if (a->uncertain.n > before && question_is_count(text->string))
			return error("%s '%s': a count is not uncertain (expected a whole number)",
				     text->string, text->valuestring);
	}
	for (size_t i = 0; i < a->uncertain.n && a->vary.kind->shadows; i++)
		if (strcmp(a->uncertain.v[i].name, a->vary.kind->shadows) == 0)
			return error("%s: it is varied, and so not uncertain. Give its value "
				     "without +-", a->uncertain.v[i].name);
	return 0;
}

/* ---- the machine ---- */

/* The settings with the mean of each uncertain number, resolved. */
static int question_resolve(struct setup *su, const cJSON *settings, const char *algo)
{
	cJSON *means = cJSON_CreateObject();
	const cJSON *text;
	int ret = 0;

	cJSON_AddStringToObject(means, "algo", algo);
	cJSON_ArrayForEach(text, settings) {
		struct uncertain_list own = { 0 };
		double *mean = NULL;
		char *filled;

		ret = ret < 0 ? ret : uncertain_find(&own, text->string, text->valuestring);
		mean = xcalloc(own.n + 1, sizeof(*mean));
		for (size_t i = 0; i < own.n; i++)
			mean[i] = own.v[i].mean;
		filled = ret < 0 ? xstrdup("") : uncertain_fill(text->valuestring, mean);
		cJSON_AddStringToObject(means, text->string, filled);
		free(filled);
		free(mean);
		uncertain_release(&own);
	}
	if (ret == 0)
		ret = settings_apply(&su->in, means, "command line");
	cJSON_Delete(means);
	return ret < 0 ? ret : setup_resolve(su);
}

static void question_settle(struct advise *a, const struct setup *su, const char *key)
{
	const char *given = json_string(a->settings, key);

	if (given && !setup_is_auto(given))
		return;
	json_set_text(a->settings, key, setup_text(su, key));
}

static int question_check_link(const struct advise *a, const struct setup *su)
{
	const char *option = a->vary.kind->option;
	const struct plugin *link = su->sim.link.plugin;

	if (!option || (link->opts && opt_find(link->opts, option)))
		return 0;
	return error("--vary %s: link %s has no %s (expected nic or fair). Give --link nic:...",
		     a->vary.kind->name, link->name, option);
}

/* What a parameter changes must have a text of its own, and the cluster must stay what it is. */
static int question_settle_machine(struct advise *a)
{
	const struct vary_kind *kind = a->vary.kind;
	struct setup su;
	int ret;

	if (kind->setting && !json_get(a->settings, kind->name))
		kind->set(NULL, a->vary.lo, a->settings);
	setup_init(&su);
	ret = question_resolve(&su, a->settings, advise_algo(a, ADVISE_FIRST));
	if (ret == 0)
		ret = question_check_link(a, &su);
	if (ret == 0) {
		question_settle(a, &su, "cluster");
		question_settle(a, &su, "link");
		question_settle(a, &su, "delay");
		question_settle(a, &su, "workers");
		a->has_length = su.in.gradients > 0 || su.in.seconds > 0 ||
				!setup_is_auto(su.in.epochs);
	}
	setup_release(&su);
	return ret;
}

static int question_read_settings(struct advise *a, const cJSON *set)
{
	a->settings = cJSON_Duplicate(set, true);
	if (json_get(set, "algo"))
		return error("--algo is not used: --between names the algorithms");
	json_set_text(a->settings, "timing", "true");
	return question_settle_machine(a);
}

static int question_first_seed(struct advise *a, int64_t *seed)
{
	const char *text = json_string(a->settings, "seed");

	*seed = 1;
	if (text && (!text_int(text, seed) || *seed < 0))
		return error("seed '%s': expected one number. --draws says how many seeds there "
			     "are", text);
	cJSON_DeleteItemFromObjectCaseSensitive(a->settings, "seed");
	return 0;
}

/* ---- draws ---- */

struct draw advise_draw_new(const struct advise *a, uint64_t seed)
{
	struct draw draw = { .seed = seed };

	draw.z = xcalloc(a->uncertain.n + 1, sizeof(*draw.z));
	draw.value = xcalloc(a->uncertain.n + 1, sizeof(*draw.value));
	return draw;
}

void advise_draw_release(struct draw *draw)
{
	free(draw->z);
	free(draw->value);
}

static void draw_centre(struct advise *a, uint64_t seed)
{
	a->centre = advise_draw_new(a, seed);
	for (size_t i = 0; i < a->uncertain.n; i++)
		a->centre.value[i] = a->uncertain.v[i].mean;
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

static void question_add_model_error(struct advise *a, double error)
{
	a->model_error = SIZE_MAX;
	if (error > 0.0) {
		a->model_error = a->uncertain.n;
		uncertain_add(&a->uncertain, "model error", 1.0, error);
	}
}

int advise_open(struct advise *a, const struct question *q)
{
	int64_t seed;

	if (!q->vary)
		return error("--vary is missing (expected PARAMETER=LO..HI). Name a parameter, "
			     "such as slow=1..10");
	if (question_read_algos(a, q->between) < 0 || vary_parse(&a->vary, q->vary) < 0 ||
	    question_read_settings(a, q->set) < 0 ||
	    vary_fill_nodes(&a->vary, a->settings) < 0 || question_first_seed(a, &seed) < 0 ||
	    question_find_uncertain(a) < 0 || question_read_progress(a, q->progress) < 0)
		return -1;
	question_add_model_error(a, q->model_error);
	draw_centre(a, (uint64_t)seed);
	a->nx = q->points;
	a->x = vary_points(&a->vary, &a->nx);
	return advise_look(a);
}

void advise_release(struct advise *a)
{
	for (size_t d = 0; d < a->ndraws; d++)
		advise_draw_release(&a->draw[d]);
	advise_draw_release(&a->centre);
	for (size_t i = 0; i < a->nx && a->no_data; i++)
		free(a->no_data[i]);
	free(a->draw);
	free(a->no_data);
	free(a->rare);
	free(a->each);
	free(a->x);
	free(a->grid);
	free(a->measured.net);
	uncertain_release(&a->uncertain);
	cJSON_Delete(a->algos);
	cJSON_Delete(a->settings);
	cJSON_Delete(a->every_setting);
	cJSON_Delete(a->assumed);
}
