#include "cmd/plot_path.h"

#include "core/error.h"
#include "core/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int plot_path_split(const char *path, char **dir, char **name)
{
	const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
	const char *dot = strrchr(stem, '.');

	if (!dot || dot == stem || (strcmp(dot, ".svg") && strcmp(dot, ".png")))
		return error("plot '%s': expected a name that ends in .svg or .png", path);
	*dir = !slash ? xstrdup(".") :
	       slash == path ? xstrdup("/") : xasprintf("%.*s", (int)(slash - path), path);
	*name = xasprintf("%.*s", (int)(dot - stem), stem);
	return 0;
}

int plot_path_check(const char *path)
{
	char *dir = NULL, *name = NULL;
	struct stat st;
	int ret = plot_path_split(path, &dir, &name);

	if (!ret && stat(dir, &st))
		ret = error("plot '%s': %s: %s", path, dir, strerror(errno));
	else if (!ret && !S_ISDIR(st.st_mode))
		ret = error("plot '%s': %s is no folder", path, dir);
	free(dir);
	free(name);
	return ret;
}
