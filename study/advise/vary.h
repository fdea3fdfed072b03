/* The parameter that a question is about, and what it does to the settings of a run. */
#ifndef STUDY_ADVISE_VARY_H
#define STUDY_ADVISE_VARY_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct vary_kind {
	const char *name, *unit;        /* unit: "" where there is none */
	const char *axis;               /* label of a plot */
	const char *shadows;            /* the uncertain value that it replaces; NULL: none */
	double least, most;             /* that it can be */
	bool whole;                     /* a count */
	bool setting;                   /* it is the setting of that name */
	const char *option;             /* of the link that it is; NULL: none */
	/* The settings, {key: text}, that it sets, from those that the run has without it. */
	void (*set)(const cJSON *settings, double x, cJSON *point);
};

struct vary {
	const struct vary_kind *kind;
	double lo, hi;
	bool log;                       /* points are equally spaced in log x */
	double node;                    /* workers of a machine: more than one are filled; or 1 */
};

/* Reads "PARAMETER=LO..HI"; 0 or error(). */
int vary_parse(struct vary *v, const char *text);

/* Once the settings are known: workers fill nodes. 0; or error() if LO or HI does not. */
int vary_fill_nodes(struct vary *v, const cJSON *settings);

/* Along the scale: x of a position and the position of x. Of a count, x is whole. */
double vary_x(const struct vary *v, double u);
double vary_u(const struct vary *v, double x);

/* The settings with the parameter at x; the caller frees. */
cJSON *vary_apply(const struct vary *v, const cJSON *settings, double x);

/* n values from LO to HI, each once; the caller frees. Sets *n to how many there are. */
double *vary_points(const struct vary *v, size_t *n);

#endif
