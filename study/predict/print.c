/* What was predicted and what was measured: a table, a plot. */
#include "study/predict/predict.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/layout.h"
#include "report/plot/plot.h"
#include "runner/results/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *prediction_failure(const struct prediction *p)
{
	return xasprintf("diverged after %lld gradient%s; lower --lr", (long long)p->diverged,
			 word_plural((double)p->diverged));
}

/* ---- the table ---- */

/* The mean, and half of its interval. */
static void add_estimate(cJSON *row, const char *key, const char *half, struct estimate_95 e)
{
	cJSON_AddNumberToObject(row, key, e.mean);
	cJSON_AddNumberToObject(row, half, e.half);
}

static void predict_print_print_json(const struct prediction *p, size_t n)
{
	cJSON *rows = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++) {
		cJSON *row = cJSON_CreateObject();

		cJSON_AddStringToObject(row, "run", p[i].name);
		cJSON_AddStringToObject(row, "algo", p[i].algo);
		cJSON_AddNumberToObject(row, "workers", p[i].workers);
		cJSON_AddNumberToObject(row, "ranks", p[i].ranks);
		cJSON_AddStringToObject(row, "status",
					p[i].diverged ? STATUS_DIVERGED : STATUS_DONE);
		cJSON_AddNumberToObject(row, "rounds", (double)p[i].rounds);
		add_estimate(row, "predicted_s_per_epoch", "predicted_half",
			     prediction_predicted(&p[i]));
		add_estimate(row, "measured_s_per_epoch", "measured_half",
			     prediction_measured(&p[i]));
		add_estimate(row, "off_percent", "off_half", prediction_off(&p[i]));
		json_set_owned(row, "verdict", prediction_verdict(&p[i]));
		cJSON_AddItemToArray(rows, row);
	}
	json_print(rows);
	cJSON_Delete(rows);
}

static void print_estimate(struct estimate_95 e)
{
	char text[64];

	snprintf(text, sizeof(text), isfinite(e.half) ? "%.4g +- %.2g" : "%.4g", e.mean, e.half);
	printf(" %18s", text);
}

static void predict_print_print_row(const struct prediction *p, int width)
{
	char *failure;

	printf("%-*s %7d %5d ", width, p->name, p->workers, p->ranks);
	if (!p->diverged) {
		print_estimate(prediction_predicted(p));
		print_estimate(prediction_measured(p));
		printf(" %+7.1f\n", prediction_off(p).mean);
		return;
	}
	failure = prediction_failure(p);
	printf("%s\n", failure);
	free(failure);
}

static void print_verdict(const struct prediction *p)
{
	char *verdict = prediction_verdict(p);

	if (!p->diverged)
		printf("%s: %s.\n", p->name, verdict);
	free(verdict);
}

static void predict_print_print_text(const struct prediction *p, size_t n)
{
	int width = 24;

	for (size_t i = 0; i < n; i++)
		width = (int)strlen(p[i].name) > width ? (int)strlen(p[i].name) : width;
	printf("%-*s %7s %5s  %18s %18s %7s\n", width, "run", "workers", "ranks",
	       "predicted s", "measured s", "off %");
	for (size_t i = 0; i < n; i++)
		predict_print_print_row(&p[i], width);
	printf("Seconds per epoch of all workers together: mean of %zu round%s%s.\n", p->rounds,
	       word_plural((double)p->rounds),
	       p->rounds == 1 ? "" : " +- half of its 95 % interval");
	for (size_t i = 0; i < n; i++)
		print_verdict(&p[i]);
}

void predictions_print(const struct prediction *p, size_t n, bool json)
{
	if (json)
		predict_print_print_json(p, n);
	else
		predict_print_print_text(p, n);
}

/* ---- the plot ---- */

static struct series make_series(const char *label, const struct prediction *p, size_t n,
				 bool measured)
{
	struct series s = { .label = xstrdup(label), .title = xstrdup(label), .n = n,
			    .p = xcalloc(n, sizeof(*s.p)), .fewest = 1, .most = 1 };

	for (size_t i = 0; i < n; i++) {
		const struct estimate_95 e = measured ? prediction_measured(&p[i])
						      : prediction_predicted(&p[i]);
		const double half = isfinite(e.half) ? e.half : 0.0;

		s.p[i] = (struct point){ .x = (double)i, .y = e.mean, .lo = e.mean - half,
					 .hi = e.mean + half };
	}
	return s;
}

static int predict_print_plot(const struct prediction *p, size_t n, const char *dir,
			      const char *name, const char *format)
{
	struct figure f = { .title = "Predicted and measured", .seeds = 1, .n = 2 };
	cJSON *paths;

	f.xlabel = xstrdup("");
	f.ylabel = xstrdup("time per epoch [s]");
	f.categories = cJSON_CreateArray();
	f.series = xcalloc(2, sizeof(*f.series));
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(f.categories, cJSON_CreateString(p[i].name));
	f.name = name;
	f.series[0] = make_series("predicted", p, n, false);
	f.series[1] = make_series("measured", p, n, true);
	paths = figure_write(&f, dir, format);
	figure_release(&f);
	cJSON_Delete(paths);
	return paths ? 0 : -1;
}

int predictions_plot(const struct prediction *p, size_t n, const char *dir, const char *name,
		     const char *format)
{
	struct prediction *sound = xcalloc(n, sizeof(*sound));
	size_t k = 0;
	int ret;

	for (size_t i = 0; i < n; i++)
		if (!p[i].diverged)
			sound[k++] = p[i];
	ret = k ? predict_print_plot(sound, k, dir, name, format) : 0;
	free(sound);
	return ret;
}
