/* An entry of "plots", being read, and the points it gives. */
#ifndef REPORT_PLOT_SOURCE_H
#define REPORT_PLOT_SOURCE_H

#include "record/measure.h"
#include "report/plot/plot.h"

struct source {                         /* one entry of "plots", being read */
	const cJSON *entry, *labels, *keys;     /* keys of the series; may be NULL */
	const cJSON *published;         /* cells, or NULL */
	const char *x, *y, *from;
	struct group all;
	char *option;           /* of the setting on x, which is its number; owned, or NULL */
	bool labelled;          /* the settings on x have numbers as their labels */
	double *numbers;        /* [nnumbers] of the option, each once; owned */
	size_t nnumbers;
	double level;           /* where a run without that option is drawn now */
	const char *mixed;      /* a setting in which a line's runs differ, or NULL */
};

/* A run's position along the axis; a word is added to the figure's categories when new. */
double source_x(struct figure *f, const struct source *s, const cJSON *run);

/* The number that is the label of a run's setting on x; NaN when it has none. */
double source_labelled(const struct source *s, const cJSON *run);

/* Whether two runs are of one configuration. */
bool source_same(const cJSON *a, const cJSON *b);

/* A point per configuration, with what was published of it, in order of x. */
void source_runs(struct figure *f, struct series *out, const struct source *s,
		 const struct group *g);

/*
 * Row i of the mean is the mean of the curves' rows i. It ends where the first of its curves
 * does, for it would jump there.
 */
void source_curve(const struct figure *f, struct series *out, const struct source *s,
		  const struct group *g);

/* Published cells that are points of the run's curve. */
void source_published(struct series *out, const struct source *s, const cJSON *run);

#endif
