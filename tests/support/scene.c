/* A figure of a test's own runs, and what is written of it. */
#include "tests/support/scene.h"

#include "core/base/mem.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

#include <stdlib.h>

struct results scene_runs(const char *quoted)
{
	cJSON *json = quoted_json(quoted);
	struct results runs = results_of_json(json);

	cJSON_Delete(json);
	return runs;
}

void scene_open(struct scene *s, const char *entry, const char *runs)
{
	char *text = xasprintf("{ 'plots': [ { 'name': 'p', %s } ] }", entry);

	s->spec = quoted_json(text);
	s->runs = scene_runs(runs);
	assert_true(figure_build(&s->f, cJSON_GetObjectItem(s->spec, "plots")->child, s->spec,
				 &s->runs));
	free(text);
}

void scene_close(struct scene *s)
{
	figure_release(&s->f);
	cJSON_Delete(s->spec);
	results_release(&s->runs);
}

char *scene_text(const struct figure *f, void (*put)(const struct figure *, FILE *))
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	put(f, out);
	fclose(out);
	return text;
}

void scene_script(const struct figure *f, FILE *out)
{
	figure_script(f, PLOT_PICTURES, out);
}
