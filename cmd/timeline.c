#include "cmd/timeline.h"

#include "cmd/plot_path.h"

#include <stdlib.h>

cJSON *timeline_draw(const struct trace *t, const char *path)
{
	char *dir = NULL, *name = NULL;
	cJSON *paths = NULL;

	if (plot_path_split(path, PLOT_PATH_PICTURE, &dir, &name) == 0)
		paths = trace_plot(t, dir, name);
	free(dir);
	free(name);
	return paths;
}
