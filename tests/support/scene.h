/* A figure of a test's own runs, and what is written of it. */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include "report/plot/plot.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct scene {
	cJSON *spec;
	struct results runs;
	struct figure f;
};

/* A plot with the members of `entry`, of runs, both quoted as in quoted.h; such runs alone. */
struct results scene_runs(const char *quoted);
void scene_open(struct scene *s, const char *entry, const char *runs);
void scene_close(struct scene *s);

/* What `put` writes; the caller frees. scene_script() puts the script that draws pictures. */
char *scene_text(const struct figure *f, void (*put)(const struct figure *, FILE *));
void scene_script(const struct figure *f, FILE *out);

#endif
