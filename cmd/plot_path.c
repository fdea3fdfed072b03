/* Checks the FILE of --plot and --timeline: folder, format by suffix, writability. */
#include "cmd/plot_path.h"

#include "core/base/error.h"
#include "report/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a length as cm; returns what is after it, NULL: it is none. */
static const char *length_read(const char *text, double *cm)
{
	static const struct {
		const char *name;
		double cm;
	} units[] = { { "cm", 1 }, { "mm", 0.1 }, { "in", 2.54 }, { "pt", 2.54 / 72.27 } };
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	*cm = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strncmp(end, units[i].name, 2) == 0) {
			*cm *= units[i].cm;
			return end + 2;
		}
	return NULL;
}

static bool is_length(double cm)
{
	return cm >= 2.0 && cm <= 100.0;
}

int plot_form_read(struct plot_form *form, const struct print_conf *c, const char *format)
{
	const char *rest = c->size ? length_read(c->size, &form->width) : NULL;

	form->font = c->font;
	form->no_legend = !c->legend;
	if (rest && *rest == 'x')
		rest = length_read(rest + 1, &form->height);
	if (c->size && (!rest || *rest || !is_length(form->width) ||
			(form->height > 0 && !is_length(form->height))))
		return error("--plot-size '%s': expected a width, such as 8.5cm, 3.3in, 240pt or "
			     "85mm, or WIDTHxHEIGHT, each from 2cm to 100cm", c->size);
	if (c->font > 0 && (c->font < 3 || c->font > 40))
		return error("--plot-font %g: expected 3 to 40 points", c->font);
	if ((c->size || c->font > 0 || !c->legend) && strcmp(format, "pdf") != 0 &&
	    strcmp(format, "tex") != 0 && strcmp(format, "tikz") != 0)
		return error("--%s is of plots for print (expected the format pdf, tex or tikz)",
			     c->size ? "plot-size" : c->font > 0 ? "plot-font"
								 : "no-plot-legend");
	return 0;
}

int plot_path_split(const char *path, enum plot_path_kind kind, struct plot_path *to)
{
	static const char *const formats[] = { "svg", "png", "pdf", "tex", "tikz" };
	const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
	const char *dot = strrchr(stem, '.');
	const int n = kind == PLOT_PATH_FIGURE ? 5 : 3;
	const char *dir = !slash ? "." : slash == path ? "/" : path;
	const size_t dir_length = dir == path ? (size_t)(slash - path) : 1;
	int i = 0;

	while (dot && i < n && strcmp(dot + 1, formats[i]) != 0)
		i++;
	if (!dot || dot == stem || i == n)
		return error("plot '%s': expected a name that ends in %s", path,
			     kind == PLOT_PATH_FIGURE ? ".svg, .png, .pdf, .tex or .tikz"
						      : ".svg, .png or .pdf");
	if (dir_length >= sizeof(to->dir) || (size_t)(dot - stem) >= sizeof(to->name))
		return error("plot '%s': %s", path, strerror(ENAMETOOLONG));
	sprintf(to->dir, "%.*s", (int)dir_length, dir);
	sprintf(to->name, "%.*s", (int)(dot - stem), stem);
	to->format = dot + 1;
	return 0;
}

/* The part of a path that is there: itself, or the nearest folder above it. Cuts `path`. */
static const char *plot_path_nearest(char *path, struct stat *st)
{
	while (stat(path, st)) {
		char *slash = strrchr(path, '/');

		if (errno != ENOENT)
			return NULL;
		if (!slash)
			return stat(".", st) ? NULL : ".";
		slash[slash == path] = '\0';
	}
	return path;
}

/* A folder, or one that can be made. */
static int check_folder(const char *path, const char *dir)
{
	scoped char *copy = xstrdup(dir);
	struct stat st;
	const char *there = plot_path_nearest(copy, &st);
	int ret = 0;

	if (!there)
		ret = error("plot '%s': %s: %s", path, dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		ret = error("plot '%s': %s is no folder", path, there);
	else if (access(there, W_OK | X_OK))
		ret = error("plot '%s': %s: %s", path, there, strerror(errno));
	return ret;
}

/* Whether the plot `at` of --plot FILE writes files of that suffix. */
static bool plot_writes(const struct plot_path *at, enum plot_path_kind kind, const char *suffix)
{
	if (strcmp(suffix, "pdf") == 0)         /* which a LaTeX figure shows */
		return strcmp(at->format, "pdf") == 0 || strcmp(at->format, "tex") == 0;
	return kind != PLOT_PATH_PICTURE || (strcmp(suffix, "csv") && strcmp(suffix, "json"));
}

/* 0, or error(): files that the plot would replace were there before any plot of that name. */
static int check_others(const char *path, enum plot_path_kind kind, const struct plot_path *at,
			const char *named)
{
	static const char *const suffix[] = { "gp", "dat", "svg", "png", "pdf", "csv", "json" };
	int ret = 0;

	if (plot_is_ours(at->dir, at->name))
		return 0;
	for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]) && ret == 0; i++) {
		scoped char *other = xasprintf("%s/%s.%s", at->dir, at->name, suffix[i]);

		if (plot_writes(at, kind, suffix[i]) && strcmp(suffix[i], named) != 0 &&
		    access(other, F_OK) == 0)
			ret = error("plot '%s': it would replace %s, which no plot of convoy made. "
				    "Choose another name, or remove that file", path, other);
	}
	return ret;
}

int plot_path_check(const char *path, enum plot_path_kind kind)
{
	struct plot_path at;

	if (plot_path_split(path, kind, &at) < 0 || check_folder(path, at.dir) < 0)
		return -1;
	return check_others(path, kind, &at, at.format);
}

int plot_path_check_second(const char *path, enum plot_path_kind kind, const char *ending)
{
	struct plot_path at;
	const size_t n = plot_path_split(path, kind, &at) < 0 ? 0 : strlen(at.name);

	if (n == 0)
		return -1;
	if (n + strlen(ending) >= sizeof(at.name))
		return error("plot '%s': %s", path, strerror(ENAMETOOLONG));
	strcpy(at.name + n, ending);
	return check_others(path, kind, &at, "");
}

int timeline_draw(const struct trace *t, const char *path, struct texts *paths)
{
	struct plot_path at;

	if (plot_path_split(path, PLOT_PATH_PICTURE, &at) < 0)
		return -1;
	return trace_plot(t, at.dir, at.name, at.format, paths);
}
