/* A finished run as studies read it: its figures, and its training curve. */
#ifndef STUDY_FINISHED_RUN_H
#define STUDY_FINISHED_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct finished_run {
	bool done, diverged;
	bool leads;             /* remark_leads() */
	/* NaN: it has none. */
	double time_s, time_per_epoch_s, epochs, gradients, workers;
	size_t rows;            /* of the training curve */
	struct {                /* [rows], owned; NaN where the curve has no number */
		double *epoch, *time_s, *gradients, *loss;
	} train;
};

struct result;

/* A copy of what a result has, which is loaded whole. */
struct finished_run finished_run_of(const struct result *run);

/* 0 or error(); finished_run_release() either way. */
int finished_run_read(struct finished_run *r, const char *path);
void finished_run_release(struct finished_run *r);

/*
 * The mean of the losses in row `last` and before it, at most `most`, as far back as there are
 * numbers; infinite: there are none.
 */
double finished_run_loss(const struct finished_run *r, size_t last, size_t most);

/* The row from which on that mean stays at or below a loss; the last row if it never does. */
size_t finished_run_lasting(const struct finished_run *r, double loss, size_t most);

/* The mean in the last row; infinite: it is none, or above the loss of the first row. */
double finished_run_end(const struct finished_run *r, size_t most);

#endif
