/* One run in both engines, from settings to seconds per epoch. */
#include "study/predict/predict.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/layout.h"
#include "runner/launch/cmdline.h"
#include "runner/launch/launch.h"
#include "runner/results/folder.h"
#include "runner/results/lock.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the settings of a row ---- */

/* Evaluation is not what is timed. */
static void add_defaults(cJSON *set, const struct predict_conf *c)
{
	static const struct {
		const char *key, *value;
	} all[] = { { "eval_every", "0" }, { "eval_samples", "100" }, { "stat_batches", "1" } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!json_get(set, all[i].key))
			cJSON_AddStringToObject(set, all[i].key, all[i].value);
	if (c->settle > 0 && !json_get(set, "train_every")) {
		char *text = xasprintf("%.17g", c->settle);

		cJSON_AddStringToObject(set, "train_every", text);
		free(text);
	}
}

/* Rounds differ in their seed: in the delays that are drawn, and in the samples. */
static void add_seed(cJSON *set, size_t round)
{
	const cJSON *seed = json_get(set, "seed");
	const long long first = seed ? strtoll(seed->valuestring, NULL, 10) : 1;
	char text[32];

	if (round == 0)
		return;
	snprintf(text, sizeof(text), "%lld", first + (long long)round);
	json_set_text(set, "seed", text);
}

static cJSON *predict_row_settings_of(const struct entry *entry, const struct predict_conf *c,
				      size_t round)
{
	cJSON *set = cJSON_Duplicate(entry->set, true);

	add_seed(set, round);
	add_defaults(set, c);
	json_set_text(set, "engine", "mpi");
	if (!json_get(set, "allreduce"))
		json_set_text(set, "allreduce", "whole");    /* as it is measured */
	return set;
}

static int predict_row_resolve(struct setup *su, const cJSON *set)
{
	setup_init(su);
	return settings_apply(&su->in, set, "command line") < 0 ? -1 : setup_resolve(su);
}

static int resolve_real(struct setup *su, const cJSON *set, const struct predict_conf *c)
{
	const char *workers;

	setup_init(su);
	if (settings_apply(&su->in, set, "command line") < 0)
		return -1;
	workers = su->in.workers;
	su->ranks = c->ranks ? (int)c->ranks
			     : workers && strcmp(workers, "auto") ? 0 : launch_ranks();
	if (setup_resolve(su) < 0)
		return -1;
	return setup_check_ranks(su);
}

/* What the simulator has no like of. */
static int check_known(const struct setup *real)
{
	if (!real->real.shared)
		return 0;
	return error("server = shared is not predicted: the simulator's server is a machine of "
		     "its own");
}

/* The clock of the same run; how all-reduces are made is in the cluster's times of them. */
static int resolve_simulated(struct setup *su, const cJSON *set, const struct setup *real)
{
	cJSON *own = cJSON_Duplicate(set, true);
	int ret;

	cJSON_DeleteItemFromObjectCaseSensitive(own, "allreduce");
	cJSON_DeleteItemFromObjectCaseSensitive(own, "server");
	if (!json_get(own, "sim_bucket"))
		json_set_text(own, "sim_bucket", "0");  /* times measured of whole vectors */
	json_set_text(own, "engine", "sim");
	json_set_text(own, "timing", "true");
	json_set_text(own, "workers", setup_text(real, "workers"));
	json_set_text(own, "epochs", setup_text(real, "epochs"));
	ret = predict_row_resolve(su, own);
	cJSON_Delete(own);
	return ret;
}

void row_release(struct row *r)
{
	setup_release(&r->real);
	setup_release(&r->sim);
	free(r->real_path);
	free(r->sim_path);
	free(r->folder);
	cJSON_Delete(r->set);
}

int row_prepare(struct row *r, const struct predict_conf *c, const struct entry *entry,
		size_t round)
{
	cJSON *simulated = predict_row_settings_of(entry, c, round);
	int bad;

	*r = (struct row){ .conf = c, .entry = entry, .set = cJSON_Duplicate(simulated, true) };
	cJSON_DeleteItemFromObjectCaseSensitive(r->set, "cluster");     /* real ranks have none */
	bad = resolve_real(&r->real, r->set, c) < 0 || check_known(&r->real) < 0 ||
	      resolve_simulated(&r->sim, simulated, &r->real) < 0;
	cJSON_Delete(simulated);
	if (bad)
		return -1;
	r->folder = xasprintf("%s/predict", results_folder(c->out));
	r->real_path = xasprintf("%s/%s.h5", r->folder, r->real.hash);
	r->sim_path = xasprintf("%s/%s.h5", r->folder, r->sim.hash);
	return 0;
}

