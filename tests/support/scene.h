/* A figure with a test's own runs, and its output. */
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

/*
 * A plot with the members of `entry`, made of `runs`, both as in quoted.h; scene_runs(): only runs.
 */
struct results scene_runs(const char *quoted);
void scene_open(struct scene *s, const char *entry, const char *runs);
void scene_close(struct scene *s);

/*
 * Text that `put` writes; the caller frees. scene_script() writes the script that draws the figure.
 */
char *scene_text(const struct figure *f, void (*put)(const struct figure *, FILE *));
void scene_script(const struct figure *f, FILE *out);

#endif
