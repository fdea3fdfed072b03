/* The figures and the training curve of a result file. */
#include "study/finished_run.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "record/layout.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *column_read(const cJSON *train, const char *name, size_t rows)
{
	double *v = xcalloc(rows + 1, sizeof(*v));
	const cJSON *item;
	size_t i = 0;

	cJSON_ArrayForEach(item, json_get(train, name))
		if (i < rows)
			v[i++] = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
	return v;
}

int finished_run_read(struct finished_run *r, const char *path)
{
	cJSON *run = result_read(path);
	const cJSON *train = json_get(run, "train");
	const char *status = json_word(run, "status");

	*r = (struct finished_run){
		.done = strcmp(status, STATUS_DONE) == 0,
		.diverged = strcmp(status, STATUS_DIVERGED) == 0,
		.time_s = json_number(run, "time_s"), .epochs = json_number(run, "epochs"),
		.time_per_epoch_s = json_number(run, "time_per_epoch_s"),
		.gradients = json_number(run, "gradients"), .workers = json_number(run, "workers"),
		.rows = (size_t)cJSON_GetArraySize(json_get(train, "loss")),
	};
	r->train.epoch = column_read(train, "epoch", r->rows);
	r->train.time_s = column_read(train, "time_s", r->rows);
	r->train.gradients = column_read(train, "gradients", r->rows);
	r->train.loss = column_read(train, "loss", r->rows);
	cJSON_Delete(run);
	return run ? 0 : -1;
}

void finished_run_release(struct finished_run *r)
{
	free(r->train.epoch);
	free(r->train.time_s);
	free(r->train.gradients);
	free(r->train.loss);
	*r = (struct finished_run){ 0 };
}

double finished_run_loss(const struct finished_run *r, size_t last, size_t most)
{
	double sum = 0.0;
	size_t n = 0;

	while (n < most && n <= last && !isnan(r->train.loss[last - n]))
		sum += r->train.loss[last - n++];
	return n ? sum / (double)n : HUGE_VAL;
}