/* ---- both runs ---- */

static int predict_row_simulate(const struct row *r)
{
	const struct run_context context = { .experiment = "", .scale = "", .path = r->sim_path,
				   .threads = 1,
				   .interrupted = &signal_caught };
	struct result_lock lock;
	enum run_end end;

	if (folder_prepare(r->folder) < 0)
		return EXIT_BAD;
	lock = result_lock(r->sim_path);
	end = simrun(&r->sim, NULL, &context);
	result_unlock(&lock);
	return end == RUN_END_DONE ? EXIT_OK : EXIT_BAD;
}

static struct cmdline train_command(const struct row *r)
{
	struct cmdline w = { 0 };
	const cJSON *item;

	cmdline_add(&w, "convoy");
	cmdline_add(&w, "train");
	cmdline_addf(&w, "--file=%s", r->real_path);
	cmdline_addf(&w, "--threads=%d", (int)r->conf->threads);
	if (r->conf->quiet)
		cmdline_add(&w, "--quiet");
	cJSON_ArrayForEach(item, r->set)
		if (strcmp(item->string, "engine") != 0)
			cmdline_addf(&w, "--%s=%s", item->string, item->valuestring);
	return w;
}

static int predict_row_train(const struct row *r)
{
	const struct predict_conf *c = r->conf;
	const struct launch l = { .ranks = setup_ranks(&r->real), .hostfile = c->hostfile,
				  .hosts = c->hosts, .result = r->real_path,
				  .quiet = true };
	struct cmdline w = train_command(r);
	const int code = launch(&l, (int)w.n, w.v);

	cmdline_release(&w);
	return code;
}

/* ---- their times ---- */

/* Seconds per epoch from the first row of the training curve at `settle` epochs or later. */
static double time_after(const cJSON *run, double settle)
{
	const cJSON *train = json_get(run, "train");
	const cJSON *epoch = json_get(train, "epoch");
	const cJSON *time = json_get(train, "time_s");
	const int n = cJSON_GetArraySize(epoch);

	for (int i = 0; i < n; i++) {
		const double at = cJSON_GetArrayItem(epoch, i)->valuedouble;

		if (at >= settle * (1 - 1e-9) && at < json_number(run, "epochs"))
			return (json_number(run, "time_s") -
				cJSON_GetArrayItem(time, i)->valuedouble) /
			       (json_number(run, "epochs") - at);
	}
	return (double)NAN;
}

/* Gradients; 0: the run is sound. */
static int64_t diverged_after(const cJSON *run)
{
	const cJSON *status = json_get(run, "status");

	if (strcmp(cJSON_GetStringValue(status), STATUS_DIVERGED) != 0)
		return 0;
	return (int64_t)fmax(1, json_number(run, "gradients"));
}

/* Without a time where the run diverged, which is another work than what was predicted. */
static int read_time(const char *path, double settle, double *seconds, int64_t *diverged)
{
	cJSON *run = result_read(path);

	if (!run)
		return -1;
	*diverged = diverged_after(run);
	*seconds =
		settle > 0 ? time_after(run, settle) : json_number(run, "time_per_epoch_s");
	cJSON_Delete(run);
	if (*diverged)
		*seconds = (double)NAN;
	if (*diverged || isfinite(*seconds))
		return 0;
	if (settle <= 0)
		return error("%s: the run is too short to time (expected a whole round of all "
			     "workers). Make it longer", path);
	return error("%s: the run was over before %g epoch%s: --settle is too long", path, settle,
			     word_plural(settle));
}

int row_predict(struct row *r, struct prediction *p)
{
	int64_t none, diverged;
	int code = predict_row_simulate(r);

	if (code == EXIT_OK)
		code = predict_row_train(r);
	if (code != EXIT_OK)
		return code;
	p->name = r->entry->name;
	p->algo = json_get(r->entry->set, "algo")->valuestring;
	p->workers = (int)r->real.num.workers;
	p->ranks = setup_ranks(&r->real);
	if (read_time(r->sim_path, r->conf->settle, &p->predicted[p->rounds], &none) < 0 ||
	    read_time(r->real_path, r->conf->settle, &p->measured[p->rounds], &diverged) < 0)
		return EXIT_BAD;
	if (!p->diverged)
		p->diverged = diverged;
	p->rounds++;
	return EXIT_OK;
}
