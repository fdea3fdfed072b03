/* The figures and the training curve of a result file. */
#include "study/finished_run.h"

#include "core/base/mem.h"
#include "record/layout.h"
#include "record/record.h"
#include "record/result.h"

#include <math.h>

static double *column_read(const struct result *r, const char *name, size_t rows)
{
	double *v = xcalloc(rows + 1, sizeof(*v));
	size_t n;
	const double *own = result_column(r, RESULT_TRAIN, name, &n);

	for (size_t i = 0; i < n && i < rows; i++)
		v[i] = own[i];
	return v;
}

struct finished_run finished_run_of(const struct result *run)
{
	struct finished_run r = {
		.done = result_is(run, STATUS_DONE), .diverged = result_diverged(run),
		.leads = remark_leads(run->text[RESULT_REMARK]),
		.time_s = run->number[MEASURE_TIME], .epochs = run->number[MEASURE_EPOCHS],
		.time_per_epoch_s = run->number[MEASURE_TIME_PER_EPOCH],
		.gradients = run->number[MEASURE_GRADIENTS],
		.workers = run->number[RESULT_WORKERS],
	};

	result_column(run, RESULT_TRAIN, "loss", &r.rows);
	r.train.epoch = column_read(run, "epoch", r.rows);
	r.train.time_s = column_read(run, "time_s", r.rows);
	r.train.gradients = column_read(run, "gradients", r.rows);
	r.train.loss = column_read(run, "loss", r.rows);
	return r;
}

int finished_run_read(struct finished_run *r, const char *path)
{
	struct result run;

	*r = (struct finished_run){ 0 };
	if (result_load(&run, path, RESULT_WHOLE) < 0)
		return -1;
	*r = finished_run_of(&run);
	result_release(&run);
	return 0;
}

void finished_run_release(struct finished_run *r)
{
	free_all(r->train.epoch, r->train.time_s, r->train.gradients, r->train.loss);
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

size_t finished_run_lasting(const struct finished_run *r, double loss, size_t most)
{
	size_t i = r->rows - 1;

	while (i >= most && finished_run_loss(r, i - 1, most) <= loss)
		i--;
	return i;
}

double finished_run_end(const struct finished_run *r, size_t most)
{
	const double end = finished_run_loss(r, r->rows - 1, most);

	return end <= r->train.loss[0] ? end : HUGE_VAL;
}
