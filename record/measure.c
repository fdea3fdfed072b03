/* Values of run objects by key, and the words for them. */
#include "record/measure.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"
#include "record/layout.h"
#include "record/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const measure_names[] = {
	"time_s",     "epochs",         "time_per_epoch_s", "speedup",   "wait_share",
	"bytes_sent", "staleness_mean", "train_loss",       "test_loss", "test_accuracy",
	"test_perplexity", "test_bits",
	"gradients",  "events",         "staleness_max",    "gap_mean",  "gap_max",
	"norm_mean",  "momentum_mean",  "spread",           "fairness",  "dropped",
	"busiest_bytes", "busiest_bytes_per_epoch", "iterations", "messages", "message_bytes",
	"communication_share", "parameters",
	"forward_flop", "flop_per_parameter", "momentum_published_mean",
	"global_staleness_mean", "global_staleness_max", "staleness_head_max",
	"goodput", "failures", "checkpoints", "checkpoint_s", "lost_s", "down_s", "young_s",
	"daly_s", "goodput_expected",
	"wall_s", "gradient_wall_s", "samples_per_wall_s", "gflop_per_wall_s", NULL,
};

static const struct {
	const char *name, *label;
} words[] = {
	{ "time_s", "time [s]" },
	{ "time_per_epoch_s", "time per epoch [s]" },
	{ "wall_s", "real time [s]" },
	{ "gradient_wall_s", "real time of a gradient [s]" },
	{ "samples_per_wall_s", "samples per real second" },
	{ "gflop_per_wall_s", "GFLOP per real second" },
	{ "communication_share", "share of time communicating" },
	{ "forward_flop", "FLOP of a sample, forward" },
	{ "flop_per_parameter", "FLOP of a sample per parameter" },
	{ "wait_share", "share of time waiting" },
	{ "goodput", "goodput [share of an undisturbed run's]" },
	{ "goodput_expected", "goodput by the formula" },
	{ "checkpoint_s", "time saving checkpoints [s]" },
	{ "lost_s", "time of work done again [s]" },
	{ "down_s", "time down [s]" },
	{ "young_s", "best interval by Young's formula [s]" },
	{ "daly_s", "best interval by Daly's formula [s]" },
	{ "bytes_sent", "sent [bytes]" },
	{ "busiest_bytes", "peak traffic of a node [bytes]" },
	{ "busiest_bytes_per_epoch", "peak traffic of a node [bytes per epoch]" },
	{ "message_bytes", "mean size of a message [bytes]" },
	{ "staleness_mean", "mean staleness [steps]" },
	{ "staleness", "staleness [steps]" },
	{ "staleness_max", "largest staleness [steps]" },
	{ "global_staleness_mean", "mean staleness in updates of all workers" },
	{ "global_staleness_max", "largest staleness in updates of all workers" },
	{ "staleness_head_max", "largest staleness of the head [steps]" },
	{ "gap", "gap" },
	{ "gap_mean", "mean gap" },
	{ "gap_max", "largest gap" },
	{ "norm", "norm of the gradient" },
	{ "norm_mean", "mean norm of the gradient" },
	{ "momentum", "measured momentum" },
	{ "momentum_mean", "measured momentum" },
	{ "momentum_published_mean", "momentum by the published estimator" },
	{ "spread", "distance of models from their mean" },
	{ "fairness", "fairness of updates (Jain)" },
	{ "dropped", "gradients dropped" },
	{ "train_loss", "training loss" },
	{ "loss", "training loss" },
	{ "lr", "learning rate" },
	{ "test_accuracy", "test accuracy" },
	{ "slow_factor", "slowdown of the slow worker [factor]" },
	{ "slow", "slow worker" },
	{ "test_perplexity", "test perplexity" },
	{ "test_bits", "test loss [bits per token]" },
	{ "algo", "algorithm" },
};

bool measure_known(const char *name)
{
	struct target target;

	for (size_t i = 0; measure_names[i]; i++)
		if (opt_same_key(measure_names[i], name))
			return true;
	return target_parse(name, &target);
}

bool measure_is_real(const char *name)
{
	static const char *const real[] = { "wall_s", "gradient_wall_s", "samples_per_wall_s",
					    "gflop_per_wall_s" };

	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++)
		if (opt_same_key(real[i], name))
			return true;
	return false;
}

char *option_label(const char *name)
{
	static const struct {
		const char *suffix, *unit;
	} units[] = { { "_s", " [s]" }, { "_GBps", " [GB/s]" } };
	const size_t n = strlen(name);
	char *label = xstrdup(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t end = strlen(units[i].suffix);

		if (n > end && !strcmp(name + n - end, units[i].suffix)) {
			free(label);
			label = xasprintf("%.*s%s", (int)(n - end), name, units[i].unit);
		}
	}
	for (char *p = label; *p; p++)
		if (*p == '_')
			*p = ' ';
	return label;
}

char *measure_label(const char *name, const cJSON *labels)
{
	const char *own = cJSON_GetStringValue(key_find(labels, name));
	struct target target;

	if (own)
		return xstrdup(own);
	if (target_parse(name, &target))
		return target_label(&target);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (opt_same_key(words[i].name, name))
			return xstrdup(words[i].label);
	return option_label(name);
}

const cJSON *key_find(const cJSON *object, const char *key)
{
	const cJSON *item;

	if (!cJSON_IsObject(object))
		return NULL;
	cJSON_ArrayForEach(item, object)
		if (opt_same_key(item->string, key))
			return item;
	return NULL;
}

const char *keys_at(const cJSON *keys, int i)
{
	if (cJSON_IsString(keys))
		return i ? NULL : keys->valuestring;
	return cJSON_GetStringValue(cJSON_GetArrayItem(keys, i));
}

char *value_text(const cJSON *value)
{
	if (cJSON_IsString(value))
		return xstrdup(value->valuestring);
	if (cJSON_IsNumber(value))
		return xasprintf("%.15g", value->valuedouble);
	if (cJSON_IsBool(value))
		return xstrdup(cJSON_IsTrue(value) ? "true" : "false");
	return NULL;
}

char *run_text(const cJSON *run, const char *key)
{
	const cJSON *value = key_find(json_get(run, "point"), key);

	if (!value)
		value = key_find(json_get(run, "settings"), key);
	if (!value)
		value = key_find(run, key);
	return value_text(value);
}

double slow_factor(const char *slow)
{
	double largest = 1;

	if (!strcmp(slow, "none") || !*slow)
		return 1;
	while (*slow) {
		const char *colon = strchr(slow, ':');
		char *end;
		double factor = colon ? strtod(colon + 1, &end) : 0;

		if (!colon || end == colon + 1)
			return (double)NAN;
		largest = fmax(largest, factor);
		slow = end + strcspn(end, "+");         /* over "@FROM-TO" */
		slow += *slow == '+';
	}
	return largest;
}

/* The whole text as a number, or NaN. */
static double measure_number_of(const char *text)
{
	char *end;
	double x = strtod(text, &end);

	return end == text || *end ? (double)NAN : x;
}

bool run_diverged(const cJSON *run)
{
	const char *status = json_string(run, "status");

	return status && !strcmp(status, STATUS_DIVERGED);
}

static bool is_any_of(const char *key, const char *const *names)
{
	while (*names && !opt_same_key(key, *names))
		names++;
	return *names;
}

/* What a run that diverged has of a measure of what it learnt; 0 of others. */
static double measure_lost(const char *key)
{
	static const char *const infinite[] = { "train_loss", "test_loss", "test_perplexity",
						"test_bits", NULL };
	static const char *const none[] = { "test_accuracy", "gap_mean", "gap_max", "norm_mean",
					    "momentum_mean", "momentum_published_mean", "spread",
					    NULL };

	return is_any_of(key, infinite) ? HUGE_VAL : is_any_of(key, none) ? -HUGE_VAL : 0;
}

bool measure_learnt(const char *key)
{
	return fabs(measure_lost(key)) > 0;
}

double run_number(const cJSON *run, const char *key)
{
	const cJSON *own = key_find(run, key);
	bool slow = !own && opt_same_key(key, "slow_factor");
	struct target target;
	char *text;
	double x;

	if (measure_learnt(key) && run_diverged(run))
		return measure_lost(key);
	if (cJSON_IsNumber(own))
		return own->valuedouble;
	if (target_parse(key, &target))
		return target_value(run, &target);
	text = run_text(run, slow ? "slow" : key);
	if (text)
		x = slow ? slow_factor(text) : measure_number_of(text);
	else
		x = slow ? 1 : (double)NAN;
	free(text);
	return x;
}

char *run_label(const cJSON *run, const cJSON *keys, const cJSON *labels)
{
	char *all = xstrdup("");
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++) {
		char *text = run_text(run, key);
		const char *label = text ? json_string(labels, text) : NULL;

		xappend_own(&all, "", xasprintf("%s%s", i ? ", " : "",
					    label ? label : text ? text : "-"));
		free(text);
	}
	return all;
}

char *run_values(const cJSON *run, const cJSON *keys)
{
	return run_label(run, keys, NULL);
}
